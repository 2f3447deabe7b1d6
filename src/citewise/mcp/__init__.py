"""The MCP server: tools for writing assistants, over the same recommender as every other edge."""

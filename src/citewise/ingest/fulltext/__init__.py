"""Read full texts (papers, their references, their citing sentences): a module for each format."""

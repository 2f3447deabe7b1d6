"""Training of a cross-encoder on a library's citations."""

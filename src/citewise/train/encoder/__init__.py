"""Training of an article encoder on triplets of a library's citations."""

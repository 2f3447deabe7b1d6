"""Training of NNRank on a library's own citations."""

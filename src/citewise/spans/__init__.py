"""Search the spans of citing sentences, and papers by their profiles: all spans that cite them."""

"""The citing sentences of a library on disk: segments, tables, and the store that reads them."""

"""A library on disk: one folder, one writer, and the stores that read it."""

"""The REST server: what the library can do, over HTTP (extra `serve`)."""

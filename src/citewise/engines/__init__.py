"""Libraries that are more than one folder: cut into shards, and served by a cluster."""

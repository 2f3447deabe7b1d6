"""Shards on a Ray cluster: Ray places, restarts and routes, the shards hold the data."""

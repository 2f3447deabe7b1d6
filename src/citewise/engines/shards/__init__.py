"""A library cut into shards: the same stores, answered by asking the shards and gathering."""

"""Builds shards from dumps, in steps of many small tasks that processes or a cluster share."""

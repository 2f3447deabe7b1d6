"""Retrievers: from a query to candidates."""

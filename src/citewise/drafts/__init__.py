"""From a file, a title or a pasted text to a query."""

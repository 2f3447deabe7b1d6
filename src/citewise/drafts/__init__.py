"""Read drafts (a file, a title, a pasted text) and turn them into queries."""

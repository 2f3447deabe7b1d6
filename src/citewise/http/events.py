"""Server-sent events."""


def event(name: str, data: str) -> bytes:
    """Return an event with a name; a client joins the lines of its data again."""
    lines = "".join(f"data: {line}\n" for line in data.rstrip("\n").split("\n"))
    return f"event: {name}\n{lines}\n".encode()

"""The command that shows, exports and deletes the user's feedback."""

from typing import Annotated

import typer
from rich.markup import escape

from citewise.cli.answers import OutputOption
from citewise.cli.terminal import LibraryOption, say, writing
from citewise.feedback import Feedback, encoded

commands = typer.Typer()


@commands.command(epilog="Example: citewise feedback --library my-library -o feedback.jsonl")
def feedback(
    library: LibraryOption,
    output: OutputOption = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete the file.")] = False,
) -> None:
    """Show the answers that you accepted and rejected, one JSON object a line, or delete them."""
    own = Feedback.of(library)
    if clear:
        own.clear()
        say(f"{escape(str(own.path))}: deleted")
        return

    content = own.read()
    if content.damaged:
        lines = ", ".join(map(str, content.damaged[:5]))
        say(f"{escape(str(own.path))}: {len(content.damaged)} damaged lines ({lines}) are left out")
    with writing(output) as file:
        file.write("".join(f"{encoded(entry)}\n" for entry in content.entries))
    say(f"{len(content.entries)} entries of {escape(str(own.path))}")

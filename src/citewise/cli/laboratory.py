"""The commands of the laboratory: splits and evaluation."""

import typer

commands = typer.Typer()

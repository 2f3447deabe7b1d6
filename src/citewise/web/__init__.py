"""The page: files that a browser loads as they are, and the page for browsers without scripts."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""The folder of the page's files."""

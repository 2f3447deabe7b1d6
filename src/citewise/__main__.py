"""`python -m citewise` is the command line."""

from citewise.cli import main

main()

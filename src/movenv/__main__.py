"""`python -m movenv`."""

from movenv.cli import main

main()

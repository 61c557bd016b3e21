"""`python -m movenv`."""

from movenv.cli.main import main

main()

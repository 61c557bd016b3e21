"""How a run can fail, in words for the user. Light to import: the command line catches these."""


class WrongInput(Exception):
    """What was asked for cannot be."""


class RunFailed(Exception):
    """What was asked for did not work."""

"""movenv bench: how fast is this machine?"""
import typer
def register(app: typer.Typer) -> None:
    pass

"""Who may look and who may act: two secret links to the same page."""

import hmac
import os
import secrets
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from movenv.runtime.errors import WrongInput

TOKEN_BYTES = 24


def keep(path: Path, secret: bytes) -> None:
    """Write a file that nobody else reads, all of it or nothing. Raises OSError."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(secret)
    os.replace(file.name, path)


class Role(StrEnum):
    OBSERVER = "observer"
    """May look."""
    OPERATOR = "operator"
    """May also change the run."""


@dataclass(frozen=True)
class Access:
    """The tokens of one console."""

    operator: str
    observer: str

    @classmethod
    def new(cls) -> "Access":
        return cls(secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES))

    @classmethod
    def kept_in(cls, folder: Path | None) -> "Access":
        """The tokens of this folder, made at the first time: links outlive a server.

        Raises WrongInput.
        """
        if folder is None:
            return cls.new()
        path = folder / "console-tokens.json"
        try:
            if path.exists():
                return msgspec.json.decode(path.read_bytes(), type=cls)
            access = cls.new()
            keep(path, msgspec.json.encode(access))
        except (OSError, msgspec.MsgspecError) as error:
            raise WrongInput(f"cannot keep links in {folder}: {error}") from None
        return access

    def role(self, token: str) -> Role | None:
        """What somebody with this token may do; None for a stranger."""
        shown = token.encode()
        if hmac.compare_digest(shown, self.operator.encode()):
            return Role.OPERATOR
        if hmac.compare_digest(shown, self.observer.encode()):
            return Role.OBSERVER
        return None

    def link(self, base: str, role: Role) -> str:
        """The token stands behind the #, which browsers keep to themselves."""
        token = self.operator if role is Role.OPERATOR else self.observer
        return f"{base}/#{role}={token}"

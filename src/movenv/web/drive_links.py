"""Secret links by which people drive: each opens the drive page of one vehicle."""

import hashlib
import hmac
from pathlib import Path

import msgspec

from movenv.runtime.errors import WrongInput
from movenv.web.access import keep

HALF = 20
"""Letters of a token that are secret; the rest says which vehicle, and which link of it."""


class DriveLinks:
    """Links made from a secret. Making one anew makes all before it worthless.

    With a folder both outlive the server.
    """

    def __init__(self, secret: str, folder: Path | None = None) -> None:
        """Raises WrongInput."""
        self._secret = secret.encode()
        self._path = None if folder is None else folder / "drive-links.json"
        self._made: dict[int, int] = {}
        """How often a vehicle's link was made anew."""
        if self._path is not None and self._path.exists():
            try:
                self._made = msgspec.json.decode(self._path.read_bytes(), type=dict[int, int])
            except (OSError, msgspec.MsgspecError) as error:
                raise WrongInput(f"cannot read the links in {self._path}: {error}") from None

    def token(self, vid: int) -> str:
        """What opens the drive page of a vehicle."""
        return f"{vid}.{self._made.get(vid, 0)}.{self._seal(vid)}"

    def renew(self, vid: int) -> str:
        """Another token; the one before opens nothing. Raises WrongInput."""
        self._made[vid] = self._made.get(vid, 0) + 1
        if self._path is not None:
            try:
                keep(self._path, msgspec.json.encode(self._made))
            except OSError as error:
                raise WrongInput(f"cannot keep links in {self._path}: {error}") from None
        return self.token(vid)

    def vid(self, token: str) -> int | None:
        """The vehicle that a token opens; None for a stranger's."""
        number = token.partition(".")[0]
        if not number.isascii() or not number.isdigit() or len(number) > 10:
            return None
        vid = int(number)
        return vid if hmac.compare_digest(token.encode(), self.token(vid).encode()) else None

    def _seal(self, vid: int) -> str:
        said = f"drive {vid} {self._made.get(vid, 0)}".encode()
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()[:HALF]

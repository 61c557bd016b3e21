"""Secret links by which people drive: each opens the drive page of one vehicle."""

import hashlib
import hmac

HALF = 20
"""Letters of a token that are secret; the rest says which vehicle, and which link of it."""


class DriveLinks:
    """Links made from a secret that outlives the server, so that they do as well.

    Making a link anew makes all before it worthless, until the server is started again.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._made: dict[int, int] = {}
        """How often a vehicle's link was made anew."""

    def token(self, vid: int) -> str:
        """What opens the drive page of a vehicle."""
        return f"{vid}.{self._made.get(vid, 0)}.{self._seal(vid)}"

    def renew(self, vid: int) -> str:
        """Another token; the one before opens nothing."""
        self._made[vid] = self._made.get(vid, 0) + 1
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

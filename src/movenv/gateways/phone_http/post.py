"""A request as far as it can tell a fix, in one piece, so that it can be recorded as it came."""

import binascii
from base64 import b64decode, b64encode
from urllib.parse import parse_qsl

import msgspec

from movenv.gateways.fix import Unreadable

MOST_PARAMETERS = 200


class Post(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody sent."""

    path: str = "/"
    query: str = ""
    body: bytes = b""
    content_type: str = ""
    authorization: str = ""
    user: str = ""
    """Header X-Limit-U of OwnTracks."""
    device: str = ""
    """Header X-Limit-D of OwnTracks."""

    def as_bytes(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @staticmethod
    def from_bytes(data: bytes) -> "Post":
        """Raises Unreadable."""
        try:
            return msgspec.msgpack.decode(data, type=Post)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise Unreadable("garbled") from error

    def headers(self) -> dict[str, str]:
        """As they go over the wire."""
        headers = {
            "Content-Type": self.content_type,
            "Authorization": self.authorization,
            "X-Limit-U": self.user,
            "X-Limit-D": self.device,
        }
        return {name: value for name, value in headers.items() if value}

    def is_json(self) -> bool:
        """Told by the body itself, as not all apps label it."""
        return self.body.lstrip()[:1] in (b"{", b"[")

    def parameters(self) -> dict[str, str]:
        """Of the query and of a form. Raises Unreadable."""
        form = "" if self.is_json() else self.body.decode(errors="replace").strip()
        try:
            pairs = parse_qsl(self.query, max_num_fields=MOST_PARAMETERS)
            pairs += parse_qsl(form, max_num_fields=MOST_PARAMETERS)
        except ValueError as error:
            raise Unreadable("garbled") from error
        return {name.lower(): value.strip() for name, value in pairs}

    def credentials(self, parameters: dict[str, str]) -> tuple[str, str]:
        """User and token, '' where there is none."""
        user, token = self._authorized()
        folder, _, rest = self.path.lstrip("/").partition("/")
        in_path = rest.partition("/")[0] if folder == "t" else ""
        return user, token or parameters.get("token", "") or in_path

    def _authorized(self) -> tuple[str, str]:
        scheme, _, secret = self.authorization.strip().partition(" ")
        secret = secret.strip()
        if scheme.lower() == "bearer":
            return "", secret
        if scheme.lower() != "basic":
            return "", ""
        try:
            user, _, password = b64decode(secret, validate=True).decode().partition(":")
        except (binascii.Error, ValueError):  # then it shows nothing, and is refused for that
            return "", ""
        return user, password


def basic(user: str, password: str) -> str:
    """The header of somebody with a password; a name cannot have a colon."""
    return "Basic " + b64encode(f"{user.replace(':', '-')}:{password}".encode()).decode()

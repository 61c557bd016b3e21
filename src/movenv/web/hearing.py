"""What a browser says on a WebSocket."""

from starlette.websockets import WebSocket, WebSocketDisconnect


async def said(socket: WebSocket) -> str | bytes:
    """The next message, as text or as bytes: whoever opens a socket may send either.

    Raises WebSocketDisconnect.
    """
    message = await socket.receive()
    if message["type"] != "websocket.receive":
        raise WebSocketDisconnect(message.get("code", 1006))
    return message.get("text") or message.get("bytes") or b""

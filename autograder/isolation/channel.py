"""Frames over a socket: four bytes of length, then the message.

The trusted side never waits past its deadline and never allocates what a length claims before it has arrived.
"""

import socket
import struct
import time

from .wire import MAX_BYTES

_length = struct.Struct("<I")
SLACK = 1 << 20


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """The deadline passed."""


class Violation(Exception):
    """The other side sent what it never should."""


class Channel:
    """One end. `receive` and `send` take a deadline (time.monotonic) or None, which waits for ever."""

    def __init__(self, sock: socket.socket):
        self.socket = sock
        self._timeout: float | None = sock.gettimeout()
        self._buffer = bytearray()

    def send(self, message: bytes, deadline: float | None = None) -> None:
        if len(message) > MAX_BYTES + SLACK:
            raise Violation("the message is too large")
        data = b"".join((_length.pack(len(message)), message))
        flags = socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT  # nearly always there is room, and nothing to wait for
        while data:
            try:
                sent = self.socket.send(data, flags)
                if sent == len(data):
                    return
                data = memoryview(data)[sent:]
            except BlockingIOError:
                self._until(deadline)
                flags = socket.MSG_NOSIGNAL
            except TimeoutError:
                raise Late from None
            except OSError:
                raise Closed from None

    def receive(self, deadline: float | None = None) -> memoryview:
        """The next message. Raises Closed, Late, or Violation for a length beyond the limit."""
        buffer, wanted = self._buffer, None
        while True:
            if wanted is None and len(buffer) >= 4:
                wanted = 4 + _length.unpack_from(buffer)[0]
                if wanted > MAX_BYTES + SLACK:
                    raise Violation(f"a message of {wanted} bytes was announced")
            if wanted is not None and len(buffer) >= wanted:
                message = bytes(buffer[4:wanted])
                del buffer[:wanted]
                return memoryview(message)
            self._until(deadline)
            try:
                part = self.socket.recv(min(1 << 18, max(1 << 14, (wanted or 0) - len(buffer))))
            except TimeoutError:
                raise Late from None
            except OSError:
                raise Closed from None
            if not part:
                raise Closed
            if not buffer and len(part) >= 4 and len(part) == 4 + _length.unpack_from(part)[0]:
                return memoryview(part)[4:]  # the usual case: one message, all of it
            buffer += part

    def _until(self, deadline: float | None) -> None:
        """No call on the socket may last beyond the deadline by more than a tenth of the time that was left."""
        if deadline is None:
            left = None
        else:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late
        before = self._timeout
        if before is left or (before and left and 0.9 * before <= left <= before):
            return
        try:
            self.socket.settimeout(left)
        except OSError:
            raise Closed from None
        self._timeout = left

    def close(self) -> None:
        self.socket.close()

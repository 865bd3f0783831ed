"""Frames over a socket: four bytes of length, then the message.

The trusted side never waits past its deadline and never allocates what a length claims before it has arrived.
"""

import socket
import struct
from time import monotonic

from .wire import MAX_BYTES

_length = struct.Struct("<I")
_interval = struct.Struct("@ll")  # struct timeval
LIMIT = MAX_BYTES + (1 << 20)  # of a message: its value and what goes with it
FIRST = 1 << 14  # bytes to ask for while nothing is known of a message
PIECE = 1 << 16  # bytes of a send that may wait: the kernel's timeout starts anew for each buffer that it fills
NO_WAIT = int(socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """The deadline passed."""


class Violation(Exception):
    """The other side sent what it never should."""


class Channel:
    """One end. `receive` and `send` take a deadline (time.monotonic) or None, which waits for ever.

    The kernel does the waiting (SO_RCVTIMEO): Python's own socket timeouts cost a second system call each time.
    """

    def __init__(self, sock: socket.socket):
        sock.setblocking(True)
        self.socket = sock
        self._timeout: float | None = None
        self._buffer = bytearray()

    def send(self, message: bytes, deadline: float | None = None) -> None:
        if len(message) > LIMIT:
            raise Violation("the message is too large")
        data = _length.pack(len(message)) + message
        try:
            sent = self.socket.send(data, NO_WAIT)  # nearly always there is room for all of it
        except BlockingIOError:
            sent = 0
        except OSError:
            raise Closed from None
        while sent < len(data):
            data = memoryview(data)[sent:]
            self._until(deadline)
            try:
                sent = self.socket.send(data[:PIECE], socket.MSG_NOSIGNAL)
            except BlockingIOError:
                sent = 0  # `_until` says whether it is late
            except OSError:
                raise Closed from None

    def receive(self, deadline: float | None = None) -> bytes:
        """The next message. Raises Closed, Late, or Violation for a length beyond the limit."""
        buffer, wanted = self._buffer, None
        if not buffer:
            part = self._part(FIRST, deadline)
            if len(part) >= 4 and len(part) == 4 + _length.unpack_from(part)[0]:
                return part[4:]  # the usual case: one message, all of it
            buffer += part
        while True:
            if wanted is None and len(buffer) >= 4:
                wanted = 4 + _length.unpack_from(buffer)[0]
                if wanted > 4 + LIMIT:
                    raise Violation(f"a message of {wanted} bytes was announced")
            if wanted is not None and len(buffer) >= wanted:
                message = bytes(memoryview(buffer)[4:wanted])
                del buffer[:wanted]
                return message
            buffer += self._part(min(1 << 18, max(FIRST, (wanted or 0) - len(buffer))), deadline)

    def _part(self, size: int, deadline: float | None) -> bytes:
        while True:
            self._until(deadline)
            try:
                part = self.socket.recv(size)
            except BlockingIOError:
                continue  # `_until` says whether it is late
            except OSError:
                raise Closed from None
            if not part:
                raise Closed
            return part

    def _until(self, deadline: float | None) -> None:
        """No call on the socket may last beyond the deadline by more than a tenth of the time that was left."""
        before = self._timeout
        if deadline is None:
            if before is None:
                return
            left = None
        else:
            left = deadline - monotonic()
            if left <= 0:
                raise Late
            if before is not None and 0.9 * before <= left <= 2 * before:  # one that ends too early is only begun again
                return
        microseconds = 0 if left is None else max(1, int(left * 1e6))  # 0: for ever
        interval = _interval.pack(*divmod(microseconds, 1_000_000))
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, interval)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, interval)
        except OSError:
            raise Closed from None
        self._timeout = left

    def close(self) -> None:
        self.socket.close()

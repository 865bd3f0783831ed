"""Frames over a pair of pipes: four bytes of length, then the message.

The trusted side never waits past its deadline and never allocates what a length claims before it has arrived.
"""

import os
import select
import struct
from time import monotonic

from .wire import MAX_BYTES

_length = struct.Struct("<I")
LIMIT = MAX_BYTES + (1 << 20)  # of a message: its value and what goes with it
FIRST = 1 << 14  # bytes to ask for while nothing is known of a message


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """The deadline passed."""


class Violation(Exception):
    """The other side sent what it never should."""


class Channel:
    """One end: the descriptors to read from and to write to, which it closes. (A round trip takes two thirds of a socket's.)

    patient: the other end is trusted, and calls without a deadline wait for ever. Else `receive` and `send` must be given one
    (time.monotonic): only `poll` waits, whatever the other end does to the pipes.
    """

    def __init__(self, reads: int, writes: int, patient: bool = False):
        self._reads, self._writes = reads, writes
        self._buffer = bytearray()
        self._arrived, self._room = select.poll(), select.poll()
        self._arrived.register(reads, select.POLLIN)
        self._room.register(writes, select.POLLOUT)
        for handle in (reads, writes):
            os.set_blocking(handle, patient)

    def send(self, message: bytes, deadline: float | None = None) -> None:
        if len(message) > LIMIT:
            raise Violation("the message is too large")
        data = memoryview(_length.pack(len(message)) + message)
        while True:
            try:
                data = data[os.write(self._writes, data) :]  # nearly always there is room for all of it
            except BlockingIOError:
                pass
            except OSError:
                raise Closed from None
            if not data:
                return
            self._wait(self._room, deadline)

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
            self._wait(self._arrived, deadline)
            try:
                part = os.read(self._reads, size)
            except BlockingIOError:  # someone else has read it: the other side can
                continue
            except OSError:
                raise Closed from None
            if not part:
                raise Closed
            return part

    @staticmethod
    def _wait(poll, deadline: float | None) -> None:
        if deadline is None:  # a patient end, whose descriptors wait by themselves
            return
        left = deadline - monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise Late

    @property
    def closed(self) -> bool:
        """Whether the other end is gone already."""
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in self._room.poll(0) + self._arrived.poll(0))

    def close(self) -> None:
        """Both descriptors; once more does nothing."""
        for handle in (self._reads, self._writes):
            if handle >= 0:
                os.close(handle)
        self._reads = self._writes = -1

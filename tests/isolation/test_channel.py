"""The trusted end of a channel keeps its deadline, however slowly the other end writes or reads."""

import contextlib
import os
import socket
import struct
import threading
import time

import pytest

from autograder.isolation.channel import Channel, Closed, Late, Violation

SECONDS = 1.0


@contextlib.contextmanager
def against(behave):
    """A channel; `behave(socket, done)` plays the other end in a thread until the event `done`."""
    ours, theirs = socket.socketpair()
    done = threading.Event()
    thread = threading.Thread(target=behave, args=(theirs, done))
    thread.start()
    try:
        yield Channel(ours)
    finally:
        done.set()
        ours.close()
        thread.join()
        theirs.close()


def late(action) -> None:
    began = time.monotonic()
    with pytest.raises(Late):
        action(began + SECONDS)
    assert SECONDS <= time.monotonic() - began < 2 * SECONDS + 1  # a timeout that starts anew goes on for many times that


def silent(theirs, done):
    done.wait()


def drips(pause, piece=b"x"):
    def behave(theirs, done):
        theirs.sendall(struct.pack("<I", 10_000_000))
        with contextlib.suppress(OSError):
            while not done.wait(pause):
                theirs.send(piece)

    return behave


def sips(pause, size):
    def behave(theirs, done):
        theirs.settimeout(0.1)
        with contextlib.suppress(OSError):
            while not done.wait(pause):
                theirs.recv(size)

    return behave


@pytest.mark.parametrize("behave", [silent, drips(0.01), drips(0.3), drips(0.85), drips(0.001, b"x" * 1000)])
def test_a_slow_writer_is_late(behave):
    with against(behave) as channel:
        late(channel.receive)


@pytest.mark.parametrize("behave", [silent, sips(0.01, 10_000), sips(0.3, 300_000), sips(0.85, 1_000_000), sips(0.0, 1)])
def test_a_slow_reader_is_late(behave):
    """The kernel's own timeout of a send starts anew with each part that it could place."""
    with against(behave) as channel:
        late(lambda deadline: channel.send(b"x" * 20_000_000, deadline))


def test_each_deadline_holds_after_longer_and_shorter_ones():
    with against(silent) as channel:
        for seconds in (0.05, 0.5, 0.046, 0.3, 0.31):
            began = time.monotonic()
            with pytest.raises(Late):
                channel.receive(began + seconds)
            assert seconds <= time.monotonic() - began < seconds + 0.4


def test_the_other_ends_flags_are_its_own():
    """A socket's flags belong to its end: nothing that a child sets makes the grader's calls return early or wait."""

    def behave(theirs, done):
        theirs.setblocking(False)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, 1))
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", 1000, 0))
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        done.wait()

    with against(behave) as channel:
        time.sleep(0.1)
        late(channel.receive)
        late(lambda deadline: channel.send(b"x" * 20_000_000, deadline))


def test_messages_of_all_sizes_arrive():
    sizes = [0, 1, 16_379, 16_380, 16_381, 65_536, 300_000, 5_000_000]

    def behave(theirs, done):
        other = Channel(theirs)
        for _ in sizes:
            other.send(other.receive())

    with against(behave) as channel:
        for size in sizes:
            message = os.urandom(size)
            channel.send(message, time.monotonic() + 10)
            assert channel.receive(time.monotonic() + 10) == message


def test_an_end_and_a_lie_are_told_apart():
    with against(lambda theirs, done: theirs.close()) as channel, pytest.raises(Closed):
        channel.receive(time.monotonic() + 10)
    with against(lambda theirs, done: theirs.sendall(b"\xff" * 4)) as channel, pytest.raises(Violation):
        channel.receive(time.monotonic() + 10)

"""The trusted end of a channel keeps its deadline, however slowly the other end writes or reads."""

import contextlib
import fcntl
import os
import select
import struct
import threading
import time

import pytest

from autograder.isolation.channel import Channel, Closed, Late, Violation

SECONDS = 1.0


class Other:
    """The other end: what the grader sends is read from `reads`, what it receives is written to `writes`."""

    def __init__(self, reads, writes):
        self.reads, self.writes = reads, writes

    def close(self):
        for handle in {self.reads, self.writes} - {None}:
            os.close(handle)
        self.reads = self.writes = None


@contextlib.contextmanager
def against(behave):
    """A channel; `behave(other, done)` plays the other end in a thread until the event `done`."""
    (their_reads, writes), (reads, their_writes) = os.pipe(), os.pipe()
    other, channel, done = Other(their_reads, their_writes), Channel(reads, writes), threading.Event()
    thread = threading.Thread(target=behave, args=(other, done))
    thread.start()
    try:
        yield channel
    finally:
        done.set()
        channel.close()
        thread.join()
        other.close()


def late(action) -> None:
    began = time.monotonic()
    with pytest.raises(Late):
        action(began + SECONDS)
    assert SECONDS <= time.monotonic() - began < 2 * SECONDS + 1  # a timeout that starts anew goes on for many times that


def silent(other, done):
    done.wait()


def drips(pause, piece=b"x"):
    def behave(other, done):
        os.write(other.writes, struct.pack("<I", 10_000_000))
        with contextlib.suppress(OSError):
            while not done.wait(pause):
                os.write(other.writes, piece)

    return behave


def sips(pause, size):
    def behave(other, done):
        while not done.wait(pause):
            if select.select([other.reads], [], [], 0.1)[0]:
                os.read(other.reads, size)

    return behave


@pytest.mark.parametrize("behave", [silent, drips(0.01), drips(0.3), drips(0.85), drips(0.001, b"x" * 1000)])
def test_a_slow_writer_is_late(behave):
    with against(behave) as channel:
        late(channel.receive)


@pytest.mark.parametrize("behave", [silent, sips(0.01, 10_000), sips(0.3, 300_000), sips(0.85, 1_000_000), sips(0.0, 1)])
def test_a_slow_reader_is_late(behave):
    """The time does not start anew with each part that there was room for."""
    with against(behave) as channel:
        late(lambda deadline: channel.send(b"x" * 20_000_000, deadline))


def test_each_deadline_holds_after_longer_and_shorter_ones():
    with against(silent) as channel:
        for seconds in (0.05, 0.5, 0.046, 0.3, 0.31):
            began = time.monotonic()
            with pytest.raises(Late):
                channel.receive(began + seconds)
            assert seconds <= time.monotonic() - began < seconds + 0.4


def test_what_the_other_end_does_to_the_pipes_makes_no_call_wait():
    """It can make them smaller, read what was meant for us, and change the flags of its own ends."""

    def behave(other, done):
        for handle in (other.reads, other.writes):
            os.set_blocking(handle, False)
            fcntl.fcntl(handle, fcntl.F_SETPIPE_SZ, 4096)
        stolen = os.open(f"/proc/self/fd/{other.writes}", os.O_RDONLY | os.O_NONBLOCK)  # who has one end of a pipe can open the other
        try:
            while not done.is_set():
                with contextlib.suppress(BlockingIOError):
                    os.write(other.writes, b"\x01\x01")  # four of them announce a message of 17 MB
                    os.read(stolen, 1)
        finally:
            os.close(stolen)

    with against(behave) as channel:
        time.sleep(0.1)
        late(channel.receive)
        late(lambda deadline: channel.send(b"x" * 20_000_000, deadline))


def test_messages_of_all_sizes_arrive():
    sizes = [0, 1, 16_379, 16_380, 16_381, 65_536, 300_000, 5_000_000]

    def behave(other, done):
        end = Channel(other.reads, other.writes, patient=True)
        for _ in sizes:
            end.send(end.receive())

    with against(behave) as channel:
        for size in sizes:
            message = os.urandom(size)
            channel.send(message, time.monotonic() + 10)
            assert channel.receive(time.monotonic() + 10) == message


def test_an_end_and_a_lie_are_told_apart():
    with against(lambda other, done: other.close()) as channel, pytest.raises(Closed):
        channel.receive(time.monotonic() + 10)
    with against(lambda other, done: other.close()) as channel, pytest.raises(Closed):
        time.sleep(0.1)
        channel.send(b"x", time.monotonic() + 10)
    with against(lambda other, done: os.write(other.writes, b"\xff" * 4)) as channel, pytest.raises(Violation):
        channel.receive(time.monotonic() + 10)

"""Ctrl-C that waits, for this process and for those that it starts meanwhile; workers that end with it."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tiacam.workers import interrupts_held, interrupts_remembered

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="not on Windows")


@pytest.fixture(autouse=True)
def heard_as_on_a_terminal() -> Iterator[None]:
    """A job in the background is started with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def interrupted(done: list[bool]) -> None:
    with interrupts_held():
        interrupt()
        time.sleep(0.1)
        done.append(True)


def test_an_interrupt_waits_for_the_end() -> None:
    done: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(done)
    assert done


def test_so_does_one_that_another_thread_hears() -> None:
    """Blocked in one thread, a signal is given to another, and Python answers it in the main thread all the same."""
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    done: list[bool] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(done)
    finally:
        stop.set()
        other.join()
    assert done


def test_a_process_that_is_started_meanwhile_does_not_hear_it() -> None:
    with interrupts_held():
        child = subprocess.Popen(
            [sys.executable, "-c", "import time; print(flush=True); time.sleep(0.5)"], stdout=-1
        )
    with child:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
    assert child.returncode == 0


def test_afterwards_it_is_heard_again_and_an_error_inside_is_told() -> None:
    with pytest.raises(ValueError, match="inside"), interrupts_held():
        raise ValueError("inside")
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_in_another_thread_it_does_nothing_but_block_there() -> None:
    outcome: list[str] = []

    def work() -> None:
        with interrupts_held():
            outcome.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert outcome == ["done"]


def test_an_interrupt_that_a_library_swallows_is_answered_at_the_end() -> None:
    done: list[bool] = []

    def swallow() -> None:
        with interrupts_remembered():
            with suppress(KeyboardInterrupt):
                interrupt()
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        swallow()
    assert done


def test_an_interrupt_that_became_another_error_is_an_interrupt_all_the_same() -> None:
    def disguise() -> None:
        with interrupts_remembered():
            try:
                interrupt()
            except KeyboardInterrupt as error:
                raise ImportError("initialization failed") from error

    with pytest.raises(KeyboardInterrupt):
        disguise()


def test_where_nobody_interrupts_results_and_errors_pass() -> None:
    with pytest.raises(ValueError, match="inside"), interrupts_remembered():
        raise ValueError("inside")
    with interrupts_remembered():
        pass
    with pytest.raises(KeyboardInterrupt):
        interrupt()


SLEEPING = """
import sys, time
from multiprocessing import get_context
from tiacam.workers import Tether, end_with

def sleep(worker_end):
    end_with(worker_end)
    print("asleep", flush=True)
    time.sleep(60)

if __name__ == "__main__":
    tether = Tether.make()
    process = get_context("spawn").Process(target=sleep, args=(tether.worker_end,))
    process.start()
    sys.stdin.readline()
    tether.cut()
    process.join()
    print("cut", flush=True)
"""


@pytest.mark.parametrize("killed", [True, False])
def test_a_worker_ends_when_its_tether_is_cut_or_its_parent_is_killed(tmp_path: Path, killed: bool) -> None:
    script = tmp_path / "sleeping.py"
    script.write_text(SLEEPING)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    began = time.monotonic()
    with subprocess.Popen([sys.executable, script], **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "asleep\n"
        if killed:
            process.kill()
        else:
            process.stdin.write("\n")
            process.stdin.flush()
        rest = process.stdout.read()  # until the worker has closed it too
    assert rest == ("" if killed else "cut\n")
    assert time.monotonic() - began < 50


COUNT_PAGES = """
import resource, numpy as np
for _ in range(40):
    some = [np.ones(3 << 20, np.uint8) for _ in range(8)]
    del some
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""
KEEPING = "from tiacam.workers import keep_freed_memory\nassert keep_freed_memory()\n"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator")
def test_memory_that_is_kept_is_not_asked_for_again() -> None:
    """Counted are the pages that the system has to give to a process that takes and frees the same memory 40 times."""
    pages = [
        int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
        for code in (COUNT_PAGES, KEEPING + COUNT_PAGES)
    ]
    assert pages[1] < pages[0] / 2

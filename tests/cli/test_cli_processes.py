"""What only real processes show: the default place, races, full disks, read-only folders, pipes, Ctrl-C."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, ROCKET, command, environment, run_apart

from tiacam.cli import main

# From linux/prctl.h and linux/capability.h.
PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def test_without_an_option_the_registry_is_one_file_in_the_users_data_folder(tmp_path: Path) -> None:
    home = environment(HOME=tmp_path, XDG_DATA_HOME=tmp_path / "data")
    assert run_apart("register", COFFEE, "--hex", "ab", env=home).code == 0
    (registry,) = tmp_path.rglob("registry.tiacam")
    assert Path(f"{registry}.key").exists()
    assert len(run_apart("list", env=home).out.splitlines()) == 1
    other = tmp_path / "other.tiacam"
    assert run_apart("list", env=home | {"TIACAM_REGISTRY": str(other)}).code == 2
    assert run_apart("list", "--registry", registry, env=home | {"TIACAM_REGISTRY": str(other)}).code == 0


def test_processes_that_open_a_new_registry_at_once_all_register_under_one_key(registry: Path) -> None:
    pictures = [COFFEE, ROCKET, HORSE]
    started = [
        subprocess.Popen(
            command("register", picture, "--hex", "ab", "--registry", registry),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        for picture in pictures
    ]
    talk = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], talk
    assert sum("made the key" in text for text in talk) == 1
    (report,) = run_apart("audit", "--registry", registry, "--json").objects
    assert (report["records"], report["owners"]) == (3, 1)


def limit_file_size(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_is_an_error_and_what_was_acknowledged_is_kept(registry: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    lines = [json.dumps({"file": str(HORSE), "hex": f"{number:04x}"}) for number in range(100)]
    manifest.write_text("\n".join(lines))
    full = run_apart(
        "register",
        "--manifest",
        manifest,
        "--registry",
        registry,
        "--json",
        preexec_fn=partial(limit_file_size, 250_000),
    )
    assert full.code == 1
    assert "disk is full" in full.err
    acknowledged = [answer["id"] for answer in full.objects]
    assert 0 < len(acknowledged) < len(lines)
    assert run_apart("audit", "--registry", registry).code == 0
    kept = [record["id"] for record in run_apart("list", "--registry", registry, "--json").objects]
    assert len(set(kept)) == len(kept)
    assert kept[: len(acknowledged)] == acknowledged
    assert run_apart("register", COFFEE, "--hex", "ab", "--registry", registry).code == 0


def obey_permissions() -> None:
    """Take from root the two capabilities that let it past them; others obey anyway."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "read-only"
    path.mkdir()
    yield path
    path.chmod(0o755)


def close(folder: Path) -> None:
    folder.chmod(0o555)
    probe = [sys.executable, "-c", f"open({str(folder / 'probe')!r}, 'w')"]
    if subprocess.run(probe, capture_output=True, check=False, preexec_fn=obey_permissions).returncode == 0:
        pytest.skip("this system lets everybody write to a folder of mode 0555")


def test_a_read_only_folder_can_be_read_from_and_not_registered_in(
    folder: Path, original_registry: Path
) -> None:
    registry, key = folder / "registry.tiacam", folder / "registry.tiacam.key"
    shutil.copy(original_registry, registry)
    shutil.copy(f"{original_registry}.key", key)
    close(folder)
    options = {"preexec_fn": obey_permissions}
    read = run_apart("read", COFFEE, "--registry", registry, "--json", **options)
    assert (read.code, read.objects[0]["text"]) == (0, "owner 4711"), read.err
    refused = run_apart("register", HORSE, "--hex", "ab", "--registry", registry, **options)
    assert refused.code == 1
    assert "read-only" in refused.err
    assert len(run_apart("list", "--registry", registry, **options).out.splitlines()) == 2


def test_no_registry_is_made_in_a_read_only_folder(folder: Path) -> None:
    close(folder)
    new = folder / "new.tiacam"
    outcome = run_apart("register", COFFEE, "--hex", "ab", "--registry", new, preexec_fn=obey_permissions)
    assert (outcome.code, outcome.out) == (1, "")
    assert "read-only" in outcome.err
    assert list(folder.iterdir()) == []


def test_ctrl_c_ends_with_130_and_leaves_a_whole_chain(registry: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    lines = (json.dumps({"file": str(COFFEE), "hex": f"{number:04x}"}) for number in range(5000))
    manifest.write_text("\n".join(lines))
    said = tmp_path / "said"
    with (
        said.open("w") as errors,
        subprocess.Popen(
            command("register", "--manifest", manifest, "--registry", registry, "--json"),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        ) as process,
    ):
        assert process.stdout is not None
        acknowledged = [json.loads(process.stdout.readline())["id"]]
        process.send_signal(signal.SIGINT)
        acknowledged += [json.loads(line)["id"] for line in process.stdout]
    talk = said.read_text()
    assert process.returncode == 130, talk
    assert talk.endswith("tiacam: interrupted\n")
    assert "Traceback" not in talk
    kept = [record["id"] for record in run_apart("list", "--registry", registry, "--json").objects]
    assert len(set(kept)) == len(kept)
    assert kept[: len(acknowledged)] == acknowledged
    assert run_apart("audit", "--registry", registry).code == 0


def test_a_reader_who_goes_away_ends_the_command_quietly(original_registry: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        command("list", "--registry", original_registry),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=environment(),
    )
    os.close(writing)
    assert (process.returncode, process.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_an_error(original_registry: Path, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            command("list", "--registry", original_registry),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(PYTHONUNBUFFERED=unbuffered),
        )
    assert process.returncode == 1
    assert process.stderr.startswith("tiacam: [Errno 28]")
    assert "Traceback" not in process.stderr


def test_names_that_are_no_text_are_printed_all_the_same(original_registry: Path, tmp_path: Path) -> None:
    photo = tmp_path / os.fsdecode(b"\xff\xfe.jpg")
    try:
        shutil.copy(COFFEE, photo)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    strict = environment(PYTHONIOENCODING="ascii:strict")
    (answer,) = run_apart("read", photo, "--registry", original_registry, "--json", env=strict).objects
    assert answer["photo"] == str(photo)
    plain = run_apart("read", photo, "--registry", original_registry, env=strict)
    assert plain.code == 0
    assert r"\udcff\udcfe.jpg: owner 4711" in plain.out


@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.6, 1.0])
def test_ctrl_c_says_one_line_also_while_the_processes_of_a_bulk_start(
    registry: Path, tmp_path: Path, seconds: float
) -> None:
    """As a terminal sends it: to all processes of the group."""
    manifest = tmp_path / "manifest.jsonl"
    lines = (json.dumps({"file": str(COFFEE), "hex": f"{number:04x}"}) for number in range(5000))
    manifest.write_text("\n".join(lines))
    bulk = ("--manifest", manifest, "--registry", registry, "--engine", "processes", "--workers", "2")
    said = tmp_path / "said"
    with (
        said.open("w") as errors,
        subprocess.Popen(
            command("register", *bulk),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment(),
            start_new_session=True,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        ) as process,
    ):
        while not registry.exists():  # earlier there is nothing of ours that could answer
            time.sleep(0.01)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        try:
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()
    talk = said.read_text()
    assert talk.endswith("tiacam: interrupted\n")
    assert "Traceback" not in talk
    assert not registry.exists() or run_apart("audit", "--registry", registry).code == 0


def test_ctrl_c_says_one_line_also_while_modules_are_loaded(registry: Path) -> None:
    """A module in C that is interrupted tells of an ImportError."""
    spoilt = (
        "import sys, tiacam.cli, tiacam.cli.register, os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def run(options):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        "        raise ImportError('initialization failed')\n"
        "tiacam.cli.register.run = run\n"
        f"sys.exit(tiacam.cli.main(['register', {str(COFFEE)!r}, '--hex', 'ab', '--registry', {str(registry)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", spoilt], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tiacam: interrupted\n")


def test_ctrl_c_says_one_line_also_while_the_commands_are_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tiacam.cli.build_parser", interrupted)
    assert main(["list"]) == 130
    assert capsys.readouterr() == ("", "tiacam: interrupted\n")

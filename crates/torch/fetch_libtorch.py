#!/usr/bin/env python3
"""Puts libtorch into target/libtorch, once; or checks one that the user has.

    fetch_libtorch.py                 fetch into target/libtorch of this checkout, unless it is there already
    fetch_libtorch.py --into FOLDER   fetch into another folder
    fetch_libtorch.py --check FOLDER  say whether the libtorch in FOLDER can be used

libtorch comes from PyPI: the `torch` wheel (which is a zip file) holds it, and two small wheels hold the CUDA run-time
libraries that even its CPU half names. Of these, the headers, four libraries and the licences are kept. Nothing is
installed into the user's Python, and Python is not needed again afterwards.

A fetch that was interrupted goes on with the wheels that had arrived whole (pip compares each with the SHA-256
below). The folder appears under its name only when everything is in it.
"""

import argparse
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

# What the crate `torch-sys` asks for, exactly (TORCH_VERSION in its build script); changes together with `tch`.
VERSION = "2.13.0"
# The wheels, pinned as pip requirements; the second and third are what torch 2.13.0 itself asks for.
WHEELS = """
torch==2.13.0 --hash=sha256:60fcdcb2f3876e21146cb4524ef06397d727ca9ad5f020818547e25075fe3cb7
nvidia-cuda-runtime==13.0.96 --hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
nvidia-cuda-cupti==13.0.85 --hash=sha256:4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8
"""
# The platform of these wheels; CPython 3.11 is only what the file's name says, no Python code is kept.
PLATFORM = ["--only-binary=:all:", "--implementation=cp", "--python-version=311"] + [
    f"--platform={name}" for name in ("manylinux_2_28_x86_64", "manylinux_2_25_x86_64", "manylinux2014_x86_64")
]
LIBRARIES = {"libc10.so", "libtorch_cpu.so", "libgomp.so.1", "libcudart.so.13", "libcupti.so.13"}
LICENCES = {"license", "license.txt", "notice"}
DOWNLOAD_MB, INSTALLED_MB = 540, 490

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
OWN_LIBTORCH = f"or set LIBTORCH to the folder of a libtorch {VERSION} that you have (README.md, 'Your own libtorch')"


class Problem(Exception):
    """What went wrong and what to do about it, in one or two lines."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=pathlib.Path, default=CHECKOUT / "target" / "libtorch", metavar="FOLDER")
    parser.add_argument("--check", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            check(arguments.check)
        elif found_version(arguments.into) != VERSION:
            fetch(arguments.into.resolve())
    except Problem as problem:
        sys.exit(f"libtorch: {problem}")
    except OSError as error:
        sys.exit(f"libtorch: {error.strerror or error}: {error.filename or arguments.into}")
    except KeyboardInterrupt:
        sys.exit("\nlibtorch: stopped; the next run goes on from here")


def check(folder):
    """Fails unless `folder` is a whole libtorch of the right version."""
    for part in ("include/torch/csrc/api/include/torch/torch.h", "lib/libtorch_cpu.so"):
        if not (folder / part).exists():
            raise Problem(f"LIBTORCH={folder} is not a libtorch: there is no {part} in it")
    found = found_version(folder)
    if found is None:
        print(f"libtorch: {folder} does not say its version; {VERSION} is needed", file=sys.stderr)
    elif found != VERSION and "LIBTORCH_BYPASS_VERSION_CHECK" not in os.environ:
        raise Problem(f"LIBTORCH={folder} is version {found}, and {VERSION} is needed")


def found_version(folder):
    """The version that a libtorch folder states, without its build tag ("+cpu", "+cu130"), or None."""
    # The zip files of pytorch.org hold `build-version`, Python packages `version.py`.
    for name, pattern in (("build-version", r"([^\s+]+)"), ("version.py", r"__version__ = '([^'+]+)")):
        try:
            match = re.search(pattern, (folder / name).read_text())
        except OSError:
            continue
        if match:
            return match.group(1)
    return None


def fetch(folder):
    """Downloads, unpacks and puts `folder` in place."""
    machine = os.uname()
    if (machine.sysname, machine.machine) != ("Linux", "x86_64"):
        raise Problem(f"it is fetched for Linux on x86-64 only, not {machine.sysname} on {machine.machine}; {OWN_LIBTORCH}")
    wheels = folder.with_name(folder.name + ".download")
    wheels.mkdir(parents=True, exist_ok=True)
    with open(wheels / "lock", "w") as lock:
        wait_for(lock)
        if found_version(folder) == VERSION:  # Another fetch has just done it.
            return
        check_space(wheels)
        print(f"Fetching libtorch {VERSION} from PyPI, once: {DOWNLOAD_MB} MB to download, {INSTALLED_MB} MB in {folder}", flush=True)
        download(wheels)
        print("Unpacking ...", flush=True)
        unfinished = folder.with_name(folder.name + ".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unpack(wheels, unfinished)
        os.sync()  # The name must not reach the disk before the contents.
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
        shutil.rmtree(wheels)
    print(f"libtorch {VERSION} is in place.")


def wait_for(lock):
    """Takes the lock, which the system gives back when this process ends, however it ends."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("libtorch: another process is fetching it; waiting ...", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)


def check_space(wheels):
    there = sum(path.stat().st_size for path in wheels.glob("*.whl")) // 1_000_000
    needed = max(DOWNLOAD_MB - there, 0) + INSTALLED_MB + 20
    free = shutil.disk_usage(wheels).free // 1_000_000
    if free < needed:
        raise Problem(f"the disk is too full: {free} MB free at {wheels.parent}, {needed} MB needed while unpacking")


def download(wheels):
    """Leaves the three wheels in the folder `wheels`; pip keeps those that are there and have the right hash."""
    requirements = wheels / "requirements.txt"
    requirements.write_text(WHEELS)
    command = pip(wheels) + ["download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--require-hashes"]
    command += PLATFORM + ["--dest", str(wheels), "--requirement", str(requirements)]
    if not sys.stdout.isatty():
        command.append("--quiet")  # No progress bar into a log file.
    # Newer versions of pip take up a broken download where it broke; older ones pass over the setting.
    if subprocess.run(command, env={**os.environ, "PIP_RESUME_RETRIES": "10"}).returncode != 0:
        raise Problem(f"pip could not download it (its own words are above); check the network and run again, {OWN_LIBTORCH}")


def pip(wheels):
    """The command that runs pip: this Python's own, else one in a throw-away environment."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip"]
    environment = wheels / "pip"
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], capture_output=True).returncode != 0:
        raise Problem(
            f"{sys.executable} has no pip. Install it (Debian, Ubuntu: sudo apt install python3-pip; "
            f"Fedora: sudo dnf install python3-pip) and run again, {OWN_LIBTORCH}"
        )
    return [str(environment / "bin" / "python"), "-m", "pip"]


def unpack(wheels, folder):
    """Takes out of the wheels what is wanted and lays it out as a libtorch folder."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:  # Each member's checksum is verified while it is read.
            for name in filter(is_wanted, archive.namelist()):
                archive.extract(name, folder)
    missing = LIBRARIES - {path.name for path in folder.rglob("*.so*")}
    if missing:
        raise Problem(f"the wheels lack {', '.join(sorted(missing))}")
    # The libraries find each other by this layout: torch/lib beside nvidia/cu13/lib.
    (folder / "include").symlink_to("torch/include")
    (folder / "lib").symlink_to("torch/lib")
    # -ltorch has to find something; the wheel's own libtorch.so would ask for the CUDA half as well.
    (folder / "lib" / "libtorch.so").symlink_to("libtorch_cpu.so")
    (folder / "build-version").write_text(VERSION + "\n")


def is_wanted(name):
    """Whether this member of a wheel is a header, one of the libraries, or a licence."""
    base = name.rsplit("/", 1)[-1]
    if not base:
        return False
    return name.startswith("torch/include/") or base in LIBRARIES or base.lower() in LICENCES or "/licenses/" in name


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills `meihua arena` at random instants (SIGKILL), goes on each time, and compares the match files.

A match between players that choose by the seed alone is played in one go and killed again and again; both files must be
the same to the byte, and the last lines that the program prints too. Exits with 1 if they aren't.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30, help="[%(default)s]")
    parser.add_argument("--games", type=int, default=200, help="[%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the match and of the instants [%(default)s]")
    parser.add_argument("--players", nargs=2, default=["depth-3", "depth-2"], metavar=("A", "B"), help="[depth-3 depth-2]")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target")) / "release"
    parser.add_argument("--meihua", type=pathlib.Path, default=target / "meihua", help="the program")
    arguments = parser.parse_args()
    arguments.meihua = arguments.meihua.absolute()
    if not arguments.meihua.exists():
        parser.error(f"no {arguments.meihua}")
    instants = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, killed = pathlib.Path(folder) / "whole", pathlib.Path(folder) / "killed"
        begin = timed(lambda: run(arguments, pathlib.Path(folder) / "short", None, games=2))[1]
        expected, secs = timed(lambda: run(arguments, whole, None))
        print(f"{secs:.1f} s without a kill, {begin:.1f} s for the first pair", flush=True)
        longest = begin + 2 * max(secs - begin, 0.1) / arguments.kills
        kills, torn, inside = 0, 0, 0
        while kills < arguments.kills:
            if run(arguments, killed, instants.uniform(begin / 2, longest)) is not None:
                # It is complete: from here on a copy cut at a random byte stands for one that was killed.
                data = killed.read_bytes()
                killed.write_bytes(data[: instants.randrange(len(data))])
                continue
            kills += 1
            data = killed.read_bytes() if killed.exists() else b""
            torn += not data.endswith(b"\n")
            inside += 0 < data.count(b"\n") - 1 < arguments.games // 2
            print(f"kill {kills}: {data.count(bytes([10]))} whole lines", flush=True)
        found = run(arguments, killed, None)
        same = whole.read_bytes() == killed.read_bytes() and found == expected
        print(f"{kills} kills, {inside} of them in the middle of the match, {torn} left no whole last line; {'the same to the byte' if same else 'DIFFERENT'}: {found.splitlines()[0]}")
        sys.exit(0 if same else 1)


def timed(work):
    start = time.monotonic()
    return work(), time.monotonic() - start


def run(arguments, path, secs, games=None):
    """Plays; what it printed, or None if it was killed after `secs`."""
    command = [arguments.meihua, "arena", *arguments.players, "--games", str(games or arguments.games)]
    command += ["--seed", str(arguments.seed), "--threads", "2", "--match-file", path]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = process.communicate(timeout=3600 if secs is None else secs)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        if secs is None:
            sys.exit(f"it hangs: {command}")
        return None
    if process.returncode != 0:
        sys.exit(f"{errors}it ended with {process.returncode}: {command}")
    return output


if __name__ == "__main__":
    main()

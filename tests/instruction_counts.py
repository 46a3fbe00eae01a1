#!/usr/bin/env python3
"""Counts the instructions of the hot loops and compares them with the counts written down.

    tests/instruction_counts.py            # compare; exit code 1 if one grew or shrank by more than 2 %
    tests/instruction_counts.py --write    # write the counts down anew

Times on a busy machine say little; counts are the same to a few parts in a thousand on every machine of one kind. They
are a signature that a refactoring keeps. Needs valgrind. What is counted is one round of a bench, or some: perft 4 from
two positions, evaluations in integers at three sizes, searches without a network, self-play with one that costs nothing.
The evaluations show whether the compiler still finds the instructions that their loops are written for: where it doesn't
(rustc 1.95 with one codegen unit for the crate) they take twice the time.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "tests" / "instruction_counts.json"
ALLOWED = 0.02
# Crate, file, bench, rounds: enough that what is done before them doesn't count for much.
BENCHES = [
    ("rules", "perft", "perft_4", 1),
    ("net", "sparse", "encoding_and_network_in_integers", 20),
    ("search", "search", "puct_100_000", 1),
    ("selfplay", "selfplay", "hashed", 1),
]


def binary(crate, bench):
    """The path of a bench's program, built if it isn't."""
    command = ["cargo", "bench", "--package", crate, "--bench", bench, "--no-run", "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = (json.loads(line) for line in built.splitlines() if line.startswith("{"))
    paths = [message["executable"] for message in messages if message.get("executable") and message["target"]["name"] == bench]
    return paths[-1]


def count(program, name, rounds):
    """Instructions of some rounds, and of what is done before."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]
    command += ["--bench", name, "--sample-count", "1", "--sample-size", str(rounds)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"valgrind failed on {program}:\n{done.stderr}")
    return int(found[1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the counts down anew")
    write = parser.parse_args().write
    written = json.loads(WRITTEN.read_text()) if WRITTEN.exists() else {}
    counts, changed = {}, False
    for crate, bench, name, rounds in BENCHES:
        counts[name] = found = count(binary(crate, bench), name, rounds)
        before = written.get(name)
        change = found / before - 1 if before else 0.0
        changed |= abs(change) > ALLOWED
        note = f"{change:+.2%} against {before:,}" if before else "not written down"
        print(f"{name:<32} {found:>13,} instructions, {note}")
    if write:
        WRITTEN.write_text(json.dumps(counts, indent=2) + "\n")
    elif changed:
        sys.exit(f"more than {ALLOWED:.0%} changed; if that is meant: {sys.argv[0]} --write")


if __name__ == "__main__":
    main()

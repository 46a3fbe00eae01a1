#!/usr/bin/env python3
"""Compares our legal moves with those of PyPI's pyffish (Fairy-Stockfish); fails if any position has others.

    [MEIHUA_DATA=FOLDER] tests/compare_pyffish.py [--verdicts] [COUNT]

COUNT different positions (5,000) of a million random moves, and as many of the games in MEIHUA_DATA/games if that is set.
`--verdicts` says too how often pyffish still judges the Asian repetitions of tests/rules/cases.jsonl as noted there,
and as expected there; it judges by rules of its own, so a case that it judges otherwise is shown and no failure.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import python_packages

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
VARIANT = "xiangqi"
DIFFERENCES_SHOWN = 10


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--verdicts"]
    if len(arguments) > 1 or not all(argument.isdecimal() and int(argument) for argument in arguments):
        sys.exit(__doc__)
    count = int(arguments[0]) if arguments else 5000
    python_packages.need("pyffish==0.0.90")

    sources = {"random games": []}
    if "MEIHUA_DATA" in os.environ:
        folder = pathlib.Path(os.environ["MEIHUA_DATA"]) / "games"
        files = sorted(folder.glob("*.tsv"))
        if not files:
            sys.exit(f"MEIHUA_DATA: no .tsv files in {folder}")
        sources["recorded games"] = [word for file in files for word in ("--games", file)]
    differences = [difference for source in sources.items() for difference in compare_lists(count, *source)]
    if "--verdicts" in sys.argv[1:]:
        compare_verdicts()
    for difference in differences[:DIFFERENCES_SHOWN]:
        print(difference)
    if differences:
        sys.exit(f"{len(differences)} positions have other moves")


def compare_lists(count, name, arguments):
    """Yields a line for each position that has other moves here than with pyffish."""
    import pyffish

    cargo = ["cargo", "run", "--release", "--quiet", "-p", "rules", "--example", "random_games", "--"]
    command = cargo + ["--lists", str(count), *arguments]
    report = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT)
    if report.returncode:
        sys.exit(f"{name}: the example random_games failed")
    positions = moves = without = 0
    for line in report.stdout.splitlines():
        fen, _, ours = line.partition("\t")
        ours = set(ours.split())
        theirs = {from_pyffish(move) for move in pyffish.legal_moves(VARIANT, fen, [])}
        positions, moves, without = positions + 1, moves + len(ours), without + (not ours)
        if ours != theirs:
            yield f"{fen}: only ours {sorted(ours - theirs)}, only pyffish's {sorted(theirs - ours)}"
    if positions < count:
        sys.exit(f"{name}: {positions} different positions, want {count}")
    print(f"{name}: {positions} positions with {moves} legal moves, {without} of them without any")


def compare_verdicts():
    """Prints how many verdicts of pyffish are as noted in the cases and as expected there."""
    agreed = dict.fromkeys(("noted for pyffish", "expected"), 0)
    cases = 0
    with open(CHECKOUT / "tests" / "rules" / "cases.jsonl") as lines:
        for case in map(json.loads, lines):
            if case["ruleset"] != "axf" or "pyffish" not in case.get("oracles", {}):
                continue
            cases += 1
            verdict = pyffish_verdict(case["fen"], case["moves"])
            wanted = (case["oracles"]["pyffish"], case["expected"]["verdict"])
            for against, want in zip(agreed, wanted):
                agreed[against] += verdict == want
            if verdict != wanted[0]:
                print(f"{case['id']}: pyffish says {verdict}, noted is {wanted[0]}, expected {wanted[1]}")
    for against, number in agreed.items():
        print(f"verdicts: {number} of {cases} as {against}")


def pyffish_verdict(fen, moves):
    """The verdict once the moves are played, in the words of the cases."""
    import pyffish

    over, value = pyffish.is_optional_game_end(VARIANT, fen, [to_pyffish(move) for move in moves])
    if not over:
        return "ongoing"
    if value == 0:
        return "draw"
    red_moves = (fen.split()[1] == "w") == (len(moves) % 2 == 0)
    # The value is for the side to move.
    return "black_loses" if red_moves == (value > 0) else "red_loses"


def from_pyffish(move):
    """pyffish counts ranks from 1: our h9i9 is its h10i10."""
    return re.sub(r"\d+", lambda rank: str(int(rank.group()) - 1), move)


def to_pyffish(move):
    return re.sub(r"\d", lambda rank: str(int(rank.group()) + 1), move)


if __name__ == "__main__":
    main()

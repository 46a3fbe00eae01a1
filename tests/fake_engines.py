#!/usr/bin/env python3
"""Plays many games of every fake engine (crates/engine/src/fakes.rs) in real matches, and prints what came of them.

Each game must end with the reason that the engine's habit calls for; an engine that never gets ready must end its
match with an error instead. While a match is played, the number of descriptors and of children of the program is
looked at; after it no engine may be left. Exits with 1 if anything isn't as it should be. Linux only.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
RULES = {"checkmate", "stalemate", "move-limit", "material", "no-permitted-move"}  # and repetition-…
NEVER_READY = {"dies-at-handshake", "silent", "never-ready"}
# Habit, protocol, reasons that its games may end with, and more of its description.
KINDS = [
    ("good", "uci", RULES, ""),
    ("good", "ucci", RULES, ""),
    ("good", "cecp", RULES, ""),
    ("one-based", "uci-variant", RULES, ""),
    ("plain", "cecp", RULES, ""),
    ("dies-at-handshake", "uci", set(), ""),
    ("silent", "uci", set(), ",start_s=0.05"),
    ("never-ready", "uci", set(), ",start_s=0.05"),
    ("dies", "uci", {"crash"}, ""),
    ("sleeps", "uci", {"stall"}, ",longest_s=0.01,grace_s=0.01"),
    ("late", "uci", {"time"}, ",longest_s=0.01,grace_s=10"),
    ("illegal", "uci", {"illegal-move"}, ""),
    ("unreadable", "uci", {"illegal-move"}, ""),
    ("floods", "uci", RULES, ""),
    ("floods-forever", "uci", {"stall"}, ",longest_s=0.01,grace_s=0.01"),
    ("long-line", "uci", RULES, ""),
    ("garbage", "uci", RULES, ""),
    ("complains", "uci", RULES, ""),
    ("ignores-quit", "uci", RULES, ",quit_s=0.02"),
    ("resigns", "uci", {"resignation"}, ""),
    ("no-move", "uci", {"illegal-move"}, ""),
    ("answers-twice", "uci", RULES, ""),
    ("deaf", "uci", {"illegal-move", "stall"}, ",start_s=1"),
    ("claims-draw", "cecp", RULES, ""),
]
# Each move of these takes long, so that their games start two plies before the natural limit.
LAST_MOVES = "3k5/9/9/9/9/9/9/9/r8/4K4 w - - 118 60"
SLOW = {"floods", "long-line", "garbage", "complains"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="of each kind, an even number [%(default)s]")
    parser.add_argument("--matches", type=int, default=100, help="of each kind that never gets ready [%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="games at the same time [%(default)s]")
    parser.add_argument("--only", nargs="+", metavar="HABIT", help="these habits [all]")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target")) / "release"
    parser.add_argument("--meihua", type=pathlib.Path, default=target / "meihua", help="the program")
    parser.add_argument("--fake-engine", type=pathlib.Path, default=target / "fake-engine", help="the engine")
    arguments = parser.parse_args()
    arguments.meihua, arguments.fake_engine = arguments.meihua.absolute(), arguments.fake_engine.absolute()
    for path in (arguments.meihua, arguments.fake_engine):
        if not path.exists():
            parser.error(f"no {path}")
    print(f"{'habit':18} {'protocol':12} {'games':>6} {'secs':>6}  descriptors  children  ends", flush=True)
    faults = []
    for kind in KINDS:
        if not arguments.only or kind[0] in arguments.only:
            faults += play(arguments, *kind)
    print("\n".join(faults) or "all as it should be")
    sys.exit(1 if faults else 0)


def play(arguments, habit, protocol, reasons, more):
    """Plays the games of one kind and prints a line; the faults found."""
    late = " 150" if habit == "late" else ""
    engine = f"{protocol}:{arguments.fake_engine},depth=1,args={habit}{late}{more}"
    start = time.monotonic()
    most = collections.Counter()
    if habit in NEVER_READY:
        ends = collections.Counter()
        for _ in range(arguments.matches):
            code, _, errors = run(arguments, engine, habit, 2, most)
            lines = errors.strip().splitlines()
            named = lines and lines[-1].startswith("error: ") and "other protocols to try: " in lines[-1] and protocol in lines[-1]
            ends["error, no game scored" if code == 1 and named else f"code {code}: {errors}"] += 1
        wanted, count = {"error, no game scored"}, arguments.matches
    else:
        code, output, errors = run(arguments, engine, habit, arguments.games, most)
        if code != 0:
            return [f"{habit}: code {code}: {errors}"]
        result = json.loads(output.splitlines()[-1])
        ends = collections.Counter(result["reasons"])
        count = arguments.games
        wanted = reasons | ({reason for reason in ends if reason.startswith("repetition-")} if reasons is RULES else set())
    secs, told = time.monotonic() - start, ", ".join(f"{reason} {count}" for reason, count in ends.most_common())
    print(f"{habit:18} {protocol:12} {sum(ends.values()):6} {secs:6.0f}  {most['early']:5}/{most['late']:5}  {most['children']:8}  {told}", flush=True)
    faults = [f"{habit}: {games} games ended by {reason}" for reason, games in ends.items() if reason not in wanted]
    if sum(ends.values()) != count:
        faults.append(f"{habit}: {sum(ends.values())} games, want {count}")
    # An engine that runs has three pipes, and one that starts a few more; a leak would grow with the games.
    if max(most["early"], most["late"]) > 8 + 16 * arguments.threads:
        faults.append(f"{habit}: {most['early']} descriptors in the first half of the match, {most['late']} in the second")
    if most["children"] > 2 * arguments.threads:
        faults.append(f"{habit}: {most['children']} children at the same time")
    left = engines(arguments.fake_engine)
    return faults + [f"{habit}: engines are left: {left}" for _ in left[:1]]


def run(arguments, engine, habit, games, most):
    """One match; its exit code, output and errors. `most` gets the most descriptors and children that were seen."""
    command = [arguments.meihua, "arena", engine, "depth-1", "--games", str(games), "--threads", str(arguments.threads), "--json"]
    with tempfile.TemporaryDirectory() as folder:
        if habit in SLOW:
            book = pathlib.Path(folder) / "book.epd"
            book.write_text(LAST_MOVES + "\n")
            command += ["--openings", book]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen, over = [], threading.Event()
        watcher = threading.Thread(target=watch, args=(process.pid, seen, over))
        watcher.start()
        output, errors = process.communicate()
        over.set()
        watcher.join()
    half = len(seen) // 2
    for key, part in (("early", seen[: half + 1]), ("late", seen[half:])):
        most[key] = max([most[key]] + [descriptors for descriptors, _ in part])
    most["children"] = max([most["children"]] + [children for _, children in seen])
    return process.returncode, output, errors


def watch(pid, seen, over):
    """Appends the number of descriptors and of children every now and then."""
    while not over.wait(0.05):
        try:
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
            tasks = os.listdir(f"/proc/{pid}/task")
            children = sum(len(pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()) for task in tasks)
        except OSError:
            continue
        seen.append((descriptors, children))


def engines(program):
    """The processes of this program that run, but for those that only wait to be buried."""
    time.sleep(0.2)
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "exe").resolve() == program.resolve():
                found.append(entry.name)
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills `meihua train` at random instants (SIGKILL), starts it again each time, and compares what comes out.

For each number of self-play threads one run goes through and one is killed again and again. All must end with the
same games and the same weights, to the byte. Exits with 1 and the differences if they don't.
"""

import argparse
import hashlib
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
# What a run leaves that depends on its configuration alone, as patterns below its folder.
RESULTS = ["games/*.parquet", "nets/*.safetensors", "snapshots/*.safetensors", "matches/*.json"]
# Longer than any interval between kills: a run that takes more hangs.
HANGS_AFTER_SECS = 3600


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the runs and of the instants [%(default)s]")
    parser.add_argument("--kills", type=int, default=20, help="for each number of threads [%(default)s]")
    parser.add_argument("--generations", type=int, default=3, help="length of the runs [%(default)s]")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="[1 2]")
    parser.add_argument("--config", type=pathlib.Path, default=CHECKOUT / "configs" / "ci.toml", help="[configs/ci.toml]")
    parser.add_argument("--meihua", type=pathlib.Path, default=CHECKOUT / "target" / "release" / "meihua", help="the program")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the runs here [thrown away]")
    arguments = parser.parse_args()
    for path in (arguments.meihua, arguments.config):
        if not path.exists():
            parser.error(f"no {path}")

    instants = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as thrown_away:
        folder = arguments.keep or pathlib.Path(thrown_away)
        results = {}
        for threads in arguments.threads:
            start = time.monotonic()
            whole = folder / f"whole-{threads}"
            shutil.rmtree(whole, ignore_errors=True)
            run(arguments, whole, threads, None)
            secs = time.monotonic() - start
            results[whole.name] = hashes(whole)
            print(f"{whole.name}: {secs:.1f} s without a kill", flush=True)

            killed = folder / f"killed-{threads}"
            kill_again_and_again(arguments, killed, threads, secs, instants)
            results[killed.name] = hashes(killed)
    report(results)


def kill_again_and_again(arguments, folder, threads, whole_secs, instants):
    """A complete run in `folder` that was killed `arguments.kills` times."""
    # Between kills there must be time for some step of the loop, or all of them would hit the first one. So this begins
    # high, and is halved until the run is not complete before the last kill.
    longest = whole_secs / 2
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        kills = 0
        while kills < arguments.kills and run(arguments, folder, threads, instants.uniform(0, longest)):
            kills += 1
            print(f"{folder.name}: kill {kills}", flush=True)
        if kills == arguments.kills:
            break
        print(f"{folder.name}: complete after {kills} kills; once more, with less time between them", flush=True)
        longest /= 2
    run(arguments, folder, threads, None)
    print(f"{folder.name}: complete", flush=True)


def run(arguments, folder, threads, secs):
    """Trains; True if it was killed after `secs`, False if it came to its end before."""
    command = [arguments.meihua, "train", "--run", folder, "--config", arguments.config, "--seed", str(arguments.seed)]
    command += ["--generations", str(arguments.generations), "--threads", str(threads)]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            code = process.wait(timeout=HANGS_AFTER_SECS if secs is None else secs)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            if secs is None:
                sys.exit(f"{folder.name} hangs: no end after {HANGS_AFTER_SECS} s")
            return True
        if code != 0:
            output.seek(0)
            sys.exit(f"{output.read()}\n{folder.name} ended with {code}; it should go on where it stood")
    return False


def hashes(folder):
    """SHA-256 of each result by its path below `folder`."""
    files = sorted(path for pattern in RESULTS for path in folder.glob(pattern))
    found = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    for pattern in RESULTS[:2]:
        if not any(pathlib.PurePath(name).match(pattern) for name in found):
            sys.exit(f"{folder} has no {pattern}")
    return found


def report(results):
    """Prints the last weights and the hash of all games of each run, and exits with 1 if runs differ."""
    for name, files in results.items():
        last = max(file for file in files if file.startswith("nets/"))
        games = "".join(files[file] for file in sorted(files) if file.startswith("games/"))
        print(f"{name:10} {last} {files[last]}  all games {hashlib.sha256(games.encode()).hexdigest()}")
    (first, expected), *others = results.items()
    different = [
        f"{file}: {first} and {name} differ"
        for name, files in others
        for file in sorted(expected.keys() | files.keys())
        if expected.get(file) != files.get(file)
    ]
    if different:
        sys.exit("\n".join(different))
    print(f"{len(results)} runs, {len(expected)} files each: all the same to the byte")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Trains every arm of a table of experiments with every seed, plays matches with the nets, and tabulates the results.

Killed at any instant (Ctrl-C, SIGKILL, power loss) and started again it goes on: runs where they stood, matches from
their files. Up to --jobs trainings or matches go on side by side, each with one thread. The folder holds

    runs/ARM-SEED/                     the runs
    nets/ARM-SEED-CORESECONDS.safetensors    the champion when no more than that was used, and what that took (.json)
    matches/NET-against-OPPONENT.jsonl  its matches
    logs/                              what the programs said
    results.json, results.md           all results so far

An arm's budget counts self-play, training and gate, over all restarts.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
# The name of the runs that are measured at the milestones.
LONG = "long"
# How long to wait for a program that still works on a run or a match.
IN_USE_SECS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=pathlib.Path, default=CHECKOUT / "configs" / "learning.toml", help="[configs/learning.toml]")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("runs/learning"), help="[%(default)s]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="side by side [the number of cores]")
    parser.add_argument("--arms", nargs="+", metavar="ARM", help="only these arms, and the default one, without the long runs [all]")
    parser.add_argument("--seeds", type=int, nargs="+", help="[the table's]")
    parser.add_argument("--no-milestones", action="store_true", help="leave out the long runs of the default settings")
    parser.add_argument("--no-arms", action="store_true", help="leave out the arms")
    parser.add_argument("--report", action="store_true", help="run nothing, tabulate what there is")
    parser.add_argument("--meihua", type=pathlib.Path, default=CHECKOUT / "target" / "release" / "meihua", help="the program")
    arguments = parser.parse_args()
    if not arguments.table.exists():
        parser.error(f"no {arguments.table}")
    if not arguments.report and not arguments.meihua.exists():
        parser.error(f"no {arguments.meihua}: cargo build --release --package cli")
    arguments.meihua = arguments.meihua.resolve()
    if arguments.jobs < 1:
        parser.error(f"--jobs {arguments.jobs}: want 1 or more")
    table = tomllib.loads(arguments.table.read_text())
    arms = table["arms"]
    unknown = sorted(set(arguments.arms or []) - arms.keys())
    if unknown:
        parser.error(f"no arm {', '.join(unknown)} in {arguments.table}: want some of {', '.join(arms)}")
    if arguments.arms:
        arms = {name: settings for name, settings in arms.items() if name in ["default", *arguments.arms]}
    if arguments.no_arms:
        arms = {}

    # An end from outside is as good as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    experiment = Experiment(arguments, table, arms)
    failures = [] if arguments.report else experiment.run()
    experiment.report()
    if failures:
        sys.exit("\n".join(failures))


class Experiment:
    """The trainings and matches of a table, in a folder."""

    def __init__(self, arguments, table, arms):
        self.arguments, self.table, self.arms = arguments, table, arms
        self.seeds = arguments.seeds or table["experiment"]["seeds"]
        self.milestones = [] if arguments.no_milestones or arguments.arms else table.get("milestones", [])
        self.folder = arguments.folder
        self.stopped = threading.Event()
        self.running = set()
        self.lock = threading.Lock()

    # What is to be done.

    def run(self):
        """Everything that isn't done yet; what failed, in words."""
        for name in ("runs", "nets", "matches", "logs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.check_arms()
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            try:
                # The default arm first: the others are measured against its nets.
                chains = [(self.arm, name, seed) for seed in self.seeds for name in sorted(self.arms, key=lambda n: n != "default")]
                # The longest chains begin first, or they would end last.
                chains = [(self.long_run, LONG, seed) for seed in self.seeds if self.milestones] + chains
                failures = self.all_of(pool, chains)
                failures += self.all_of(pool, [(self.versus_default, name, seed) for name in self.arms if name != "default" for seed in self.seeds])
            except KeyboardInterrupt:
                self.stop()
                raise SystemExit("stopped; the same command goes on") from None
        return failures

    def all_of(self, pool, chains):
        """Waits for all of them; the first failure of each, in words."""
        futures = {pool.submit(*chain): chain[1:] for chain in chains}
        failures = []
        for future in concurrent.futures.as_completed(futures):
            if future.exception() is not None and not self.stopped.is_set():
                failures.append(f"{' '.join(map(str, futures[future]))}: {future.exception()}")
                print(f"failed: {failures[-1]}", file=sys.stderr, flush=True)
            if not self.stopped.is_set():
                self.write_results()
        return failures

    def stop(self):
        """Ends every program, and keeps others from being started."""
        self.stopped.set()
        with self.lock:
            for process in self.running:
                process.terminate()

    def check_arms(self):
        """An arm that was changed, or whose defaults were, would be measured by its old runs: they are refused."""
        path = self.folder / "arms.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        common = self.table["experiment"]["settings"]
        defaults = tomllib.loads((CHECKOUT / "configs" / "default.toml").read_text())
        defaults = hashlib.sha256(json.dumps(defaults, sort_keys=True).encode()).hexdigest()
        for name, settings in {**self.arms, LONG: {}}.items():
            settings = {**common, **settings, "defaults": defaults}
            if known.setdefault(name, settings) != settings:
                sys.exit(f"arm {name} was begun in {self.folder} with {known[name]}, is {settings}: rename it, or choose another --folder")
        write(path, json.dumps(known, indent=1))

    def arm(self, name, seed):
        """Trains an arm and plays its matches against the built-in opponents."""
        net = self.train(name, self.arms[name], seed, self.table["experiment"]["core_seconds"])
        matches = self.table["matches"]
        for opponent in matches["opponents"]:
            self.match(net, opponent, matches["games"], matches["simulations"])

    def long_run(self, _, seed):
        """The default settings, measured at each milestone on the way."""
        matches = self.table["matches"]
        for milestone in sorted(self.milestones, key=lambda milestone: milestone["core_seconds"]):
            net = self.train(LONG, {}, seed, milestone["core_seconds"])
            self.match(net, milestone["opponent"], matches["games"], matches["simulations"])

    def versus_default(self, name, seed):
        """An arm's net against that of the default arm."""
        budget = self.table["experiment"]["core_seconds"]
        net, default = self.net(name, seed, budget), self.net("default", seed, budget)
        if net.exists() and default.exists():
            versus = self.table["versus_default"]
            self.match(net, default, versus["games"], versus["simulations"])

    def net(self, name, seed, budget):
        return self.folder / "nets" / f"{name}-{seed}-{budget}.safetensors"

    def train(self, name, settings, seed, budget):
        """The champion of the last generation that ended within a budget of core-seconds."""
        net = self.net(name, seed, budget)
        if net.exists():
            return net
        run = self.folder / "runs" / f"{name}-{seed}"
        sets = {**self.table["experiment"]["settings"], **settings, "run.seed": seed}
        command = ["train", "--run", run, "--threads", "1", "--core-seconds", budget, "--json"]
        for key, value in sets.items():
            command += ["--set", f"{key}={toml(value)}"]
        self.call(f"{name}-{seed}", command)
        figures = generations(run)
        if not figures or figures[-1]["core_secs"] < budget:
            raise RuntimeError(f"the run was stopped before {budget} core-seconds")
        within = [figure for figure in figures if figure["core_secs"] <= budget]
        if not within:
            raise RuntimeError(f"the first generation takes more than {budget} core-seconds")
        last = within[-1]
        about = {"generation": last["generation"], "core_secs": last["core_secs"], "positions": last["total_positions"]}
        write(net.with_suffix(".json"), json.dumps(about))
        champion = max((figure["generation"] for figure in within if figure["gate"]["verdict"] == "promoted"), default=0)
        self.call(f"{name}-{seed}", ["export", run / "nets" / f"g{champion:06}.safetensors", "--out", net])
        print(f"{name}, seed {seed}: {budget} core-seconds, {about['positions']} positions", flush=True)
        return net

    # Matches.

    def match_file(self, net, opponent):
        return self.folder / "matches" / f"{net.stem}-against-{pathlib.Path(opponent).stem}.jsonl"

    def match(self, net, opponent, games, simulations):
        """Plays what is missing of a match, and keeps its report."""
        path = self.match_file(net, opponent)
        report = path.with_suffix(".json")
        if report.exists():
            return
        command = ["arena", net, opponent, "--games", games, "--simulations", simulations, "--threads", "1"]
        result = self.call(path.stem, command + ["--match-file", path, "--json"])
        if result["stopped"]:
            raise RuntimeError(f"the match {path.stem} was stopped")
        write(report, json.dumps(result))
        print(f"{net.stem} against {pathlib.Path(opponent).stem}: {100 * share(result):.1f} %", flush=True)

    def share(self, net, opponent):
        """The share of the points in a match that is complete, or None."""
        report = self.match_file(net, opponent).with_suffix(".json")
        return share(json.loads(report.read_text())) if report.exists() else None

    def call(self, log, command):
        """Runs the program to its end; the JSON on its last line, if there is some."""
        path = self.folder / "logs" / f"{log}.txt"
        while True:
            code, output, error = self.run_once(path, command)
            if self.stopped.is_set():
                raise Stopped
            if code == 0:
                last = output.splitlines()[-1] if output else ""
                return json.loads(last) if last.startswith("{") else None
            # A killed one of these leaves programs behind that go on for a while.
            if "in use" not in error:
                raise RuntimeError(f"meihua {command[0]} ended with {code}: {error} (logs/{log}.txt)")
            self.stopped.wait(IN_USE_SECS)

    def run_once(self, log, command):
        """Exit code, last line, and last line of the complaints; all lines go into the log."""
        with open(log, "a") as lines, tempfile.TemporaryFile("w+") as complaints:
            with self.lock:
                if self.stopped.is_set():
                    raise Stopped
                process = subprocess.Popen(
                    [self.arguments.meihua, *map(str, command)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    text=True,
                    # Ctrl-C reaches this program alone, which ends the others.
                    start_new_session=True,
                )
                self.running.add(process)
            output = ""
            for line in process.stdout:
                lines.write(line)
                lines.flush()
                output = line
            code = process.wait()
            with self.lock:
                self.running.discard(process)
            complaints.seek(0)
            said = complaints.read()
            lines.write(said)
        return code, output, (said.splitlines() or [""])[-1]

    # What came out.

    def results(self):
        """All that is known, arm by arm."""
        budget, opponents = self.table["experiment"]["core_seconds"], self.table["matches"]["opponents"]
        arms = {}
        for name, settings in self.arms.items():
            shares = {
                opponent: {seed: self.share(self.net(name, seed, budget), opponent) for seed in self.seeds}
                for opponent in opponents
            }
            if name != "default":
                shares["default"] = {
                    seed: self.share(self.net(name, seed, budget), self.net("default", seed, budget)) for seed in self.seeds
                }
            arms[name] = {"settings": settings, "runs": self.about(name, budget), "shares": shares}
        milestones = [
            {
                **milestone,
                "runs": self.about(LONG, milestone["core_seconds"]),
                "shares": {
                    seed: self.share(self.net(LONG, seed, milestone["core_seconds"]), milestone["opponent"]) for seed in self.seeds
                },
            }
            for milestone in self.milestones
        ]
        return {"core_seconds": budget, "milestones": milestones, "arms": arms}

    def about(self, name, budget):
        """What the nets of each seed took."""
        paths = {seed: self.net(name, seed, budget).with_suffix(".json") for seed in self.seeds}
        return {seed: json.loads(path.read_text()) for seed, path in paths.items() if path.exists()}

    def write_results(self):
        results = self.results()
        self.folder.mkdir(parents=True, exist_ok=True)
        write(self.folder / "results.json", json.dumps(results, indent=1))
        write(self.folder / "results.md", "\n".join(self.lines(results)) + "\n")

    def report(self):
        self.write_results()
        print((self.folder / "results.md").read_text(), end="")

    def lines(self, results):
        """The results as Markdown."""
        matches, versus = self.table["matches"], self.table["versus_default"]
        lines = []
        if results["milestones"]:
            lines += [
                f"Default settings, {matches['games']} games at {matches['simulations']} simulations for each seed",
                "",
                "| core-seconds | of them used | positions | opponent | wanted % | score %, mean ± standard deviation | seeds | |",
                "|--:|--:|--:|---|--:|---|---|---|",
            ]
            for milestone in results["milestones"]:
                shares = present(milestone["shares"])
                met = "" if len(shares) < len(self.seeds) else "met" if 100 * mean(shares) >= milestone["score"] else "missed"
                used = [run["core_secs"] for run in milestone["runs"].values()]
                each = ", ".join(f"{100 * share:.1f}" for share in shares)
                lines.append(
                    f"| {milestone['core_seconds']} | {f'{mean(used):.0f}' if used else ''} | {millions(milestone['runs'])} | {milestone['opponent']} | {milestone['score']} | {spread(shares)} | {each} | {met} |"
                )
            lines.append("")
        if results["arms"]:
            opponents = matches["opponents"]
            lines += [
                f"Arms at {results['core_seconds']} core-seconds: score %, mean ± standard deviation over the seeds; {matches['games']} games "
                f"at {matches['simulations']} simulations, against default {versus['games']} at {versus['simulations']} for each seed",
                "",
                f"| arm | settings | {' | '.join(opponents)} | against default | Elo | positions | seeds |",
                f"|---|---|{'--:|' * (len(opponents) + 4)}",
            ]
            for name, arm in results["arms"].items():
                settings = ", ".join(f"{key} = {toml(value)}" for key, value in arm["settings"].items())
                scores = [spread(present(arm["shares"][opponent])) for opponent in opponents]
                against = present(arm["shares"].get("default", {}))
                seeds = len(present(arm["shares"][opponents[0]]))
                lines.append(f"| {name} | {settings} | {' | '.join(scores)} | {spread(against)} | {elo(against)} | {millions(arm['runs'])} | {seeds} |")
        return lines


class Stopped(Exception):
    """Ctrl-C came between two programs."""


def generations(run):
    """The figures of a run's complete generations."""
    return [json.loads(path.read_text()) for path in sorted((run / "generations").glob("g*.json"))]


def toml(value):
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def share(report):
    return report["score"]["share"]


def present(shares):
    return [share for share in shares.values() if share is not None]


def mean(values):
    return sum(values) / len(values)


def millions(runs):
    """Positions of runs, on average."""
    return f"{mean([run['positions'] for run in runs.values()]) / 1e6:.2f} M" if runs else ""


def spread(shares):
    """Mean and standard deviation of shares, in per cent."""
    if not shares:
        return ""
    if len(shares) == 1:
        return f"{100 * shares[0]:.1f}"
    deviation = math.sqrt(sum((share - mean(shares)) ** 2 for share in shares) / (len(shares) - 1))
    return f"{100 * mean(shares):.1f} ± {100 * deviation:.1f}"


def elo(shares):
    """The logistic Elo of the mean."""
    if not shares:
        return ""
    share = mean(shares)
    return f"{400 * math.log10(share / (1 - share)):+.0f}" if 0 < share < 1 else "±∞"


def write(path, text):
    """Whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text)
    os.replace(temporary, path)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Plays the engine against fairy-stockfish in a runner and by a referee that are not ours: this script keeps the
clocks, PyPI's pyffish (Fairy-Stockfish's rules) says which moves are legal and when a game is over.

    tests/foreign_match.py [--net FILE] [--games N] [--clock SECONDS+SECONDS] [--opponent PROGRAM]

Both speak UCI with ranks from 1 to 10. Fails if the engine plays an illegal move, exceeds its clock, doesn't answer, or
doesn't end when told to quit. 20 games at 1+0.1 against fairy-stockfish unless said otherwise; games end after 300
plies.
"""

import argparse
import pathlib
import queue
import subprocess
import sys
import threading
import time

import python_packages

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
VARIANT = "xiangqi"
LONGEST_PLIES = 300
# Beyond the clock: the engine is silent, not late.
SILENCE_SECS = 20


class Fault(Exception):
    """What the engine did wrong."""


class Engine:
    def __init__(self, name, command, options):
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.say("uci")
        self.hear("uciok")
        for key, value in {"UCI_Variant": VARIANT, **options}.items():
            self.say(f"setoption name {key} value {value}")
        self.ready()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.strip()))
        self.lines.put((time.monotonic(), None))

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def hear(self, word, secs=SILENCE_SECS):
        """The next line that begins with the word, and when it came."""
        end = time.monotonic() + secs
        while True:
            try:
                when, line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise Fault(f"{self.name} says nothing after {secs} s") from None
            if line is None:
                raise Fault(f"{self.name} has ended")
            if line.split(" ")[0] == word:
                return when, line

    def ready(self):
        self.say("isready")
        self.hear("readyok")

    def choose(self, moves, clocks, increment):
        """A move, and the seconds that it took."""
        self.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        red, black = (round(1000 * clock) for clock in clocks)
        each = round(1000 * increment)
        start = time.monotonic()
        self.say(f"go wtime {red} btime {black} winc {each} binc {each}")
        when, line = self.hear("bestmove")
        return line.split()[1], when - start

    def quit(self):
        self.say("quit")
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault(f"{self.name} does not quit") from None


def play(pyffish, red, black, opening, clock, increment):
    """Red's points, why the game ended, and its plies."""
    start = pyffish.start_fen(VARIANT)
    moves, clocks = list(opening), [clock, clock]
    for engine in (red, black):
        engine.say("ucinewgame")
        engine.ready()
    while True:
        mover = len(moves) % 2
        legal = pyffish.legal_moves(VARIANT, start, moves)
        # Values are the side to move's.
        sign = 1 if mover == 0 else -1
        if not legal:
            return 0.5 + sign * pyffish.game_result(VARIANT, start, moves) / 64000, "no moves", moves
        over, value = pyffish.is_optional_game_end(VARIANT, start, moves)
        if over:
            return (0.5 if value == 0 else 0.5 + sign * value / abs(value) / 2), "repetition or limit", moves
        if LONGEST_PLIES <= len(moves):
            return 0.5, "long", moves
        engine = (red, black)[mover]
        move, secs = engine.choose(moves, clocks, increment)
        clocks[mover] -= secs
        if clocks[mover] < 0:
            raise Fault(f"{engine.name} is {-clocks[mover]:.3f} s late after {len(moves)} plies")
        if move not in legal:
            raise Fault(f"{engine.name} plays {move} after {' '.join(moves)}")
        clocks[mover] += increment
        moves.append(move)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=CHECKOUT / "target" / "release" / "meihua-engine")
    parser.add_argument("--net")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--clock", default="1+0.1")
    parser.add_argument("--opponent", default="/usr/games/fairy-stockfish")
    arguments = parser.parse_args()
    python_packages.need("pyffish==0.0.90")
    import pyffish

    clock, increment = (float(part) for part in arguments.clock.split("+"))
    options = {"EvalFile": pathlib.Path(arguments.net).resolve()} if arguments.net else {}
    openings = ["", "h3e3 h10g8", "h3e3 h8e8", "c4c5 c7c6", "c1e3 h8e8", "b1c3 g7g6", "h3f3 b10c8", "g4g5 b8e8",
                "h3d3 h10g8", "i1i2 h8e8"]
    points, faults = 0.0, 0
    for number in range(arguments.games):
        opening = openings[number // 2 % len(openings)].split()
        ours = Engine("meihua", [str(arguments.engine)], options)
        theirs = Engine("opponent", [arguments.opponent], {"Use NNUE": "false", "Threads": 1, "Move Overhead": 200})
        pair = (ours, theirs) if number % 2 == 0 else (theirs, ours)
        try:
            red, why, moves = play(pyffish, *pair, opening, clock, increment)
            ours.quit()
            points += red if number % 2 == 0 else 1 - red
            print(f"game {number + 1}: {red:g} for Red after {len(moves)} plies ({why})", flush=True)
        except Fault as fault:
            faults += str(fault).startswith("meihua")
            print(f"game {number + 1}: {fault}", flush=True)
        for engine in pair:
            engine.process.kill()
            engine.process.wait()
    print(f"{points:g} of {arguments.games} points, {faults} faults of the engine")
    if faults:
        sys.exit(1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the inputs that fuzzing starts from, to tests/fuzz/target/corpus.

Their sources are tests/rules/cases.jsonl, the files in crates/notation/tests/formats, and, if MEIHUA_DATA names a
folder with other data, the files in its formats folder. What is there already stays.
"""

import json
import os
import pathlib

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = CHECKOUT / "tests" / "fuzz" / "target" / "corpus"
# Longer files make fuzzing slow and teach it nothing more.
MAX_BYTES = 8192
# Where a position can stand in a file.
DIALECTS = ["{}", "{} r", "{} b - - 0 1", "{} w - - 118 60", "{}[] w - - 9999 9999"]


def main():
    lines = (CHECKOUT / "tests" / "rules" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    (CORPUS.parent / "crashes").mkdir(parents=True, exist_ok=True)
    write("fen", fens(cases))
    write("move_text", move_texts(cases))
    write("game", games(cases))
    files = list(format_files())
    write("pgn", files)
    write("protocol", list(dialogues(cases)))
    # The first byte chooses what is put before the rest, 0: nothing.
    write("xqf", [b"\0" + file for file in files] + list(headers()))
    write("engine_file", engine_files())
    write("weights_file", weights_files())


def write(target, seeds):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:04}").write_bytes(seed)


def fens(cases):
    boards = sorted({case["fen"].split()[0] for case in cases})
    yield from (case["fen"].encode() for case in cases)
    yield from (form.format(board).encode() for board in boards[::8] for form in DIALECTS)


def move_texts(cases):
    """A position, then moves on lines of their own."""
    for number, case in enumerate(cases):
        if case["kind"] == "notation":
            texts = case["expected"].values()
            yield "\n".join([case["fen"], *(text for text in texts if isinstance(text, str))]).encode()
        elif number % 8 == 0 and case.get("moves"):
            yield "\n".join([case["fen"], *case["moves"]]).encode()


def games(cases):
    """Rules, the case's number, how many of its moves; once all, and once all but some and a move round again."""
    # The target leaves these out: some are no positions of games.
    for number, case in enumerate(case for case in cases if case["kind"] != "notation"):
        if case.get("moves"):
            place = number.to_bytes(2, "big")
            before = min(max(0, len(case["moves"]) - 4), 255)
            yield bytes([number % 8, *place, 255])
            yield bytes([number // 8 % 32, *place, before, 0xC0, 0xC0, 0xE0, 0x85])
    # Pieces thrown on the board: the generals, how many others, two bytes each, and moves to and fro.
    for number in range(64):
        count = number % 16
        noise = [(number * 37 + place * place * 11) % 251 for place in range(1 + 2 * count)]
        yield bytes([0x80 | number, noise[0], count, *noise[1:], 7, 9, 0x80, 0x80, 0xE0, 0xE0])


def dialogues(cases):
    """What interfaces say to an engine."""
    for number, case in enumerate(cases):
        if number % 16 == 0 and case["kind"] != "notation":
            position = f"fen {case['fen']} moves {' '.join(case.get('moves') or [])}".strip()
            yield f"uci\nisready\nposition {position}\ngo nodes 5\nsetoption name MultiPV value 3\n{position}\ngo infinite\nstop\n".encode()
            yield f"ucci\nsetoption usemillisec on\nposition {position}\nbanmoves h2e2\ngo draw time 10 increment 0\n".encode()
    yield b"uci\nsetoption name UCI_Variant value xiangqi\nposition startpos moves h3e3 h10g8\ngo ponder wtime 9 btime 9\nponderhit\n"
    yield b"setoption name RuleSet value axf\nsetoption name Threads value 2\ngo searchmoves h2e2 b2e2 nodes 9\nd\nucinewgame\n"


def format_files():
    folders = [CHECKOUT / "crates" / "notation" / "tests" / "formats"]
    if "MEIHUA_DATA" in os.environ:
        folders.append(pathlib.Path(os.environ["MEIHUA_DATA"]) / "formats")
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.stat().st_size <= MAX_BYTES:
                yield file.read_bytes()


def headers():
    """What the target puts a header before: see targets/xqf.rs."""
    for choice in range(9):
        for version in (0x0A, 0x0B, 0x0C, 0x12):
            # The root, then h2e2, h9g7 as XQF and as CBR have them.
            plain = bytes([0x18, 0x20, 0xF0, 0, 0, 0, 0, 0, 0x18 + 72, 0x20 + 42, 0xF0, 0, 2, 0, 0, 0, 65, 66])
            deep = bytes([0x18, 0x20, 0x80, 0, 0x18 + 72, 0x20 + 42, 0xA0, 0, *(2 + 767).to_bytes(4, "little"), 65, 66])
            bridge = bytes([0, 0, 0, 0, 4, 0, 70, 67, 2, 0, 0, 0, 65, 0, 1, 0, 7, 24])
            for body in (plain, deep, bridge, b"77-47\" end=\"1\"/></MoveList></ChineseChessRecord>"):
                yield bytes([choice, version]) + body


def description(hidden):
    return {
        "architecture": {"sparse": {"hidden": hidden, "value_hidden": 8}},
        "feature_version": 1,
        "move_index_version": 1,
        "rule_set": "formal",
        "step": 7,
        "run": "fuzz",
        "parent": None,
    }


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def engine_files():
    """The first byte chooses what the rest is: see targets/engine_file.rs."""
    yield b"\x00\x89MEIHUA\n\x01\0\0\0\x10\0\0\0"
    for hidden in (8, 16):
        for licence in (None, "CC0-1.0"):
            header = {"description": description(hidden), "weights_sha256": 64 * "0", "licence": licence}
            yield b"\x01" + compact(header)
    for place in range(0, 160000, 8000):
        yield b"\x02" + place.to_bytes(3, "little") + b"\xff\x7f"
        yield b"\x03" + (place // 40).to_bytes(3, "little") + b"\x20"


def weights_files():
    """The first byte chooses what the rest is: see targets/weights_file.rs."""
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for key in ("meihua", "format"):
        content = compact({"format": 1, "sha256": 64 * "0", "description": description(8)}).decode()
        header = compact({"__metadata__": {key: content}, "value.bias": tensor})
        yield b"\x00" + len(header).to_bytes(8, "little") + header + bytes(8)
        yield b"\x01" + header
    tower = description(8) | {"architecture": {"tower": {"channels": 8, "blocks": 1, "value_hidden": 8}}}
    content = compact({"format": 1, "sha256": 64 * "0", "description": tower}).decode()
    yield b"\x01" + compact({"__metadata__": {"meihua": content}})
    for place in range(0, 4000, 400):
        yield b"\x02" + place.to_bytes(3, "little") + b"\x20"
    for tensor in range(8):
        for value in (b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", b"\x01\0\0\0", b"\0\0\x80\xc1"):
            yield b"\x03" + bytes([tensor, 7, 0, 0]) + value


if __name__ == "__main__":
    main()

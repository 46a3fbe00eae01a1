#!/usr/bin/env python3
"""Runs an exported ONNX model in PyPI's onnxruntime; fails unless it answers like our own inference, within 1e-4.

    tests/check_onnx.py WEIGHTS [COUNT] [MEIHUA]

COUNT positions of random games (1,000) are compared, one at a time and in batches. MEIHUA is the program,
target/release/meihua of this checkout if it is not named. A logit is compared with 1e-4 of its own size if that is
more than 1, and so are plies.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import python_packages

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
TOLERANCE = 1e-4
INPUTS, MOVES = 5056, 2062
BATCH = 64


def main():
    if not 2 <= len(sys.argv) <= 4 or (len(sys.argv) > 2 and not sys.argv[2].isdecimal()):
        sys.exit(__doc__)
    weights = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    meihua = sys.argv[3] if len(sys.argv) > 3 else CHECKOUT / "target" / "release" / "meihua"
    python_packages.need("numpy", "onnx", "onnxruntime==1.32.0")
    import onnx
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "net.onnx"
        subprocess.run([meihua, "export", weights, "--out", path], check=True)
        onnx.checker.check_model(path, full_check=True)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    print("description:", json.loads(metadata["description"]))

    cargo = ["cargo", "run", "--release", "--quiet", "-p", "torch", "--example", "evaluations", "--"]
    report = subprocess.run(cargo + [weights, str(count)], stdout=subprocess.PIPE, text=True, cwd=CHECKOUT, check=True)
    positions = [json.loads(line) for line in report.stdout.splitlines()]
    if len(positions) != count:
        sys.exit(f"{len(positions)} positions, want {count}")

    worst = {"wdl": 0.0, "moves_left": 0.0, "policy": 0.0}
    logits = 0
    for size in (1, BATCH):
        for first in range(0, count, size):
            logits += compare(session, positions[first : first + size], worst)
    with_exchange = sum(bool(exchange) for position in positions for _, _, exchange in position["moves"])
    print(f"{count} positions alone and in batches of {BATCH}, {logits} logits; largest differences {worst}")
    print(f"of {logits // 2} moves {with_exchange} have an exchange of another kind than 0")
    if not with_exchange or max(worst.values()) > TOLERANCE:
        sys.exit("onnxruntime answers otherwise")


def compare(session, positions, worst):
    """Enters the largest differences in `worst`; the number of logits compared."""
    import numpy

    inputs = numpy.zeros((len(positions), INPUTS), numpy.float32)
    exchange = numpy.zeros((len(positions), MOVES), numpy.float32)
    for row, position in enumerate(positions):
        inputs[row, position["inputs"]] = 1
        for _, index, kind in position["moves"]:
            exchange[row, index] = 1 + kind
    names = ["wdl", "moves_left", "policy"]
    wdl, moves_left, policy = session.run(names, {"inputs": inputs, "exchange": exchange})
    if policy.shape != (len(positions), MOVES) or moves_left.shape != (len(positions), 1):
        sys.exit(f"shapes {policy.shape}, {moves_left.shape}")
    logits = 0
    for row, position in enumerate(positions):
        of_moves = policy[row, [index for _, index, _ in position["moves"]]]
        found = {"wdl": wdl[row], "moves_left": moves_left[row], "policy": of_moves}
        expected = {"wdl": position["wdl"], "moves_left": [position["moves_left"]], "policy": position["logits"]}
        for name in names:
            want = numpy.array(expected[name])
            difference = numpy.abs(found[name] - want) / numpy.maximum(1, numpy.abs(want))
            # A NaN is larger than any tolerance.
            worst[name] = max(worst[name], float(numpy.nan_to_num(difference, nan=numpy.inf).max()))
        logits += len(of_moves)
    return logits


if __name__ == "__main__":
    main()

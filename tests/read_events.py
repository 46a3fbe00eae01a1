#!/usr/bin/env python3
"""Reads a run's TensorBoard events with PyPI's tensorboard and fails if a curve that should be there is not.

    tests/read_events.py RUN_FOLDER
"""

import math
import pathlib
import sys

import python_packages

# The curves that every run has to show, by name. A name that ends in "/" stands for all that begin with it.
CURVES = [
    "loss/total",
    "loss/policy",
    "loss/value",
    "loss/moves_left",
    "train/learning_rate",
    "train/passes_per_row",
    "selfplay/kl",
    "selfplay/draw_share",
    "selfplay/positions_per_sec",
    "gate/score",
    "ladder/",
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]) / "events"
    if not folder.is_dir():
        sys.exit(f"no folder {folder}")
    python_packages.need("tensorboard==2.21.0", "setuptools<81")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    tags = sorted(events.Tags()["scalars"])
    faults = [f"missing: {curve}" for curve in CURVES if not any(matches(curve, tag) for tag in tags)]
    for tag in tags:
        points = events.Scalars(tag)
        steps = [point.step for point in points]
        print(f"{tag:32} {len(points):6} points  steps {steps[0]} to {steps[-1]}  last value {points[-1].value:.6g}")
        if any(later <= earlier for earlier, later in zip(steps, steps[1:])):
            faults.append(f"{tag}: steps don't grow")
        if not all(math.isfinite(point.value) for point in points):
            faults.append(f"{tag}: a value is no number")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(tags)} curves, all {len(CURVES)} that should be there among them")


def matches(curve, tag):
    return tag.startswith(curve) if curve.endswith("/") else tag == curve


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Reads a run's games with PyPI's DuckDB and pandas; fails unless both count what `meihua games stats` counts.

    tests/read_games.py RUN_FOLDER [MEIHUA]

MEIHUA is the program, target/release/meihua of this checkout if it is not named.
"""

import json
import pathlib
import subprocess
import sys

import python_packages

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    meihua = sys.argv[2] if len(sys.argv) == 3 else CHECKOUT / "target" / "release" / "meihua"
    # A shard that is still being played is not among the games of the run.
    shards = sorted(str(shard) for shard in (folder / "games").glob("*.parquet") if ".part-" not in shard.name)
    if not shards:
        sys.exit(f"no shards in {folder / 'games'}")
    python_packages.need("duckdb", "pandas", "pyarrow")
    import duckdb
    import pandas

    games = pandas.concat(pandas.read_parquet(shard) for shard in shards)
    report = subprocess.run([meihua, "games", "stats", folder, "--json"], check=True, capture_output=True, text=True)
    stats = json.loads(report.stdout.splitlines()[-1])
    counts = {
        "meihua": stats["outcomes"],
        "DuckDB": dict(duckdb.execute("SELECT outcome, count(*) FROM read_parquet(?) GROUP BY outcome", [shards]).fetchall()),
        "pandas": games["outcome"].value_counts().to_dict(),
    }
    plies = {
        "meihua": stats["plies"],
        "DuckDB": duckdb.execute("SELECT sum(len(move)) FROM read_parquet(?)", [shards]).fetchone()[0],
        "pandas": int(games["move"].map(len).sum()),
    }
    decided = {
        "meihua": (stats["resignation"]["decided"], stats["resignation"]["played_through"]),
        "DuckDB": duckdb.execute(
            "SELECT count(decided_ply), count(*) FILTER (played_through) FROM read_parquet(?)", [shards]
        ).fetchone(),
        "pandas": (int(games["decided_ply"].count()), int(games["played_through"].sum())),
    }
    for reader, outcomes in counts.items():
        counts[reader] = {outcome: int(count) for outcome, count in sorted(outcomes.items()) if count}
        print(f"{reader:8} {counts[reader]} plies {int(plies[reader])} decided, played through {decided[reader]}")
    figures = [counts, {reader: int(sum) for reader, sum in plies.items()}, decided]
    if any(figure != of_readers["meihua"] for of_readers in figures for figure in of_readers.values()):
        sys.exit("the readers don't agree")
    print(f"{len(shards)} shards, {len(games)} games: all agree")


if __name__ == "__main__":
    main()

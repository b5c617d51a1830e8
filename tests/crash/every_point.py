#!/usr/bin/env python3
"""Real servers and every kill point: `every_point.py ORCHESTRATE MATRIX [--keep FOLDER]`.

First an undisturbed sweep, which lists the kill points that it reaches. Then one sweep per kill
point: it is killed there, and the same command resumes it. Each must end with the points of the
undisturbed one, all valid, one result each, and leave no process behind.
"""

import argparse
import collections
import os
import pathlib
import shutil
import sys
import time

from quickstart import RUN_LIMIT_S, Sweep, faults_of, prepared


def run(sweep, **variables):
    """Runs the sweep once; returns its exit status, negative for a signal."""
    os.environ.update(variables)
    try:
        sweep.start()
    finally:
        for name in variables:
            del os.environ[name]
    return sweep.ended(RUN_LIMIT_S)


def reached(log):
    return collections.Counter(
        line.split()[0] for line in pathlib.Path(log).read_text().split("\n")[:-1]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("orchestrate")
    parser.add_argument("matrix")
    parser.add_argument("--keep", help="folder in which the stores are kept, for inspection")
    options = parser.parse_args()
    folder, matrix = prepared(options, "orchestrate-points-")
    orchestrate = os.path.abspath(options.orchestrate)

    undisturbed = Sweep(orchestrate, matrix, folder / "undisturbed", "")
    if run(undisturbed, ORCHESTRATE_KILL_LOG=f"{folder}/reached") != 0:
        sys.exit(f"the undisturbed sweep failed: see {undisturbed.store}.log")
    hits, expected = reached(folder / "reached"), undisturbed.points()
    print(f"undisturbed: {len(expected)} points; {len(hits)} kill points\n")
    print("| kill point | hit of | runs | server starts | s | faults |")
    print("| --- | ---: | ---: | ---: | ---: | --- |", flush=True)

    faulty = 0
    for number, (name, count) in enumerate(sorted(hits.items())):
        hit = (count + 1) // 2
        store = folder / f"killed{number}"
        sweep = Sweep(orchestrate, matrix, store, "")
        begun = time.monotonic()
        run(
            sweep,
            ORCHESTRATE_KILL=f"{name}:{hit}",
            ORCHESTRATE_KILL_COUNT=f"{store}.count",
            ORCHESTRATE_KILL_LOG=f"{store}.reached",
        )
        faults = []
        if reached(f"{store}.reached")[name] < hit:
            faults.append("not reached")
        sweep.start()
        faults += faults_of(sweep, expected)
        runs = sweep.rows("SELECT count(*) FROM run")[0][0]
        print(
            f"| {name} | {hit}/{count} | {runs} | {sweep.server_starts()} |"
            f" {time.monotonic() - begun:.0f} | {'; '.join(faults)} |",
            flush=True,
        )
        faulty += bool(faults)
        if not options.keep and not faults:
            shutil.rmtree(store)
    print(f"\n{len(hits) - faulty} passed, {faulty} failed")
    if not options.keep and not faulty:
        shutil.rmtree(folder)
    sys.exit(1 if faulty else 0)


if __name__ == "__main__":
    main()

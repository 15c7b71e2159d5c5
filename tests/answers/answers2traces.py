#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns what kernels answered (data/) into traces that must have the same results.

usage: answers2traces.py OUTDIR

Writes one trace a scenario into OUTDIR/PROFILE, named after it, for each kernel, and prints how
many were written and why others were left out (skip.txt). A scenario that can neither be converted
nor is in skip.txt is an error.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from convert import Converter, NotConvertible
from results import Answer
from segments import segment_traces

HERE = Path(__file__).resolve().parent
# Files of data/ and the profile of the kernel that they are from.
KERNELS = {"6.1": "v6.1.176", "6.12": "v6.12.113", "7.2": "v7.2"}
SKIP = HERE / "skip.txt"


def load_answers(path: Path) -> list[Answer]:
    """The scenarios; the first line describes the run and is left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][1:]


def load_segments(path: Path) -> list[Answer]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load_skip(path: Path) -> dict[str, str]:
    """Lines `ID REASON...`; `#` starts a comment."""
    skip = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(maxsplit=1)
            skip[name] = reason
    return skip


def write_trace(outdir: Path, name: str, text: str) -> None:
    path = outdir / (name.replace("/", "-") + ".trace")
    path.write_text(text, encoding="utf-8")


def scenario_traces(kernel: str, skip: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Name and text of a trace for each scenario that is not left out."""
    left = dict(skip)
    for scenario in load_answers(HERE / "data" / f"answers-{kernel}.jsonl.gz"):
        if left.pop(scenario["id"], None):
            continue
        try:
            yield scenario["id"], Converter(scenario, KERNELS[kernel]).convert()
        except (NotConvertible, ValueError, KeyError) as error:
            raise SystemExit(f"{scenario['id']}: cannot be converted: {error}") from error
    if left:
        raise SystemExit(f"{SKIP}: there is no scenario {', '.join(left)}")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    skip = load_skip(SKIP)
    for kernel, profile in KERNELS.items():
        outdir = Path(sys.argv[1]) / profile
        outdir.mkdir(parents=True, exist_ok=True)
        segments = load_segments(HERE / "data" / f"segments-{kernel}.jsonl")
        written = 0
        for name, text in chain(scenario_traces(kernel, skip), segment_traces(segments, profile)):
            write_trace(outdir, name, text)
            written += 1
        print(f"{profile}: {written} traces, {len(skip)} scenarios left out")
    for reason, count in Counter(skip.values()).items():
        print(f"left out: {count} ({reason})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns what a kernel answered (data/) into traces that must have the same results.

usage: answers2traces.py OUTDIR

Writes one trace a scenario, named after it, and prints how many were written and why others were
left out (skip.txt). A scenario that is neither convertible nor in skip.txt is an error.
"""

import gzip
import json
import sys
from pathlib import Path

from convert import Converter, NotConvertible
from results import Answer

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "data" / "answers-7.2.jsonl.gz"
SKIP = HERE / "skip.txt"


def load_answers(path: Path) -> list[Answer]:
    """The scenarios; the first line describes the run and is left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][1:]


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


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    outdir = Path(sys.argv[1])
    outdir.mkdir(parents=True, exist_ok=True)
    skip = load_skip(SKIP)
    written, failed = 0, 0
    for scenario in load_answers(ANSWERS):
        if scenario["id"] in skip:
            continue
        try:
            write_trace(outdir, scenario["id"], Converter(scenario).convert())
            written += 1
        except (NotConvertible, ValueError, KeyError) as error:
            print(f"{scenario['id']}: {error!r}", file=sys.stderr)
            failed += 1
    print(f"{written} written, {len(skip)} left out, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

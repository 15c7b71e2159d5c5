#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-kernel-map.sh: coverage/kernel_map.tsv is true.
#
# What it calls modelled is defined where it says, nothing is left out without a reason, and no
# function that a header of model/ declares is missing from it (m_ is no kernel name).
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - <<'EOF'
import collections
import glob
import os
import re
import sys

MAP = "coverage/kernel_map.tsv"
STATES = ("full", "part", "not", "own")
COLUMNS = 6
errors = []


def fail(line, text):
    errors.append(f"{MAP}:{line}: {text}")


def source(path):
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def functions(path, ends):
    """Names that are followed by arguments and then by one of @ends."""
    args = r"\((?:[^();{}]|\([^();{}]*\))*\)"
    head = r"^(?:static |inline |const |struct |enum |unsigned |\w)[\w\s\*]*?"
    found = re.finditer(head + r"[\s\*](\w+)" + args + r"[^;{}]*[" + ends + "]",
                        source(path), flags=re.M)
    return {m.group(1) for m in found if not m.group(0).startswith("typedef")}


def read_map():
    rows = []
    for n, line in enumerate(open(MAP, encoding="utf-8"), 1):
        if line.startswith("#") or line.startswith("upstream_file\t"):
            continue
        cells = line.rstrip("\n").split("\t")
        if len(cells) != COLUMNS or not all(cells):
            fail(n, f"{len(cells)} columns, expected {COLUMNS}, none empty")
            continue
        rows.append((n, *cells))
    return rows


def check_row(row, defined, seen):
    n, up_file, up_fn, model_file, model_fns, state, note = row
    if state not in STATES:
        fail(n, f"state '{state}', expected one of {', '.join(STATES)}")
    if state != "own" and (up_file, up_fn) in seen:
        fail(n, f"{up_fn} of {up_file} is there twice")
    seen.add((up_file, up_fn))
    if state in ("part", "not") and note == "-":
        fail(n, f"{up_fn} is '{state}' without a reason")
    if state == "not":
        return
    for fn in model_fns.split(","):
        if fn not in defined.get(model_file, ()):
            fail(n, f"{model_file} does not define {fn}")


def main():
    rows = read_map()
    defined = {f: functions(f, "{") for f in glob.glob("model/*.[ch]")}
    seen = set()
    for row in rows:
        check_row(row, defined, seen)
    listed = {fn for row in rows for fn in row[4].split(",")}
    for header in sorted(glob.glob("model/*.h")):
        for fn in sorted(functions(header, "{;") - listed):
            if not fn.startswith("m_"):
                errors.append(f"{header}: {fn} is not in {MAP}")
    if not rows:
        errors.append(f"{MAP}: no rows")
    for error in errors:
        print(error)
    count = collections.Counter(row[5] for row in rows)
    print("kernel map: %d upstream functions: %d full, %d in part, %d not; "
          "%d functions of the model's own" %
          (len(rows) - count["own"], count["full"], count["part"],
           count["not"], count["own"]))
    return 1 if errors else 0


sys.exit(main())
EOF

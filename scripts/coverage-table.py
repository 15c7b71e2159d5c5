#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""coverage-table.py INFO ROOT FLOORS: lcov's data as a table per directory, held to the floors.

Exit codes: 0 nothing is below a floor, 1 something is, 2 unusable input.
"""
import os
import sys


def usage_error(text):
    print(f"coverage: {text}", file=sys.stderr)
    sys.exit(2)


def read_floors(path):
    """[(directory, kind, percent)]"""
    floors = []
    form = "'<directory> lines|branches <percent>', for example 'model lines 95'"
    if not os.path.exists(path):
        usage_error(f"there is no {path}; its lines are {form}")
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 3 or words[1] not in ("lines", "branches") \
                    or not words[2].isdigit() or int(words[2]) > 100:
                usage_error(f"{path}:{number}: expected {form}")
            floors.append((words[0].rstrip("/"), words[1], int(words[2])))
    if not floors:
        usage_error(f"{path} has no floor; its lines are {form}")
    return floors


def read_info(path, root):
    """{file: {"lines": [hit, all], "branches": [hit, all]}}"""
    files = {}
    with open(path, encoding="utf-8") as info:
        for line in info:
            key, _, value = line.strip().partition(":")
            if key == "SF":
                name = os.path.relpath(value, root)
                lines, branches = {}, {}
            elif key == "DA":
                number, hits = value.split(",")[:2]
                lines[number] = lines.get(number, False) or int(hits) > 0
            elif key == "BRDA":
                branch, _, hits = value.rpartition(",")
                taken = hits not in ("-", "0")
                branches[branch] = branches.get(branch, False) or taken
            elif line.startswith("end_of_record"):
                files[name] = {"lines": [sum(lines.values()), len(lines)],
                               "branches": [sum(branches.values()), len(branches)]}
    return files


def total(files, directory, kind, below):
    hit = count = 0
    for name, data in files.items():
        where = os.path.dirname(name)
        if where == directory or (below and where.startswith(directory + "/")):
            hit += data[kind][0]
            count += data[kind][1]
    return hit, count


def percent(hit, count):
    """Cut, not rounded: 94.99 % is not 95 %."""
    return "-" if not count else f"{hit * 1000 // count / 10:.1f} %"


def print_table(files):
    print(f"  {'directory':<20} {'lines':>17} {'':>8} {'branches':>17}")
    for directory in sorted({os.path.dirname(name) for name in files}):
        row = f"  {directory:<20}"
        for kind in ("lines", "branches"):
            hit, count = total(files, directory, kind, below=False)
            row += f" {f'{hit}/{count}':>17} {percent(hit, count):>8}"
        print(row)


def worst_files(files, directory, kind):
    rows = []
    for name, data in files.items():
        hit, count = data[kind]
        if name.startswith(directory + "/") and hit < count:
            rows.append((count - hit, name, hit, count))
    return sorted(rows, key=lambda row: (-row[0], row[1]))[:5]


def main():
    info, root, floors_path = sys.argv[1:4]
    floors = read_floors(floors_path)
    files = read_info(info, root)
    if not files:
        usage_error("lcov saw no file of model/ or sim/")
    print_table(files)
    below = 0
    for directory, kind, floor in floors:
        hit, count = total(files, directory, kind, below=True)
        ok = count > 0 and hit * 100 >= floor * count
        print(f"  {'ok' if ok else 'BELOW':<6} {directory} {kind}: "
              f"{percent(hit, count)}, floor {floor} %")
        if ok:
            continue
        below += 1
        for missing, name, part, whole in worst_files(files, directory, kind):
            print(f"           {name}: {missing} {kind} not reached ({percent(part, whole)})")
    if below:
        print(f"coverage: FAILED, {below} of {len(floors)} floors not reached; "
              "coverage/out/index.html shows what is missing")
        return 1
    print(f"coverage: ok, all {len(floors)} floors reached; see coverage/out/index.html")
    return 0


sys.exit(main())

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The benchmarks run to their end and print tables and JSON; figures are not judged.
# Env: KTLSIM.
set -u
: "${KTLSIM:?program to test}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if ! "$KTLSIM" bench --quick --format json >"$dir/json" ||
	! "$KTLSIM" bench --quick drain >"$dir/text"; then
	echo "bench --quick does not end with 0"
	exit 1
fi
python3 - "$dir/json" <<'EOT' || exit 1
import json, sys

benches = {}
for line in open(sys.argv[1]):
    bench = json.loads(line)
    benches[bench["bench"]] = bench["rows"]
assert list(benches) == ["worlds", "drain", "scale", "splice-drain", "wakeups"], benches
for name, rows in benches.items():
    assert rows, name
    for row in rows if name != "wakeups" else []:
        assert set(row) == {"name", "value", "unit", "ratio"}, row
        # mallinfo() knows nothing of AddressSanitizer's heap.
        assert row["value"] > 0 or row["unit"] == "KiB", row
        assert row["ratio"] is None or row["ratio"] > 0, row
calls = {row["name"]: row["value"] for row in benches["splice-drain"]}
streams = {name.split("; ")[0] for name in calls}
assert len(streams) == 30, streams
for name in streams:
    old, rfc, fixed = (calls[f"{name}; {kernel}"] for kernel in
                       ("v7.2", "rfc-splice-coalesce", "splice-coalesce-fixed"))
    assert fixed <= rfc < old, (name, old, rfc, fixed)
lost = {tuple(row["name"].split("; ")[0].split(", ")): row["value"] > 0
        for row in benches["wakeups"] if row["name"].endswith("; lost")}
kernels = {kernel for _, kernel in lost}
assert len(lost) == 7 * 9 and len(kernels) == 9, lost
# docs/wakeups.md: who loses what; half a request an edge is nobody's promise.
for (load, kernel), hangs in lost.items():
    if load == "edge 1/2 request":
        expected = kernel != "E A3 Y"
    elif load == "edge 1 request":
        expected = kernel in ("E A2 N", "L' A1 N")
    else:
        expected = load == "epoll level" and kernel == "L' A1 N"
    assert hangs == expected, (load, kernel, hangs)
print(f"bench: {sum(map(len, benches.values()))} figures of {len(benches)} benchmarks")
EOT
rows=$(grep -c ' of raw EVP  (goal: ' "$dir/text")
if [ "$(head -1 "$dir/text")" != drain ] || [ "$rows" -ne 4 ]; then
	echo "bench drain: expected 4 rows with a ratio to raw EVP, got:"
	cat "$dir/text"
	exit 1
fi

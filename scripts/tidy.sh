#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tidy.sh [FILE...]: the bans of this project, see scripts/tidy.py.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || scripts/deps.sh build
exec python3 scripts/tidy.py "$@"

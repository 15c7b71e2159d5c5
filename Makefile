# SPDX-License-Identifier: GPL-2.0-or-later
#
# The front door. Each target installs what it needs (scripts/deps.sh), builds with a preset of
# CMakePresets.json under build/<preset>, and ends with a result.
#
#   make                              the program: build/release/ktlsim
#   make test                         all tests, plain and with sanitizers
#   make fuzz [SECONDS=60] [PROFILE=] the fuzzers
#   make determinism                  same log from gcc and clang, -O0 and -O2, sanitizers
#   make static                       formatting, clang-tidy, cppcheck, the bans of this project
#   make format                       formats the C files in place
#   make coverage                     coverage/out/index.html, checked against coverage/floors.txt
#   make bench [BENCH=name]           the benchmarks
#   make judge [RUNS=20000] [SEED=1]  real kernels 6.1, 6.12 and 7.2 against the model; .ci/run does
#        [NEW_RUNS=500]                the same with 2000 runs
#   make clean                        removes build/ and coverage/out/

SECONDS ?= 60
PROFILE ?=
BENCH ?=
RUNS ?= 20000
SEED ?= 1
NEW_RUNS ?= 500

all:
	@scripts/build.sh build release

test:
	@scripts/test.sh

fuzz:
	@scripts/fuzz.sh "$(SECONDS)" "$(PROFILE)"

determinism:
	@scripts/determinism.sh

static:
	@scripts/static.sh

format:
	@scripts/static.sh format

coverage:
	@scripts/coverage.sh

bench:
	@scripts/build.sh bench release
	@build/release/ktlsim bench $(BENCH)

judge:
	@scripts/build.sh build release
	@KTLSIM=build/release/ktlsim BUILD=build/release RUNS="$(RUNS)" SEED="$(SEED)" \
		NEW_RUNS="$(NEW_RUNS)" tests/check-judge.sh 6.1 6.12 7.2

clean:
	@rm -rf build coverage/out
	@echo "clean: build/ and coverage/out/ are gone"

.PHONY: all test fuzz determinism static format coverage bench judge clean

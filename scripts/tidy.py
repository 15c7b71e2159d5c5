#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tidy.py [FILE...]: the bans of this project that no other tool knows.

Each finding is file:line: what it is, and what to use instead. The bans keep the simulator
deterministic (no clock, no second source of randomness, no addresses in output, no floating
point), keep the model's memory in the world's allocator, and keep files short.

Left out: what clang-format, clang-tidy and the compilers see. Comments and string literals are
not searched, except for %p, which is looked for in string literals only.

Exit codes: 0 nothing found, 1 findings, 2 nothing to look at.
"""
import os
import re
import stat
import sys

LINES_MAX = 600
COLUMNS_MAX = 100
TAB = 8
DIRS = ("model", "sim", "fuzz", "tests", "scripts", "cmake", ".ci", "coverage")
TOP_FILES = ("CMakeLists.txt", "Makefile", ".clang-format", ".clang-tidy")
SKIPPED_DIRS = ("coverage/out",)
SPDX = "SPDX-License-Identifier: GPL-2.0-or-later"

CHOICE = "draw a choice: sim_choose(), from sim/world/choice.h"
CLOCK = "use the simulated time, which jumps to the next event (sim/world/sched.c)"
ALLOC = "use the world's allocator through model/kernel.h, which counts, poisons and fails"


def call(names):
    """A call of one of the functions, not of a member of the same name."""
    return re.compile(r"(?<![\w.])(?<!->)(" + names + r")\s*\(")


def in_dirs(*dirs):
    return lambda path: path.split("/")[0] in dirs


def not_bench(path):
    return in_dirs("model", "sim")(path) and not re.match(r"sim/(bench|judge)/", path)


def not_entry(path):
    return path not in ("sim/main.c", "fuzz/driver.c")


# (where, pattern in the code, what to use instead)
BANS = (
    (in_dirs("model", "sim"), call("rand|random|srand|srandom|rand_r|drand48|getrandom|"
                                   "arc4random"), CHOICE),
    (not_bench, call("time|clock|clock_gettime|gettimeofday"), CLOCK),
    (not_bench, re.compile(r"\b(float|double)\b"),
     "use integers, in a smaller unit (ns, bytes, parts per thousand)"),
    (in_dirs("model", "sim"), re.compile(r"#\s*include\s*[<\"](assert\.h)[>\"]"),
     "use SIM_ASSERT (in model/: M_ASSERT), which is always on and reports; _Static_assert needs no"
     " header"),
    (in_dirs("model"), call("malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|"
                            "strdup|strndup|free"), ALLOC),
    (not_entry, call("getenv|secure_getenv"),
     "make it an option of the trace or of the command line; only sim/main.c and fuzz/driver.c"
     " may read the environment"),
)
POINTER_FORMAT = re.compile(r"(?<!%)(?:%%)*%[-+ #0-9.*]*p")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<char>'(?:\\.|[^'\\\n])*')""", re.DOTALL)


def blank(text):
    """Spaces instead of text, with the line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def split_c(text):
    """(code without comments and literals, literals without code), both line for line."""
    code, strings, at = [], [], 0
    for match in TOKEN.finditer(text):
        between = text[at:match.start()]
        code += [between, blank(match[0])]
        literal = match[0] if match["string"] else blank(match[0])
        # The name in #include "assert.h" is code, not a text.
        if match["string"] and re.search(r"#\s*include\s*$", between):
            code[-1], literal = match[0], blank(match[0])
        strings += [blank(between), literal]
        at = match.end()
    code.append(text[at:])
    strings.append(blank(text[at:]))
    return "".join(code), "".join(strings)


def width(line):
    return len(line.expandtabs(TAB))


class Tidy:
    def __init__(self):
        self.found = []

    def finding(self, path, number, what):
        self.found.append((path, number, what))

    def first_line(self, path, lines):
        number = 1
        if path.endswith(".c") or path.endswith(".c.in"):
            want = f"// {SPDX}"
        elif path.endswith(".h"):
            want = f"/* {SPDX} */"
        else:
            want = f"# {SPDX}"
            if lines and lines[0].startswith("#!"):
                number = 2
        if len(lines) < number or lines[number - 1] != want:
            self.finding(path, number, f"no licence line; the line must be: {want}")

    def c_file(self, path, text, lines):
        code, strings = split_c(text)
        code_lines = code.split("\n")
        for where, pattern, instead in BANS:
            if not where(path):
                continue
            for number, line in enumerate(code_lines, 1):
                for match in pattern.finditer(line):
                    self.finding(path, number, f"{match[1]} is banned here; {instead}")
        if in_dirs("model", "sim")(path):
            for number, line in enumerate(strings.split("\n"), 1):
                if POINTER_FORMAT.search(line):
                    self.finding(path, number, "%p is banned here; addresses differ from run"
                                 " to run: print an id or a name")
        if len(lines) > LINES_MAX:
            self.finding(path, LINES_MAX + 1, f"the file has {len(lines)} lines, more than"
                         f" {LINES_MAX}; split it by role")

    def file(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.splitlines()
        self.first_line(path, lines)
        for number, line in enumerate(lines, 1):
            if width(line) > COLUMNS_MAX:
                self.finding(path, number, f"{width(line)} columns, more than {COLUMNS_MAX};"
                             " break the line")
        if path.endswith((".c", ".h")):
            self.c_file(path, text, lines)


def is_source(path):
    name = os.path.basename(path)
    if name.endswith((".c", ".h", ".c.in", ".sh", ".py", ".cmake")):
        return True
    if not os.stat(path).st_mode & stat.S_IXUSR:
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def all_files():
    files = [name for name in TOP_FILES if os.path.exists(name)]
    for top in DIRS:
        for where, dirs, names in os.walk(top):
            dirs[:] = [d for d in dirs if os.path.join(where, d) not in SKIPPED_DIRS
                       and d != "__pycache__"]
            paths = [os.path.join(where, name) for name in names]
            files += [p for p in paths if os.path.isfile(p) and is_source(p)]
    return sorted(files)


def main():
    files = [os.path.normpath(name) for name in sys.argv[1:]] or all_files()
    if not files:
        print("tidy: no file to look at", file=sys.stderr)
        return 2
    tidy = Tidy()
    for path in files:
        tidy.file(path)
    for path, number, what in sorted(tidy.found):
        print(f"{path}:{number}: {what}")
    if tidy.found:
        print(f"tidy: {len(tidy.found)} findings in {len(files)} files")
        return 1
    print(f"tidy: ok, {len(files)} files")
    return 0


sys.exit(main())

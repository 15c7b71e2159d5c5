# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sender has built and not yet sent: records, their lengths on the wire, ranges."""

import re
from dataclasses import dataclass

# Letter of a record in the scripts -> content type.
TYPES = {"d": 23, "a": 21, "h": 22, "c": 20}
TYPE_NAMES = {23: "data", 21: "alert", 22: "handshake", 20: "ccs"}

HEADER = 5
TAG = 16
EXPLICIT_NONCE = 8


def type_words(number: int) -> str:
    """A content type as traces write it."""
    return TYPE_NAMES.get(number, f"type {number}")


@dataclass
class Record:
    """One `peer` line: COUNT records in a row, each of SIZE bytes on the wire."""

    name: str
    words: str
    size: int
    count: int = 1

    @property
    def total(self) -> int:
        return self.size * self.count


def record_name(index: int) -> str:
    """A, B, .. Z, A1, B1, .."""
    letter = chr(ord("A") + index % 26)
    return letter if index < 26 else f"{letter}{index // 26}"


def wire_size(version: str, cipher: str, content: int, mods: dict[str, str]) -> int:
    """Bytes on the wire of a record with CONTENT bytes of plaintext."""
    if version == "1.3":
        inner_type = 0 if "noinner" in mods else 1
        return HEADER + content + int(mods.get("pad", "0")) + inner_type + TAG
    nonce = 0 if cipher == "chacha" else EXPLICIT_NONCE
    return HEADER + nonce + content + TAG


def parse_mods(text: str) -> dict[str, str]:
    """`pad=3,badtag` as a dictionary; words without a value have ''."""
    mods = {}
    for word in filter(None, text.split(",")):
        key, _, value = word.partition("=")
        mods[key] = value
    return mods


def parse_record(word: str, name: str, version: str, cipher: str) -> Record:
    """A record of the scripts, such as `d10,pad=3*2`, as a record of a trace."""
    match = re.fullmatch(r"(x:[0-9a-f]+|u\d+:\d+|[dahck]\d+)((?:,[^*]+)?)(?:\*(\d+))?", word)
    if not match:
        raise ValueError(f"record {word!r}")
    spec, mod_text, repeat = match.group(1), match.group(2), int(match.group(3) or 1)
    mods = parse_mods(mod_text)
    if spec.startswith("x:"):
        return Record(name, f"raw {spec[2:]}", len(spec[2:]) // 2, repeat)
    if spec.startswith("u"):
        type_number, size = (int(part) for part in spec[1:].split(":"))
        words = f"{type_words(type_number)} {size}"
    elif spec.startswith("k"):
        size = int(spec[1:])
        words = f"keyupdate {size}"
    else:
        size = int(spec[1:])
        words = f"{type_words(TYPES[spec[0]])} {size}"
    for key, value in mods.items():
        words += f" {key}={value}" if value else f" {key}"
    return Record(name, words, wire_size(version, cipher, size, mods), repeat)


class Stream:
    """The sender's buffer. take() removes bytes from its front."""

    def __init__(self, version: str, cipher: str) -> None:
        self.version = version
        self.cipher = cipher
        self.records = 0
        self.unsent: list[tuple[Record, int]] = []  # record, bytes of it already taken

    def build(self, words: list[str]) -> list[Record]:
        built = []
        for word in words:
            record = parse_record(word, record_name(self.records), self.version, self.cipher)
            self.records += 1
            built.append(record)
            self.unsent.append((record, 0))
        return built

    def size(self) -> int:
        return sum(record.total - used for record, used in self.unsent)

    def take(self, size: int) -> list[str]:
        """The next SIZE bytes as ranges: `A B[0,3)`."""
        ranges = []
        while size > 0:
            record, used = self.unsent.pop(0)
            part = min(size, record.total - used)
            end = used + part
            if part == record.total:
                ranges.append(record.name)
            else:
                to = "end" if end == record.total else str(end)
                ranges.append(f"{record.name}[{used},{to})")
            if end < record.total:
                self.unsent.insert(0, (record, end))
            size -= part
        return ranges

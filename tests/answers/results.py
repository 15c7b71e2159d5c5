# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel answered, as the result part of a trace line."""

import re
from dataclasses import dataclass, replace
from typing import Any

from stream import type_words

Answer = dict[str, Any]

# Counters of /proc/net/tls_stat that a scenario can change.
STAT_COUNTERS = (
    "TlsDecryptError",
    "TlsDecryptRetry",
    "TlsRxNoPadViolation",
    "TlsRxRekeyOk",
    "TlsRxRekeyError",
    "TlsRxRekeyReceived",
)


def return_value(answer: Answer) -> str:
    """The count, or the errno name if the call failed."""
    return answer["err"] if answer["ret"] == -1 else str(answer["ret"])


@dataclass
class Piece:
    """COUNT bytes of data: of the data stream from FIRST on, or all equal to FILL."""

    count: int
    first: int = 0
    fill: str = ""

    def words(self) -> str:
        if self.fill:
            return f"{self.fill}*{self.count}"
        return f"stream[{self.first},{self.first + self.count})"

    def cut(self, size: int) -> tuple["Piece", "Piece"]:
        """The first SIZE bytes, and the rest."""
        return replace(self, count=size), replace(
            self, count=self.count - size, first=self.first + size
        )


def parse_data(text: str) -> list[Piece]:
    """`s@0+10 fb*2 18`: ten bytes of the stream, two bytes fb, one byte 18."""
    pieces = []
    for word in text.split():
        stream = re.fullmatch(r"s@(\d+)\+(\d+)", word)
        fill = re.fullmatch(r"([0-9a-f]{2})(?:\*(\d+))?", word)
        if stream:
            pieces.append(Piece(int(stream[2]), first=int(stream[1])))
        elif fill:
            pieces.append(Piece(int(fill[2] or 1), fill=fill[1]))
        else:
            raise ValueError(f"data {word!r}")
    return pieces


def data_words(pieces: list[Piece]) -> str:
    return " ".join(piece.words() for piece in pieces)


def cut_data(pieces: list[Piece], size: int) -> tuple[list[Piece], list[Piece]]:
    """The first SIZE bytes, and the rest."""
    front: list[Piece] = []
    rest = list(pieces)
    while size > 0:
        piece = rest.pop(0)
        if piece.count > size:
            piece, left = piece.cut(size)
            rest.insert(0, left)
        front.append(piece)
        size -= piece.count
    return front, rest


def flag_words(text: str) -> str:
    return text if text else "none"


def bytes_result(answer: Answer, value: str) -> list[str]:
    words = [value]
    if "data" in answer and answer["data"]:
        words.append(data_words(parse_data(answer["data"])))
    return words


def record_type(answer: Answer) -> str:
    """What the control message says; there is at most one."""
    types = answer.get("cmsg", [])
    if len(types) > 1 or any(not isinstance(one, int) for one in types):
        raise ValueError(f"control messages {types!r}")
    return type_words(types[0]) if types else "notype"


def message_result(answer: Answer, value: str) -> list[str]:
    """One message: count, type, data, flags; of recvmsg or a part of recvmmsg."""
    if "fl" not in answer:
        return [value]
    words = [value, record_type(answer)]
    words += bytes_result(answer, "")[1:]
    words.append(f"flags={flag_words(answer['fl'])}")
    if "ctllen" in answer:
        words.append(f"ctllen={answer['ctllen']}")
    return words


def recvmsg_result(answer: Answer) -> str:
    words = message_result(answer, return_value(answer))
    words.append(f"past={answer.get('past', 0)}")
    return " ".join(words)


def recvmmsg_result(answer: Answer) -> str:
    """The number of messages, then each of them in braces."""
    parts = [return_value(answer)]
    for index in range(max(answer["ret"], 0)):
        message = answer[f"m{index}"]
        parts += ["{", *message_result(message, str(message["len"])), "}"]
    return " ".join(parts)


def read_result(answer: Answer) -> str:
    words = bytes_result(answer, return_value(answer))
    words.append(f"past={answer.get('past', 0)}")
    return " ".join(words)


def poll_result(answer: Answer) -> str:
    expected = 1 if answer["rev"] else 0
    if answer["ret"] != expected:
        raise ValueError(f"poll {answer!r}")
    return flag_words(answer["rev"])


def option_result(answer: Answer) -> str:
    """getsockopt: the value, byte by byte, and the length it returned."""
    if answer["ret"] == -1:
        return answer["err"]
    if "hex" in answer:
        value = answer["hex"]
    elif "ulp" in answer:
        value = answer["ulp"].encode().ljust(answer["len"], b"\0").hex()
    else:
        value = (answer["val"] & 0xFFFFFFFF).to_bytes(4, "little")[: answer["len"]].hex()
    words = ["0", f"hex {value}"] if value else ["0"]
    return " ".join([*words, f"outlen={answer['len']}"])


def call_result(verb: str, answer: Answer) -> str:
    """The result of a call that may block; VERB is the scripts' name of the call."""
    if verb == "recv":
        return recvmsg_result(answer)
    if verb == "recvmmsg":
        return recvmmsg_result(answer)
    if verb in ("read", "readv"):
        return read_result(answer)
    if verb == "pollw":
        return poll_result(answer)
    if verb == "splice":
        return return_value(answer)
    raise ValueError(f"result of {verb!r}")

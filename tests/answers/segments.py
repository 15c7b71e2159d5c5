# SPDX-License-Identifier: GPL-2.0-or-later
"""The raw TCP segments of data/segments-KERNEL.jsonl as traces.

The file says what came back and only names what was injected. Which records and segments these
were is written down in SCENARIOS, as far as the names, FIONREAD and the acknowledged bytes tell
it. Each scenario is a connection of its own. A range N-M in a statement means bytes N to M of the
peer's stream, whatever records they belong to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import results
from convert import Trace
from results import Answer
from stream import Record, Stream

# Larger than all that is ever sent.
READ = "recvmsg 200000 dontwait"
READ_A = f"m {READ} = 100 data stream[0,100)"


@dataclass
class Check:
    """A line of the file: its name, and the statements in front of its poll."""

    do: str
    before: list[str] = field(default_factory=list)


@dataclass
class Scenario:
    """A connection: records as in the scripts, named A, B and so on, and what happened."""

    name: str
    records: str
    checks: list[Check]


# In the order of the file. Of its lines called `again` it does not say what they follow.
SCENARIOS = [
    Scenario("in-order", "d100", [Check("5-60", ["wire 0-5", "wire 5-60"])]),
    Scenario("second-first", "d100", [Check("second part first: 60-end", ["wire 60-end"])]),
    Scenario(
        "overlaps",
        "d100 d50",
        [
            Check(
                "overlaps, same bytes: 0-70 50-150 140-end",
                ["wire 0-70", "wire 50-150", "wire 140-end"],
            )
        ],
    ),
    Scenario(
        "overlaps-reversed",
        "d100 d50",
        [
            Check(
                "overlaps in reverse order: 140-end 50-150 0-70",
                ["wire 140-end", "wire 50-150", "wire 0-70"],
            )
        ],
    ),
    Scenario(
        "other-bytes",
        "d100",
        [
            Check(
                "overlap with other bytes second: 0-70, then 50-end with 50-70 wrong",
                ["wire 0-70", "wire 50-end xor=ff@7"],
            ),
            Check("again"),
        ],
    ),
    Scenario("duplicate", "d100", [Check("again", ["wire 0-end", "wire 0-end", READ_A])]),
    Scenario("rst-exact", "d100 d50", [Check("again", ["wire 0-160", "wire rst", READ_A])]),
    Scenario(
        "rst-in-window",
        "d100 d50",
        [
            Check("RST in window, not exact", ["wire A", "wire rst after B[0,10)"]),
            Check("still alive", ["wire A"]),
            Check("again"),
        ],
    ),
    Scenario("fin", "d100", [Check("again", ["wire A", "wire fin", READ_A])]),
    Scenario("fin-first", "d100", [Check("then the data", ["wire fin after A", "wire A"])]),
    Scenario(
        "fin-in-record",
        "d100",
        [Check("FIN in the middle of a record", ["wire 0-70", "wire fin"])],
    ),
    Scenario(
        "rst-in-record",
        "d100",
        [Check("RST in the middle of a record", ["wire 0-70", "wire rst"])],
    ),
    Scenario(
        "many",
        "d16384 d16384 d16384 d16384",
        [Check("4 x 16 KiB in 1400-byte segments", ["wire 0-end cut=1400"])],
    ),
    Scenario(
        "many-backwards",
        "d16384 d16384 d16384",
        [Check("3 x 16 KiB in 1400-byte segments, last first", ["backwards 1400"])],
    ),
    Scenario("single-bytes", "d100", [Check("one-byte segments", ["wire 0-end cut=1"])]),
]


def stream_ranges(records: list[Record], first: int, last: int) -> str:
    """Bytes FIRST to LAST of the stream as ranges of records."""
    words, start = [], 0
    for record in records:
        low, high = max(first - start, 0), min(last - start, record.total)
        if low < high:
            words.append(f"{record.name}[{low},{high})")
        start += record.total
    return " ".join(words)


def wire_statements(statement: str, records: list[Record]) -> Iterator[str]:
    """The statement with its ranges in the words of the trace language."""
    size = sum(record.total for record in records)
    word, *rest = statement.split()
    if word == "backwards":
        step = int(rest[0])
        for first in reversed(range(0, size, step)):
            yield "wire " + stream_ranges(records, first, min(first + step, size))
        return

    def translate(match: re.Match[str]) -> str:
        last = size if match[2] == "end" else int(match[2])
        return stream_ranges(records, int(match[1]), last)

    yield re.sub(r"\b(\d+)-(\d+|end)\b", translate, statement)


def check_statements(answer: Answer) -> Iterator[str]:
    """What came back, in the order the program asked."""
    yield f"m poll IN|RDHUP = {results.flag_words(answer['poll'])}"
    yield f"m fionread = {answer['fionread']}"
    message = {**answer, "ret": answer["recv"]}
    words = [results.return_value(message)]
    if "cmsg" in message:
        words.append(results.record_type(message))
    words += results.bytes_result(message, "")[1:]
    yield f"m {READ} = {' '.join(words)}"
    if "acked" in answer:
        yield f"expect acked={answer['acked']} fins=0 rsts=0"


def scenario_trace(
    scenario: Scenario, version: str, profile: str, answers: Iterator[Answer]
) -> str:
    records = Stream(version, "gcm128").build(scenario.records.split())
    trace = Trace(f"segments/{scenario.name} as answered by the kernel of {profile}")
    # A TUN device writes each segment into the linear head of an skb.
    trace.option([f"tls={version}", "cipher=aes-128-gcm", f"profile={profile}", "skb=slab"])
    for record in records:
        trace.statement(f"peer {record.name} = {record.words}")
    for check in scenario.checks:
        answer = next(answers)
        if answer["do"] != check.do:
            raise ValueError(f"{answer['do']!r} is next, not {check.do!r}")
        for statement in check.before:
            for words in wire_statements(statement, records):
                trace.statement(words)
        for words in check_statements(answer):
            trace.statement(words)
    return trace.text()


def segment_traces(lines: list[Answer], profile: str) -> Iterator[tuple[str, str]]:
    """Name and text of a trace for each scenario and version."""
    answers = iter(lines)
    for version in ("1.2", "1.3"):
        if next(answers) != {"v": version}:
            raise ValueError(f"the part about TLS {version} is missing")
        for scenario in SCENARIOS:
            name = f"segments/{scenario.name}.{version.replace('.', '')}"
            yield name, scenario_trace(scenario, version, profile, answers)
    if next(answers, None) is not None:
        raise ValueError("the file has more lines than SCENARIOS")

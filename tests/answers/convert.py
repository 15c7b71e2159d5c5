# SPDX-License-Identifier: GPL-2.0-or-later
"""One scenario of the answers as a trace: each step becomes the statement that does the same.

The scripts' timing is kept: the program waited 2 ms after each step of the sender, and 30 ms to
see that a call sleeps. A pause is written in front of whatever comes next.
"""

import re
from collections.abc import Callable

import results
from results import Answer, Piece, cut_data, parse_data
from stream import Record, Stream

CIPHERS = {
    "gcm128": "aes-128-gcm",
    "gcm256": "aes-256-gcm",
    "ccm128": "aes-128-ccm",
    "chacha": "chacha20-poly1305",
}
TASKS = {"A": "a", "B": "b"}
SENDER_PAUSE_MS = 2
BLOCK_PAUSE_MS = 30
WAIT_MS = 200
PIPE_SIZE = "65536"
FILL_SIZE = 4096
# Sender's steps and others after which the program waited.
PAUSED = {"tx", "txc", "txoob", "send", "fin", "rst", "closetx", "rx", "shutrd", "shutrdwr"}


class NotConvertible(Exception):
    """A step for which the trace language has no statement."""


class Trace:
    """The lines of a trace being written."""

    def __init__(self, title: str) -> None:
        self.lines = ["ktlsim-trace 1", f"# {title}"]
        self.pause_ms = 0

    def option(self, words: list[str]) -> None:
        self.lines.append("set " + " ".join(words))

    def statement(self, words: str) -> None:
        time = f"+{self.pause_ms}ms" if self.pause_ms else "+0"
        self.pause_ms = 0
        subject, rest = words.split(maxsplit=1)
        self.lines.append(f"{time:<6} {subject:<6} {rest}")

    def pause(self, milliseconds: int) -> None:
        self.pause_ms += milliseconds

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def split_options(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Words without and with `=`."""
    plain = [word for word in words if "=" not in word]
    options = dict(word.split("=", 1) for word in words if "=" in word)
    return plain, options


def decimal_seq(words: list[str]) -> list[str]:
    """The scripts' seq= of keys is hexadecimal, that of traces decimal."""
    return [re.sub(r"^seq=(.*)", lambda m: f"seq={int(m[1], 16)}", word) for word in words]


class Converter:
    """Writes the trace of one scenario."""

    def __init__(self, scenario: Answer, profile: str) -> None:
        self.scenario = scenario
        self.profile = profile
        self.trace = Trace(f"{scenario['id']} as answered by {scenario['k']}")
        self.stream = Stream(scenario["v"], scenario["c"])
        self.counters = dict.fromkeys(results.STAT_COUNTERS, 0)
        self.sleeping: list[str] = []  # tasks
        self.has_pipe = False
        self.in_pipe = 0  # bytes

    def convert(self) -> str:
        first, *rest = self.scenario["steps"]
        self.open_connection(first)
        for step in rest:
            if "skipped" not in step:
                self.step(step)
        return self.trace.text()

    def open_connection(self, step: Answer) -> None:
        verb, *words = step["do"].split()
        if verb not in ("init", "conn") or step["ret"] != 0:
            raise ValueError(f"first step {step!r}")
        cipher = CIPHERS[self.scenario["c"]]
        self.trace.option(
            [f"tls={self.scenario['v']}", f"cipher={cipher}", f"profile={self.profile}"]
        )
        options = [word for word in decimal_seq(words) if "=" in word]
        if "nopad" in words:
            options.append("nopad=on")
        if verb == "conn":
            options += ["ulp=off", "rx=off"]
        if options:
            self.trace.option(options)

    def step(self, step: Answer) -> None:
        verb, *words = step["do"].split()
        thread = "A"
        if verb.startswith("B:"):
            thread, verb = "B", verb[2:]
        if verb in self.CALLS:
            self.call(TASKS[thread], verb, words, step)
        elif verb in self.STEPS:
            self.STEPS[verb](self, words, step)
        else:
            raise NotConvertible(f"step {step['do']}")
        if verb in PAUSED:
            self.trace.pause(SENDER_PAUSE_MS)
        if verb != "pread":
            self.returned(step)
        self.still_sleeping(step)

    def returned(self, step: Answer) -> None:
        for done in step.get("done", []):
            verb = done["call"].split()[0]
            result = results.call_result(verb, done)
            self.spliced(verb, done)
            self.sleeping.remove(TASKS[done["t"]])
            self.trace.statement(f"{TASKS[done['t']]} returns {result}")

    def still_sleeping(self, step: Answer) -> None:
        """Nobody else returned, or the step would say so."""
        for task in self.sleeping:
            self.trace.statement(f"{task} blocks")
        if "still" in step and len(step["still"]) != len(self.sleeping):
            raise ValueError(f"{step!r}: {self.sleeping} are asleep")

    def spliced(self, verb: str, answer: Answer) -> None:
        if verb == "splice" and "blocks" not in answer:
            self.in_pipe += max(answer["ret"], 0)

    # Calls of the threads A and B.

    def call(self, task: str, verb: str, words: list[str], step: Answer) -> None:
        call = self.CALLS[verb](self, words)
        result = "blocks" if "blocks" in step else results.call_result(verb, step)
        self.spliced(verb, step)
        self.trace.statement(f"{task} {call} = {result}")
        if "blocks" in step:
            self.trace.pause(BLOCK_PAUSE_MS)
            self.sleeping.append(task)

    def recv_call(self, words: list[str]) -> str:
        return " ".join(["recvmsg", *words])

    def recvmmsg_call(self, words: list[str]) -> str:
        return " ".join(["recvmmsg", *words])

    def read_call(self, words: list[str]) -> str:
        return f"read {words[0]}"

    def readv_call(self, words: list[str]) -> str:
        return f"readv {words[0]}"

    def splice_call(self, words: list[str]) -> str:
        if not self.has_pipe:
            self.make_pipe(PIPE_SIZE)
        return " ".join(["splice", "P", *words])

    def pollw_call(self, words: list[str]) -> str:
        return f"poll IN|PRI|RDHUP {words[0]}ms"

    # The sender.

    def build(self, words: list[str], _step: Answer) -> None:
        for record in self.stream.build(words):
            self.peer_line(record)

    def peer_line(self, record: Record) -> None:
        repeat = f"*{record.count}" if record.count > 1 else ""
        self.trace.statement(f"peer {record.name}{repeat} = {record.words}")

    def transmit(self, size: int, extra: str, step: Answer) -> None:
        if step["ret"] != size:
            raise ValueError(f"{step!r}: {size} bytes are to be sent")
        self.trace.statement(" ".join(["send", *self.stream.take(size)]) + extra)

    def send(self, words: list[str], step: Answer) -> None:
        self.build(words, step)
        self.transmit(self.stream.size(), "", step)

    def tx(self, words: list[str], step: Answer) -> None:
        size = self.stream.size() if words[0] == "all" else int(words[0])
        if size < 0:
            size += self.stream.size()
        self.transmit(size, "", step)

    def txc(self, words: list[str], step: Answer) -> None:
        self.transmit(self.stream.size(), f" cut={words[0]}", step)

    def txoob(self, _words: list[str], step: Answer) -> None:
        self.transmit(self.stream.size(), " urg", step)

    def txkey(self, words: list[str], _step: Answer) -> None:
        self.trace.statement(" ".join(["peer key", *decimal_seq(words)]))

    def fin(self, _words: list[str], _step: Answer) -> None:
        self.trace.statement("send fin")

    def rst(self, _words: list[str], _step: Answer) -> None:
        self.trace.statement("wire rst")

    # The main thread.

    def main(self, call: str, result: str) -> None:
        self.trace.statement(f"m {call} = {result}")

    def poll(self, _words: list[str], step: Answer) -> None:
        self.main("poll", results.poll_result(step))

    def epoll_et(self, _words: list[str], step: Answer) -> None:
        self.main("epoll et", results.poll_result(step))

    def epoll_lt(self, _words: list[str], step: Answer) -> None:
        self.main("epoll lt", results.poll_result(step))

    def pipe(self, words: list[str], step: Answer) -> None:
        if str(step["ret"]) != words[0]:
            raise ValueError(f"{step!r}: size refused")
        self.make_pipe(words[0])

    def make_pipe(self, size: str) -> None:
        self.has_pipe = True
        self.trace.statement(f"pipe P {size}")

    def pipe_fill(self, _words: list[str], step: Answer) -> None:
        for _ in range(step["ret"]):
            self.main(f"pwrite P {FILL_SIZE}", str(FILL_SIZE))
            self.in_pipe += FILL_SIZE

    def pipe_read(self, words: list[str], step: Answer) -> None:
        """The program read until it had enough or the pipe was empty.

        What a splice puts into the pipe after the first read is read by a second one.
        """
        room = int(words[0])
        first, rest = cut_data(parse_data(step.get("data", "")), min(room, self.in_pipe))
        room -= self.read_pipe(room, first)
        self.returned(step)
        room -= self.read_pipe(room, rest)
        if room:
            self.main("pfionread P", "0")

    def read_pipe(self, room: int, data: list[Piece]) -> int:
        """Reads exactly DATA with a read of ROOM bytes; nothing for no data."""
        count = sum(piece.count for piece in data)
        if count:
            self.main(f"pread P {room}", f"{count} {results.data_words(data)}")
        self.in_pipe -= count
        return count

    def fionread(self, _words: list[str], step: Answer) -> None:
        self.main("fionread", str(step["n"]))

    def socket_error(self, _words: list[str], step: Answer) -> None:
        self.main("getsockopt so_error", f"0 err={step['so_error']}")

    def ulp(self, _words: list[str], step: Answer) -> None:
        self.main("setsockopt ulp", results.return_value(step))

    def keys(self, option: str, words: list[str], step: Answer) -> None:
        plain, options = split_options(decimal_seq(words))
        call = [f"setsockopt {option}", f"key={options.pop('k', '0')}"]
        if "cipher" in options:
            options["cipher"] = CIPHERS[options["cipher"]]
        call += [f"{key}={value}" for key, value in options.items()] + plain
        self.main(" ".join(call), results.return_value(step))

    def rx_keys(self, words: list[str], step: Answer) -> None:
        self.keys("tls_rx", words, step)

    def tx_keys(self, words: list[str], step: Answer) -> None:
        self.keys("tls_tx", words, step)

    def get_option(self, option: str, words: list[str], step: Answer) -> None:
        _, options = split_options(words)
        call = f"getsockopt {option}"
        if "len" in options:
            call += f" len={options['len']}"
        self.main(call, results.option_result(step))

    def getrx(self, words: list[str], step: Answer) -> None:
        self.get_option("tls_rx", words, step)

    def gettx(self, words: list[str], step: Answer) -> None:
        self.get_option("tls_tx", words, step)

    def getulp(self, words: list[str], step: Answer) -> None:
        self.get_option("ulp", words, step)

    def getopt(self, words: list[str], step: Answer) -> None:
        self.get_option(f"282:{words[0]}", words[1:], step)

    def setopt(self, words: list[str], step: Answer) -> None:
        call = f"setsockopt 282:{words[0]} {words[1]}"
        _, options = split_options(words)
        if "len" in options:
            call += f" len={options['len']}"
        self.main(call, results.return_value(step))

    def set_option(self, words: list[str], step: Answer) -> None:
        name, value = words
        if name == "nonblock":
            call = "nonblock " + ("on" if value == "1" else "off")
        elif name == "rcvtimeo":
            call = f"setsockopt rcvtimeo {value}ms"
        else:
            call = f"setsockopt {name} {value}"
        self.main(call, results.return_value(step))

    def shutdown_rd(self, _words: list[str], step: Answer) -> None:
        self.main("shutdown rd", results.return_value(step))

    def shutdown_wr(self, _words: list[str], step: Answer) -> None:
        self.main("shutdown wr", results.return_value(step))

    def shutdown_rdwr(self, _words: list[str], step: Answer) -> None:
        self.main("shutdown rdwr", results.return_value(step))

    def close(self, _words: list[str], step: Answer) -> None:
        self.main("close", results.return_value(step))

    def signal(self, words: list[str], step: Answer) -> None:
        restart = " restart" if step["do"].startswith("sigrestart") else ""
        task = TASKS[words[0]] if words else "a"
        self.trace.statement(f"signal {task}{restart}")

    def sleep(self, words: list[str], _step: Answer) -> None:
        self.trace.pause(int(words[0]))

    def wait(self, words: list[str], _step: Answer) -> None:
        self.trace.pause(int(words[0]) if words else WAIT_MS)

    def tls_stat(self, _words: list[str], step: Answer) -> None:
        for word in step["stat"].split():
            name, change = word.split("+")
            self.counters[name] += int(change)
        checks = [f"{name}={value}" for name, value in self.counters.items()]
        self.trace.statement("expect " + " ".join(checks))

    def sender_poll(self, _words: list[str], step: Answer) -> None:
        """What the sender sees of the receiver's close: end of stream or a reset."""
        reset = {"IN|RDHUP": 0, "IN|ERR|HUP|RDHUP": 1}[step["rev"]]
        self.trace.statement(f"expect fins={1 - reset} rsts={reset}")

    def sender_recv(self, _words: list[str], step: Answer) -> None:
        """Says the same as the sender's poll in front of it."""
        if results.return_value(step) not in ("0", "ECONNRESET"):
            raise NotConvertible("the sender receives data")

    def end(self, _words: list[str], step: Answer) -> None:
        if "still" not in step:
            raise ValueError(f"{step!r}")

    CALLS: dict[str, Callable[["Converter", list[str]], str]] = {
        "recv": recv_call,
        "recvmmsg": recvmmsg_call,
        "read": read_call,
        "readv": readv_call,
        "splice": splice_call,
        "pollw": pollw_call,
    }

    STEPS: dict[str, Callable[["Converter", list[str], Answer], None]] = {
        "build": build,
        "send": send,
        "tx": tx,
        "txc": txc,
        "txoob": txoob,
        "txkey": txkey,
        "fin": fin,
        "rst": rst,
        "txpoll": sender_poll,
        "txrecv": sender_recv,
        "poll": poll,
        "epet": epoll_et,
        "eplt": epoll_lt,
        "pipe": pipe,
        "pfill": pipe_fill,
        "pread": pipe_read,
        "fionread": fionread,
        "soerr": socket_error,
        "ulp": ulp,
        "rx": rx_keys,
        "tx_keys": tx_keys,
        "getrx": getrx,
        "gettx": gettx,
        "getulp": getulp,
        "getopt": getopt,
        "setopt": setopt,
        "set": set_option,
        "shutrd": shutdown_rd,
        "shutwr": shutdown_wr,
        "shutrdwr": shutdown_rdwr,
        "closerx": close,
        "sig": signal,
        "sigrestart": signal,
        "sleep": sleep,
        "wait": wait,
        "tlsstat": tls_stat,
        "(end)": end,
    }

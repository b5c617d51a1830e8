"""server.py PORT ATTACK WHERE: a server that is sound except for ATTACK.

Answers readiness, pages, model configurations and requests as Triton and OpenAI servers do, over
HTTP and, for connections that begin so, over gRPC. Requests of the kind WHERE (ready, page, config,
smoke or generate) get ATTACK instead. `server.py attacks http` and `server.py attacks grpc` print
the names of the attacks.
"""

import functools
import gzip
import json
import random
import socket
import struct
import sys
import threading
import time
from typing import NamedTuple

MOST_BYTES = 4 << 30  # of one answer; a client that takes so much has failed long before
HEAD = b"HTTP/1.1 200 OK\r\n"
EVENTS = HEAD + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CONFIG = {
    "name": "toy",
    "platform": "ensemble",
    "max_batch_size": 8,
    "input": [
        {"name": "text_input", "data_type": "TYPE_STRING", "dims": [1]},
        {"name": "max_tokens", "data_type": "TYPE_INT32", "dims": [1]},
        {"name": "stream", "data_type": "TYPE_BOOL", "dims": [1], "optional": True},
    ],
    "output": [{"name": "text_output", "data_type": "TYPE_STRING", "dims": [-1]}],
    "model_transaction_policy": {"decoupled": True},
}


def sized(body, status=b"200 OK"):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(data):
    return chunk(b"data: " + data + b"\n\n")


class Request(NamedTuple):
    path: str = ""
    head: bytes = b""


def text_event(request, text):
    path = request.path
    if path.startswith("/v1/chat"):
        return event(json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode())
    if path.startswith("/v1/"):
        return event(json.dumps({"choices": [{"index": 0, "text": text}]}).encode())
    return event(json.dumps({"text_output": text}).encode())


# An attack sends begin, then piece again and again, with a pause before each, as often as
# times says (None: without end), and then ends. Each may be a function of the request: so long
# answers are made by the server that sends them, not by each of hundreds at its start.
class Attack:
    def __init__(self, begin=b"", piece=b"", times=None, pause=0, end="close"):
        self.begin, self.piece, self.times, self.pause, self.end = begin, piece, times, pause, end

    def words(self, request):
        return [word(request) if callable(word) else word for word in (self.begin, self.piece)]

    def run(self, connection, request):
        begin, piece = self.words(request)
        connection.sendall(begin)
        times = (0 if not piece else None) if self.times is None else self.times
        if times is None and not self.pause:
            piece *= max(1, 65536 // len(piece))
        sent = 0
        while (times is None or times > 0) and sent < MOST_BYTES:
            if self.pause:
                time.sleep(self.pause)
            connection.sendall(piece)
            sent += len(piece)
            times = None if times is None else times - 1
        if self.end == "silence":
            while connection.recv(65536):
                pass
        if self.end == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def one_event(data):
    """A stream of one event, which is the whole answer. A function makes long DATA."""
    return Attack(lambda request: EVENTS + event(data() if callable(data) else data) + b"0\r\n\r\n")


def nested(depth):
    return b'{"text_output": ' + b"[" * depth + b"]" * depth + b"}"


@functools.cache
def packed_zeros(size):
    return gzip.compress(bytes(size))


@functools.cache
def noise(size):
    return random.Random(7).randbytes(size)


ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\n\x00\x7f\u202e"

HTTP = {
    "silence": Attack(end="silence"),
    "close": Attack(),
    "reset": Attack(end="reset"),
    "reset-after-head": Attack(EVENTS, end="reset"),
    "close-in-event": Attack(EVENTS + b"40\r\ndata: {"),
    "drip-head": Attack(HEAD, b"X", pause=0.05),
    "drip-events": Attack(EVENTS, chunk(b":"), pause=0.05),
    "drip-tokens": Attack(EVENTS, lambda request: text_event(request, "x"), pause=0.05),
    "drip-body": Attack(HEAD + b"Content-Length: 1000000\r\n\r\n", b"x", pause=0.05),
    "status-line": Attack(b"HTTP/1.1 200 ", b"O"),
    "head-lines": Attack(HEAD, b"X-More: xxxxxxxxxxxxxxxx\r\n"),
    "head-line": Attack(HEAD + b"X-More: ", b"x" * 4096),
    "interim": Attack(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "early-hints": Attack(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "body": Attack(HEAD + b"\r\n", b"x" * 4096),
    "body-of-json": Attack(HEAD + b'\r\n{"text_output": "', b"x" * 4096),
    "long-body": Attack(HEAD + b"Content-Length: 900000000000000\r\n\r\n", b"x" * 4096),
    "event-line": Attack(EVENTS, chunk(b"x" * 4096)),
    "event-data": Attack(EVENTS + chunk(b'data: {"text_output": "'), chunk(b"x" * 4096)),
    "event-lines": Attack(EVENTS, chunk(b"data: x\n")),
    "comments": Attack(EVENTS, chunk(b": still here\n\n")),
    "empty-events": Attack(EVENTS, chunk(b"data:\n\n")),
    "tokens": Attack(EVENTS, lambda request: text_event(request, "x")),
    "empty-tokens": Attack(EVENTS, lambda request: text_event(request, "")),
    "chunk-size": Attack(EVENTS + b"ffffffffffffffff\r\n", b"x" * 4096),
    "chunk-size-overflow": Attack(EVENTS + b"1" + b"0" * 40 + b"\r\n", b"x" * 4096),
    "chunk-size-negative": Attack(EVENTS + b"-1\r\n", b"x" * 4096),
    "chunk-zeros": Attack(EVENTS, b"0"),
    "chunk-extension": Attack(EVENTS + b"1;", b"x" * 4096),
    "trailers": Attack(EVENTS + b"0\r\n", b"X-More: xxxxxxxxxxxxxxxx\r\n"),
    "length-overflow": Attack(HEAD + b"Content-Length: 18446744073709551617\r\n\r\n", b"x" * 4096),
    "length-negative": Attack(HEAD + b"Content-Length: -1\r\n\r\n", b"x" * 4096),
    "lengths-differ": Attack(HEAD + b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}       "),
    "length-and-chunks": Attack(
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "gzip-bomb": Attack(
        lambda request: HEAD
        + b"Content-Encoding: gzip\r\nContent-Type: text/event-stream\r\n\r\n"
        + packed_zeros(64 << 20)
    ),
    "redirect": Attack(b"HTTP/1.1 307 Again\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
    "upgrade": Attack(
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", b"x" * 4096
    ),
    "no-content": Attack(b"HTTP/1.1 204 No\r\nContent-Length: 100000000000\r\n\r\n", b"x" * 4096),
    "version": Attack(b"HTTP/9.7 200 OK\r\n\r\n{}"),
    "status": Attack(b"HTTP/1.1 99999999999999999999 OK\r\n\r\n{}"),
    "noise": Attack(lambda request: noise(1 << 20)),
    "nulls": Attack(b"", bytes(4096)),
    "tls-alert": Attack(b"\x15\x03\x03\x00\x02\x02\x28"),
    "two-answers": Attack(lambda request: (EVENTS + text_event(request, "x") + b"0\r\n\r\n") * 20),
    "error-body": Attack(b"HTTP/1.1 500 No\r\n\r\n", b"x" * 4096),
    "error-escapes": Attack(
        sized(json.dumps({"error": ESCAPES}, ensure_ascii=False).encode(), b"400 No")
    ),
    "error-raw-escapes": Attack(sized(ESCAPES.encode("latin-1", "replace"), b"400 No")),
    # What they are given comes back, the token among it.
    "echo": Attack(lambda request: sized(request.head, b"400 No")),
    "echo-event": Attack(
        lambda request: EVENTS
        + event(json.dumps({"error": {"message": request.head.decode()}}).encode())
        + b"0\r\n\r\n"
    ),
    "error-event": one_event(json.dumps({"error": {"message": ESCAPES * 1000}}).encode()),
    "deep": one_event(lambda: nested(1_000_000)),
    "deep-body": Attack(lambda request: sized(nested(1_000_000))),
    "number": one_event(b'{"text_output": 1e999, "choices": [{"index": 1e999, "text": 1e999}]}'),
    "index-negative": one_event(b'{"choices": [{"index": -1, "text": "x", "delta": {}}]}'),
    "index-large": one_event(
        b'{"choices": [{"index": 9223372036854775807, "text": "x", "delta": {"content": "x"}}]}'
    ),
    "types": one_event(b'{"text_output": {"a": []}, "choices": {"index": [], "delta": "x"}}'),
    "usage": one_event(
        b'{"text_output": "x", "choices": [], "usage": {"completion_tokens": -9e18,'
        b' "prompt_tokens": 1e300, "prompt_tokens_details": {"cached_tokens": "x"}}}'
    ),
    "many-choices": one_event(lambda: b'{"choices": [' + b"{}," * 500_000 + b"{}]}"),
    "many-keys": one_event(
        lambda: b"{" + b",".join(b'"k%d": 0' % i for i in range(200_000)) + b', "text_output": "x"}'
    ),
    "not-utf-8": one_event(b'{"text_output": "\xff\xfe\xc0\x80\xed\xa0\x80"}'),
    "list": one_event(lambda: b"[" + b"0," * 500_000 + b"0]"),
}


# Frames of HTTP/2 and messages of gRPC.
def frame(kind, flags, stream, payload=b""):
    return (
        struct.pack(">I", len(payload))[1:]
        + bytes([kind, flags])
        + struct.pack(">I", stream)
        + payload
    )


def text(value):
    """A string of HPACK, not compressed."""
    size = len(value)
    if size < 127:
        return bytes([size]) + value
    out, size = b"\x7f", size - 127
    while size >= 128:
        out, size = out + bytes([size % 128 + 128]), size // 128
    return out + bytes([size]) + value


def field(name, value):
    return b"\x00" + text(name) + text(value)


def varint(value):
    out = b""
    while value >= 128:
        out, value = out + bytes([value % 128 + 128]), value // 128
    return out + bytes([value])


def proto(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(payload, compressed=0):
    return bytes([compressed]) + struct.pack(">I", len(payload)) + payload


SETTINGS = frame(4, 0, 0) + frame(4, 1, 0)
RESPONSE = frame(1, 4, 1, b"\x88" + field(b"content-type", b"application/grpc"))


def data(payload, flags=0):
    return frame(0, flags, 1, payload)


def trailers(status, words):
    return frame(1, 5, 1, field(b"grpc-status", status) + field(b"grpc-message", words))


def only_trailers(status, words):
    block = b"\x88" + field(b"content-type", b"application/grpc")
    block += field(b"grpc-status", status) + field(b"grpc-message", words)
    return frame(1, 5, 1, block)


def groups(depth):
    return b"\x0b" * depth + b"\x0c" * depth


def model_config():
    config = proto(1, b"toy")
    config += varint(4 << 3) + varint(8)
    for name, kind in ((b"text_input", 13), (b"max_tokens", 8), (b"stream", 1)):
        config += proto(5, proto(1, name) + varint(2 << 3) + varint(kind) + proto(4, b"\x01"))
    config += proto(6, proto(1, b"text_output") + varint(2 << 3) + varint(13) + proto(3, b"\x01"))
    config += proto(19, varint(1 << 3) + varint(1))
    return RESPONSE + data(message(proto(1, config))) + trailers(b"0", b"")


# A stream of one answer with one piece of text.
TOKEN = proto(2, proto(1, b"toy"))

GRPC = {
    "silence": Attack(end="silence"),
    "close": Attack(),
    "reset": Attack(b"", end="reset"),
    "noise": Attack(lambda request: noise(1 << 20)),
    "http-1": Attack(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    "settings": Attack(b"", frame(4, 0, 0)),
    "settings-values": Attack(b"", frame(4, 0, 0, struct.pack(">HI", 1, 0xFFFFFFFF) * 1000)),
    "settings-invalid": Attack(frame(4, 0, 0, struct.pack(">HI", 5, 1))),
    "settings-no-window": Attack(frame(4, 0, 0, struct.pack(">HI", 4, 0)), end="silence"),
    "settings-no-streams": Attack(frame(4, 0, 0, struct.pack(">HI", 3, 0)), end="silence"),
    "ping": Attack(b"", frame(6, 0, 0, bytes(8))),
    "window-overflow": Attack(b"", frame(8, 0, 0, struct.pack(">I", 0x7FFFFFFF)), times=3),
    "window-updates": Attack(b"", frame(8, 0, 1, struct.pack(">I", 1))),
    "priority": Attack(b"", frame(2, 0, 1, bytes(4) + b"\x10")),
    "unknown-frames": Attack(b"", frame(99, 0, 0, b"x" * 1000)),
    "frame-of-16-mib": Attack(b"\xff\xff\xff\x00\x00\x00\x00\x00\x01", b"x" * 4096),
    "push": Attack(b"", frame(5, 4, 1, struct.pack(">I", 2) + b"\x82"), times=5),
    "continuation": Attack(frame(1, 0, 1, b"\x88"), frame(9, 0, 1, field(b"x-more", b"x" * 1000))),
    "empty-continuation": Attack(frame(1, 0, 1, b"\x88"), frame(9, 0, 1)),
    "heads": Attack(b"", RESPONSE),
    "head-bomb": Attack(
        frame(1, 0, 1, b"\x88\x40" + text(b"x-more") + text(b"x" * 4000)),
        frame(9, 0, 1, b"\xbe" * 16000),
    ),
    "head-noise": Attack(frame(1, 4, 1, noise(200))),
    "data-first": Attack(b"", data(message(TOKEN)), times=3),
    "data-beyond-window": Attack(RESPONSE, data(b"x" * 16384)),
    "empty-data": Attack(RESPONSE, data(b"")),
    "padding": Attack(RESPONSE, frame(0, 8, 1, b"\xff" + bytes(255))),
    "message-of-4-gib": Attack(RESPONSE + data(b"\x00\xff\xff\xff\xff"), data(b"x" * 1000)),
    "compressed": Attack(
        lambda request: RESPONSE + data(message(packed_zeros(1 << 20), 1)), end="silence"
    ),
    "prefix": Attack(RESPONSE + data(message(b"x", 77)), end="silence"),
    "empty-messages": Attack(RESPONSE, data(message(b""))),
    "messages": Attack(RESPONSE, data(message(TOKEN))),
    "drip-messages": Attack(RESPONSE, data(message(TOKEN)), pause=0.05),
    "drip-bytes": Attack(RESPONSE, data(b"\x00"), pause=0.05),
    "not-a-message": Attack(RESPONSE + data(message(noise(100))) + trailers(b"0", b"")),
    "deep-groups": Attack(RESPONSE + data(message(groups(8000))) + trailers(b"0", b"")),
    "many-fields": Attack(RESPONSE, data(message(proto(1, b"") * 5000))),
    "half-a-message": Attack(RESPONSE + data(message(TOKEN)[:-2], flags=1)),
    "no-trailers": Attack(RESPONSE + data(message(TOKEN), flags=1)),
    "status-text": Attack(only_trailers(b"x" * 100, b"no")),
    "status-escapes": Attack(only_trailers(b"13", ESCAPES.encode())),
    "status-percent": Attack(only_trailers(b"13", b"%1B%5D0;owned%07%C2%9B31m%zz%0D%0A" * 100)),
    "status-long": Attack(only_trailers(b"13", b"%1B" * 5000)),
    "go-away": Attack(frame(7, 0, 0, struct.pack(">II", 0, 0))),
    "go-away-flood": Attack(b"", frame(7, 0, 0, struct.pack(">II", 1, 0) + b"x" * 1000)),
    "reset-stream": Attack(frame(3, 0, 1, struct.pack(">I", 8)), end="silence"),
    "reset-others": Attack(b"", frame(3, 0, 7, struct.pack(">I", 8))),
    "other-streams": Attack(b"", frame(1, 4, 9, b"\x88")),
}

# Those that begin before the request is there.
EARLY = {"silence", "close", "noise", "http-1", "settings"}
EARLY |= {"settings-invalid", "settings-no-window", "settings-no-streams"}

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


class Server:
    def __init__(self, port, attack, where):
        self.attack, self.where = attack, where
        self.grpc_connections = 0
        # What takes long to make is there before the first request.
        for attacks in (HTTP, GRPC):
            attacks.get(attack, Attack()).words(Request())
        self.listener = socket.create_server(("127.0.0.1", port), backlog=128)
        print(self.listener.getsockname()[1], flush=True)

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.connected, args=(connection,), daemon=True).start()

    def connected(self, connection):
        with connection:
            try:
                self.talk(connection)
            except OSError:
                pass  # the client ended

    def talk(self, connection):
        received = b""
        while True:
            more = connection.recv(65536)
            if not more:
                return
            received += more
            if received.startswith(PREFACE):
                return self.grpc(connection, received[len(PREFACE) :])
            head, end, body = received.partition(b"\r\n\r\n")
            if not end or PREFACE.startswith(received):
                continue
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if len(body) < length:
                continue
            received = body[length:]
            method, path, _ = head.split(b"\r\n")[0].decode().split(" ")
            if not self.http(connection, method, Request(path, head)):
                return

    def http(self, connection, method, request):
        """Whether the connection stays open."""
        path = request.path
        kind = self.kind(method, path)
        if self.grpc_connections:
            return False  # this port speaks gRPC
        if kind == self.where:
            self.run(HTTP[self.attack], connection, request)
            return False
        if kind == "generate":
            connection.sendall(
                EVENTS + text_event(request, "x") * 4 + event(b"[DONE]") * path.startswith("/v1/")
            )
            connection.sendall(b"0\r\n\r\n")
        elif kind == "smoke":
            connection.sendall(sized(b'{"text_output": "x"}'))
        elif kind == "config":
            connection.sendall(sized(json.dumps(CONFIG).encode()))
        elif kind in ("ready", "page"):
            connection.sendall(sized(b"requests_total 1\n"))
        else:
            connection.sendall(sized(b"{}", b"404 Not Found"))
        return True

    @staticmethod
    def run(attack, connection, request):
        print("attacked", flush=True)
        attack.run(connection, request)

    @staticmethod
    def kind(method, path):
        if method == "POST":
            return "smoke" if path.endswith("/generate") else "generate"
        for end, kind in (("/ready", "ready"), ("/metrics", "page"), ("/config", "config")):
            if path.endswith(end):
                return kind
        return ""

    def grpc(self, connection, received):
        self.grpc_connections += 1
        attack = GRPC[self.attack]
        sound = self.where != "config" and self.grpc_connections == 1
        if not sound and self.attack in EARLY:
            return self.run(attack, connection, Request())
        connection.sendall(SETTINGS)
        while not self.has_request(received):
            more = connection.recv(65536)
            if not more:
                return
            received += more
        if not sound:
            return self.run(attack, connection, Request())
        connection.sendall(model_config())
        while connection.recv(65536):
            pass

    @staticmethod
    def has_request(received):
        """Whether a frame of data has come."""
        while len(received) >= 9:
            size = int.from_bytes(received[:3], "big")
            if received[3] == 0:
                return True
            received = received[9 + size :]
        return False


def main():
    if sys.argv[1] == "attacks":
        print("\n".join({"http": HTTP, "grpc": GRPC}[sys.argv[2]]))
        return
    Server(int(sys.argv[1]), sys.argv[2], sys.argv[3]).serve()


if __name__ == "__main__":
    main()

"""A server of the OpenAI protocol without a model, in the dialect of an engine: `serve(ENGINE,
RELEASE, WORDS)` starts it with the words of that engine's command line, in this process.

POST /standin {"hold_after": N} holds all streams behind their Nth token, null lets them go on; GET
/standin has the engine's counts and the requests it was sent. Variables: STANDIN_PROBES=N answers N
health questions with "not ready", STANDIN_FAILS=memory ends as if the GPU were full."""

import http.server
import json
import os
import signal
import sys
import threading

import dialects
import engine as engines


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def do_GET(self):
        server = self.server
        if self.path == "/standin":
            counts = dict(server.engine.counts, bodies=server.bodies)
            return self.answer(200, counts)
        found = server.dialect.get(self.path, server.engine)
        return self.answer(*(found or (404, {"detail": "Not Found"})))

    def do_POST(self):
        server = self.server
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/standin":
            with server.engine.guest():
                server.engine.hold(json.loads(text)["hold_after"])
                return self.answer(200, {})
        if self.path in ("/v1/completions", "/v1/chat/completions"):
            return self.generate(text, self.path.endswith("/chat/completions"))
        found = server.dialect.post(self.path, server.engine)
        return self.answer(*(found or (404, {"detail": "Not Found"})))

    def generate(self, text, chat):
        server = self.server
        try:
            request = Request(server, json.loads(text), chat)
        except dialects.Refusal as refusal:
            return self.answer(refusal.status, refusal.body)
        except (ValueError, KeyError, TypeError) as error:
            return self.answer(422, f"Failed to deserialize the JSON body: {error}")
        server.bodies.append(request.body)
        with server.engine.guest():
            try:
                self.answer_to(request)
            except OSError:
                server.engine.counts["aborted"] += 1
                self.close_connection = True

    def answer_to(self, request):
        """A client that has its whole answer finds the engine idle."""
        whole = None
        self.server.engine.enter(request)
        try:
            if request.body.get("stream"):
                self.stream(request)
            else:
                whole = request.whole()
        finally:
            self.server.engine.leave()
        if whole is not None:
            self.answer(200, whole)

    def stream(self, request):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in request.events():
            self.chunk(dialects.line_of(event))
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, text):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))

    def answer(self, status, content):
        text = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        kind = "text/plain" if isinstance(content, str) else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Request:
    """A request that the dialect accepts, and the events of its answer."""

    def __init__(self, server, body, chat):
        self.body, self.chat = body, chat
        self.engine, self.dialect = server.engine, server.dialect
        self.prompts = dialects.parsed_prompts(body, chat)
        if not self.dialect.takes_ids and any(isinstance(one, tuple) for one in self.prompts):
            raise ValueError("data did not match any variant of untagged enum Prompt")
        extra = self.dialect.chat_tokens if chat else 0
        self.tokens = [server.counter.count(prompt) + extra for prompt in self.prompts]
        self.dialect.check(body, self.prompts, self.tokens)
        if hasattr(self.dialect, "check_load"):
            self.dialect.check_load(self.engine)
        self.limit = body.get("max_tokens") or self.dialect.default_limit()
        self.forced = self.dialect.forces_lengths and bool(body.get("ignore_eos"))

    def lengths(self):
        return [engines.answer_length(self.limit, self.forced, one) for one in self.prompts]

    def start(self):
        """The tokens of all prompts, whose KV cache is made or found now."""
        pairs = zip(self.prompts, self.tokens)
        return sum(self.engine.cached(prompt, tokens) for prompt, tokens in pairs)

    def choice(self, index, text, end):
        found = {"index": index, "finish_reason": end}
        if self.chat:
            member = "delta" if self.body.get("stream") else "message"
            return found | {member: {"role": "assistant", "content": text}}
        return found | {"text": text}

    def message(self, choices, usage=None):
        found = {"id": f"r{next(dialects.numbers)}", "object": "text_completion",
                 "model": self.body.get("model"), "choices": choices}  # fmt: skip
        return found | {"usage": usage} if usage else found

    def wants_usage(self):
        options = self.body.get("stream_options") or {}
        return bool(options.get("include_usage"))

    def events(self):
        cached = self.start()
        lengths = self.lengths()
        usage = self.dialect.usage_of(sum(self.tokens), sum(lengths), cached)
        in_the_last = self.dialect.usage_always and not self.chat
        for index, length in enumerate(lengths):
            for place in range(1, length + 1):
                self.engine.pass_token(place)
                last = place == length
                end = self.dialect.end_reason(length == self.limit) if last else self.no_end()
                own = self.dialect.usage_of(self.tokens[index], length, 0)
                choice = self.choice(index, f" w{place - 1}", end)
                yield self.message([choice], own if last and in_the_last else None)
        if self.wants_usage() and not in_the_last:
            yield self.message([], usage)
        if self.dialect.sends_done:
            yield b"[DONE]"

    def no_end(self):
        return "" if self.dialect.usage_always and not self.chat else None

    def whole(self):
        cached = self.start()
        lengths, choices = self.lengths(), []
        for index, length in enumerate(lengths):
            for place in range(1, length + 1):
                self.engine.pass_token(place)
            text = "".join(f" w{place}" for place in range(length))
            end = self.dialect.end_reason(length == self.limit)
            choices.append(self.choice(index, text, end))
        usage = self.dialect.usage_of(sum(self.tokens), sum(lengths), cached)
        return self.message(choices, usage)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, dialect):
        self.dialect, self.bodies = dialect, []
        slots = int(dialect.one(dialect.slots, dialect.default_slots))
        self.engine = engines.Engine(slots, dialect.keeps_prefixes())
        self.counter = dialects.Counter(dialect.folder())
        place = (dialect.one(dialect.host, "127.0.0.1"), int(dialect.one(dialect.port)))
        super().__init__(place, Handler)


def end_on_term(server):
    def end():
        status = server.dialect.on_term(server.engine)
        sys.stdout.flush()
        os._exit(status)

    def handle(*_):
        threading.Thread(target=end, daemon=True).start()

    signal.signal(signal.SIGTERM, handle)
    signal.signal(signal.SIGINT, handle)


def started(engine, release, words):
    dialect = dialects.DIALECTS[engine](release, words, os.environ)
    dialect.check_start()
    try:
        return Server(dialect)
    except OSError as error:
        raise dialects.Failure(dialect.bound(error)) from error


def serve(engine, release, words):
    try:
        server = started(engine, release, words)
    except dialects.Failure as failure:
        print(failure, file=sys.stderr, flush=True)
        sys.exit(failure.status)
    end_on_term(server)
    print(f"stand-in for {engine} {release} on port {server.server_address[1]}", flush=True)
    server.serve_forever()

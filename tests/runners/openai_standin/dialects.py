"""How the servers differ: the words that start them, what they answer to health, models and
metrics, which requests they refuse and in which words, and how they end. One class per engine;
serve.py asks it, engine.py does the work."""

import itertools
import json
import pathlib
import sys

RUNNERS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(RUNNERS))
import option_table  # noqa: E402


class Refusal(Exception):
    """An answer with an error's status: its body is JSON, or a text."""

    def __init__(self, status, body):
        super().__init__(str(body))
        self.status, self.body = status, body


class Failure(Exception):
    """The server cannot start."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def number(release):
    return tuple(int(part) for part in release.split(".")[:3])


class Dialect:
    table = None  # file of its options; None: every word is accepted
    model = host = port = name = slots = context = ""  # their options
    default_slots = 256
    takes_ids = True
    forces_lengths = True
    usage_always = False
    sends_done = True
    chat_tokens = 4  # that a chat template adds

    def __init__(self, release, words, variables):
        self.release, self.variables = number(release), variables
        self.given = self.read(release, words)
        self.probes_left = int(variables.get("STANDIN_PROBES", 0))

    def read(self, release, words):
        if not self.table:
            return loosely_read(words)
        found, problems = option_table.read(words, option_table.Table(self.table).at(release))
        if problems or found.pop("", None):
            raise Failure(self.usage("; ".join(problems) or "a word is no option"), 2)
        return found

    def usage(self, problem):
        return f"error: {problem}"

    def one(self, option, default=None):
        values = self.given.get(option)
        return values[0] if values else default

    def has(self, option):
        return option in self.given

    def keeps_prefixes(self):
        return False

    def check_start(self):
        """Raises Failure when the engine could not load what it is given."""
        if not (self.folder() / "config.json").is_file():
            raise Failure(self.no_model(self.folder()))
        if self.variables.get("STANDIN_FAILS") == "memory":
            raise Failure(self.no_memory())

    def folder(self):
        return pathlib.Path(self.one(self.model, ""))

    def no_model(self, folder):
        return f"OSError: {folder} does not appear to have a file named config.json"

    def no_memory(self):
        return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."

    def bound(self, error):
        return f"{error}"

    def model_name(self):
        return self.one(self.name, str(self.folder()))

    def context_length(self):
        return int(self.one(self.context, 4096))

    def is_starting(self):
        """True for the first health questions after the port was opened."""
        self.probes_left -= 1
        return self.probes_left >= 0

    def get(self, path, engine):
        """(status, body) of a page, None where there is none."""

    def post(self, path, engine):
        """The same for what is no request to the model."""

    def models(self):
        card = {"id": self.model_name(), "object": "model", "max_model_len": self.context_length()}
        return 200, {"object": "list", "data": [card]}

    def check(self, body, prompts, tokens):
        """Raises Refusal for a request that the engine refuses."""

    def end_reason(self, complete):
        return "length" if complete else "stop"

    def usage_of(self, prompt_tokens, generated, cached):
        del cached
        total = prompt_tokens + generated
        return {"prompt_tokens": prompt_tokens, "completion_tokens": generated,
                "total_tokens": total}  # fmt: skip

    def on_term(self, engine):
        """What happens between SIGTERM and the end; returns the exit status."""
        del engine
        return 0

    def default_limit(self):
        return 16


def loosely_read(words):
    """--option VALUE..., of which nothing is known."""
    found, option = {}, ""
    for word in words:
        if word.startswith("--"):
            option, _, value = word.partition("=")
            found[option] = [value] if value else []
        else:
            found.setdefault(option, []).append(word)
    return found


def metric_lines(prefix, gauges, counters):
    lines = []
    for kind, values in (("gauge", gauges), ("counter", counters)):
        for name, value in values.items():
            lines += [f"# TYPE {prefix}{name} {kind}", f"{prefix}{name} {float(value)}"]
    return "\n".join(lines) + "\n"


class SGLang(Dialect):
    table = RUNNERS / "sglang" / "options.txt"
    model, host, port, name = "--model-path", "--host", "--port", "--served-model-name"
    slots, context = "--max-running-requests", "--context-length"

    def usage(self, problem):
        return f"launch_server.py: error: unrecognized arguments: {problem}"

    def no_memory(self):
        return (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n"
            "Received sigquit from a child process. It usually means the child failed."
        )

    def bound(self, error):
        del error
        place = (self.one(self.host, "127.0.0.1"), int(self.one(self.port, 30000)))
        return f"[Errno 98] error while attempting to bind on address {place}"

    def keeps_prefixes(self):
        return not self.has("--disable-radix-cache")

    def generating_health(self):
        """Makes a token, if the server is idle; 503 until the first one came."""
        return (503 if self.is_starting() else 200), ""

    def get(self, path, engine):
        if path == "/health" and self.release < (0, 5, 0):
            return 200, ""  # as soon as the port is open
        if path in ("/health", "/health_generate"):
            return self.generating_health()
        if path == "/v1/models":
            return self.models()
        if path == "/get_server_info" and self.release >= (0, 4, 3):
            return 200, {"version": ".".join(map(str, self.release)), "max_total_num_tokens": 8192}
        if path == "/metrics" and self.has("--enable-metrics"):
            return 200, self.metrics(engine)
        if path == "/flush_cache" and self.release >= (0, 4, 10):
            return self.flush(engine)
        return None

    def post(self, path, engine):
        return self.flush(engine) if path == "/flush_cache" else None

    def flush(self, engine):
        """Releases before 0.4.10 do not say whether they did it."""
        done = engine.flush()
        return (200 if done or self.release < (0, 4, 10) else 400), "Cache flushed.\n"

    def metrics(self, engine):
        running, waiting = engine.load()
        counts = engine.counts
        gauges = {"num_running_reqs": running, "num_queue_reqs": waiting, "token_usage": 0.0}
        counters = {
            "prompt_tokens_total": counts["prompt_tokens"],
            "generation_tokens_total": counts["generation_tokens"],
        }
        if self.release >= (0, 4, 6):
            counters["cached_tokens_total"] = counts["cached_tokens"]
        return metric_lines("sglang:", gauges, counters)

    def check(self, body, prompts, tokens):
        limit = body.get("max_tokens") or self.default_limit()
        for count in tokens:
            if count + limit > self.context_length():
                message = (
                    "Requested token count exceeds the model's maximum context length of"
                    f" {self.context_length()} tokens"
                )
                raise Refusal(400, {"object": "error", "message": message,
                                    "type": "BadRequestError", "code": 400})  # fmt: skip

    def usage_of(self, prompt_tokens, generated, cached):
        found = super().usage_of(prompt_tokens, generated, cached)
        if self.has("--enable-cache-report"):
            found["prompt_tokens_details"] = {"cached_tokens": cached}
        return found

    def on_term(self, engine):
        """Streams under way are answered to their end."""
        engine.wait_until_idle()
        return 0


class Tgi(Dialect):
    table = RUNNERS / "tgi" / "options.txt"
    model, host, port = "--model-id", "--hostname", "--port"
    slots, context = "--max-batch-size", "--max-total-tokens"
    takes_ids = forces_lengths = False
    usage_always = True

    def usage(self, problem):
        return f"error: unexpected argument found: {problem}"

    def no_model(self, folder):
        return f"Download encountered an error: {folder} has no weights\nError: DownloadError"

    def no_memory(self):
        return "Not enough memory to handle 4096 prefill tokens.\nError: WebserverFailed"

    def bound(self, error):
        return f"Address already in use ({error})\nError: WebserverFailed"

    def model_name(self):
        return str(self.folder())

    def keeps_prefixes(self):
        asked = "PREFIX_CACHING" if self.release >= (2, 4, 0) else "USE_PREFIX_CACHING"
        return self.release >= (2, 3, 0) and self.variables.get(asked, "true") in ("1", "true")

    def get(self, path, engine):
        if path in ("/health", "/"):
            if self.is_starting():
                return 503, {"error": "unhealthy", "error_type": "healthcheck"}
            return 200, ""
        if path == "/info":
            return 200, {
                "model_id": self.model_name(),
                "version": ".".join(map(str, self.release)),
                "max_total_tokens": self.context_length(),
                "max_concurrent_requests": self.most_open(),
            }
        if path == "/v1/models" and self.release >= (2, 3, 0):
            return self.models()
        if path == "/metrics":
            running, waiting = engine.load()
            return 200, metric_lines(
                "tgi_",
                {"queue_size": waiting, "batch_current_size": running},
                {"request_count": engine.counts["requests"]},
            )
        return None

    def most_open(self):
        return int(self.one("--max-concurrent-requests", 128))

    def check(self, body, prompts, tokens):
        if len(prompts) > int(self.one("--max-client-batch-size", 4)):
            text = "Number of prompts exceeds the maximum allowed batch size"
            raise Refusal(422, {"error": text, "error_type": "batch size exceeded"})
        limit = body.get("max_tokens") or self.default_limit()
        input_limit = int(self.one("--max-input-tokens", self.context_length() - 1))
        for count in tokens:
            if count + limit > self.context_length() or count > input_limit:
                text = (
                    "Input validation error: `inputs` tokens + `max_new_tokens` must be <="
                    f" {self.context_length()}. Given: {count} and {limit}"
                )
                raise Refusal(422, {"error": text, "error_type": "validation"})
        temperature = body.get("temperature")
        if temperature is not None and temperature < 0:
            text = "Input validation error: `temperature` must be strictly positive"
            raise Refusal(422, {"error": text, "error_type": "validation"})

    def check_load(self, engine):
        if sum(engine.load()) >= self.most_open():
            raise Refusal(429, {"error": "Model is overloaded", "error_type": "overloaded"})

    def end_reason(self, complete):
        return "length" if complete else "eos_token"

    def on_term(self, engine):
        engine.wait_until_idle()
        return 0


class Vllm(Dialect):
    """`vllm serve MODEL` or the API server's module with --model."""

    table = RUNNERS / "vllm" / "options.txt"
    model, host, port, name = "--model", "--host", "--port", "--served-model-name"
    slots, context = "--max-num-seqs", "--max-model-len"

    def usage(self, problem):
        return f"api_server.py: error: unrecognized arguments: {problem}"

    def folder(self):
        return pathlib.Path(self.one("--model", self.one("", "")))

    def bound(self, error):
        del error
        return "OSError: [Errno 98] Address already in use"

    def read(self, release, words):
        """Both names of a switch are one option of the table."""
        self.prefixes = "--no-enable-prefix-caching" not in words
        return super().read(release, words)

    def keeps_prefixes(self):
        return self.prefixes

    def get(self, path, engine):
        if path == "/health":
            return 200, ""
        if path == "/version":
            return 200, {"version": ".".join(map(str, self.release))}
        if path == "/v1/models":
            return self.models()
        if path == "/metrics":
            return 200, self.metrics(engine)
        return None

    def metrics(self, engine):
        running, waiting = engine.load()
        counts = engine.counts
        usage = "kv_cache_usage_perc" if self.release >= (0, 9, 2) else "gpu_cache_usage_perc"
        return metric_lines(
            "vllm:",
            {"num_requests_running": running, "num_requests_waiting": waiting, usage: 0.0},
            {
                "prompt_tokens_total": counts["prompt_tokens"],
                "generation_tokens_total": counts["generation_tokens"],
                "prefix_cache_queries_total": counts["prompt_tokens"],
                "prefix_cache_hits_total": counts["cached_tokens"],
            },
        )

    def post(self, path, engine):
        if path == "/reset_prefix_cache" and self.variables.get("VLLM_SERVER_DEV_MODE") == "1":
            done = engine.flush()
            return 200, {"success": done} if self.release >= (0, 26) else ""
        return None

    def check(self, body, prompts, tokens):
        if body.get("model") not in self.given.get(self.name, [str(self.folder())]):
            message = f"The model `{body.get('model')}` does not exist."
            raise Refusal(404, {"error": {"message": message, "type": "NotFoundError"}})
        for count in tokens:
            if count >= self.context_length():
                message = f"This model's maximum context length is {self.context_length()} tokens."
                raise Refusal(400, {"error": {"message": message, "type": "BadRequestError"}})


DIALECTS = {"sglang": SGLang, "tgi": Tgi, "vllm": Vllm}


def parsed_prompts(body, chat):
    """The prompts of a request, each a text or a tuple of ids."""
    if chat:
        return ["\n".join(str(message.get("content")) for message in body["messages"])]
    prompt = body["prompt"]
    if isinstance(prompt, str):
        return [prompt]
    if prompt and all(isinstance(one, int) for one in prompt):
        return [tuple(prompt)]
    return [one if isinstance(one, str) else tuple(one) for one in prompt]


class Counter:
    """Tokens of texts: those of the model's tokenizer if its package is installed, else words."""

    def __init__(self, folder):
        self.tokenizer = None
        try:
            import tokenizers

            self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception:  # the package has no narrower one
            pass

    def count(self, prompt):
        if isinstance(prompt, tuple):
            return len(prompt)
        if self.tokenizer:
            return len(self.tokenizer.encode(prompt, add_special_tokens=False).ids)
        return len(prompt.split())


def line_of(event):
    return b"data: " + (event if isinstance(event, bytes) else json.dumps(event).encode()) + b"\n\n"


numbers = itertools.count(1)

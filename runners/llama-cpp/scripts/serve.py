"""serve.py --model FILE --port N ...: llama.cpp's own server inside this process, from the package
xllamacpp. Its options have the names and meanings of those of llama-server.

A signal ends the process at once: to destroy the server would wait for requests that never end.
It does not know prompts or loads.
"""
import argparse
import http.client
import json
import os
import signal
import socket
import sys

from stage import Failed, run

# Option, type, and the members of CommonParams that have its value.
OPTIONS = [
    ("--model", str, ["model.path"]),
    ("--alias", str, ["model_alias"]),
    ("--host", str, ["hostnames"]),
    ("--port", int, ["port"]),
    ("--parallel", int, ["n_parallel"]),
    ("--ctx-size", int, ["n_ctx"]),
    ("--threads", int, ["cpuparams.n_threads", "cpuparams_batch.n_threads"]),
    ("--batch-size", int, ["n_batch"]),
    ("--ubatch-size", int, ["n_ubatch"]),
    ("--threads-http", int, ["n_threads_http"]),
    ("--seed", int, ["sampling.seed"]),
    ("--temp", float, ["sampling.temp"]),
    ("--top-k", int, ["sampling.top_k"]),
    ("--top-p", float, ["sampling.top_p"]),
    ("--min-p", float, ["sampling.min_p"]),
    ("--ctx-checkpoints", int, ["n_ctx_checkpoints"]),
    ("--slot-prompt-similarity", float, ["slot_prompt_similarity"]),
    ("--cache-ram", int, ["cache_ram_mib"]),
    ("--verbosity", int, ["verbosity"]),
]
SWITCHES = [
    ("--metrics", "endpoint_metrics"),
    ("--cache-prompt", "cache_prompt"),
    ("--cache-idle-slots", "cache_idle_slots"),
]
REQUIRED = {"--model", "--port", "--parallel", "--ctx-size"}
# Of members that are collections.
COLLECTIONS = {"model_alias": set, "hostnames": list}
# A cache divided evenly among the slots, memory as asked for, and no pages for browsers.
FIXED = {"kv_unified": False, "fit_params": False, "ui": False}


def parser():
    found = argparse.ArgumentParser(allow_abbrev=False)
    for option, type_, _ in OPTIONS:
        found.add_argument(option, type=type_, required=option in REQUIRED)
    for option, _ in SWITCHES:
        found.add_argument(option, action=argparse.BooleanOptionalAction)
    found.set_defaults(host="127.0.0.1")
    return found


def settings(options):
    """The members of CommonParams that differ from llama.cpp's defaults, by dotted name."""
    found = dict(FIXED)
    for option, members in [
        *((option, members) for option, _, members in OPTIONS),
        *((option, [member]) for option, member in SWITCHES),
    ]:
        value = getattr(options, option[2:].replace("-", "_"))
        if value is None:
            continue
        for member in members:
            found[member] = COLLECTIONS[member]([value]) if member in COLLECTIONS else value
    return found


def common_params(xllamacpp, members):
    params = xllamacpp.CommonParams()
    for name, value in members.items():
        *path, last = name.split(".")
        owner = params
        for part in path:
            owner = getattr(owner, part)
        if not hasattr(owner, last):
            raise Failed(f"this xllamacpp has no setting {name}; install the version of the lock")
        setattr(owner, last, value)
    return params


def check_port(options):
    """The server would say only that it cannot bind; the system says why."""
    with socket.socket(socket.AF_INET6 if ":" in options.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port))
        except OSError as error:
            raise Failed(f"{options.host}:{options.port}: {error.strerror}") from error


def check_model(options):
    with open(options.model, "rb") as file:
        if file.read(4) != b"GGUF":
            raise Failed(f"{options.model} is no GGUF file; convert the model to one")


def start(options):
    import xllamacpp

    try:
        return xllamacpp.Server(common_params(xllamacpp, settings(options)))
    except RuntimeError as error:
        # Its log is written by a thread, so its reason may come later than this line.
        raise Failed(f"{options.model}: the server did not start: {error}") from error


def room_of_a_slot(options):
    connection = http.client.HTTPConnection(options.host, options.port, timeout=60)
    connection.request("GET", "/props")
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["default_generation_settings"]["n_ctx"]


def check_context(options):
    """A model with fewer positions than asked for would end answers early without an error."""
    asked, found = options.ctx_size // options.parallel, room_of_a_slot(options)
    if found < asked:
        raise Failed(
            f"{options.model}: a slot has room for {found} tokens, not for {asked}: the model has"
            " no more positions; lower isl, osl or context"
        )


def main(arguments):
    options = parser().parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    check_model(options)
    check_port(options)
    server = start(options)
    try:
        check_context(options)
    except (Failed, OSError, ValueError, KeyError) as error:
        print(f"serve.py: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    while server:
        signal.pause()


if __name__ == "__main__":
    run(main)

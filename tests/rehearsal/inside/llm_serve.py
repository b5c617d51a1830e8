"""trtllm-serve in an image: the words of the release's own parser, the machine as the real one
needs it, and the answers of tests/runners/triton_trtllm/openai_server.py."""

import http.server
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), "runners/triton_trtllm")]

import check_command  # noqa: E402
import machine  # noqa: E402
import openai_server  # noqa: E402
import options  # noqa: E402

openai_server.KNOWN |= {"top_k"}


def levels(release):
    return list(options.levels(options.load(options.closest_record(release, "serve"), "serve")))


def print_help(release):
    """As click does."""
    print("Usage: trtllm-serve serve [OPTIONS] MODEL\n\nOptions:")
    for level in levels(release)[1:2]:
        for option in level["options"]:
            takes = "" if option["type"] == "flag" else " TEXT"
            print(f"  {', '.join(option['spellings'])}{takes}")
    print("  --help  Show this message and exit.")


def main(words):
    release = machine.layout()["release"]
    machine.load_driver()
    machine.import_torch()
    if "--help" in words:
        return print_help(release)
    if problems := check_command.check(release, "serve", list(words)):
        sys.exit(f"Error: {'; '.join(problem.text for problem in problems)}")
    given = dict(zip(words, words[1:]))
    machine.need_gpus(int(given.get("--tp_size", 1)) * int(given.get("--pp_size", 1)))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    place = (given["--host"], int(given["--port"]))
    server = http.server.ThreadingHTTPServer(place, openai_server.Handler)
    server.bodies = []
    print(f"Uvicorn running on http://{place[0]}:{place[1]}", flush=True)
    server.serve_forever()

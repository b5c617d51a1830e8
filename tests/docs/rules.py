"""What the test of the pages runs in place of a command that it cannot run. Each row has a pattern
of the command, what is run instead, and the reason. A command that no row matches is run as the
page has it."""
import re

GPUS = "--machine tests/data/8xh100.yaml"
OURS = "|".join(
    [
        "qwen2-deploy",
        "qwen-14b-int4-build-flags",
        "trtllm-backend-tour",
        "llm-perf-cross-check",
        "lmdeploy-internlm",
    ]
)
TARGETS = "quickstart|stacks|picture|test|bench-load|test-genai-perf"

INSTEAD = [
    (rf"^make ({TARGETS})$", r"make -n \1",
     "installs packages, compiles, or runs for minutes to hours"),
    (r"^make (install|deb)( PREFIX=\S+)?$", r"make -n \1\2",
     "compiles; tests/install installs into a prefix and as a package"),
    (rf"^orchestrate run experiments/({OURS})\.yaml$",
     rf"orchestrate plan experiments/\1.yaml {GPUS}",
     "needs GPUs, a model hub and hours"),
    (r"^orchestrate run (\S+) --executor slurm$", r"orchestrate plan \1",
     "needs a cluster; tests/crash/slurm_test.cpp has one"),
    (r"^orchestrate doctor --executor slurm$", "orchestrate doctor",
     "needs a cluster; tests/crash/doctor_test.cpp has one"),
    (r"^(orchestrate run .*) --budget 2h$", r"\1 --budget 1s",
     "adds sessions for minutes; tests/e2e/resolve_test.cpp runs it to its end"),
    (r"^orchestrate report (.*)--live$", r"orchestrate report \1--output -",
     "serves until a signal; tests/browser opens a live page"),
    (r"^(?:\w+=\S+ )?bash (by-hand\.sh)$", r"bash -n \1", "needs GPUs, a model hub and hours"),
    (r"^(tests/(?:crash|runners)/[\w/]+\.py)( .*)?$", r"python3 -m py_compile $ROOT/\1",
     "starts hundreds of processes or a real server; a test of its own runs it"),
    (r"^ORCH_COVERAGE=1 build/default/tests/test_measure$",
     "test -f $ROOT/tests/bench/measure/coverage.hpp",
     "simulates for minutes"),
]  # fmt: skip

# Addresses of a page, and the server that answers in the test. It speaks HTTP only.
PLACES = [
    (r"-u localhost:\d+ -i grpc\b", "-u 127.0.0.1:{port} -i http"),
    (r"grpc://HOST:8001", "http://127.0.0.1:{port}"),
    (r"https?://HOST(:\d+)?", "http://127.0.0.1:{port}"),
    (r"http://GPU1:8000", "http://127.0.0.1:{port}"),
    (r"http://GPU2:8000", "http://localhost:{port}"),
    (r"--requests 5000\b", "--requests 50"),  # at ten requests per second
]
# The options of addresses that the test's server does not have, and of adapters that its model does
# not take.
LEFT_OUT = [
    r"--protocol triton-grpc ?",
    r"--ca-file \S+ ?",
    r"--lora \S+ ?",
    r"--lora-task-id \d+ ?",
]


def to_run(command, port):
    """The command that the test runs for a command of a page."""
    for pattern, instead, _ in INSTEAD:
        if re.match(pattern, command):
            return re.sub(pattern, instead, command)
    for pattern, place in PLACES:
        command = re.sub(pattern, place.format(port=port), command)
    if re.match(r"^orchestrate bench ", command):
        for pattern in LEFT_OUT:
            command = re.sub(pattern, "", command)
    return command

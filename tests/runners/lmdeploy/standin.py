"""An installation of LMDeploy for machines without a GPU: `make(RELEASE, FOLDER)` writes
bin/lmdeploy, bin/python3 and bin/tritonserver. They accept the words that were recorded of that
release, write what it writes beside a model's weights, and generate nothing.

benchmark(FOLDER) writes a git repository with scripts of the names and the result files of
LMDeploy's own, and returns its commit.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "openai_standin"))

import dialects  # noqa: E402
import option_table  # noqa: E402
import serve  # noqa: E402

# The settings of config.ini that a runner may change, as 0.1.0 writes them.
SETTINGS = {
    "session_len": "4104",
    "max_batch_size": "64",
    "cache_max_entry_count": "0.5",
    "quant_policy": "0",
}
# The inputs of the model turbomind of 0.1.0: name, type and dims. The first three are required.
INPUTS = """input_ids UINT32 -1
input_lengths UINT32 1
request_output_len UINT32 -1
input_embeddings INT8 -1
input_embedding_ranges UINT32 -1,2
step INT32 1
session_len UINT32 1
runtime_top_k UINT32 1
runtime_top_p FP32 1
beam_search_diversity_rate FP32 1
temperature FP32 1
len_penalty FP32 1
repetition_penalty FP32 1
random_seed UINT64 1
is_return_log_probs BOOL 1
beam_width UINT32 1
start_id UINT32 1
end_id UINT32 1
bad_words_list INT32 2,-1
stop_words_list INT32 2,-1
prompt_learning_task_name_ids UINT32 1
top_p_decay FP32 1
top_p_min FP32 1
top_p_reset_ids UINT32 1
START INT32 1
END INT32 1
STOP INT32 1
CORRID UINT64 1"""
PBTXT = """name: "turbomind"
backend: "turbomind"
max_batch_size: 1
model_transaction_policy {{ decoupled: true }}
instance_group [
  {{
    # max concurrent instances
    count: 48
    kind: KIND_CPU
  }}
]
{inputs}
parameters {{ key: "tensor_para_size" value: {{ string_value: "{tp}" }} }}
parameters {{ key: "model_name" value: {{ string_value: "{name}" }} }}
"""
PYTHON = """#!/bin/sh
export PYTHONPATH={folder}/lib PYTHONDONTWRITEBYTECODE=1
exec {python} "$@"
"""
PROGRAM = """#!{folder}/bin/python3
import sys
sys.path.insert(0, {here!r})
import standin
standin.{function}({release!r}, sys.argv[1:])
"""


def read(tool, release, words):
    """({option: values}, words by place); ends as a parser does if they are wrong."""
    found, problems = option_table.read(words, option_table.Table(HERE / f"options/{tool}.txt").at(
        release
    ))  # fmt: skip
    if problems:
        sys.exit(f"{tool}: error: {'; '.join(problems)}")
    return found, found.pop("", [])


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def inputs_of_turbomind():
    for place, row in enumerate(INPUTS.splitlines()):
        name, kind, dims = row.split()
        optional = " optional: true" if place > 2 else ""
        yield f'input {{ name: "{name}" data_type: TYPE_{kind} dims: [{dims}]{optional} }}'


def convert(release, words):
    found, (name, source) = read("convert", release, words)
    if not (pathlib.Path(source) / "config.json").is_file():
        sys.exit(f"can't find model from local_path {source}, try to download from huggingface")
    if release == "0.1.0" and not (pathlib.Path(source) / "tokenizer.model").is_file():
        sys.exit("AssertionError: please supply tokenizer path by --tokenizer-path")
    out = pathlib.Path(found["--dst-path" if "--dst-path" in found else "--dst_path"][0])
    shutil.rmtree(out, ignore_errors=True)
    models, tp = out / "triton_models", found.get("--tp", ["1"])[0]
    turbomind = PBTXT.format(tp=tp, name=name, inputs="\n".join(inputs_of_turbomind()))
    lines = [f"{key} = {value}" for key, value in {**SETTINGS, "model_name": name}.items()]
    write(models / "weights/config.ini", "\n".join(["[llama]", *lines]) + "\n")
    write(models / "weights/layers.0.attention.weight", "weights\n")
    write(models / "tokenizer/tokenizer.model", "tokens\n")
    for folder in ("interactive", "preprocessing", "postprocessing"):
        text = turbomind if folder == "interactive" else f'name: "{folder}"\n'
        write(models / folder / "config.pbtxt", text)
        write(models / folder / "1/model.py", "pass\n")
        linked = "weights" if folder == "interactive" else "tokenizer"
        (models / folder / "1" / linked).symlink_to(os.path.join("..", "..", linked))
    print(f"create workspace in directory {out}")


def auto_awq(release, words):
    found, (source,) = read("auto_awq", release, words)
    out = pathlib.Path(found["--work-dir"][0])
    config = json.loads((pathlib.Path(source) / "config.json").read_text("utf-8"))
    config["quantization_config"] = {"quant_method": "awq"}
    write(out / "config.json", json.dumps(config))
    write(out / "tokenizer.json", "{}")


class LMDeploy(dialects.Dialect):
    """api_server: /health from 0.5.0 on, metrics from 0.9.2 on, another model's name is a 404."""

    host, port, slots = "--server-name", "--server-port", "--max-batch-size"
    name, context = "--model-name", "--session-len"
    takes_ids = False

    def read(self, release, words):
        found, places = read("api_server", release, words)
        return found | {"model": places}

    def folder(self):
        return pathlib.Path(self.given["model"][0])

    def check_start(self):
        if not (self.folder() / "triton_models").is_dir():
            super().check_start()

    def get(self, path, engine):
        if path == "/v1/models":
            return self.models()
        if path == "/health" and self.release >= (0, 5, 0):
            return 200, ""
        shown = self.release >= (0, 11, 0) or self.has("--enable-metrics")
        if path == "/metrics" and shown:
            running, waiting = engine.load()
            gauges = {"num_requests_running": running, "num_requests_waiting": waiting}
            return 200, dialects.metric_lines("lmdeploy:", gauges, {})
        return None

    def check(self, body, prompts, tokens):
        if body.get("model") != self.model_name():
            message = f"The model '{body.get('model')}' does not exist."
            raise dialects.Refusal(404, {"message": message})


def lmdeploy(release, words):
    if words[:1] == ["convert"]:
        return convert(release, words[1:])
    if words[:2] == ["lite", "auto_awq"]:
        return auto_awq(release, words[2:])
    dialects.DIALECTS["lmdeploy"] = LMDeploy
    return serve.serve("lmdeploy", release, words[2:])


class Triton(http.server.BaseHTTPRequestHandler):
    """What tritonserver answers to questions of readiness, and its limits to a profile script."""

    def log_message(self, *words):
        pass

    def do_GET(self):
        limits = json.dumps(self.server.limits)
        self.answer(limits if self.path == "/limits" else "")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert body["inputs"][0]["name"] == "QUERY", body
        output = {"name": "INPUT_ID", "datatype": "UINT32", "shape": [1, 2], "data": [1, 7]}
        self.answer(json.dumps({"model_name": "preprocessing", "outputs": [output]}))

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


def limits_of(repository):
    """What TurboMind would take from the repository; an error if a file is not there."""
    turbomind = repository / "turbomind"
    config = (turbomind / "1/weights/config.ini").read_text("utf-8")
    found = dict(re.findall(r"^(\w+) = (\S+)$", config, re.M))
    count = re.search(r"count: (\d+)", (turbomind / "config.pbtxt").read_text("utf-8"))[1]
    assert (turbomind / "1/weights/layers.0.attention.weight").read_text() == "weights\n"
    for name in ("preprocessing", "postprocessing"):
        assert (repository / name / "1/tokenizer/tokenizer.model").exists(), name
    return {**found, "instances": count}


def tritonserver(release, words, beside=lambda given, limits: None):
    """BESIDE(the options by name, the limits) starts what a test needs besides HTTP."""
    del release
    given = dict(word.removeprefix("--").split("=", 1) for word in words)
    unknown = set(given) - {"model-repository", "allow-http", "http-address", "http-port",
                            "allow-grpc", "grpc-address", "grpc-port", "log-verbose",
                            "allow-metrics", "metrics-port", "backend-config"}  # fmt: skip
    if unknown:
        sys.exit(f"tritonserver: unrecognized option '--{sorted(unknown)[0]}'")
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    place = (given["http-address"], int(given["http-port"]))
    with http.server.ThreadingHTTPServer(place, Triton) as server:
        server.limits = limits_of(pathlib.Path(given["model-repository"]))
        server.limits["libraries"] = os.environ.get("LD_LIBRARY_PATH", "")
        beside(given, server.limits)
        server.serve_forever()


OLD = ["batch", "num_prompts", "RPS", "RPM", "FTL(ave)(s)", "FTL(min)(s)", "FTL(max)(s)",
       "throughput(out tok/s)", "throughput(total tok/s)"]  # fmt: skip
NEW = ["backend", "dataset_name", "request_rate", "completed", "total_input_tokens",
       "total_output_tokens", "duration", "request_throughput", "input_throughput",
       "output_throughput", "mean_e2e_latency_ms", "mean_ttft_ms", "mean_tpot_ms",
       "mean_itl_ms"]  # fmt: skip


def profile(release, tool, words, ask=lambda places, rows: None):
    """Reads the words as the script of that release, and writes its file with fixed figures.
    ASK(the words by place, the chosen rows) may send requests."""
    found, places = read(tool, release, words)
    given = {
        name.lstrip("-").replace("-", "_"): values[0] if values else ""
        for name, values in found.items()
    }
    dataset = given.get("dataset_path") or places[2 if tool != "profile_throughput" else 0]
    rows = json.loads(pathlib.Path(dataset).read_text("utf-8"))
    count = int(given.get("num_prompts", given.get("n", 0)))
    if count > len(rows):
        sys.exit("ValueError: Sample larger than population or is negative")
    ask(places, rows[:count])
    print("GPUs", os.environ.get("CUDA_VISIBLE_DEVICES", ""), "words", json.dumps(words))
    if tool == "profile_serving" or "csv" in given and tool == "profile_restful_api":
        figures = [given["concurrency"], count, "2.000", "120.000", "0.050", "0.040", "0.090",
                   "64.000", "96.000"]  # fmt: skip
        lines = [",".join(OLD), ",".join(map(str, figures))]
        target = given["csv"]
    else:
        rate = given.get("request_rate", "inf")
        figures = ["lmdeploy", "sharegpt", rate, count, 10 * count, 20 * count, 5.0, count / 5,
                   2.0 * count, 4.0 * count, 900.0, 50.0, 9.0, 8.5]  # fmt: skip
        lines = [",".join(NEW), ",".join(map(str, figures))]
        if given.get("output_file", "").endswith(".jsonl"):
            lines = [json.dumps(dict(zip(NEW, figures)))]
        target = given.get("csv") or given["output_file"]
    pathlib.Path(target).write_text("\n".join(lines) + "\n", "utf-8")


def declare(lib, release):
    """Writes the options of api_server as the sources have them: half of them by helpers."""
    table = option_table.Table(HERE / "options/api_server.txt")
    found = table.at(release) if release in table.releases else {}
    options = [one for name, one in found.items() if name == one.names[0]]
    own, helped = options[::2], options[1::2]

    def call(option):
        return f"add_argument({', '.join(map(repr, option.names))})"

    lines = [f"    parser.{call(option)}" for option in own]
    lines += [f"    ArgumentHelper.a{place}(parser)" for place in range(len(helped))]
    text = "\n".join(["def add_parser_api_server():", *lines, "    return parser", ""])
    write(lib / "lmdeploy/cli/serve.py", text)
    helpers = [f"    def a{i}(parser):\n        parser.{call(one)}" for i, one in enumerate(helped)]
    # Of another command.
    helpers.append("    def calib(parser):\n        parser.add_argument('--calib-samples')")
    write(lib / "lmdeploy/cli/utils.py", "\n".join(["class ArgumentHelper:", *helpers, ""]))
    write(lib / "lmdeploy/__init__.py", "raise ImportError('it is not to be imported')\n")


def make(release, folder, python="/usr/bin/python3"):
    folder = pathlib.Path(folder).resolve()
    declare(folder / "lib", release)
    write(folder / "bin/python3", PYTHON.format(folder=folder, python=python), 0o755)
    metadata = f"Metadata-Version: 2.1\nName: lmdeploy\nVersion: {release}\n"
    write(folder / f"lib/lmdeploy-{release}.dist-info/METADATA", metadata)
    for function in ("lmdeploy", "tritonserver"):
        text = PROGRAM.format(folder=folder, here=str(HERE), function=function, release=release)
        write(folder / "bin" / function, text, 0o755)
    return folder


def benchmark(release, folder):
    folder = pathlib.Path(folder)
    for tool in ("profile_serving", "profile_restful_api", "profile_throughput"):
        text = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport standin\n"
        text += f"standin.profile({release!r}, {tool!r}, sys.argv[1:])\n"
        write(folder / f"benchmark/{tool}.py", text)
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()

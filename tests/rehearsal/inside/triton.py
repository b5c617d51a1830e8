"""tritonserver in an image, with TensorRT-LLM's backend and without a model: it checks its words,
the repository, the engine and the machine as the real one does, prints the real one's lines, and
answers requests with words. main() is called by a script that images.py writes."""

import os
import re
import signal
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TESTS, "runners/triton_trtllm/standin"),
                os.path.join(TESTS, "docs/stand_in")]  # fmt: skip

import checked  # noqa: E402
import machine  # noqa: E402
import server  # noqa: E402
import tool  # noqa: E402
import triton_grpc  # noqa: E402
import trtllm  # noqa: E402

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.+-]+|[{}\[\]:,;]')
MIB = 1 << 20
SHM_OF_MODEL, SHM_OF_RANK = 12 * MIB, 16 * MIB  # a Python stub, NCCL between ranks


def parse_config(text):
    """config.pbtxt as Triton's JSON has it: a field that is given twice becomes a list."""
    tokens = TOKEN.findall(re.sub(r"#.*", "", text))

    def value(at):
        token = tokens[at]
        if token == "{":
            return message(at + 1, "}")
        if token == "[":
            found, at = [], at + 1
            while tokens[at] != "]":
                one, at = value(at)
                found.append(one)
                at += tokens[at] == ","
            return found, at + 1
        if token.startswith('"'):
            return token[1:-1].replace('\\"', '"'), at + 1
        return {"true": True, "false": False}.get(token, number(token)), at + 1

    def message(at, end):
        found = {}
        while at < len(tokens) and tokens[at] != end:
            name, at = tokens[at], at + 1
            at += tokens[at] == ":"
            one, at = value(at)
            at += at < len(tokens) and tokens[at] in ",;"
            found[name] = found[name] + [one] if name in found else [one]
        return {key: each if len(each) > 1 else each[0] for key, each in found.items()}, at + 1

    return message(0, None)[0]


def number(token):
    return int(token) if re.fullmatch(r"-?\d+", token) else token


def listed(found):
    """A repeated field that was given once, in one list, or not at all."""
    return found if isinstance(found, list) else [] if found is None else [found]


def config_of(folder):
    text = checked.read_text(os.path.join(folder, "config.pbtxt"))
    config = parse_config(text)
    for name in ("input", "output"):
        config[name] = [{**one, "dims": listed(one["dims"])} for one in listed(config.get(name))]
    config["parameters"] = {one["key"]: one["value"] for one in listed(config.get("parameters"))}
    return config


def fail(*lines):
    for line in lines:
        print(line, file=sys.stderr, flush=True)
    sys.exit(1)


def unavailable(model, reason):
    print(f"failed to load '{model}' version 1: Internal: {reason}", file=sys.stderr)
    print(f"| {model} | 1 | UNAVAILABLE: Internal: {reason} |", file=sys.stderr)
    fail("error: creating server: Internal - failed to load all models")


def check_ranks(mapping):
    orchestrator = os.environ.get("TRTLLM_ORCHESTRATOR") == "1"
    spawns = os.environ.get("TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES", "1") == "1"
    world = mapping["world_size"]
    expected = (1 if spawns else world + 1) if orchestrator else world
    if trtllm.MPI_SIZE != expected:
        release = [int(one) for one in machine.layout()["release"].split(".")[:2]]
        newer = "tp*pp*cp" if release >= [0, 18] else "tp*pp"
        unavailable(
            "tensorrt_llm",
            "unexpected error when creating modelInstanceState: [TensorRT-LLM][ERROR] Assertion"
            f" failed: mpiSize == tp * pp ({trtllm.MPI_SIZE} vs {world})"
            if release < [0, 10]
            else "unexpected error when creating modelInstanceState: [TensorRT-LLM][ERROR]"
            " Assertion failed: With communicationMode kLEADER, MPI worldSize is expected to be"
            f" equal to {newer} when participantIds are not specified",
        )


def check_engine(folder):
    """What the backend finds when it loads the engine of this rank."""
    try:
        config = tool.read(folder)
    except (OSError, ValueError) as error:
        unavailable("tensorrt_llm", f"cannot read the engine's config.json: {error}")
    mapping = config["pretrained_config"]["mapping"]
    check_ranks(mapping)
    version, own = config.get("version"), machine.layout()["release"]
    print(
        f"[TensorRT-LLM][INFO] Engine version {version} found in the config file, assuming"
        " engine(s) built by new builder API."
    )
    if version.split(".")[:2] != own.split(".")[:2]:
        unavailable("tensorrt_llm", "[json.exception.out_of_range.403] key 'kv_cache_type' not"
                    f" found (engine of {version}, runtime of {own})")  # fmt: skip
    check_plan(os.path.join(folder, f"rank{trtllm.RANK % mapping['world_size']}.engine"))
    machine.need_gpus(mapping["world_size"])
    wanted = machine.weights_bytes(
        config["pretrained_config"], trtllm.bits_of(config["pretrained_config"])
    )
    if wanted // mapping["world_size"] > machine.memory_bytes():
        unavailable(
            "tensorrt_llm",
            "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMalloc(ptr,"
            f" {wanted // mapping['world_size']}): out of memory",
        )


def check_plan(file):
    plan = trtllm.json.loads(checked.read_text(file))
    if plan["tensorrt"] != machine.layout()["tensorrt"]:
        unavailable(
            "tensorrt_llm",
            "Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag"
            " does not match. Note: Current Version: 228, Serialized Engine Version: 237; Failed"
            " to deserialize cuda engine",
        )
    if plan["compute"] != machine.stated("compute"):
        unavailable(
            "tensorrt_llm",
            "Error Code 6: The engine plan file is generated on an incompatible device, expecting"
            f" compute {machine.stated('compute')} got compute {plan['compute']}, please rebuild.",
        )
    if plan["gpu"] != machine.stated("gpu_model"):
        print("Using an engine plan file across different models of devices is not recommended")


def check_shared_memory(models, ranks):
    wanted = models * SHM_OF_MODEL + (ranks > 1) * ranks * SHM_OF_RANK
    if wanted > machine.shm_bytes():
        unavailable(
            "preprocessing",
            "Failed to initialize Python stub: Unable to initialize shared memory key"
            f" 'triton_python_backend_shm_region_1' to requested size ({wanted} bytes).",
        )


def check_tokenizer(folder):
    there = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    if not there & {"tokenizer.json", "tokenizer.model", "vocab.json"} and not any(
        name.endswith(".tiktoken") for name in there
    ):
        unavailable("preprocessing", f"OSError: Can't load tokenizer for '{folder}'")


def hold(kind, address, port):
    """Opens a port as Triton does, or fails in its words."""
    try:
        if kind == "GRPC":
            return triton_grpc.start(address, port, Handler.configs, count_answer)
        return server.Server((address, port), Handler)
    except OSError:
        fail(
            f"failed to start {kind} service: Unavailable - Socket '{address}:{port}' already in"
            " use"
        )


def count_answer(tokens):
    server.COUNTS["requests"] += 1
    server.COUNTS["tokens"] += tokens


class Handler(server.Handler):
    configs, version = {}, ""

    def do_GET(self):
        words = self.path.strip("/").split("/")
        if words == ["v2"]:
            return self.answer({"name": "triton", "version": self.version, "extensions": []})
        if words[:2] == ["v2", "models"] and len(words) > 2 and words[2] != "stats":
            if words[2] not in self.configs:
                return self.answer({"error": f"unknown model '{words[2]}'"}, status=404)
            if words[-1] == "config":
                return self.answer(self.configs[words[2]])
        return super().do_GET()


def load(found):
    folder = found["model-repository"]
    if found.get("model-control-mode") == "explicit":
        names = [found["load-model"]]
    else:
        names = sorted(os.listdir(folder))
    configs = {name: config_of(os.path.join(folder, name)) for name in names}
    for name, config in configs.items():
        if config.get("backend") in ("tensorrtllm", "python") and "gpt_model_path" in config[
            "parameters"
        ]:  # fmt: skip
            path = config["parameters"]["gpt_model_path"]["string_value"]
            if name.startswith("tensorrt_llm") and not path.startswith("${"):
                check_engine(path)
        if config.get("platform") == "ensemble":  # it is decoupled if one of its models is
            policies = [one.get("model_transaction_policy", {}) for one in configs.values()]
            decoupled = any(policy.get("decoupled") for policy in policies)
            config["model_transaction_policy"] = {"decoupled": decoupled}
        if name == "preprocessing":
            check_tokenizer(config["parameters"]["tokenizer_dir"]["string_value"])
    return configs


def parse(words):
    found = {}
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or checked.SERVER_OPTIONS.get(name) is not bool(equals):
            fail(f"tritonserver: unrecognized option '{word}'")
        found[name] = value
    return found


def main():
    if "--help" in sys.argv:
        # The server's own help needs no driver.
        return print("\n".join(f"  --{name} <value>\n" for name in checked.SERVER_OPTIONS))
    found = parse(sys.argv[1:])
    machine.load_driver()
    configs = load(found)
    if trtllm.RANK > 0:
        while True:
            signal.pause()
    check_shared_memory(len(configs) - 1, trtllm.MPI_SIZE)
    Handler.configs, Handler.version = configs, machine.layout().get("triton", "")
    for name in configs:
        print(f"successfully loaded '{name}'", flush=True)
    address = found.get("http-address", "0.0.0.0")
    held = hold("GRPC", found.get("grpc-address", address), int(found.get("grpc-port", 8001)))
    http = hold("HTTP", address, int(found.get("http-port", 8000)))
    page = hold("Metrics", found.get("metrics-address", address), int(found["metrics-port"]))
    threading.Thread(target=page.serve_forever, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(f"Started GRPCInferenceService at {address}:{held[1]}", flush=True)
    print(f"Started HTTPService at {address}:{http.server_address[1]}", flush=True)
    http.serve_forever()

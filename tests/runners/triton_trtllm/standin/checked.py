"""checked.py FOLDER KEY VERSION WORDS...: a tool of TensorRT-LLM, Triton or MPI that checks every
word of its command line before it does what tool.py does. KEY is convert-FAMILY, quantize, build,
run, tritonserver or mpirun.

Without the file FOLDER/gpu, a tool that needs a GPU ends as on a machine without one. FOLDER/diary
gets one JSON line per call. The server never starts: it has no GPU."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import check_command  # noqa: E402
import tool  # noqa: E402

NO_GPU = "RuntimeError: No CUDA GPUs are available"
SERVER_OPTIONS = {  # of tritonserver: whether it takes a value
    "model-repository": True,
    "model-control-mode": True,
    "load-model": True,
    "log-verbose": True,
    "http-address": True,
    "http-port": True,
    "grpc-address": True,
    "grpc-port": True,
    "metrics-address": True,
    "metrics-port": True,
    "disable-auto-complete-config": False,
    "backend-config": True,
    "pinned-memory-pool-byte-size": True,
    "cuda-memory-pool-byte-size": True,
    "enable-peer-access": True,
}
MPI_OPTIONS = {  # of mpirun: how many values it takes
    "--allow-run-as-root": 0,
    "--oversubscribe": 0,
    "--noprefix": 0,
    "--bind-to": 1,
    "--mca": 2,
    "-x": 1,
    "-n": 1,
}
MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]


def refuse(key, sentence):
    sys.exit(f"{key}: error: {sentence}")


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_repository(folder):
    """Every model is filled, and names folders that exist. The backend takes a placeholder in
    quotes for a parameter without a value."""
    for model in MODELS:
        text = read_text(os.path.join(folder, model, "config.pbtxt"))
        if re.search(r'(?<!")\$\{', text) or "{stage:" in text:
            refuse("tritonserver", f"{model}/config.pbtxt is not filled")
        for key in ("gpt_model_path", "tokenizer_dir"):
            for path in re.findall(rf'key: "{key}" value {{ string_value: "([^"]*)"', text):
                if not os.path.isfile(os.path.join(path, "config.json")):
                    refuse("tritonserver", f"{model}/config.pbtxt: {key} {path} has no config.json")


def serve(words):
    found = {}
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or SERVER_OPTIONS.get(name) is not bool(equals):
            refuse("tritonserver", f"{word} is not an option of it")
        if name.endswith("-port") and not value.isdigit():
            refuse("tritonserver", f"{word} is not a port")
        found[name] = value
    check_repository(found["model-repository"])


def launch(words):
    """mpirun: runs the program of each part in turn and ends as the first that fails."""
    parts = [[]]
    for word in words:
        parts.append([]) if word == ":" else parts[-1].append(word)
    for number, part in enumerate(part for part in parts if part):
        while part and part[0].startswith("-"):
            count = MPI_OPTIONS.get(part[0])
            if count is None:
                refuse("mpirun", f"{part[0]} is not an option of it")
            part = part[1 + count :]
        rank = {**os.environ, "OMPI_COMM_WORLD_RANK": str(number)}
        status = subprocess.run(part, env=rank, check=False).returncode
        if status:
            sys.exit(status)


def answer(key, version, words):
    """run.py: writes the tokens of its answer."""
    parser = tool.parser_of(key, version)
    given = parser.parse_args(words)
    config = json.loads(read_text(os.path.join(given.engine_dir, "config.json")))
    ranks = config["pretrained_config"]["mapping"]["world_size"]
    print(f"{key}: {given.input_text} on {ranks} ranks", flush=True)
    with open(given.output_csv, "w", encoding="utf-8") as file:
        file.write("1,2,3\n")


def main(folder, key, version, *words):
    if "--help" in words:
        if key in ("tritonserver", "mpirun"):
            return print("\n".join(f"  --{name} <value>\n" for name in SERVER_OPTIONS))
        return tool.parser_of(key, version).print_help()
    if key == "mpirun" and words == ("--version",):
        return print("mpirun (Open MPI) 4.1.4")
    with open(os.path.join(folder, "diary"), "a", encoding="utf-8") as diary:
        diary.write(json.dumps({"key": key, "argv": words}) + "\n")
    if key == "mpirun":
        return launch(words)
    if key == "tritonserver":
        serve(words)
        sys.exit(NO_GPU)
    if problems := check_command.check(version, key, list(words)):
        refuse(key, "; ".join(problem.text for problem in problems))
    if not key.startswith("convert") and not os.path.exists(os.path.join(folder, "gpu")):
        sys.exit(NO_GPU)
    if os.path.exists(os.path.join(folder, f"fail-{key}")):
        sys.exit("RuntimeError: the engine answers nothing")
    return (answer if key == "run" else tool.main)(key, version, list(words))


if __name__ == "__main__":
    main(*sys.argv[1:])

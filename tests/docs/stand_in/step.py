"""Stands in for every script that triton-openvino runs: it writes the outputs that the manifest
declares, without a model. The name of the file decides which."""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTPUTS = {
    "download": ["config.json", "tokenizer.json"],
    "quantize": ["weights.safetensors"],
    "convert": ["model.gguf"],
    "build": ["openvino_model.xml", "openvino_model.bin", "config.json"],
}
VERSIONS = {
    "gguf": "0.17.1",
    "numpy": "2.3.2",
    "openvino": "2025.2.0",
    "openvino-genai": "2025.2.0.0",
    "tokenizers": "0.21.4",
    "tritonserver": "2.51.0",
}


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def locked_environment(venv):
    # Outputs may not be links to files outside.
    modules = HERE.parents[2] / ".stand_in"
    start = f'#!/bin/sh\nPYTHONPATH={modules} exec /usr/bin/python3 "$@"\n'
    write(venv / "bin" / "python3", start, 0o755)
    write(venv.parent / "versions.json", json.dumps(VERSIONS))


def make_environment(venv):
    locked_environment(venv)
    server = (HERE / "server.py").read_text(encoding="utf-8")
    write(venv / "tritonserver" / "bin" / "tritonserver", server, 0o755)
    stub = venv / "tritonserver" / "backends" / "python" / "triton_python_backend_stub"
    write(stub, "a stub\n", 0o755)


def main(name, arguments):
    if name == "make_environment":
        return make_environment(Path(arguments[1]))
    if name == "locked_environment":
        return locked_environment(Path(arguments[1]))
    out = Path(arguments[-1])
    if name == "download":  # SOURCE REVISION OUT and options
        out = Path(arguments[2])
    if name == "download" and arguments[0] == "generate:broken":
        print("reading generate:broken")
        sys.exit("there is no shape 'broken'; choose nano, tiny or m100")
    for output in OUTPUTS[name]:
        write(out / output, json.dumps({"made_by": name}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[0]).stem, sys.argv[1:])

"""make.py OUT ENVIRONMENT [VERSION]: makes a folder like an installation of TensorRT-LLM and
Triton, for machines without a GPU.

ENVIRONMENT is the output of the stage `environment` of the runner triton-openvino: its tritonserver
and its Python are real. In OUT:
  bin/     python3, tritonserver and trtllm-build; belongs first on PATH; mpirun is the system's
  app/     examples and all_models, the folder for `app_dir`
  model/   a small Qwen2 (2 KV heads, 4 layers) with random weights: `local:OUT/model`
`touch OUT/gate` makes prompts wait; OUT/gate.reached exists when one waits; OUT/diary has a line
per prompt, OUT/devices one per server (see engine.py)."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
FAMILIES = ["qwen", "llama", "gpt"]
MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def make_programs(out, venv, version):
    site = out / "site"
    write(
        site / f"tensorrt_llm-{version}.dist-info" / "METADATA",
        f"Metadata-Version: 2.1\nName: tensorrt_llm\nVersion: {version}\n",
    )
    write(
        out / "bin" / "python3",
        f'#!/bin/sh\nPYTHONPATH="{site}" exec "{venv}/bin/python3" "$@"\n',
        0o755,
    )
    write(
        out / "bin" / "trtllm-build",
        f'#!/bin/sh\nexec /usr/bin/python3 "{HERE}/tool.py" build {version} "$@"\n',
        0o755,
    )
    triton = f"{venv}/tritonserver"
    write(
        out / "bin" / "tritonserver",
        (
            f'#!/bin/sh\nexec "{triton}/bin/tritonserver" --backend-directory="{triton}/backends"'
            ' --allow-gpu-metrics=false "$@"\n'
        ),
        0o755,
    )


def make_examples(examples, version):
    script = "import sys\nsys.path.insert(0, {0!r})\nimport tool\ntool.main({1!r}, {2!r})\n"
    for family in FAMILIES:
        write(
            examples / family / "convert_checkpoint.py",
            script.format(str(HERE), "convert-" + family, version),
        )
    write(examples / "quantization" / "quantize.py", script.format(str(HERE), "quantize", version))


def make_models(models, out):
    """The folders of upstream's all_models with this project's templates and models."""
    common = ROOT / "runners" / "common"
    for model in MODELS:
        shutil.copytree(common / "inflight_batcher_llm" / model, models / model)
        (models / model / "1").mkdir()
    for model in ("preprocessing", "postprocessing", "tensorrt_llm_bls"):
        for file in (common / "model").glob("*.py"):
            shutil.copy(
                file, models / model / "1" / ("model.py" if file.stem == model else file.name)
            )
    shutil.copy(common / "model" / "version.txt", models / "ensemble" / "1")
    engine = (HERE / "engine.py").read_text(encoding="utf-8").replace("@FOLDER@", str(out))
    write(models / "tensorrt_llm" / "1" / "model.py", engine)


def main(out, environment, version="0.14.0"):
    out, venv = Path(out).resolve(), os.path.realpath(environment) + "/venv"
    make_programs(out, venv, version)
    make_examples(out / "app" / "examples", version)
    make_models(out / "app" / "all_models" / "inflight_batcher_llm", out)
    (out / "model").mkdir()
    download = [
        f"{venv}/bin/python3",
        str(ROOT / "runners" / "common" / "scripts" / "download.py"),
        "generate:tiny",
        "",
        str(out / "model"),
    ]
    subprocess.run(download, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])

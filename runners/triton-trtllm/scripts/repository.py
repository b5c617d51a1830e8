"""repository.py --templates DIR --release VERSION --fill ORCHESTRATE --out OUT [--stage
KEY=STAGE]... [--model NAME] [--draft KEY=VALUE]... [--draft-stage KEY=STAGE]... [--KEY VALUE]...

Copies the five models of the inflight batcher, and the model of --model, from DIR to OUT and fills
the placeholders of each config.pbtxt by `ORCHESTRATE fill-template`. The value of --stage is the
output of another stage: it is written as {stage:NAME} and becomes a path when the server starts, so
that this stage does not wait for an engine. Values of --draft make a sixth model,
tensorrt_llm_draft, a copy of tensorrt_llm with these values in place of its own; tensorrt_llm_bls
calls it. It knows no other keys and no defaults.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Failed, run

MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]
OWN = {"templates", "release", "fill", "out"}
MORE = "model"  # a model beside the five
TARGET, DRAFT = "tensorrt_llm", "tensorrt_llm_draft"
NAMES = {"tensorrt_llm_model_name": TARGET, "tensorrt_llm_draft_model_name": DRAFT}


def read_arguments(arguments):
    """(our options, the values for the templates, those of the draft model)"""
    own, values, draft = {}, {}, {}
    if len(arguments) % 2:
        raise Failed(f"usage: {' '.join(__doc__.split(chr(10) * 2, 1)[0].split())}")
    for word, value in zip(arguments[::2], arguments[1::2]):
        if not word.startswith("--"):
            raise Failed(f"{word!r} is not an option; write --KEY VALUE")
        name = word[2:]
        into = own if name in OWN or name == MORE else draft if name.startswith("draft") else values
        is_stage = name in ("stage", "draft-stage")
        if is_stage or name == "draft":
            name, _, value = value.partition("=")
        if is_stage:
            value = "{stage:" + value + "}"
        if name in into:
            raise Failed(f"--{name} has two values, {into[name]!r} and {value!r}; remove one")
        into[name] = value
    missing = sorted(OWN - set(own))
    if missing:
        raise Failed(f"--{missing[0]} is missing")
    return own, {**values, **(NAMES if draft else {})}, draft


def copy_into(source, target):
    """Copies a folder, without bytecode, also over one that is there."""
    for folder, names, files in os.walk(str(source), followlinks=True):
        names[:] = [name for name in names if name != "__pycache__"]
        copy = target / os.path.relpath(folder, str(source))
        copy.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy2(os.path.join(folder, file), str(copy / file))
        shutil.copystat(folder, str(copy))


def copy_models(templates, out, models, draft):
    for model in models:
        if not (templates / model / "config.pbtxt").is_file():
            raise Failed(
                f"{templates}/{model}/config.pbtxt is missing; the folder must contain"
                f" {', '.join(models)}, like all_models/inflight_batcher_llm"
            )
    for model in models:
        copy_into(templates / model, out / model)
    if draft:
        copy_draft(out)


def copy_draft(out):
    """The name in config.pbtxt must be that of the folder."""
    shutil.copytree(out / TARGET, out / DRAFT)
    config = out / DRAFT / "config.pbtxt"
    text, names = re.subn(
        rf'^(\s*name\s*:\s*)"{TARGET}"', rf'\1"{DRAFT}"', config.read_text("utf-8"), flags=re.M
    )
    if names != 1:
        raise Failed(
            f"{config} has {names} lines with the name of {TARGET}, not one; set template_dir to"
            " the templates of the release"
        )
    config.write_text(text, "utf-8")


def keys_of(config):
    return set(re.findall(r"\$\{(\w+)\}", config.read_text(encoding="utf-8")))


def substitution(key, value):
    return f"{key}:" + re.sub(r"([\\,])", r"\\\1", value)


def fill(own, config, values):
    """True if the file was filled. Messages are in the log."""
    done = subprocess.run(
        [
            own["fill"],
            "fill-template",
            "-i",
            "--release",
            own["release"],
            str(config),
            *(substitution(key, value) for key, value in sorted(values.items())),
        ],
        check=False,
    )
    return done.returncode == 0


def values_of(model, keys, values, draft):
    all_values = {**values, **draft} if model == DRAFT else values
    return {key: value for key, value in all_values.items() if key in keys}


def main(arguments):
    own, values, draft = read_arguments(arguments)
    out = Path(own["out"])
    models = [*MODELS, *([own[MORE]] if MORE in own else [])]
    copy_models(Path(own["templates"]), out, models, draft)
    models += [DRAFT] if draft else []
    configs = {model: out / model / "config.pbtxt" for model in models}
    keys = {model: keys_of(config) for model, config in configs.items()}
    unknown = sorted({*values, *draft} - set().union(*keys.values()))
    for key in unknown:
        value = draft.get(key, values.get(key))
        print(
            (
                f"{key}: {value!r} has no placeholder ${{{key}}} in any template; is this another"
                f" release than {own['release']}?"
            ),
            file=sys.stderr,
        )
    bad = [
        model
        for model, config in configs.items()
        if not fill(own, config, values_of(model, keys[model], values, draft))
    ]
    if bad or unknown:
        raise Failed(
            "; ".join(
                [
                    *(f"{model}/config.pbtxt cannot be filled" for model in bad),
                    *(f"no template has {key}" for key in unknown),
                ]
            )
            + "; the lines above give the reasons. Correct the parameters, or set template_dir"
            " to the"
            " templates of the release"
        )


if __name__ == "__main__":
    run(main)

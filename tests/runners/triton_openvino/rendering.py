"""Makes a model repository as the manifest describes it, for tests that start a server without the
orchestrator.

Reads the manifest's `repository` and `serve` stages; does not interpret parameters.
"""
import re
import shutil
import string
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
RUNNER = ROOT / "runners" / "triton-openvino"
COMMON = ROOT / "runners" / "common"


def manifest():
    """The runner's own parameters, and the stages and fragments of all parts."""
    whole = yaml.safe_load((RUNNER / "runner.yaml").read_text())
    parts = [yaml.safe_load(runner_file(part).read_text()) for part in whole["parts"]]
    for section in ("stages", "fragments"):
        whole[section] = {
            name: one for part in parts for name, one in part.get(section, {}).items()
        }
    return whole


def files_of(stage):
    """The files that STAGE and the fragments in its argv name."""
    fragments = manifest()["fragments"]
    named = [
        one["fragment"] for one in stage["argv"] if isinstance(one, dict) and "fragment" in one
    ]
    words = [word for one in stage["argv"] for word in re.findall(r"\{file:([^}]+)\}", str(one))]
    own = [*stage.get("files", []), *words]
    return own + [file for name in named for file in fragments[name].get("files", [])]


def runner_file(name):
    """The path of the file that the manifest calls NAME."""
    return ROOT / "runners" / name if name.startswith("common/") else RUNNER / name


def defaults(description, given):
    values = {
        name: parameter.get("default") for name, parameter in description["parameters"].items()
    }
    values.update(given)
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }


def fill(text, words):
    return re.sub(
        r"\{([a-z_]+(?:[:.][\w./-]+)?)\}", lambda match: words.get(match[1], match[0]), text
    )


def repository(target, places, **parameters):
    """Renders into `target`; `places` gives the folder of each stage, as {"build": ..., "download":
    ...}."""
    description = manifest()
    words = {
        **defaults(description, parameters),
        **{f"stage:{stage}": str(folder) for stage, folder in places.items()},
    }
    stage = description["stages"]["repository"]
    for item in stage["render"]:
        values = {name: fill(str(value), words) for name, value in item["values"].items()}
        template = string.Template((ROOT / item["from"]).read_text())
        placeholders = set(re.findall(r"\$\{(\w+)\}", template.template))
        if placeholders != set(values):
            raise ValueError(
                f"{item['from']}: unfilled {placeholders - set(values)},"
                f" unknown {set(values) - placeholders}"
            )
        path = target / item["to"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.substitute(values))
    for item in stage["copy"]:
        path = target / item["to"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(runner_file(item["from"]), path)


def server_command(environment, work, token, ports, **parameters):
    """The argv and environment of the `serve` stage."""
    description = manifest()
    stage = description["stages"]["serve"]
    words = {
        **defaults(description, parameters),
        "stage:environment": str(environment),
        "work": str(work),
        "token": token,
        "bind": "127.0.0.1",
        **{f"port:{name}": str(port) for name, port in ports.items()},
    }
    return [fill(word, words) for word in stage["argv"]], {
        name: fill(str(value), words) for name, value in stage["env"].items()
    }

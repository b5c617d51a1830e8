"""repository.py [--max-batch-size N] [--session-len N] [--cache-max-entry-count X] [--instances N]
WORKSPACE REPOSITORY -- COMMAND...: makes a model repository for Triton of the folder that `lmdeploy
convert` wrote, with these limits, and replaces itself with COMMAND.

Weights are linked, not copied, and WORKSPACE stays as it is.
"""
import argparse
import configparser
import os
import re
import shutil
from pathlib import Path

from stage import Failed, run

# Folder in the workspace -> name of the model.
MODELS = {
    "interactive": "turbomind",
    "preprocessing": "preprocessing",
    "postprocessing": "postprocessing",
}
SECTION = "llama"


def check_workspace(models):
    needed = [models / "weights" / "config.ini", models / "tokenizer"]
    needed += [models / folder / "config.pbtxt" for folder in MODELS]
    for path in needed:
        if not path.exists():
            raise Failed(
                f"{path} is not there, so `lmdeploy convert` did not complete, or is of a release"
                " from 0.5.2 on, which writes no models for Triton; set lmdeploy_version to 0.5.1"
                " or earlier, or frontend to api_server"
            )


def link_files(source, target, but=()):
    """Makes the folder TARGET with a link to each entry of SOURCE."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.name not in but:
            (target / path.name).symlink_to(path.resolve())


def write_limits(source, target, limits):
    """Copies a config.ini with the values of LIMITS."""
    config = configparser.ConfigParser()
    config.read(source, "utf-8")
    if not config.has_section(SECTION):
        raise Failed(f"{source} has no section [{SECTION}]; convert the model again")
    for name, value in limits.items():
        if not config.has_option(SECTION, name):
            raise Failed(f"{source} has no {name}; convert the model again")
        config.set(SECTION, name, value)
    with open(target, "w", encoding="utf-8") as file:
        config.write(file)


def with_instances(text, count, source):
    """A config.pbtxt whose instance_group has COUNT instances."""
    changed, found = re.subn(
        r"(instance_group\s*\[\s*\{[^}]*?\bcount\s*:\s*)\d+", rf"\g<1>{count}", text, count=1
    )
    if not found:
        raise Failed(f"{source} has no instance_group with a count; convert the model again")
    return changed


def make(models, repository, given):
    shutil.rmtree(repository, ignore_errors=True)
    for folder, name in MODELS.items():
        target = repository / name
        but = {"1", "config.pbtxt"} if folder == "interactive" else {"1"}
        link_files(models / folder, target, but)
        link_files(models / folder / "1", target / "1", {"weights", "tokenizer"})
        if folder == "interactive":
            continue
        (target / "1" / "tokenizer").symlink_to((models / "tokenizer").resolve())
    source = models / "interactive" / "config.pbtxt"
    text = with_instances(source.read_text("utf-8"), given.instances, source)
    (repository / "turbomind" / "config.pbtxt").write_text(text, "utf-8")
    weights = repository / "turbomind" / "1" / "weights"
    link_files(models / "weights", weights, {"config.ini"})
    limits = {
        "max_batch_size": given.max_batch_size,
        "session_len": given.session_len,
        "cache_max_entry_count": given.cache_max_entry_count,
    }
    if given.quant_policy:
        limits["quant_policy"] = given.quant_policy
    write_limits(models / "weights" / "config.ini", weights / "config.ini", limits)


def main(arguments):
    if "--" not in arguments:
        raise Failed("usage: repository.py OPTIONS WORKSPACE REPOSITORY -- COMMAND...")
    at = arguments.index("--")
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("max-batch-size", "session-len", "cache-max-entry-count", "instances"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quant-policy", default="")
    parser.add_argument("workspace", type=Path)
    parser.add_argument("repository", type=Path)
    given, command = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    models = given.workspace.resolve() / "triton_models"
    check_workspace(models)
    make(models, given.repository, given)
    os.execvp(command[0], command)


if __name__ == "__main__":
    run(main, configparser.Error)

"""enter.py ENVIRONMENT KEY COMMAND...: executes a command with the tools that environment.py found,
by replacing this process.

ENVIRONMENT is the output of environment.py. KEY names the use of the command: convert, quantize,
build, run, serve or python. Before anything runs, it rejects options that the --help of the tool
does not list. It does not know what the command does.
"""
import json
import os
import shutil
import sys
from pathlib import Path

import tool_options
from stage import Failed, run

USAGE = 2
NOT_FOUND = 127


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def remedy(folder):
    return (
        f"delete {os.path.dirname(os.path.abspath(folder))}, so that the tools are searched again"
    )


def load(folder, name):
    path = Path(folder) / name
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise Failed(f"{path}: not JSON; it is damaged; {remedy(folder)}") from None


def check_installation(folder, environment):
    """Checks that the installation on this host is unchanged: it may have been upgraded since it
    was recorded.
    """
    package = environment["package"]
    if not package["metadata"]:
        return
    try:
        lines = Path(package["metadata"]).read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    now = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("Version:")), "none"
    )
    if now != package["version"]:
        raise Failed(
            f"tool mismatch: TensorRT-LLM {package['version']} was found on this machine, but"
            f" {package['metadata']} now says {now}; install {package['version']} again, or"
            f" {remedy(folder)}"
        )


def check_options(command, folder, environment):
    own = {
        word
        for word in command
        if word.endswith(".py")
        and not any(word.startswith(one + "/") for one in environment["folders"])
    }
    problem = tool_options.first_problem(command, load(folder, "options.json"), own)
    if problem:
        word, key, sentence = problem
        tool = next((one for one in command if tool_options.key_of(one) == key), key)
        raise Refused(
            USAGE,
            (
                f"invalid option {word} of {os.path.basename(tool)}, TensorRT-LLM"
                f" {environment['version']}: {sentence}; see its --help, and set trtllm_version or"
                " the parameter that adds it"
            ),
        )


def found_program(word, key, environment):
    """The path of a program that a command names without a folder."""
    if word == "python3":
        return environment["python"]
    if word not in environment["programs"]:
        return word
    path = environment["programs"][word]
    if not path:
        raise Refused(
            NOT_FOUND,
            (
                f"{word}: command not found on {place_of(environment)}, and {key} needs it; install"
                " it, or use an image that has it"
            ),
        )
    return path


def place_of(environment):
    return f"image {environment['image']}" if environment["image"] else "this machine"


def missing_folder(planned, word, environment):
    return (
        f"{word}: {place_of(environment)} has no {planned}, like images up to 24.12, and there is"
        " no other copy of it; set backend_source:"
        " https://github.com/triton-inference-server/tensorrtllm_backend.git, which has it, or"
        " app_dir to the folder that contains it"
    )


def found_file(word, folder, environment):
    """The real path of a vendor file: a plan names the path that it has in most images of that
    release.
    """
    for planned, there in environment["folders"].items():
        if (word + "/").startswith(planned + "/"):
            if not there:
                raise Refused(NOT_FOUND, missing_folder(planned, word, environment))
            path = (
                environment["scripts"].get(tool_options.key_of(word))
                or there + word[len(planned) :]
            )
            path = os.path.normpath(os.path.join(os.path.abspath(folder), path))
            if path != word:
                print(f"{word} is at {path}", flush=True)
            return path
    return word


def resolve(command, key, folder, environment):
    words = []
    for place, word in enumerate(command):
        begins = place == 0 or word in environment["programs"] or word == "python3"
        words.append(
            found_program(word, key, environment)
            if begins
            else found_file(word, folder, environment)
        )
    return words


def become(words, environment):
    variables = {**os.environ, **environment["variables"]}
    program = shutil.which(words[0])
    if not program:
        raise Refused(NOT_FOUND, f"{words[0]}: command not found; install it, or check PATH")
    variables["PYTHONDONTWRITEBYTECODE"] = "1"  # beside the vendor's scripts
    # Programs that a tool starts by name (python3, the helpers of mpirun) are those of its
    # installation.
    variables["PATH"] = (
        os.path.dirname(environment["python"]) + ":" + variables.get("PATH", "/usr/bin:/bin")
    )
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(program, [program, *words[1:]], variables)


def enter(arguments):
    if len(arguments) < 3:
        raise Failed(
            "three arguments are needed: the folder of environment.py's output, the use of the"
            " command, and the command"
        )
    folder, key, command = arguments[0], arguments[1], arguments[2:]
    environment = load(folder, "environment.json")
    check_installation(folder, environment)
    check_options(command, folder, environment)
    words = resolve(command, key, folder, environment)
    become(words, environment)


def main(arguments):
    try:
        enter(arguments)
    except Refused as refused:
        sys.stdout.flush()
        print(f"enter.py: {refused}", file=sys.stderr)
        sys.exit(refused.status)


if __name__ == "__main__":
    run(main)

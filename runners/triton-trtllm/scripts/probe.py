"""probe.py RESULT EXAMPLES APP SOURCE FAMILY,...: finds the tools of TensorRT-LLM on this host
or in a container, and writes the findings to RESULT. EXAMPLES, APP and SOURCE are folders to
search; SOURCE is "" if there is none. It does not judge the findings.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

from tool_options import parse_help

try:
    from importlib import metadata  # novm: from 3.8 on
except ImportError:
    metadata = None

# By their paths in the image of the vendor, where not all of them are on PATH.
PROGRAMS = {
    "trtllm-build": ["/usr/local/bin/trtllm-build"],
    "trtllm-serve": ["/usr/local/bin/trtllm-serve"],
    "tritonserver": ["/opt/tritonserver/bin/tritonserver"],
    "mpirun": ["/opt/hpcx/ompi/bin/mpirun", "/usr/local/mpi/bin/mpirun", "/usr/bin/mpirun"],
}
HELP_S = 300  # the first import of TensorRT-LLM reads several GB
AT_ONCE = 2


def find_programs():
    beside = os.path.dirname(sys.executable)  # a virtual environment that is not active
    found = {}
    for name, usual in PROGRAMS.items():
        places = [shutil.which(name), os.path.join(beside, name), *usual]
        found[name] = next((path for path in places if path and os.access(path, os.X_OK)), None)
    return found


def first_file(*paths):
    return next((path for path in paths if os.path.isfile(path)), None)


def find_folders(examples, app, source):
    """(folders with examples of the vendor, {name: folder} of all_models and tools, or None)"""
    found = [examples, os.path.join(app, "examples"), os.path.join(app, "tensorrt_llm", "examples")]
    if source:
        found.append(os.path.join(source, "tensorrt_llm", "examples"))
    tops = [
        os.path.join(top, *below)
        for top in filter(None, (app, source))
        for below in ((), ("tensorrt_llm", "triton_backend"))
    ]
    of_backend = {
        name: next(filter(os.path.isdir, (os.path.join(top, name) for top in tops)), None)
        for name in ("all_models", "tools")
    }
    return [path for path in found if os.path.isdir(path)], of_backend


def find_scripts(folders, families):
    """The scripts by the key of their options. Converters moved from FAMILY to
    models/core/FAMILY between two releases; both are searched.
    """
    scripts = {
        "quantize": first_file(
            *(os.path.join(one, "quantization", "quantize.py") for one in folders)
        ),
        "run": first_file(*(os.path.join(one, "run.py") for one in folders)),
    }
    for family in families:
        scripts["convert-" + family] = first_file(
            *(
                os.path.join(one, middle, family, "convert_checkpoint.py")
                for one in folders
                for middle in ("", "models/core")
            )
        )
    return {key: path for key, path in scripts.items() if path}


def package():
    """Version and metadata file of the package, or None."""
    try:
        found = metadata.distribution("tensorrt_llm")
    except (AttributeError, ImportError):  # no release for Pythons without metadata
        return None
    return {
        "version": found.version,
        "metadata": str(found._path / "METADATA") if hasattr(found, "_path") else "",
    }


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def version_of_triton(program):
    if not program:
        return None
    folder = os.path.dirname(os.path.dirname(os.path.realpath(program)))
    return (
        read(os.path.join(folder, "TRITON_VERSION"))
        or os.environ.get("TRITON_SERVER_VERSION")
        or None
    )


def run(command, seconds):
    """(exit status or None, output)"""
    try:
        # click wraps lines that are longer than the terminal; a checkout stays as it is
        wide = {**os.environ, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command,
            env=wide,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return None, "did not end within {} s".format(seconds)
    except OSError as error:
        return None, str(error)


def version_of_mpirun(program):
    output = run([program, "--version"], 60)[1] if program else ""
    found = re.search(r"\d+\.\d+\S*", output)
    return found.group(0) if found else None


def help_commands(programs, scripts):
    commands = {key: [sys.executable, path, "--help"] for key, path in scripts.items()}
    for key, program, words in (
        ("build", "trtllm-build", []),
        ("serve", "trtllm-serve", ["serve"]),
        ("tritonserver", "tritonserver", []),
    ):
        if programs[program]:
            commands[key] = [programs[program], *words, "--help"]
    return commands


def options_of(command):
    """(options, None), or (None, reason)"""
    status, output = run(command, HELP_S)
    options = parse_help(output)
    if len(options) > 1:  # every parser has --help
        return options, None
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return None, (
        lines[-1] if lines else "it printed nothing and ended with status {}".format(status)
    )


def look(examples, app, source, families):
    programs = find_programs()
    folders, of_backend = find_folders(examples, app, source)
    scripts = find_scripts(folders, families)
    commands = help_commands(programs, scripts)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(commands, pool.map(options_of, commands.values())))
    return {
        "python": {"path": sys.executable, "version": ".".join(map(str, sys.version_info[:3]))},
        "package": package(),
        "programs": programs,
        "scripts": scripts,
        "examples": folders[0] if folders else None,
        "of_backend": of_backend,
        "versions": {
            "tritonserver": version_of_triton(programs["tritonserver"]),
            "mpirun": version_of_mpirun(programs["mpirun"]),
        },
        "options": {key: options for key, (options, _) in answers.items() if options},
        "no_help": {key: why for key, (options, why) in answers.items() if not options},
    }


def main():
    result, examples, app, source, families = sys.argv[1:6]
    found = look(examples, app, source, [one for one in families.split(",") if one])
    with open(result, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()

"""binary_version.py BINARY: prints the version of a user's llama-server in one line.

It leaves out what else the server prints, such as the GPUs that it sees. It does not know models.
"""
import re
import subprocess

from stage import Failed, run

TIMEOUT_S = 60


def version_of(text):
    """The number and the commit of llama-server's line "version: 4967 (4bb8ad17)"."""
    found = re.search(r"^version:\s*(\S.*?)\s*$", text, re.MULTILINE)
    return found.group(1) if found else None


def main(arguments):
    if len(arguments) != 1:
        raise Failed("usage: binary_version.py BINARY")
    command = [arguments[0], "--version"]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        errors="replace",
        timeout=TIMEOUT_S,
    )
    output = done.stdout + done.stderr
    if done.returncode:
        lines = output.strip().splitlines()
        raise Failed(
            f"{arguments[0]} --version ended with status {done.returncode}:"
            f" {(lines or ['it prints nothing'])[-1]}"
        )
    version = version_of(output)
    if version is None:
        raise Failed(
            f"{arguments[0]} --version prints no line `version: NUMBER`; set binary to a"
            " llama-server of llama.cpp"
        )
    print(f"llama-server {version}")


if __name__ == "__main__":
    run(main, subprocess.TimeoutExpired)

"""source.py URL REF VERSION [--lfs] OUT: checks out the Triton backend of TensorRT-LLM at REF, with
its submodules, to OUT/backend.

URL is the address or path of a repository. --lfs also fetches the large files (libraries that
only a build needs; examples do without them). source.json has the commits. It does not know
containers.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Failed, run

VARIABLES = {"GIT_TERMINAL_PROMPT": "0", "GIT_ADVICE": "0", "LC_ALL": "C"}


class Git:
    def __init__(self, lfs):
        self.environment = {
            **os.environ,
            **VARIABLES,
            **({} if lfs else {"GIT_LFS_SKIP_SMUDGE": "1"}),
        }

    def succeeds(self, *words):
        """Runs git with its output in the log."""
        try:
            return (
                subprocess.run(
                    ["git", *words], env=self.environment, stdin=subprocess.DEVNULL, check=False
                ).returncode
                == 0
            )
        except FileNotFoundError:
            raise Failed("git: command not found; install git") from None

    def ask(self, *words):
        done = subprocess.run(
            ["git", *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=False,
        )
        if done.returncode:
            raise Failed(f"git {' '.join(words)} failed, for the reason above")
        return done.stdout


def check_ref(git, url, ref):
    """Checks that REF exists before gigabytes are transferred."""
    lines = git.ask("ls-remote", "--heads", "--tags", url).splitlines()
    names = [line.partition("\t")[2] for line in lines]
    if f"refs/tags/{ref}" in names or f"refs/heads/{ref}" in names:
        return
    tags = sorted(
        {
            re.sub(r"\^\{\}$", "", name[len("refs/tags/") :])
            for name in names
            if name.startswith("refs/tags/v")
        },
        key=order,
    )
    raise Failed(
        f"{url} has no tag or branch {ref}; set backend_ref to one that it has"
        f" ({', '.join(tags[-6:]) or 'it has no tags'})"
    )


def order(tag):
    return [int(one) for one in re.findall(r"\d+", tag)]


def check_out(git, url, ref, folder):
    if not git.succeeds(
        "clone",
        "--depth",
        "1",
        "--branch",
        ref,
        "--config",
        "advice.detachedHead=false",
        url,
        str(folder),
    ):
        raise Failed(f"{url} could not be cloned at {ref}, for git's reason above")
    update = ["-C", str(folder), "submodule", "update", "--init", "--recursive"]
    if git.succeeds(*update, "--depth", "1"):
        return
    # Some servers refuse a shallow fetch of a commit that is not the tip of a branch or tag.
    git.succeeds("-C", str(folder), "submodule", "deinit", "--all", "--force")
    shutil.rmtree(folder / ".git" / "modules", ignore_errors=True)
    if not git.succeeds(*update):
        raise Failed(
            f"the submodules of {url} at {ref} could not be fetched, for git's reason above"
        )


def submodules(git, folder):
    """{path: commit}"""
    lines = git.ask("-C", str(folder), "submodule", "status", "--recursive").splitlines()
    return {line[1:].split()[1]: line[1:].split()[0] for line in lines if line.strip()}


def check_version(folder, ref, version):
    path = folder / "tensorrt_llm" / "tensorrt_llm" / "version.py"
    found = (
        re.search(r'__version__ = "((\d+\.\d+\.\d+)[^"]*)"', path.read_text(encoding="utf-8"))
        if path.exists()
        else None
    )
    if found is None:
        raise Failed(
            f"{ref} has no tensorrt_llm/tensorrt_llm/version.py, so it is not a checkout of"
            " tensorrtllm_backend; check backend_source"
        )
    if found.group(2) != version:
        raise Failed(
            f"tool mismatch: {ref} has TensorRT-LLM {found.group(1)} and trtllm_version is"
            f" {version}; set backend_ref or trtllm_version so that they agree"
        )
    return found.group(1)


def main(arguments):
    lfs = "--lfs" in arguments
    url, ref, version, out = [one for one in arguments if one != "--lfs"]
    if lfs and not shutil.which("git-lfs"):
        raise Failed(
            "git-lfs: command not found; the build needs files that the repository keeps there:"
            " install git-lfs"
        )
    git, folder = Git(lfs), Path(out) / "backend"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        check_ref(git, url, ref)
        check_out(git, url, ref, folder)
        found = check_version(folder, ref, version)
        commit = git.ask("-C", str(folder), "rev-parse", "HEAD").strip()
        source = {
            "url": url,
            "ref": ref,
            "commit": commit,
            "submodules": submodules(git, folder),
            "version": found,
        }
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (Path(out) / "source.json").write_text(json.dumps(source, indent=1) + "\n", encoding="utf-8")
    print(f"{url} {ref} is {source['commit']}")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    run(main)

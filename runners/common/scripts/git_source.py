"""Repositories by git: the commit of a branch or tag, and the files of a commit.

Git checks what it receives against the commit, and ends a connection that stalls. It does not know
models.
"""
import os
import re
import shutil
import subprocess

from stage import Failed

# Only what transports files; `ext::` and the like run programs.
SCHEMES = "https:http:ssh:git:file"
STALLS = ["-c", "http.lowSpeedLimit=1024", "-c", "http.lowSpeedTime=30"]
POINTER = b"version https://git-lfs.github.com/spec/"


def git(*words, folder=None):
    """The output of git."""
    if not shutil.which("git"):
        raise Failed("git is not installed; install the package git, or name the source otherwise")
    done = subprocess.run(
        ["git", *STALLS, *words],
        cwd=folder,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": SCHEMES},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        errors="replace",
    )
    if done.returncode:
        said = [line for line in done.stderr.strip().splitlines() if line.strip()]
        raise Failed(f"git {words[0]}: {(said or ['it ended without a reason'])[-1]}")
    return done.stdout


def check_url(url):
    # A password in an address, or a token in place of a user, would be printed, and kept.
    secret = re.match(r"([a-z+]+://[^/@]*:[^/@]*|https?://[^/]*)@", url, re.IGNORECASE)
    if not url or url.startswith("-") or secret:
        raise Failed(
            f"source 'git:{url.rpartition('@')[2]}': write git:URL without a password or token;"
            " git's own credential helpers and keys are used"
        )
    return url


def commit_of(url, revision):
    """A branch comes before a tag of the same name; a tag is the commit that it names."""
    lines = git("ls-remote", "--", check_url(url)).splitlines()
    known = {name: commit for commit, _, name in (line.partition("\t") for line in lines)}
    for name in (
        f"refs/heads/{revision}",
        f"refs/tags/{revision}^{{}}",
        f"refs/tags/{revision}",
        revision,
    ):
        if name in known:
            return known[name]
    raise Failed(
        f"git:{url} has no branch or tag '{revision}'; `git ls-remote {url}` lists what it has"
    )


def check_out(url, commit, folder):
    """Puts the files of COMMIT into FOLDER, which is empty."""
    git("init", "--quiet", str(folder))
    git("remote", "add", "origin", check_url(url), folder=folder)
    try:
        git("fetch", "--quiet", "--depth", "1", "origin", commit, folder=folder)
    except Failed:  # some servers name only branches and tags
        git("fetch", "--quiet", "--tags", "origin", folder=folder)
    git("-c", "advice.detachedHead=false", "checkout", "--quiet", commit, folder=folder)
    if any(is_pointer(path) for path in folder.iterdir() if path.is_file()):
        fetch_large_files(url, folder)


def is_pointer(path):
    with open(path, "rb") as file:
        return file.read(len(POINTER)) == POINTER


def fetch_large_files(url, folder):
    try:
        git("lfs", "pull", folder=folder)
    except Failed as error:
        raise Failed(
            f"git:{url} keeps large files in git LFS, which cannot be fetched: {error}; install"
            " the package git-lfs"
        ) from None

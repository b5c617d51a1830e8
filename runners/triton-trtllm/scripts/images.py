"""What the stages that build an image ask of a container engine. Running something in an image is
not their business: stages with `container: true` do.
"""
import os
import re
import shutil
import subprocess

from stage import Failed

NO_IMAGE = re.compile(r"no such (image|object)|image not known|failed to find image", re.IGNORECASE)


def is_below(path, folder):
    return os.path.commonpath([path, folder]) == folder


def ask(command):
    """(exit status, stdout, stderr)"""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            check=False,
        )
    except OSError as error:
        raise Failed(
            f"{command[0]}: {error.strerror}; install it, or set container_engine to the one that"
            " is here"
        ) from None
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def find_engine(name):
    path = shutil.which(name)
    if not path:
        raise Failed(
            f"{name}: not found on PATH; install it, set container_engine to the installed one,"
            " or leave image out to run the tools on this machine"
        )
    return path


def identity(engine, image):
    """{"id", "digest"} of the local image of that name; None if there is none."""
    status, output, errors = ask(
        [
            engine,
            "image",
            "inspect",
            "--format",
            "{{.Id}}\n{{range .RepoDigests}}{{.}}\n{{end}}",
            image,
        ]
    )
    if status and not NO_IMAGE.search(errors):
        print(errors, flush=True)
        raise Failed(
            f"{os.path.basename(engine)} cannot list its images, for the reason above;"
            " check that it runs, and that this user may use it"
        )
    if status:
        return None
    lines = output.splitlines()
    number = (
        lines[0] if lines[0].startswith("sha256:") else "sha256:" + lines[0]
    )  # podman leaves it out
    return {"id": number, "digest": lines[1].strip() if len(lines) > 1 else ""}


def local_or_pulled(engine, name):
    """{"name", "id", "digest"} of the local image of NAME, pulled first if it is missing."""
    known = identity(engine, name)
    if known is None:
        print(f"{name} is not on this machine; pulling it", flush=True)
        if subprocess.run([engine, "pull", name], stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failed(
                f"image {name} could not be pulled, for the reason above; check the name, or"
                f" log in with `{os.path.basename(engine)} login`"
            )
        known = identity(engine, name)
    if known is None:
        raise Failed(f"image {name} was pulled and still is not on this machine; pull it by hand")
    return {"name": name, **known}

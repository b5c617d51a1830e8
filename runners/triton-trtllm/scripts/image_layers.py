"""image_layers.py --image NAME|--built FILE [--engine docker] [--context DIR --dockerfiles NAMES]
[--pip PATH] OUT: builds the Dockerfiles NAMES of DIR, one on the other, on an image, then installs
the Python packages of a requirements file, and writes the identity of the result to image.json.

A Dockerfile names what it is built on as `FROM NAME`, or as `ARG BASE_IMAGE` and `FROM
${BASE_IMAGE}`. DIR is its build context. PATH is a requirements file, or a folder with
requirements.txt and the files that it names. It does not know TensorRT-LLM, except that no
requirement may replace it.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import images
from stage import Failed, run

# The build of a requirements file. pip in the build reads these variables of ours.
PIP_VARIABLES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_FIND_LINKS")
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
PIP_DOCKERFILE = """\
ARG BASE_IMAGE
FROM ${{BASE_IMAGE}}
{arguments}COPY files /opt/orchestrate/
RUN python3 -m pip install --no-cache-dir -r /opt/orchestrate/{name}
"""
OF_THE_IMAGE = re.compile(r"\s*tensorrt[-_.]llm\b(?!-)", re.IGNORECASE)
NAMES_A_FILE = re.compile(r"\s*(?:-[rc]|--(?:requirement|constraint)\b)[\s=]*(\S+)")
EDITABLE = re.compile(r"\s*(-e|--editable\b)")


def layers_of(engine, image):
    """The digests of the file system layers of an image, the lowest first."""
    status, output, errors = images.ask(
        [engine, "image", "inspect", "--format", "{{json .RootFS.Layers}}", image]
    )
    if status:
        raise Failed(f"{os.path.basename(engine)} does not know image {image}: {errors}")
    return json.loads(output)


def base_of(given, engine):
    """(name, id) of the image to build on; it is pulled if it is missing."""
    if given.built:
        image = json.loads(Path(given.built).read_text(encoding="utf-8"))
        return image["name"], image["id"]
    known = images.local_or_pulled(engine, given.image)
    return given.image, known["id"]


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()


def digest_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def folder_digest(folder):
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return digest(
        *(
            part
            for path in files
            for part in (str(path.relative_to(folder)).encode(), path.read_bytes())
        )
    )


def build(engine, base, dockerfile, context, tag, variables):
    """The id of the image that DOCKERFILE makes of BASE, (name, id)."""
    name, number = base
    words = [engine, "build", "--tag", tag, "--build-arg", f"BASE_IMAGE={name}"]
    for variable in variables:
        words += ["--build-arg", variable]  # its value is taken from the environment
    words += ["--file", str(dockerfile), str(context)]
    print(" ".join(words), flush=True)
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "DOCKER_BUILDKIT": "1"},
        check=False,
    )
    if done.returncode:
        raise Failed(
            f"{dockerfile} could not be built ({os.path.basename(engine)} ended with status"
            f" {done.returncode}); its output above gives the reason"
        )
    made = images.identity(engine, tag)
    if made is None:
        raise Failed(f"{dockerfile} was built, but there is no image {tag}; see the output above")
    below = layers_of(engine, number)
    if layers_of(engine, made["id"])[: len(below)] != below:
        raise Failed(
            f"{dockerfile} is not built on {name}: its last FROM names another image, or another"
            f" state of it; write `FROM {name}`, or `ARG BASE_IMAGE` and `FROM ${{BASE_IMAGE}}`"
        )
    return tag, made["id"]


def dockerfiles_of(given):
    context = Path(given.context).resolve()
    for name in given.dockerfiles.split():
        path = (context / name).resolve()
        if not path.is_file() or not images.is_below(str(path), str(context)):
            there = sorted(one.name for one in context.glob("*ockerfile*")) or ["none"]
            raise Failed(
                f"image_build: {name} is not a file in {context}; write the names of Dockerfiles"
                f" in image_context ({', '.join(there)})"
            )
        yield path, context


def requirements(file, folder, texts):
    """Adds FILE and the files of FOLDER that it names to TEXTS, by their names in FOLDER, without
    TensorRT-LLM, which the image has. FOLDER is None for a file alone.
    """
    name = os.path.relpath(file, folder or file.parent)
    texts[name] = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{file}:{number}: '{line.strip()}'"
        if EDITABLE.match(line):
            raise Failed(f"{where} names a folder, which the image does not have; leave it out")
        if OF_THE_IMAGE.match(line):
            print(f"{where} is left out: the image has it", flush=True)
            continue
        texts[name] += line + "\n"
        match = NAMES_A_FILE.match(line)
        if match:
            named = Path(os.path.normpath(file.parent / match[1]))  # as pip reads it
            if not folder or not images.is_below(str(named), str(folder)) or not named.is_file():
                raise Failed(
                    f"{where} names another file, which the image does not have; set image_pip to a"
                    " folder with requirements.txt and the files that it names"
                )
            if os.path.relpath(named, folder) not in texts:
                requirements(named, folder, texts)


def install(engine, base, path, tag):
    variables = [name for name in PIP_VARIABLES if name in os.environ]
    file, texts = first_file(path), {}
    requirements(file, path if path.is_dir() else None, texts)
    with tempfile.TemporaryDirectory() as folder:
        context = Path(folder)
        for name, text in texts.items():
            target = context / "files" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        arguments = "".join(f"ARG {name}\n" for name in variables)
        dockerfile = context / "Dockerfile"
        text = PIP_DOCKERFILE.format(arguments=arguments, name=file.name)
        dockerfile.write_text(text, encoding="utf-8")
        return build(engine, base, dockerfile, context, tag, [*variables, *proxies()])


def first_file(path):
    file = path / "requirements.txt" if path.is_dir() else path
    if not file.is_file():
        raise Failed(f"image_pip: {path} has no requirements.txt; write it there, or name a file")
    return file


def proxies():
    return [name for name in PROXIES if name in os.environ]


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("image", "built", "context", "dockerfiles", "pip"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("--engine", default="docker")
    parser.add_argument("out")
    return parser.parse_args(words)


def main(words):
    given = read_arguments(words)
    engine = images.find_engine(given.engine)
    steps = [("dockerfile", *step) for step in dockerfiles_of(given)] if given.context else []
    image = base_of(given, engine)
    record = {"base": {"name": image[0], "id": image[1]}, "layers": []}
    content = folder_digest(given.context) if given.context else ""
    for step in steps + ([("pip", Path(given.pip).resolve(), None)] if given.pip else []):
        kind, file, context = step
        sha256 = folder_digest(file) if file.is_dir() else digest_of(file)
        known = digest(image[1].encode(), kind.encode(), file.name.encode(), sha256.encode())
        tag = "orchestrate-trtllm:" + digest(known.encode(), content.encode())[:16]
        image = (
            install(engine, image, file, tag)
            if kind == "pip"
            else build(engine, image, file, context, tag, proxies())
        )
        record["layers"].append({"file": str(file), "sha256": sha256, "id": image[1]})
    record = {"name": image[0], "id": image[1], **record}
    (Path(given.out) / "image.json").write_text(
        json.dumps(record, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    run(main)

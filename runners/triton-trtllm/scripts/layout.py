"""layout.py --version VERSION --examples DIR --app DIR [--source URL] -- WORD...: which of the
programs and files that planned commands name are here, where enter.py would find them. It is run in
an image before any stage, and prints a line for each WORD: see docs/writing-a-runner.md. It starts
none of the tools.
"""
import argparse
import os
import shutil
import sys

import probe
from environment import release

REPOSITORY = "https://github.com/triton-inference-server/tensorrtllm_backend.git"


def say(kind, word, what="", remedy=""):
    print(f"orchestrate: {kind}\t{word}\t{what}\t{remedy}", flush=True)


class Layout:
    def __init__(self, given):
        self.given = given
        self.programs = probe.find_programs()
        self.folders, self.of_backend = probe.find_folders(given.examples, given.app, "")
        self.package = probe.package()

    def is_here(self, word):
        if not word.startswith("/"):
            return bool(self.programs.get(word) or shutil.which(word))
        for planned, places in (
            (self.given.examples, self.folders),
            *((os.path.join(self.given.app, name), [at]) for name, at in self.of_backend.items()),
        ):
            if not word.startswith(planned + "/"):
                continue
            rest = word[len(planned) + 1 :]
            # Converters moved to models/core between two releases.
            names = (rest, rest.replace("models/core/", "", 1), "models/core/" + rest)
            if any(
                os.path.exists(os.path.join(place, name))
                for place in filter(None, places)
                for name in names
            ):
                return True
        return os.path.exists(word)

    def is_of_source(self, word):
        return word.startswith((self.given.examples + "/", self.given.app + "/"))

    def look(self, word):
        if word in ("tensorrt_llm", "python"):
            return  # versions, which report() prints
        if word in (self.given.app, self.given.examples) or self.is_here(word):
            return say("has", word)  # the two folders are places to search, and not needed as such
        if not self.is_of_source(word):
            return say("lacks", word, "", "an image of TensorRT-LLM on Triton")
        if self.given.source:
            return say("later", word, "stage 'source' checks it out")
        say(
            "lacks",
            word,
            "",
            f"backend_source: {REPOSITORY}, which has the files of each release, or app_dir: DIR if"
            " they are elsewhere in the image",
        )

    def report(self):
        python = ".".join(map(str, sys.version_info[:3]))
        say("version", "python", python)
        say("has", "python")
        if self.package is None:
            return say(
                "lacks",
                "tensorrt_llm",
                f"{sys.executable} finds no such package",
                "image: nvcr.io/nvidia/tritonserver:YY.MM-trtllm-python-py3",
            )
        version = self.package["version"] or "?"
        if release(version) == release(self.given.version):
            say("version", "tensorrt_llm", version)
            return say("has", "tensorrt_llm")
        there = ".".join(map(str, release(version)))
        say(
            "lacks",
            "tensorrt_llm",
            f"it has {version}, and trtllm_version is {self.given.version}",
            f"trtllm_version: {there}, or an image of {self.given.version}",
        )


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("version", "examples", "app"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--source", default="")
    parser.add_argument("words", nargs="*")
    return parser.parse_args(words)


def main():
    given = read_arguments(sys.argv[1:])
    layout = Layout(given)
    layout.report()
    for word in given.words:
        layout.look(word)


if __name__ == "__main__":
    main()

"""The vendors' repositories tensorrtllm_backend, TensorRT-LLM and lmdeploy as git has them: a tag
for each release, with the scripts and templates of images.py. Their addresses on GitHub lead
here."""

import os
import subprocess
from pathlib import Path

import images

GITHUB = ["https://github.com/triton-inference-server/", "https://github.com/NVIDIA/",
          "https://github.com/InternLM/"]  # fmt: skip
RELEASES = ["0.9.0", "0.11.0", "0.12.0", "0.14.0", "0.16.0", "0.17.0", "0.19.0", "1.1.0"]
PERSON = {f"GIT_{who}_{what}": "rehearsal" for who in ("AUTHOR", "COMMITTER")
          for what in ("NAME", "EMAIL")}  # fmt: skip


class Backend:
    """In FOLDER, for the user OWNER."""

    def __init__(self, folder, owner):
        self.folder = Path(folder)
        for name in ("TensorRT-LLM.git", "tensorrtllm_backend.git", "lmdeploy.git"):
            (self.folder / name).mkdir(parents=True)
            self.git(name, "init", "--quiet", "--initial-branch", "main")
        for release in RELEASES:
            self.add(release)
        self.add_lmdeploy("0.1.0")
        subprocess.run(["chown", "-R", f"{owner}:{owner}", str(self.folder)], check=True)

    def variables(self):
        pairs = [(f"url.file://{self.folder}/.insteadOf", url) for url in GITHUB]
        pairs += [("protocol.file.allow", "always"), ("safe.directory", "*")]
        found = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for place, (key, value) in enumerate(pairs):
            found |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
        return found

    def git(self, name, *words):
        environment = {**os.environ, **PERSON, **self.variables(), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "-C", str(self.folder / name), *words], env=environment, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip

    def add(self, release):
        llm, backend = self.folder / "TensorRT-LLM.git", self.folder / "tensorrtllm_backend.git"
        images.write(llm / "tensorrt_llm/version.py", f'__version__ = "{release}"\n')
        images.make_examples(tool, str(llm / "examples"), release)
        moved = images.order(release) >= [0, 20]  # the models, to the submodule
        if moved:
            images.make_models(llm / "triton_backend/all_models", release)
            images.make_tools(llm / "triton_backend/tools", release)
        self.commit("TensorRT-LLM.git", release)
        if not (backend / "tensorrt_llm").exists():
            self.git("tensorrtllm_backend.git", "submodule", "--quiet", "add",
                     f"{GITHUB[1]}TensorRT-LLM.git", "tensorrt_llm")  # fmt: skip
        self.git("tensorrtllm_backend.git/tensorrt_llm", "fetch", "--quiet", "--tags")
        self.git("tensorrtllm_backend.git/tensorrt_llm", "checkout", "--quiet", f"v{release}")
        if moved:
            self.git("tensorrtllm_backend.git", "rm", "-r", "--quiet", "all_models", "tools")
        else:
            images.make_models(backend / "all_models", release)
            images.make_tools(backend / "tools", release)
        self.commit("tensorrtllm_backend.git", release)

    def add_lmdeploy(self, release):
        text = images.SCRIPT.format(python="/usr/bin/python3", inside=images.INSIDE)
        images.write(self.folder / "lmdeploy.git/benchmark/profile_serving.py",
                     f"{text}import turbomind\nturbomind.profile_serving()\n")  # fmt: skip
        self.commit("lmdeploy.git", release)

    def commit(self, name, release):
        self.git(name, "add", "--all")
        self.git(name, "commit", "--quiet", "--allow-empty", "-m", release)
        self.git(name, "tag", f"v{release}")


def tool(path, key):
    """A script that runs in an image, whose tools it calls."""
    text = images.SCRIPT.format(python="/usr/bin/python3", inside=images.INSIDE)
    images.write(Path(path), f"{text}import trtllm\ntrtllm.main({key!r})\n", 0o755)

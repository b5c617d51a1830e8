"""source.py on a local repository with a submodule in a submodule; image.py with an engine that
records its calls."""

import os
import platform
import subprocess

from install_support import IMAGE_ID, InstallTest, main

GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


class Source(InstallTest):
    def setUp(self):
        super().setUp()
        config = self.write(".gitconfig", '[protocol "file"]\nallow = always\n')
        self.environment.update({**GIT, "HOME": os.path.dirname(config)})
        for name, submodule in (
            ("cutlass", None),
            ("tensorrt_llm", "cutlass"),
            ("backend", "tensorrt_llm"),
        ):
            self.repository(name, submodule)
        self.out = self.path("store/attempts/a1/out")
        os.makedirs(self.out)

    def git(self, folder, *words):
        done = subprocess.run(
            ["git", "-C", self.path(folder), *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.strip()

    def repository(self, name, submodule):
        self.write(f"{name}/README.md", name)
        if name == "tensorrt_llm":
            self.write("tensorrt_llm/tensorrt_llm/version.py", '__version__ = "0.14.0"\n')
        self.git(name, "init", "--quiet", "--initial-branch", "main")
        if submodule:
            self.git(
                name, "submodule", "--quiet", "add", "file://" + self.path(submodule), submodule
            )
        self.git(name, "add", "-A")
        self.git(name, "commit", "--quiet", "-m", "first")
        for tag in ("v0.9.0", "v0.14.0"):
            self.git(name, "tag", tag)
        if (
            name == "tensorrt_llm"
        ):  # branch and tag move on, so that a checkout needs an older commit
            self.write("tensorrt_llm/later", "x")
            self.git(name, "add", "-A")
            self.git(name, "commit", "--quiet", "-m", "later")
            self.git(name, "tag", "--force", "v0.14.0")

    def source(self, url="", ref="v0.14.0", *more):
        return self.script("source.py", url or self.path("backend"), ref, "0.14.0", *more, self.out)

    def test_a_tag_is_checked_out_with_nested_submodules_and_their_commits_are_recorded(
        self,
    ):
        commits = {
            name: self.git(name, "rev-parse", "HEAD")
            for name in ("backend", "cutlass", "tensorrt_llm")
        }
        result = self.source()
        self.assertEqual(
            (result.status, result.last),
            (0, f"{self.path('backend')} v0.14.0 is {commits['backend']}"),
            result.log,
        )
        self.assertEqual(
            self.read("store/attempts/a1/out/source.json"),
            {
                "url": self.path("backend"),
                "ref": "v0.14.0",
                "commit": commits["backend"],
                "version": "0.14.0",
                "submodules": {
                    "tensorrt_llm": commits["tensorrt_llm"],
                    "tensorrt_llm/cutlass": commits["cutlass"],
                },
            },
        )
        self.assertTrue(
            os.path.exists(
                self.path("store/attempts/a1/out/backend/tensorrt_llm/cutlass/README.md")
            )
        )

    def test_a_commit_that_is_only_available_with_its_history_is_checked_out(self):
        before = self.git("tensorrt_llm", "rev-parse", "HEAD~1")
        self.git("backend/tensorrt_llm", "checkout", "--quiet", before)
        self.git("tensorrt_llm", "tag", "--delete", "v0.9.0")
        self.git("backend", "commit", "--quiet", "-am", "older")
        self.git("backend", "tag", "--force", "v0.14.0")
        self.write(
            "gitconfig", '[protocol "file"]\nallow = always\n[protocol]\nversion = 0\n'
        )  # later versions of the protocol send any commit
        result = self.source()
        self.assertEqual(result.status, 0, result.log)
        self.assertEqual(
            self.read("store/attempts/a1/out/source.json")["submodules"]["tensorrt_llm"], before
        )

    def test_a_missing_tag_is_reported_with_the_existing_ones(self):
        self.assert_failed(
            self.source(ref="v1.2.0"),
            (
                f"source.py: {self.path('backend')} has no tag or branch v1.2.0; set backend_ref to"
                " one that it has (v0.9.0, v0.14.0)"
            ),
            None,
        )

    def test_a_missing_repository_is_reported(self):
        result = self.source(self.path("nowhere"))
        self.assert_failed(
            result,
            (
                f"source.py: git ls-remote --heads --tags {self.path('nowhere')} failed, for the"
                " reason above"
            ),
            None,
        )

    def test_a_tag_with_another_release_is_refused_and_leaves_nothing(self):
        self.write("tensorrt_llm/tensorrt_llm/version.py", '__version__ = "0.15.0"\n')
        self.git("tensorrt_llm", "commit", "--quiet", "-am", "next")
        self.git("backend/tensorrt_llm", "pull", "--quiet", "origin", "main")
        self.git("backend", "commit", "--quiet", "-am", "next")
        self.assert_failed(
            self.source(ref="main"),
            (
                "source.py: tool mismatch: main has TensorRT-LLM 0.15.0 and trtllm_version is"
                " 0.14.0; set backend_ref or trtllm_version so that they agree"
            ),
            "tool_mismatch",
        )
        self.assertEqual(os.listdir(self.out), [])

    def test_an_unavailable_submodule_fails_and_leaves_nothing(self):
        os.rename(self.path("cutlass"), self.path("gone"))
        result = self.source()
        self.assert_failed(
            result,
            (
                f"source.py: the submodules of {self.path('backend')} at v0.14.0 could not be"
                " fetched, for git's reason above"
            ),
            None,
        )
        self.assertEqual(os.listdir(self.out), [])

    def test_files_of_an_earlier_attempt_are_replaced(self):
        self.write("store/attempts/a1/out/backend/half", "x")
        self.assertEqual(self.source().status, 0)
        self.assertFalse(os.path.exists(self.path("store/attempts/a1/out/backend/half")))

    def test_git_lfs_is_needed_only_for_a_build(self):
        os.makedirs(self.path("few"))
        for name in os.listdir("/usr/bin"):
            if name != "git-lfs":
                os.symlink("/usr/bin/" + name, self.path("few/" + name))
        self.environment["PATH"] = self.path("few")
        self.assertEqual(self.source().status, 0)
        self.assert_failed(
            self.source("", "v0.14.0", "--lfs"),
            (
                "source.py: git-lfs: command not found; the build needs files that the "
                "repository keeps there: install git-lfs"
            ),
            None,
        )


class Image(InstallTest):
    def setUp(self):
        super().setUp()
        self.engine(registry=["mine:1"])
        os.makedirs(self.path("backend/tensorrt_llm"))
        self.out = self.path("store/attempts/a1/out")
        os.makedirs(self.out)

    def image(self, version, *more, name="mine:1", engine="docker"):
        return self.script("image.py", self.path("backend"), version, name, engine, *more, self.out)

    def test_the_backends_dockerfile_is_built_from_its_folder_and_the_image_id_is_recorded(
        self,
    ):
        result = self.image("0.11.0")
        self.assertEqual(result.status, 0, result.log)
        more = (
            ["--build-arg", "TORCH_INSTALL_TYPE=src_non_cxx11_abi"]
            if platform.machine() == "aarch64"
            else []
        )
        self.assertEqual(
            self.calls("engine.jsonl")[0],
            {
                "argv": [
                    "build",
                    "--tag",
                    "mine:1",
                    *more,
                    "--file",
                    "dockerfile/Dockerfile.trt_llm_backend",
                    ".",
                ],
                "cwd": self.path("backend"),
                "buildkit": "1",
            },
        )
        self.assertEqual(
            self.read("store/attempts/a1/out/image.json"), {"name": "mine:1", "id": IMAGE_ID}
        )

    def test_later_releases_are_built_by_the_makefile_of_tensorrt_llm(self):
        self.engine(images=["mine:1"])
        self.write("bin/make", '#!/bin/sh\npwd\necho "$@"\n', 0o755)
        result = self.image("0.20.0", "--architectures=89-real")
        self.assertEqual(
            result.log.splitlines()[1:],
            [
                self.path("backend/tensorrt_llm"),
                "-C docker tritonrelease_build IMAGE_WITH_TAG=mine:1 CUDA_ARCHS=89-real",
            ],
        )
        self.assertEqual(
            self.read("store/attempts/a1/out/image.json"), {"name": "mine:1", "id": IMAGE_ID}
        )

    def test_an_unsupported_build_is_refused_before_it_starts(self):
        self.engine(name="podman")
        self.assert_failed(
            self.image("1.0.0", engine="podman"),
            (
                "image.py: the build of 1.0.0 calls docker itself; set container_engine: "
                "docker, or name an image that was built elsewhere"
            ),
            None,
        )
        self.assert_failed(
            self.image("0.14.0", "--architectures=89-real"),
            (
                "image.py: cuda_architectures: the build of 0.14.0 has no such option (it exists"
                " from 0.20.0 on); leave it out"
            ),
            None,
        )
        self.assertEqual(self.calls("engine.jsonl"), [])

    def test_a_failed_build_is_reported_with_its_status(self):
        self.assert_failed(
            self.image("0.14.0", name="other:1"),
            (
                f"image.py: image other:1 could not be built ({self.path('bin/docker')} "
                "ended with status 1); its output above gives the reason"
            ),
            None,
        )
        self.assertEqual(os.listdir(self.out), [])


if __name__ == "__main__":
    main()

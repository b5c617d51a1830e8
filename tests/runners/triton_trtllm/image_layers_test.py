"""image_layers.py: Dockerfiles built on an image, and Python packages installed into it, with a
container engine that reads Dockerfiles and builds nothing; and its stage in a plan."""

import json
import os
import subprocess
import tempfile
import unittest

from install_support import ROOT, InstallTest, main

ORCHESTRATE = os.environ.get("ORCH_BINARY", os.path.join(ROOT, "build/default/src/orchestrate"))
BASE = "registry.example/customer_triton_trt_llm:v0.11.0"
# Knows each image by its names and layers. It refuses every option but those of `docker build` that
# it implements, and each instruction becomes a layer.
ENGINE = """\
    #!/usr/bin/python3
    import argparse, hashlib, json, os, pathlib, re, sys
    folder, words = {folder!r}, sys.argv[1:]
    with open(folder + "/engine.jsonl", "a") as file:
        file.write(json.dumps(words) + "\\n")
    images = json.load(open(folder + "/images.json"))

    def number(layers):
        return "sha256:" + hashlib.sha256("".join(layers).encode()).hexdigest()

    def find(name):
        same = [one for one in images.values() if number(one) == name]
        return images.get(name) or (same[0] if same else None)

    def inspect():
        layers = find(words[4])
        if layers is None:
            sys.exit("Error: No such image: " + words[4])
        print({{
            "{{{{.Id}}}}\\n{{{{range .RepoDigests}}}}{{{{.}}}}\\n{{{{end}}}}": number(layers),
            "{{{{json .RootFS.Layers}}}}": json.dumps(layers),
        }}[words[3]])

    def build():
        parser = argparse.ArgumentParser(allow_abbrev=False)
        parser.add_argument("--tag", required=True)
        parser.add_argument("--build-arg", action="append", default=[])
        parser.add_argument("--file", required=True)
        parser.add_argument("context")
        given = parser.parse_args(words[1:])
        values = dict(one.split("=", 1) if "=" in one else (one, os.environ[one])
                      for one in given.build_arg)
        layers = []
        for line in open(given.file):
            key, _, rest = line.strip().partition(" ")
            if key == "FROM":
                name = re.sub(r"\\$\\{{(\\w+)\\}}", lambda match: values[match[1]], rest)
                if find(name) is None:
                    sys.exit("ERROR: failed to solve: " + name + ": not found")
                layers = list(find(name))
            elif key == "COPY":
                copied = pathlib.Path(given.context, rest.split()[0])
                files = [copied] if copied.is_file() else sorted(copied.rglob("*.txt"))
                layers.append("COPY " + "".join(one.read_text() for one in files))
            elif key == "RUN":
                variables = " ".join(sorted(set(values) - {{"BASE_IMAGE"}}))
                layers.append(line.strip() + " with " + variables)
        images[given.tag] = layers
        json.dump(images, open(folder + "/images.json", "w"))

    def pull():
        if words[1] not in json.load(open(folder + "/registry.json")):
            sys.exit("Error response from daemon: manifest unknown")
        images[words[1]] = ["pulled " + words[1]]
        json.dump(images, open(folder + "/images.json", "w"))

    {{"image": inspect, "build": build, "pull": pull}}[words[0]]()
    """


class Layers(InstallTest):
    def setUp(self):
        super().setUp()
        self.write("images.json", json.dumps({BASE: ["ubuntu", "trtllm"], "other:1": ["debian"]}))
        self.write("registry.json", json.dumps([]))
        self.write("bin/docker", ENGINE.format(folder=self.folder), 0o755)
        self.write("docker/launch.sh", "the script\n")

    def build(self, *words, **variables):
        return self.script("image_layers.py", "--image", BASE, *words, self.out, **variables)

    def made(self, *words, **variables):
        """(the record, the layers of the image)"""
        result = self.build(*words, **variables)
        self.assertEqual(result.status, 0, result.log)
        record = self.read("store/artifacts/environment-1/out/image.json")
        return record, self.read("images.json")[record["name"]]

    def dockerfiles(self, *names):
        return ["--context", self.path("docker"), "--dockerfiles", " ".join(names)]

    def test_dockerfiles_are_built_one_on_the_other_in_their_order(self):
        self.write("docker/Dockerfile.trtllm_v0.11.0", f"FROM {BASE}\nCOPY launch.sh /opt\n")
        self.write("docker/b", "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN second\n")
        record, layers = self.made(*self.dockerfiles("Dockerfile.trtllm_v0.11.0", "b"))
        self.assertEqual(
            layers, ["ubuntu", "trtllm", "COPY the script\n", "RUN second with "], record
        )
        self.assertEqual(record["base"]["name"], BASE)
        self.assertEqual(
            [os.path.basename(layer["file"]) for layer in record["layers"]],
            ["Dockerfile.trtllm_v0.11.0", "b"],
        )
        self.assertEqual(record["layers"][-1]["id"], record["id"])
        self.assertNotEqual(record["id"], record["base"]["id"])

    def test_packages_are_installed_last_without_tensorrt_llm(self):
        self.write("docker/Dockerfile", "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN first\n")
        self.write(
            "requirements.txt",
            "--extra-index-url https://pypi.example\ntensorrt_llm==0.14.0\n  TensorRT-LLM\n"
            "# tensorrt_llm\ntensorrt_llm_tools\nevaluate~=0.4.1\nauto-gptq\n",
        )
        index = {"PIP_INDEX_URL": "https://mirror.example/simple", "PIP_TRUSTED_HOST": "a.example"}
        result = self.build(
            *self.dockerfiles("Dockerfile"), "--pip", self.path("requirements.txt"), **index
        )
        self.assertEqual(result.status, 0, result.log)
        layers = self.read("images.json")[
            self.read("store/artifacts/environment-1/out/image.json")["name"]
        ]
        self.assertEqual(
            layers[2:],
            [
                "RUN first with ",
                "COPY --extra-index-url https://pypi.example\n# tensorrt_llm\ntensorrt_llm_tools\n"
                "evaluate~=0.4.1\nauto-gptq\n",
                "RUN python3 -m pip install --no-cache-dir -r /opt/orchestrate/requirements.txt"
                " with PIP_INDEX_URL PIP_TRUSTED_HOST",
            ],
        )
        self.assertIn(
            f"{self.path('requirements.txt')}:2: 'tensorrt_llm==0.14.0' is left out: the image has"
            " it\n",
            result.log,
        )
        self.assertNotIn("mirror.example", result.log)

    def test_an_image_that_was_built_before_is_the_base(self):
        self.write("image.json", json.dumps({"name": "other:1", "id": "other:1"}))
        self.write("requirements.txt", "auto-gptq\n")
        words = ["--built", self.path("image.json"), "--pip", self.path("requirements.txt")]
        result = self.script("image_layers.py", *words, self.out)
        self.assertEqual(result.status, 0, result.log)
        name = self.read("store/artifacts/environment-1/out/image.json")["name"]
        self.assertEqual(self.read("images.json")[name][0], "debian")

    def test_a_missing_base_is_pulled(self):
        self.write("images.json", "{}")
        self.write("registry.json", json.dumps([BASE]))
        self.write("requirements.txt", "auto-gptq\n")
        _, layers = self.made("--pip", self.path("requirements.txt"))
        self.assertEqual(layers[0], "pulled " + BASE)

    def test_the_tag_follows_from_the_base_and_every_file(self):
        names = set()
        for script in ("a\n", "b\n"):
            for dockerfile in ("RUN 1\n", "RUN 2\n"):
                for base in ("ubuntu", "debian"):
                    self.write("images.json", json.dumps({BASE: [base]}))
                    self.write("docker/launch.sh", script)
                    self.write("docker/Dockerfile", f"FROM {BASE}\n{dockerfile}")
                    names.add(self.made(*self.dockerfiles("Dockerfile"))[0]["name"])
        self.assertEqual(len(names), 8)

    def test_a_dockerfile_on_another_image_is_refused(self):
        self.write("docker/Dockerfile", "FROM other:1\nRUN it\n")
        self.assert_failed(
            self.build(*self.dockerfiles("Dockerfile")),
            f"image_layers.py: {self.path('docker/Dockerfile')} is not built on {BASE}: its last"
            " FROM names another image, or another state of it; write `FROM"
            f" {BASE}`, or `ARG BASE_IMAGE` and `FROM ${{BASE_IMAGE}}`",
            None,
        )

    def test_a_build_that_fails_is_reported(self):
        self.write("docker/Dockerfile", "FROM nowhere\n")
        result = self.build(*self.dockerfiles("Dockerfile"))
        self.assertEqual(result.status, 1)
        self.assertIn("nowhere: not found", result.log)
        self.assertEqual(
            result.last,
            f"image_layers.py: {self.path('docker/Dockerfile')} could not be built (docker ended"
            " with status 1); its output above gives the reason",
        )

    def test_a_name_that_is_no_file_of_the_context_is_refused(self):
        self.write("docker/Dockerfile.a", "FROM x\n")
        self.write("Dockerfile", "FROM x\n")
        for name in ("Dockerfile", "../Dockerfile", "."):
            self.assertEqual(
                self.build(*self.dockerfiles(name)).last,
                f"image_layers.py: image_build: {name} is not a file in {self.path('docker')};"
                " write the names of Dockerfiles in image_context (Dockerfile.a)",
            )

    def test_the_files_that_requirements_name_go_into_the_build(self):
        self.write("pip/requirements.txt", "-c limits/all.txt\n-r more.txt\ntensorrt_llm\n")
        self.write("pip/limits/all.txt", "numpy<2\n")
        self.write("pip/more.txt", "--constraint=limits/all.txt\nevaluate\ntensorrt-llm\n")
        self.write("pip/unnamed.txt", "rouge_score\n")
        first, layers = self.made("--pip", self.path("pip"))
        self.assertEqual(
            layers[2:],
            [
                "COPY numpy<2\n--constraint=limits/all.txt\nevaluate\n-c limits/all.txt\n"
                "-r more.txt\n",
                "RUN python3 -m pip install --no-cache-dir -r /opt/orchestrate/requirements.txt"
                " with ",
            ],
        )
        self.write("pip/limits/all.txt", "numpy<3\n")
        self.assertNotEqual(self.made("--pip", self.path("pip"))[0]["name"], first["name"])

    def test_a_file_that_would_not_be_in_the_image_is_refused(self):
        self.write("more.txt", "evaluate\n")
        os.makedirs(self.path("pip"))
        for name in ("alone.txt", "pip/requirements.txt"):
            path = self.path(name)
            for line in ("-r ../more.txt", "-rmissing.txt", "  -c ../more.txt"):
                self.write(name, f"evaluate\n{line}\n")
                self.assertEqual(
                    self.build("--pip", os.path.dirname(path) if "/" in name else path).last,
                    f"image_layers.py: {path}:2: '{line.strip()}' names another file, which the"
                    " image does not have; set image_pip to a folder with requirements.txt and the"
                    " files that it names",
                )
        self.write("alone.txt", "--editable .\n")
        self.assertEqual(
            self.build("--pip", self.path("alone.txt")).last,
            f"image_layers.py: {self.path('alone.txt')}:1: '--editable .' names a folder, which the"
            " image does not have; leave it out",
        )
        os.remove(self.path("pip/requirements.txt"))
        self.assertIn("has no requirements.txt", self.build("--pip", self.path("pip")).last)


class Planned(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.write("docker/Dockerfile.a", "FROM x\n")
        self.write("docker/run.sh", "run\n")
        self.write("requirements.txt", "auto-gptq\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def plan(self, **defaults):
        facts = {"type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584}
        matrix = {
            "name": "layers",
            "runner": "triton-trtllm",
            "axes": {"model": ["m"]},
            "defaults": {"trtllm_version": "0.11.0", "concurrency": 1, **defaults},
            "machine": {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 80},
            "models": {
                "m": {
                    "source": "hf:a/b",
                    "revision": "0" * 40,
                    "facts": {**facts, "vocab": 152064, "positions": 131072},
                }
            },
        }
        self.write("matrix.yaml", json.dumps(matrix))
        path = os.path.join(self.folder, "matrix.yaml")
        done = subprocess.run(
            [ORCHESTRATE, "plan", path, "--json", "--store", os.path.join(self.folder, "store")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads(done.stdout)
        stages = {stage["stage"]: stage for stage in plan["stages"]}
        return stages, plan["points"][0]

    LAYERS = {
        "image": BASE,
        "image_context": "docker",
        "image_build": "Dockerfile.a",
        "image_pip": "requirements.txt",
    }

    def test_the_tools_are_searched_in_the_image_with_its_layers(self):
        stages, point = self.plan(**self.LAYERS)
        self.assertEqual((point["status"], point["reason"]), ("run", point["reason"]))
        self.assertEqual(
            stages["image_layers"]["argv"][2:],
            [
                *("--image", BASE, "--context", f"{self.folder}/docker"),
                *("--dockerfiles", "Dockerfile.a", "--pip", f"{self.folder}/requirements.txt"),
                "{out}",
            ],
        )
        argv = stages["environment"]["argv"]
        self.assertEqual(argv[argv.index("--image") + 1], BASE)
        for name in ("environment", "build"):
            self.assertEqual(
                stages[name]["container"]["image"],
                f"{{stage:{stages['image_layers']['id']}}}/image.json",
            )

    def test_layers_lie_on_an_image_that_is_built_from_source(self):
        stages, _ = self.plan(**self.LAYERS, build_image=True, backend_source="/src")
        argv = stages["image_layers"]["argv"]
        self.assertEqual(argv[2:4], ["--built", f"{{stage:{stages['image']['id']}}}/image.json"])
        self.assertNotIn("--image", argv)
        self.assertEqual(
            stages["environment"]["container"]["image"],
            f"{{stage:{stages['image_layers']['id']}}}/image.json",
        )

    def test_every_file_is_part_of_the_identity(self):
        def ids():
            stages, _ = self.plan(**self.LAYERS)
            return stages["image_layers"]["id"], stages["build"]["id"]

        seen = [ids()]
        for name in ("docker/Dockerfile.a", "docker/run.sh", "requirements.txt"):
            self.write(name, f"changed {name}\n")
            seen.append(ids())
        self.assertEqual([len({one[i] for one in seen}) for i in (0, 1)], [4, 4])
        self.assertEqual(ids(), seen[-1])

    def test_without_a_name_the_file_is_called_dockerfile(self):
        self.write("docker/Dockerfile", "FROM x\n")
        stages, _ = self.plan(image=BASE, image_context="docker")
        argv = stages["image_layers"]["argv"]
        self.assertEqual(argv[argv.index("--dockerfiles") + 1], "Dockerfile")
        self.assertNotIn("--pip", argv)

    def test_an_image_without_additions_has_no_such_stage(self):
        stages, _ = self.plan(image=BASE)
        self.assertNotIn("image_layers", stages)
        argv = stages["environment"]["argv"]
        self.assertEqual(argv[argv.index("--image") + 1], BASE)

    def test_what_belongs_together_is_checked(self):
        _, point = self.plan(image=BASE, image_build="Dockerfile.a")
        self.assertIn("image_context, which is not set", point["reason"])
        _, point = self.plan(image_pip="requirements.txt")
        self.assertIn("set image, or install them here", point["reason"])


if __name__ == "__main__":
    main()

"""runners/triton-trtllm/repository.py with the real `orchestrate fill-template` (ORCH_BINARY).

ORCH_UPSTREAM, a git folder of tensorrtllm_backend, adds the templates of every recorded release.
With the package tritonclient, each is also parsed with Triton's schema."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import template_keys_test as keys

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RUNNERS = ROOT / "runners"
SCRIPT = RUNNERS / "triton-trtllm" / "scripts" / "repository.py"
ORCHESTRATE = os.environ.get("ORCH_BINARY", str(ROOT / "build/default/src/orchestrate"))
UPSTREAM = os.environ.get("ORCH_UPSTREAM")
MANIFEST = keys.load("manifest/repository.yaml")


def schema():
    """Triton's ModelConfig as a module, or None."""
    try:
        from google.protobuf import text_format

        client = Path(
            importlib.util.find_spec("tritonclient").submodule_search_locations[0]
        )  # its own __init__ imports grpc
        spec = importlib.util.spec_from_file_location(
            "model_config_pb2", client / "grpc" / "model_config_pb2.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return lambda text: text_format.Parse(text, module.ModelConfig())
    except (ImportError, AttributeError):
        return None


PARSE = schema()


def own_templates(folder):
    """Copies the files of the stage `own_templates`."""
    for item in MANIFEST["stages"]["own_templates"]["copy"]:
        target = folder / item["to"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(RUNNERS / item["from"], target)
    return folder


def upstream_templates(folder, release, models="inflight_batcher_llm"):
    """The folder all_models/MODELS of a tag; None if the tag does not exist."""
    git = (
        os.path.join(UPSTREAM, ".git")
        if os.path.isdir(os.path.join(UPSTREAM, ".git"))
        else UPSTREAM
    )
    done = subprocess.run(
        ["git", "--git-dir=" + git, "archive", "v" + release, f"all_models/{models}"],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=done.stdout, check=True)
    return folder / "all_models" / models


def defaults(release, **given):
    """The values that the manifest writes at RELEASE for a matrix that sets only GIVEN."""
    computed = {
        "triton_max_batch_size": "8",
        "logits_datatype": "TYPE_FP32",
        "kv_cache_free_gpu_mem_fraction": "0.9",
    }
    values = {}
    for name in keys.VALUES:
        parameter = keys.PARAMETERS[name]
        within = keys.version(parameter.get("since", "0")) <= keys.version(release) and (
            "until" not in parameter or keys.version(release) < keys.version(parameter["until"])
        )
        value = given.get(
            name, computed.get(name) if "sql" in parameter else parameter.get("default")
        )
        if value is not None and (within or name in given):
            values[name] = value
    return values


def run(templates, out, release, values, fill=ORCHESTRATE, draft=()):
    """DRAFT: the options of a draft model."""
    words = [word for key, value in values.items() for word in (f"--{key}", value)]
    done = subprocess.run(
        [
            sys.executable,
            str(SCRIPT),
            "--templates",
            str(templates),
            "--release",
            release,
            "--fill",
            fill,
            "--out",
            str(out),
            "--stage",
            "engine_dir=build",
            "--stage",
            "tokenizer_dir=download",
            *draft,
            *words,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def strings(text):
    """Parameter -> its string_value, read without a schema."""
    return dict(
        re.findall(r'key:\s*"(\w+)"\s*value:?\s*\{\s*string_value:\s*"((?:[^"\\]|\\.)*)"', text)
    )


class RepositoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def must(self, templates, release, **given):
        out = self.folder / f"out-{release}"
        code, stderr = run(templates, out, release, defaults(release, **given))
        self.assertEqual(code, 0, stderr)
        return {model: (out / model / "config.pbtxt").read_text() for model in keys.MODELS}, stderr


class OwnTemplates(RepositoryTest):
    def setUp(self):
        super().setUp()
        self.templates = own_templates(self.folder / "ours")

    def test_engine_and_tokenizer_are_symbols_of_their_stages(self):
        configs, stderr = self.must(self.templates, "0.14.0")
        engine = strings(configs["tensorrt_llm"])
        self.assertEqual(
            (engine["gpt_model_path"], engine["gpt_model_type"]),
            ("{stage:build}", "inflight_fused_batching"),
        )
        self.assertEqual(
            (
                engine["exclude_input_in_output"],
                engine["enable_kv_cache_reuse"],
                engine["enable_chunked_context"],
            ),
            ("true", "false", "false"),
        )
        self.assertEqual(
            (
                engine["max_beam_width"],
                engine["kv_cache_free_gpu_mem_fraction"],
                engine["batch_scheduler_policy"],
            ),
            ("1", "0.9", "guaranteed_no_evict"),
        )
        self.assertEqual(strings(configs["preprocessing"])["tokenizer_dir"], "{stage:download}")
        self.assertEqual(strings(configs["postprocessing"])["tokenizer_dir"], "{stage:download}")
        self.assertIn(
            (
                'backend: "tensorrtllm"\nmax_batch_size: 8\nmodel_transaction_policy { decoupled:'
                " true }\n"
            ),
            configs["tensorrt_llm"],
        )
        self.assertIn("note: ", stderr)
        self.assertNotIn("warning", stderr)

    def test_every_model_has_its_config_and_version_folder(self):
        self.must(self.templates, "0.14.0")
        out = self.folder / "out-0.14.0"
        self.assertEqual(sorted(path.name for path in out.iterdir()), sorted(keys.MODELS))
        for model in keys.MODELS:
            self.assertTrue(any((out / model / "1").iterdir()), model)

    def test_values_with_commas_colons_and_backslashes_are_filled_in(self):
        configs, _ = self.must(
            self.templates,
            "0.14.0",
            gpu_device_ids="0,1;2,3",
            medusa_choices="{0},{0,0},{1}",
            encoder_engine_dir="/a,b:c\\d,e:f",
        )
        engine = strings(configs["tensorrt_llm"])
        self.assertEqual(
            (engine["gpu_device_ids"], engine["medusa_choices"]), ("0,1;2,3", "{0},{0,0},{1}")
        )
        self.assertEqual(
            engine["encoder_model_path"], "/a,b:c\\\\d,e:f"
        )  # escaped for protobuf text

    def test_a_value_without_a_placeholder_is_an_error(self):
        code, stderr = run(
            self.templates, self.folder / "out", "0.14.0", defaults("0.14.0", num_nodes="2")
        )
        self.assertEqual(code, 1)
        self.assertIn(
            (
                "num_nodes: '2' has no placeholder ${num_nodes} in any template; is this another"
                " release than 0.14.0?\n"
            ),
            stderr,
        )
        self.assertTrue(
            stderr.endswith(
                "repository.py: no template has num_nodes; the lines above give the reasons."
                " Correct the parameters, or set template_dir to the templates of the release\n"
            ),
            stderr,
        )

    def test_every_faulty_config_is_reported_at_once(self):
        values = {**defaults("0.14.0"), "triton_max_batch_size": "many"}
        code, stderr = run(self.templates, self.folder / "out", "0.14.0", values)
        self.assertEqual(code, 1)
        self.assertEqual(
            stderr.count("triton_max_batch_size: 'many' keeps the model from loading"), 5
        )
        self.assertIn(
            "; ".join(f"{model}/config.pbtxt cannot be filled" for model in keys.MODELS),
            stderr.splitlines()[-1],
        )

    def test_a_value_that_the_backend_ignores_is_a_warning(self):
        _, stderr = self.must(self.templates, "0.14.0", multi_block_mode="false")
        self.assertIn("multi_block_mode: 'false' has no effect at 0.12 to 0.14", stderr)
        code, stderr = run(
            self.templates,
            self.folder / "out-0.16.0",
            "0.16.0",
            defaults("0.14.0", multi_block_mode="false"),
        )
        self.assertEqual(
            (code, "multi_block_mode" in stderr),
            (0, False),
            "0.16 reads the value with any templates",
        )

    def test_an_incomplete_folder_of_templates_is_refused(self):
        shutil.rmtree(self.templates / "postprocessing")
        code, stderr = run(self.templates, self.folder / "out", "0.14.0", defaults("0.14.0"))
        self.assertEqual(
            (code, stderr),
            (
                1,
                (
                    f"repository.py: {self.templates}/postprocessing/config.pbtxt is missing; the"
                    " folder must contain ensemble, preprocessing, tensorrt_llm, postprocessing,"
                    " tensorrt_llm_bls, like all_models/inflight_batcher_llm\n"
                ),
            ),
        )


DRAFT = [
    "--draft-stage",
    "engine_dir=build_draft",
    "--draft",
    "kv_cache_free_gpu_mem_fraction=0.1",
]


class DraftModel(RepositoryTest):
    def filled(self, templates, release, draft=tuple(DRAFT)):
        out = self.folder / f"draft-{release}"
        given = {"enable_kv_cache_reuse": "true", "exclude_input_in_output": "false"}
        code, stderr = run(templates, out, release, defaults(release, **given), draft=draft)
        self.assertEqual(code, 0, stderr)
        return {path.parent.name: path.read_text() for path in out.glob("*/config.pbtxt")}, out

    def check(self, templates, release):
        configs, out = self.filled(templates, release)
        self.assertEqual(sorted(configs), sorted([*keys.MODELS, "tensorrt_llm_draft"]))
        self.assertTrue((out / "tensorrt_llm_draft" / "1").is_dir())
        target, draft = (strings(configs[name]) for name in ("tensorrt_llm", "tensorrt_llm_draft"))
        self.assertEqual(
            (target["gpt_model_path"], draft["gpt_model_path"]),
            ("{stage:build}", "{stage:build_draft}"),
        )
        self.assertEqual(draft["kv_cache_free_gpu_mem_fraction"], "0.1")
        different = {key for key in target if target[key] != draft[key]}
        self.assertEqual(different, {"gpt_model_path", "kv_cache_free_gpu_mem_fraction"})
        names = [re.search(r'^name: "(.*)"', configs[name], re.M)[1] for name in configs]
        self.assertEqual(names, list(configs))
        bls = strings(configs["tensorrt_llm_bls"])
        self.assertEqual(
            (bls["tensorrt_llm_model_name"], bls["tensorrt_llm_draft_model_name"]),
            ("tensorrt_llm", "tensorrt_llm_draft"),
        )

    def test_is_a_copy_of_the_target_with_its_own_engine_and_bls_calls_it(self):
        self.check(own_templates(self.folder / "ours"), "0.14.0")

    def test_without_one_bls_names_none(self):
        configs, _ = self.filled(own_templates(self.folder / "ours"), "0.14.0", draft=())
        self.assertNotIn("tensorrt_llm_draft", configs)
        self.assertEqual(
            strings(configs["tensorrt_llm_bls"])["tensorrt_llm_draft_model_name"],
            "${tensorrt_llm_draft_model_name}",
        )

    def test_templates_whose_model_has_another_name_are_refused(self):
        templates = own_templates(self.folder / "ours")
        config = templates / "tensorrt_llm" / "config.pbtxt"
        config.write_text(config.read_text().replace('name: "tensorrt_llm"', 'name: "engine"'))
        out = self.folder / "out"
        code, stderr = run(templates, out, "0.14.0", defaults("0.14.0"), draft=DRAFT)
        self.assertEqual(code, 1)
        self.assertIn("has 0 lines with the name of tensorrt_llm, not one", stderr)

    def test_a_key_that_no_template_has_is_refused(self):
        draft = [*DRAFT, "--draft", "engine=1"]
        code, stderr = run(
            own_templates(self.folder / "ours"),
            self.folder / "out",
            "0.14.0",
            defaults("0.14.0"),
            draft=draft,
        )
        self.assertEqual(code, 1)
        self.assertIn("engine: '1' has no placeholder ${engine} in any template", stderr)

    @unittest.skipUnless(UPSTREAM, "ORCH_UPSTREAM names no git folder of tensorrtllm_backend")
    def test_upstreams_templates_of_every_release_serve_one(self):
        done = 0
        for release in keys.RELEASES:
            templates = upstream_templates(self.folder / f"models-{release}", release)
            if templates is None or keys.version(release) < keys.version("0.10.0"):
                continue
            with self.subTest(release):
                self.check(templates, release)
                done += 1
        self.assertGreater(done, 9)


@unittest.skipUnless(UPSTREAM, "ORCH_UPSTREAM names no git folder of tensorrtllm_backend")
class Upstream(RepositoryTest):
    def test_the_defaults_fill_the_templates_of_every_recorded_release(self):
        done = []
        for release in keys.RELEASES:
            with self.subTest(release):
                templates = upstream_templates(self.folder / f"models-{release}", release)
                if templates is None:
                    continue
                configs, stderr = self.must(templates, release)
                self.assertNotIn("warning", stderr)
                for model, text in configs.items():
                    bare = [
                        line
                        for line in text.splitlines()
                        if "${" in re.sub(r'"[^"]*"|#.*', "", line)
                    ]
                    self.assertEqual(bare, [], model)
                    if PARSE:
                        config = PARSE(text)
                        self.assertEqual((config.name or model, config.max_batch_size), (model, 8))
                done.append(release)
        self.assertGreater(len(done), 10)
        print(
            (
                f"{len(done)} releases, {'parsed with' if PARSE else 'without'} Triton's schema:"
                f" {', '.join(done)}"
            ),
            file=sys.stderr,
        )

    def test_templates_of_another_release_are_refused(self):
        templates = upstream_templates(self.folder / "models", "0.17.0")
        code, stderr = run(templates, self.folder / "out", "0.14.0", defaults("0.14.0"))
        self.assertEqual(code, 1)
        self.assertIn("${logits_datatype} has no value and is outside quotes", stderr)


if __name__ == "__main__":
    unittest.main()

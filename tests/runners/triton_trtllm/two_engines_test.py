"""The commands and repositories of models with two engines, as the backend's pages
docs/encoder_decoder.md and docs/multimodal.md have them, for each release that serves them.
ORCH_BINARY names orchestrate, which plans the points and fills the repositories."""

import functools
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_command
import template_keys_test as keys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import plans  # noqa: E402

# The templates by the newest release that they are recorded for.
RECORDS = {"1.2.0" if one == "1.x" else one: record for one, record in keys.records().items()}
# Read from examples/enc_dec/convert_checkpoint.py of NVIDIA/TensorRT-LLM at 1cc1443b.
CONVERTER = {
    *("--model_type", "--world_size", "--tp_size", "--pp_size", "--model_dir", "--output_dir"),
    *("--workers", "--weight_data_type", "--nougat", "--verbose", "--max_multimodal_len"),
    *("--use_parallel_embedding", "--embedding_sharding_dim", "--use_weight_only", "--dtype"),
    *("--weight_only_precision", "--use_embedding_sharing", "--skip_cross_qkv"),
}
MODELS = {
    "t5": "hf:google-t5/t5-small",
    "bart": "hf:facebook/bart-large-cnn",
    "llava": "hf:llava-hf/llava-1.5-7b-hf",
    "qwen2-vl": "hf:Qwen/Qwen2-VL-7B-Instruct",
}
# Keys of multimodal_encoders, by docs/multimodal.md, with their first release.
ENCODERS = {
    "triton_max_batch_size": (0, 13),
    "visual_model_path": (0, 13),
    "encoder_input_features_data_type": (0, 15),
    "hf_model_path": (0, 16),
    "multimodal_model_path": (0, 19),
    "max_queue_delay_microseconds": (0, 19),
}


@functools.cache
def points():
    """(model, release) -> point."""
    cases = [
        {"model": model, "trtllm_version": release, "num_prompts": 60, **more}
        for model, first, more in [
            ("t5", (0, 11), {}),
            ("bart", (0, 11), {"tp": 2}),
            ("llava", (0, 13), {"image_url": "http://images/a.png"}),
            ("qwen2-vl", (0, 19), {"image_url": "http://images/a.png"}),
        ]
        for release in RECORDS
        if first <= keys.version(release) < (1, 3)
    ]
    matrix = {
        "runner": "triton-trtllm",
        "models": {name: {"source": of, "revision": "0" * 40} for name, of in MODELS.items()},
        "defaults": {"model": "t5", "isl": 100, "osl": 50, "trtllm_version": "0.14.0"},
    }
    found = plans.planned(matrix, cases, *plans.EIGHT_H100)
    return {(case["model"], case["trtllm_version"]): point for case, point in zip(cases, found)}


def words_behind(argv, program):
    return argv[argv.index(program) + 1 :]


class TwoEngines(unittest.TestCase):
    maxDiff = None

    def test_no_release_that_serves_a_model_rejects_it(self):
        rejected = {of: one["reason"] for of, one in points().items() if one["status"] == "reject"}
        self.assertEqual(rejected, {})

    def test_builds_have_options_of_their_release(self):
        for (model, release), point in points().items():
            for name in ("build_encoder", "build_decoder", "build"):
                if name not in point["stages"]:
                    continue
                words = words_behind(point["stages"][name]["argv"], "trtllm-build")
                problems = [one.text for one in check_command.check(release, "build", words)]
                self.assertEqual(problems, [], f"{name} of {model} {release}")

    def test_the_converter_has_options_that_it_knows(self):
        for (model, release), point in points().items():
            if "convert_enc_dec" in point["stages"]:
                argv = point["stages"]["convert_enc_dec"]["argv"]
                self.assertEqual({one for one in argv if one[:2] == "--"} - CONVERTER, set())
                self.assertEqual(argv[argv.index("--model_type") + 1], model)

    def test_the_decoder_is_built_for_answers_and_for_what_the_encoder_read(self):
        stages = points()["t5", "0.14.0"]["stages"]
        decoder = " ".join(stages["build_decoder"]["argv"])
        self.assertIn("--max_input_len 1 --max_encoder_input_len 100 --max_seq_len 51", decoder)
        self.assertIn("--context_fmha disable", decoder)
        self.assertIn("--kv_cache_type disabled", " ".join(stages["build_encoder"]["argv"]))
        bart = points()["bart", "0.14.0"]["stages"]
        self.assertIn("--context_fmha enable", " ".join(bart["build_decoder"]["argv"]))

    def test_the_engine_has_room_for_the_rows_of_the_images(self):
        build = " ".join(points()["llava", "0.14.0"]["stages"]["build"]["argv"])
        self.assertIn("--max_input_len 676", build)  # isl 100 and an image
        self.assertIn("--max_prompt_embedding_table_size 4608", build)  # 8 requests of 576 rows

    def test_repositories_are_filled_with_both_engines(self):
        for (model, release), point in points().items():
            with self.subTest(model=model, release=release), tempfile.TemporaryDirectory() as here:
                config = self.repository(pathlib.Path(here), model, release, point)
                engine = "build" if "build" in point["stages"] else "build_decoder"
                self.assertIn('engine_dir: "{stage:%s}"' % engine, config["tensorrt_llm"])
                if "build_encoder" in point["stages"]:
                    self.assertIn(
                        'encoder_engine_dir: "{stage:build_encoder}"', config["tensorrt_llm"]
                    )
                    continue
                path = "visual" if keys.version(release) < (0, 19) else "multimodal"
                for one in ("preprocessing", "multimodal_encoders"):
                    self.assertIn(path + '_model_path: "{stage:build_visual}"', config[one])
                bls = config["tensorrt_llm_bls"]
                self.assertIn('multimodal_encoders_name: "multimodal_encoders"', bls)

    def repository(self, folder, model, release, point):
        """Model -> its lines KEY: VALUE, filled by the point's command from templates with the keys
        of RELEASE."""
        models = {one: list(record) for one, record in RECORDS[release].items()}
        if "build_visual" in point["stages"]:
            later = keys.version(release) >= (0, 19)
            models["multimodal_encoders"] = [
                key
                for key, since in ENCODERS.items()
                if since <= keys.version(release) and not (later and key == "visual_model_path")
            ]
        for name, placeholders in models.items():
            (folder / "templates" / name).mkdir(parents=True)
            lines = [f'{key}: "${{{key}}}"\n' for key in placeholders]
            (folder / "templates" / name / "config.pbtxt").write_text("".join(lines))
        given = {
            "{orchestrate}": plans.ORCHESTRATE,
            "{out}/repository": str(folder / "out"),
            "{file:scripts/repository.py}": str(
                plans.ROOT / "runners/triton-trtllm/scripts/repository.py"
            ),
            "{stage:%s}" % point["stages"]["templates"]["id"]: str(folder / "templates"),
        }
        argv = [given.get(one, one) for one in point["stages"]["repository_of_two"]["argv"]]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {one: (folder / "out" / one / "config.pbtxt").read_text() for one in models}


if __name__ == "__main__":
    unittest.main()

"""What can be said of the pages without running their commands: links lead somewhere, blocks say
what they are, and no page names a command, option, target of make or file that does not exist."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages  # noqa: E402
import rules  # noqa: E402

ROOT = pages.ROOT
BINARY = os.environ.get("ORCH_BINARY", str(ROOT / "build" / "default" / "src" / "orchestrate"))
MOST_LINES_OF_README = 150
MOST_LINES_OF_ARCHITECTURE = 150
MOST_LINES_OF_DISTRICT = 40
MOST_LINES_OF_DECISION = 40
DISTRICTS = sorted((ROOT / "src").glob("*/README.md"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
# Pages for contributors: their links and names are checked, their commands are not run.
FOR_CONTRIBUTORS = [
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "RELEASING.md",
    ROOT / "docs" / "decisions" / "README.md",
    *DECISIONS,
    *DISTRICTS,
]
# Pages that a generator writes. While the folder is absent, links into it are not followed.
GENERATED = ROOT / "docs" / "reference"
# Options of other programs, which the pages compare with ours or call.
FOREIGN = {
    "sbatch": "--signal --mem-per-gpu --mem --cpus-per-task",
    "perf_analyzer, genai-perf": """--streaming --service-kind --endpoint --concurrency-range
        --input-dataset
        --request-rate-range --request-distribution --request-count --warmup-request-count
        --synthetic-input-tokens-mean --synthetic-input-tokens-stddev --output-tokens-mean
        --output-tokens-stddev --output-tokens-mean-deterministic --input-data --input-file --shape
        --request-parameter --measurement-interval --stability-percentage --server-metrics-url
        --profile-export-file --endpoint-type --backend --async""",
    "TensorRT-LLM and its clients": """--help --num-requests --input-mean --input_mean --output-mean
        --request_rate --request-id --return-context-logits --kv_cache_type --max_seq_len --stream
        --no-stream --model_dir --output_dir --checkpoint_dir --model_repo --world_size --grpc_port
        --http_port --metrics_port --dtype --use_weight_only --weight_only_precision --tp_size
        --pp_size --moe_tp_size --moe_ep_size --gemm_plugin --gpt_attention_plugin
        --remove_input_padding --context_fmha --max_batch_size --paged_kv_cache --tokenizer_dir
        --engine_dir --gather_context_logits --gather_generation_logits --gather_all_token_logits
        --max-input-len --input-stdev --output-stdev --input_stdev --output_mean --output_stdev
        --num_requests --dataset --request-output-len --tokenizer-dir --batch-inputs
        --oversubscribe""",
    "tritonserver": """--http-port --metrics-port --grpc-port --model-repo --model-repository
        --disable-auto-complete-config --backend-config""",
    "llama-server": """--parallel --ctx-size --threads --batch-size --ubatch-size --threads-http
        --cache-prompt""",
    "SGLang": """--tp-size --pp-size --dp-size --ep-size --dtype --quantization
        --output-file --max-running-requests --context-length --mem-fraction-static
        --disable-radix-cache --kv-cache-dtype --attention-backend""",
    "TGI": """--num-shard --dtype --quantize --max-batch-size --max-total-tokens --max-input-tokens
        --cuda-memory-fraction --kv-cache-dtype""",
    "vLLM": """--tensor-parallel-size --pipeline-parallel-size --dtype --quantization --max-num-seqs
        --max-model-len --gpu-memory-utilization --max-num-batched-tokens --kv-cache-dtype
        --enable-prefix-caching --no-enable-prefix-caching --enable-chunked-prefill --lora-modules
        --attention-backend --speculative-config --enforce-eager --generation-config""",
    "LMDeploy": """--num-prompts --stream_output --top_k --top_p --temperature --csv --dst-path
        --dst_path""",
    "GNU parallel": "--resume",
    "Open MPI": "--noprefix --allow-run-as-root",
    "Slurm": """--nodes --ntasks-per-node --time --mpi --container-image --container-workdir
        --output --exclusive --gres --constraint --dependency --kill-on-invalid-dep --overlap
        --kill-on-bad-exit --cpu-bind --container-mounts --account --comment""",
    "docker": "--shm-size --name --net --ulimit --rm --init --cap-add --security-opt",
    "git": "--recursive --depth --init",
    "GoogleTest, ctest": "--gtest_filter --preset --tests-regex",
    "run.py of TensorRT-LLM": "--input_text --max_output_len",
    "cmake": "--build --target --preset --install --prefix",
    "a runner's example": "--NAME --WORD --token-ms --first-ms --slots",
}
PATHS = re.compile(r"^(?:experiments|runners|src|tests|scripts|templates|docs|\.ci)/[\w./*-]*\w$")
# Written by a command of the page, or an example of a name.
NOT_FILES = {"runners/NAME", "runners/NAME/runner.yaml"}
MADE = "runners/mine/"  # by `init --new-runner mine`


def help_of(*words):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=True)
    return done.stdout


def commands():
    """The options of each command, by its name."""
    listed = help_of("--help").split("Subcommands:")[1]
    names = re.findall(r"^  ([a-z][a-z-]*) ", listed, re.M)
    options = {}
    for name in names:
        text = help_of(name, "--help-all" if name == "bench" else "--help")
        options[name] = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    options[""] = set(re.findall(r"--[a-z][\w-]*", help_of("--help")))
    return options


def make_targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*):", text, re.M))


class Pages(unittest.TestCase):
    def test_readme_is_short(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len(lines), MOST_LINES_OF_README)

    def test_pages_for_contributors_are_short(self):
        most = [(ROOT / "ARCHITECTURE.md", MOST_LINES_OF_ARCHITECTURE)]
        most += [(page, MOST_LINES_OF_DISTRICT) for page in DISTRICTS]
        most += [(page, MOST_LINES_OF_DECISION) for page in DECISIONS]
        for page, lines in most:
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertLessEqual(len(page.read_text(encoding="utf-8").splitlines()), lines)

    def test_every_district_has_a_readme_with_each_of_its_parts(self):
        folders = sorted(path for path in (ROOT / "src").iterdir() if path.is_dir())
        self.assertEqual([page.parent for page in DISTRICTS], folders)
        for page in DISTRICTS:
            text = page.read_text(encoding="utf-8")
            listed = set(re.findall(r"^\| `([a-z]+)` \|", text, re.M))
            parts = {path.name for path in page.parent.iterdir() if path.is_dir()}
            self.assertEqual(listed, parts, page)

    def test_every_decision_is_in_the_index(self):
        index = ROOT / "docs" / "decisions" / "README.md"
        linked = [target for _, target in pages.links(index)]
        self.assertEqual(linked, [page.name for page in DECISIONS])

    def test_links_lead_somewhere(self):
        others = [*FOR_CONTRIBUTORS, ROOT / "runners" / "README.md", ROOT / "CHANGELOG.md"]
        for page in [*pages.all_pages(), *others, *GENERATED.glob("*.md")]:
            for number, target in pages.links(page):
                with self.subTest(page=page.name, line=number, target=target):
                    self.check_link(page, target)

    def check_link(self, page, target):
        if re.match(r"^https?://", target):
            return
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if GENERATED in file.parents and not GENERATED.exists():
            return
        self.assertTrue(file.exists(), f"there is no {file}")
        if anchor:
            self.assertIn(anchor, pages.anchors(file), f"{file.name} has no such heading")

    def test_every_page_is_linked_from_the_readme(self):
        linked = {target.partition("#")[0] for _, target in pages.links(ROOT / "README.md")}
        for page in (ROOT / "docs").glob("*.md"):
            self.assertIn(f"docs/{page.name}", linked)

    def test_blocks_say_what_they_are(self):
        for page in [*pages.all_pages(), *FOR_CONTRIBUTORS]:
            for block in pages.read_blocks(page)[0]:
                what = f"{block.place}: ```{block.language} {block.words}"
                self.assertTrue(block.is_known(), f"{what}: see tests/docs/pages.py")
                if block.language in ("text", "json"):
                    self.assertNotRegex(
                        block.text, r"(?m)^\s*\$? ?(orchestrate|make) \w", f"{what}: is never run"
                    )


# Commands that runs and shells start.
INTERNAL = ("guardian", "prompts", "complete", "watch-server")


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = commands()
        cls.any_option = set().union(*cls.commands.values())
        cls.foreign = set(" ".join(FOREIGN.values()).split())
        cls.words = []
        for page in [*pages.all_pages(), *FOR_CONTRIBUTORS]:
            at = page.relative_to(ROOT)
            cls.words += [(f"{at}:{line}", text) for line, text in pages.code_words(page)]
            for block in pages.read_blocks(page)[0]:
                if block.language in ("sh", "console"):
                    cls.words += [(each.place, each.text) for each in pages.commands_of(block)]

    def test_are_found(self):
        self.assertIn("bench", self.commands)
        self.assertIn("--url", self.commands["bench"])
        self.assertGreater(len(self.words), 300)

    def test_commands_exist(self):
        for place, text in self.words:
            for name in re.findall(r"(?<![\w/.{-])orchestrate ([a-z][a-z-]+)", text):
                if name not in INTERNAL:
                    self.assertIn(name, self.commands, f"{place}: {text}")

    def test_options_belong_to_their_command(self):
        for place, text in self.words:
            words = pages.words_of(text)
            name = next((word for word in words if word in self.commands), None)
            ours = words[:1] == ["orchestrate"] or words[:1] == [name]
            known = self.commands[name] if ours and name else self.any_option | self.foreign
            for option in re.findall(r"(?<![\w-])--[a-zA-Z][\w-]*", text):
                self.assertIn(option, known, f"{place}: {text}")

    def test_targets_of_make_exist(self):
        targets = make_targets()
        for place, text in self.words:
            for target in re.findall(r"(?:^|\s)make ([a-z][\w-]*)", text):
                self.assertIn(target, targets, f"{place}: {text}")

    def test_files_exist(self):
        for place, text in self.words:
            for word in text.split():
                if word.startswith(MADE):
                    word = word.replace(MADE, "templates/new_runner/", 1)
                if PATHS.match(word) and word not in NOT_FILES:
                    self.assertTrue(list(ROOT.glob(word)), f"{place}: there is no {word}")

    def test_files_of_districts_exist(self):
        """In the README of a district, a path that begins with a part is relative to it."""
        for page in DISTRICTS:
            parts = "|".join(path.name for path in page.parent.iterdir() if path.is_dir())
            for line, text in pages.code_words(page):
                if re.fullmatch(rf"(?:{parts})/[a-z0-9_./]+", text):
                    place = f"{page.relative_to(ROOT)}:{line}"
                    self.assertTrue((page.parent / text).exists(), f"{place}: there is no {text}")

    def test_every_rule_is_used(self):
        run = [text for _, text in self.words]
        for pattern, _, reason in rules.INSTEAD:
            self.assertTrue(
                any(re.match(pattern, text) for text in run),
                f"{pattern} ({reason}): no page has it",
            )


if __name__ == "__main__":
    unittest.main()

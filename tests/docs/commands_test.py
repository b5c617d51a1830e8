"""Runs every command of README.md and docs/ in order, page by page, each page in a copy of one
sandbox; checks every matrix and every part of one; and runs every query against the results of the
sandbox. `pages.py` describes the form of the blocks, `rules.py` what is not run as it stands.
"""
import json
import re
import shutil
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages  # noqa: E402
import rules  # noqa: E402
import sandbox  # noqa: E402

BASES = {
    "matrix": """name: part
runner: triton-openvino
models: {tiny: {source: "generate:tiny"}}
axes: {model: [tiny]}
""",
    "trtllm": """name: part
runner: triton-trtllm
models:
  qwen2-7b:
    source: "hf:Qwen/Qwen2-7B"
    revision: main
    facts: {type: qwen2, heads: 28, kv_heads: 4, layers: 28, hidden: 3584, intermediate: 18944,
            vocab: 152064, positions: 131072, tied: false}
defaults: {precision: fp16}
axes: {model: [qwen2-7b]}
""",
}
# What a part of a runner.yaml is added to, if it lacks these keys. A part of a command line is
# written in place of @argv@.
MANIFEST = {
    "runner": "runner: part\n",
    "facts": """facts:
  from: make
  file: config.json
  names:
    model_heads: {type: integer, keys: [num_attention_heads]}
""",
    "parameters": "parameters:\n",
    "stages": """stages:
  make:
    kind: task
    reads: [model]
    argv: [/usr/bin/python3, "{file:make.py}", "{model.source}", "{out}"]
    outputs: [config.json]
  download:
    kind: task
    argv: [/usr/bin/python3, "{file:make.py}", "{out}"]
    outputs: [config.json]
  serve:
    kind: service
    needs: [make, download]
    ports: [http]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}"]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve, make]
    reads: [concurrency, request_rate, arrival, burstiness]
    argv:
      - "{orchestrate}"
      - bench
      - --url
      - "http://127.0.0.1:{port:serve.http}"
@argv@      - --out
      - "{out}"
    outputs: [measurement.json]
""",
}
PARAMETERS = """  model: {type: text}
  tp: {type: integer, default: 1}
  concurrency: {type: integer, optional: true}
  request_rate: {type: real, optional: true}
  arrival: {type: text, optional: true}
  burstiness: {type: real, optional: true}
"""
WHOLE = "  bench:\n"  # a manifest with its own measurement needs nothing added
# Files that the pages name and that users have.
ROW = {"text_input": "Which number follows?"}
USERS = {
    "prompts.jsonl": "".join(json.dumps({**ROW, "isl": 3}) + "\n" for _ in range(2000)),
    "data/openorca.jsonl": "".join(
        json.dumps({"text_input": f"Question {i}: which number follows?"}) + "\n"
        for i in range(2000)
    ),
    "data/openorca_10.jsonl": "".join(
        json.dumps({"text_input": f"Question {i}: which number follows?"}) + "\n"
        for i in range(10)
    ),
    "data/inputs.jsonl": "".join(
        json.dumps({"input": f"Question {i}: which number follows?", "output": "The next."}) + "\n"
        for i in range(1376)
    ),
    "data/sharegpt.json": json.dumps(
        [
            {"id": str(i), "conversations": [
                {"from": "human", "value": f"Question {i}: which number follows?"},
                {"from": "gpt", "value": "The number after it."},
            ]}
            for i in range(1200)
        ]
    ),
    "data/trace.jsonl": "".join(
        json.dumps({"timestamp": 5 * i, "input_length": 20, "output_length": 4}) + "\n"
        for i in range(40)
    ),
    "models/Qwen2-7B/tokenizer.json": "{}",
    "models/Qwen2-7B/config.json": json.dumps(
        {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
         "intermediate_size": 18944, "num_attention_heads": 28, "num_hidden_layers": 28,
         "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 131072,
         "tie_word_embeddings": False}
    ),
    "models/internlm-7b/tokenizer.json": "{}",
    "models/internlm-7b/config.json": json.dumps(
        {"model_type": "internlm", "num_attention_heads": 32, "torch_dtype": "float16"}
    ),
    "docker/Dockerfile.trtllm_v0.11.0": (
        "FROM registry.example/customer_triton_trt_llm:v0.11.0\nCOPY . /opt\n"
    ),
    "requirements.txt": "auto-gptq\n",
    ".home/token": "not-a-real-token\n",
}  # fmt: skip


def shape(line):
    """LINE without what differs from run to run."""
    line = re.sub(r"\b(?:hf|oa|o)?[0-9a-f]{6,64}\b", "H", line)
    line = re.sub(r"\d[\d,]*\.\d+", "N", line)
    line = re.sub(r"-{2,}", "--", line)
    return " ".join(line.replace("*", "").split())


def missing_line(wanted, printed):
    """The first of the WANTED lines that is not in PRINTED where it must be, or None."""
    shapes = [shape(line) for line in printed]
    at, any_lines = 0, True  # lines of notes may precede
    for line in wanted:
        if line.strip() == "...":
            any_lines = True
            continue
        if not line.strip():
            continue
        rest = [i for i in range(at, len(shapes)) if shapes[i]]
        found = next((i for i in rest if shapes[i] == shape(line)), None)
        if found is None or (not any_lines and found != rest[0]):
            return line
        at, any_lines = found + 1, False
    return None


def whole_manifest(block):
    """A manifest that has the BLOCK as a part, or is the block."""
    text, argv = (block.text, "") if block.words == "manifest" else ("", block.text)
    if WHOLE in text:
        return text
    found = {key: part for key, part in MANIFEST.items() if not re.search(rf"^{key}:", text, re.M)}
    stages = found.pop("stages").replace("@argv@", textwrap.indent(argv, "      "))
    # The block comes between: versions stand above parameters, and these above rules.
    above = "".join(found[key] for key in ["runner", "facts"] if key in found)
    parameters = found.get("parameters", "")
    versions = re.search(r"^versions:\n(?:  .*\n)*", text, re.M)
    whole = above + (versions[0] if versions else "") + parameters
    whole += text.replace(versions[0], "") if versions else text
    return whole.replace("parameters:\n", "parameters:\n" + PARAMETERS, 1) + stages


class Shapes(unittest.TestCase):
    def test_measured_numbers_and_hashes_may_differ(self):
        self.assertIsNone(missing_line(["a 1.5 q-1a2b3c"], ["note", "a   22.0 q-abcdef"]))

    def test_counts_may_not_differ(self):
        self.assertEqual(missing_line(["4 points"], ["5 points"]), "4 points")

    def test_words_may_not_differ(self):
        self.assertEqual(missing_line(["a 1", "b 2"], ["a 1", "c 2"]), "b 2")

    def test_lines_between_need_three_dots(self):
        self.assertEqual(missing_line(["a", "c"], ["a", "b", "c"]), "c")
        self.assertIsNone(missing_line(["a", "...", "c"], ["a", "b", "c"]))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="orchestrate-docs-"))
        cls.box = sandbox.make(cls.folder / "project")
        shutil.copytree(cls.box.folder, cls.folder / "as-made", symlinks=True)
        cls.server = sandbox.Server()
        cls.port = cls.server.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)
        shutil.rmtree(cls.folder)

    def setUp(self):
        """The sandbox as it was made, at its own path: an environment cannot move."""
        shutil.rmtree(self.box.folder)
        shutil.copytree(self.folder / "as-made", self.box.folder, symlinks=True)
        for path, text in USERS.items():
            (self.box.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.box.folder / path).write_text(text, encoding="utf-8")

    def test_results_page_lists_the_views(self):
        page = (pages.ROOT / "docs" / "results.md").read_text(encoding="utf-8")
        table = page[page.index("## The views") : page.index("## Columns")]
        listed = re.findall(r"^\| `(\w+)` \|", table, re.M)
        views = re.findall(r"^(\w+)$", self.box.run("orchestrate query").stdout, re.M)
        self.assertEqual(listed, views)

    def test_readme_shows_columns_of_results(self):
        page = (pages.ROOT / "README.md").read_text(encoding="utf-8")
        header = re.search(r"^\| precision .*$", page, re.M)[0]
        columns = ", ".join(word.strip() for word in header.strip("|").split("|"))
        done = self.box.run(f"orchestrate query 'select {columns} from results'")
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_page(self, page):
        for number, block in enumerate(pages.read_blocks(page)[0]):
            with self.subTest(block=block.place):
                self.run_block(block, number)

    def run_block(self, block, number):
        if block.language in ("sh", "console"):
            for command in pages.commands_of(block):
                self.run_command(command)
        elif block.language == "sql":
            for statement in pages.statements_of(block):
                self.run_query(block, statement)
        elif block.language == "yaml" and block.words.startswith("file="):
            self.write_file(block)
        elif block.language == "yaml":
            self.check_part(block, number)

    def run_command(self, command):
        text = rules.to_run(command.text, self.port).replace("$ROOT", str(sandbox.ROOT))
        done = self.box.run(text)
        printed = done.stdout + done.stderr
        what = f"{command.place}: {command.text}\nran: {text}\n{printed[-3000:]}"
        self.assertEqual(done.returncode, command.status, what)
        if text == command.text:
            self.assertIsNone(missing_line(command.printed, printed.splitlines()), what)

    def run_query(self, block, statement):
        done = self.box.run('orchestrate query --json "$(cat)"', statement)
        self.assertEqual(done.returncode, 0, f"{block.place}: {statement}\n{done.stderr}")
        self.assertNotEqual(json.loads(done.stdout), [], f"{block.place}: no row: {statement}")

    def write_file(self, block):
        path = self.box.folder / block.words.removeprefix("file=")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if re.search(r"^axes:", block.text, re.M):
            self.check(block, str(path))

    def check_part(self, block, number):
        if block.words == "site":
            (self.box.folder / "site-part.yaml").write_text(block.text, encoding="utf-8")
            (self.box.folder / "part.yaml").write_text(BASES["matrix"], encoding="utf-8")
            return self.check(block, "part.yaml", "--site site-part.yaml")
        if block.words in ("manifest", "argv"):
            return self.check_manifest(block)
        (self.box.folder / "part-base.yaml").write_text(BASES[block.words], encoding="utf-8")
        text = f"base: part-base.yaml\n{block.text}"
        (self.box.folder / f"part-{number}.yaml").write_text(text, encoding="utf-8")
        return self.check(block, f"part-{number}.yaml", rules.GPUS)

    def check_manifest(self, block):
        text = whole_manifest(block)
        name = re.search(r"^runner: (\S+)", text, re.M)[1]
        runner = self.box.folder / "runners" / name
        shutil.rmtree(runner, ignore_errors=True)
        runner.mkdir()
        (runner / "runner.yaml").write_text(text, encoding="utf-8")
        for script in ["make.py", "serve.py", "resolve.py"]:
            (runner / script).write_text("")
        matrix = f"name: part\nrunner: {name}\naxes: {{concurrency: [1, 2]}}\n"
        if "{model.source}" in text:
            matrix += 'models: {m: {source: "local:models/Qwen2-7B"}}\ndefaults: {model: m}\n'
        (self.box.folder / "part.yaml").write_text(matrix, encoding="utf-8")
        self.check(block, "part.yaml")

    def check(self, block, matrix, options=""):
        done = self.box.run(f"orchestrate check {matrix} {options}")
        self.assertEqual(done.returncode, 0, f"{block.place}\n{block.text}\n{done.stderr}")


def add_page(page):
    name = re.sub(r"\W", "_", str(page.relative_to(pages.ROOT).with_suffix("")))
    setattr(Pages, f"test_{name}", lambda self: self.run_page(page))


for each in pages.all_pages():
    if pages.read_blocks(each)[0]:
        add_page(each)

if __name__ == "__main__":
    unittest.main()

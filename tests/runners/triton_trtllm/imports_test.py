"""A changed script of runners/ changes the digest of the stages that run it: every file of its
folder that a script imports is listed under `files` of its stage, or of a stage that this one
needs. Reads manifests and scripts; runs nothing."""

import ast
import re
import unittest
from pathlib import Path

import yaml

RUNNERS = Path(__file__).resolve().parents[3] / "runners"


def stages_of(runner):
    manifest = yaml.safe_load((RUNNERS / runner / "runner.yaml").read_text())
    texts = [
        manifest,
        *(
            yaml.safe_load(
                (RUNNERS / ("" if part.startswith("common/") else runner) / part).read_text()
            )
            for part in manifest.get("parts", [])
        ),
    ]
    fragments = {name: one for text in texts for name, one in text.get("fragments", {}).items()}
    stages = {name: stage for text in texts for name, stage in text.get("stages", {}).items()}
    return {name: with_fragments(stage, fragments) for name, stage in stages.items()}


def with_fragments(stage, fragments):
    """STAGE with the files of the fragments that its argv includes."""
    named = re.findall(r"'fragment': '(\w+)'", str(stage.get("argv", [])))
    files = [file for name in named for file in fragments[name].get("files", [])]
    return {**stage, "files": [*stage.get("files", []), *files]}


def file_of(runner, name):
    return RUNNERS / name if name.startswith("common/") else RUNNERS / runner / name


def imported(runner, name):
    """Files of the same folder that a script imports, directly or indirectly."""
    found, open_names = set(), [name]
    while open_names:
        at = open_names.pop()
        tree = ast.parse(file_of(runner, at).read_text(), feature_version=(3, 8))
        modules = [
            one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for one in node.names
        ]
        modules += [
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
        ]
        for module in modules:
            beside = str(Path(at).with_name(module + ".py"))
            if beside not in found and file_of(runner, beside).exists():
                found.add(beside)
                open_names.append(beside)
    return found


def digested(stages, name):
    """Files whose content is in the digest of a stage or of a stage that it needs."""
    stage = stages[name]
    own = set(stage.get("files", [])) | set(re.findall(r"\{file:([^}]*)\}", str(stage)))
    return own.union(*(digested(stages, need) for need in stage.get("needs", [])))


class Imports(unittest.TestCase):
    def test_the_digest_of_a_stage_covers_the_imports_of_its_scripts(self):
        scripts = 0
        for runner in ("triton-trtllm", "triton-openvino", "llama-cpp"):
            stages = stages_of(runner)
            for name, stage in stages.items():
                for script in re.findall(r"\{file:([^}]*\.py)\}", str(stage)):
                    with self.subTest(runner=runner, stage=name, script=script):
                        self.assertEqual(imported(runner, script) - digested(stages, name), set())
                        scripts += 1
        self.assertGreater(scripts, 15)


if __name__ == "__main__":
    unittest.main()

"""What points of lmdeploy become: the command lines, kept in commands.txt (ORCH_UPDATE_GOLDEN=1
writes it), each word of them beside the options of its release; and what is refused. ORCH_BINARY
names orchestrate."""

import json
import os
import pathlib
import re
import sys
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
RUNNER = PROJECT / "runners/lmdeploy"
ORCHESTRATE = os.environ["ORCH_BINARY"]
COMMANDS = HERE / "commands.txt"
OWN = "/opt/lmdeploy/bin/lmdeploy"

sys.path.insert(0, str(HERE.parent))
import option_table  # noqa: E402
import plans  # noqa: E402

TABLES = {path.stem: option_table.Table(path) for path in (HERE / "options").glob("*.txt")}
FACTS = {"type": "internlm", "heads": 32, "dtype": "float16", "quant_method": "none"}
MODELS = {
    "m": FACTS,
    "bf16": {**FACTS, "dtype": "bfloat16"},
    "awq": {**FACTS, "quant_method": "awq"},
    "gptq": {**FACTS, "quant_method": "gptq"},
    "fp8": {**FACTS, "quant_method": "fp8"},
    "mxfp4": {**FACTS, "quant_method": "mxfp4"},
}


def planned(cases):
    matrix = {
        "runner": "lmdeploy",
        "models": {
            name: {"source": f"hf:some/{name}", "facts": facts, "revision": "0" * 40}
            for name, facts in MODELS.items()
        },
        "datasets": {"sharegpt": {"source": "local:sharegpt.json"}},
        "measure": {"prompts": "sharegpt", "reuse_prompts": True},
    }
    turns = [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]
    dataset = ("sharegpt.json", json.dumps([{"conversations": turns}] * 100))
    return plans.planned(matrix, cases, *plans.EIGHT_H100, files=[dataset])


def plain(words):
    """WORDS without digests and folders."""
    text = "\n".join(words).replace(str(PROJECT), "PROJECT").replace(ORCHESTRATE, "ORCHESTRATE")
    text = re.sub(r"local:\S*/sharegpt.json", "local:FOLDER/sharegpt.json", text)
    return re.sub("-[0-9a-f]{12}}", "}", text).split("\n")


STAGES = [
    "environment", "quantize", "convert", "serve", "serve_api", "bench", "serve_offline",
    "tool_bench", "benchmark_source", "profile_bench",
]  # fmt: skip
OLD = {"template": "internlm"}
CASES = {
    "document 003, 0.1.0": {"lmdeploy_version": "0.1.0", "end_id": 2, **OLD},
    "triton 0.5.1": {
        "lmdeploy_version": "0.5.1", "tp": 2, "instances": 64, "batch_size": 32,
        "cache_max_entry_count": 0.5, "triton_metrics": True, "tritonserver": "/opt/t", **OLD,
    },
    "awq by triton 0.4.2": {"lmdeploy_version": "0.4.2", "precision": "w4a16", **OLD},
    "awq of 0.1.0": {"lmdeploy_version": "0.1.0", "precision": "w4a16", "model": "awq", **OLD},
    "api_server 0.2.0": {"lmdeploy_version": "0.2.0", "frontend": "api_server", **OLD},
    "converted, api_server 0.9.2": {"lmdeploy_version": "0.9.2", "convert": True, "tp": 2},
    "bf16 converted 0.6.1": {
        "lmdeploy_version": "0.6.1", "convert": True, "precision": "bf16", "model": "bf16",
    },
    "newest": {},
    "newest fp16": {"precision": "fp16", "tp": 4, "batch_size": 128},
    "kv int8": {"kv_cache_dtype": "int8"},
    "prefixes kept": {"enable_kv_cache_reuse": True},
    "pytorch": {
        "engine": "pytorch", "eager_mode": True, "adapters": "a=/a b=/b",
        "trust_remote_code": True, "server_options": "--max-concurrent-requests 9",
    },
    "speculative": {"speculative_algorithm": "eagle3", "speculative_num_draft_tokens": 3},
    "sampling": {"temperature": 0.5, "top_p": 0.9, "stop_words": ["a b"]},
    "chat": {"bench_protocol": "openai-chat"},
    "own installation": {"lmdeploy": OWN},
    "requirements": {"requirements": "/opt/lmdeploy.txt"},
    "image": {
        "lmdeploy_version": "0.1.0", "image": "openmmlab/lmdeploy:v0.1.0",
        "container_options": "--cap-add SYS_PTRACE", **OLD,
    },
    "profile_serving 0.1.0": {"lmdeploy_version": "0.1.0", "tool": "profile_serving", **OLD},
    "profile_serving, own script": {
        "lmdeploy_version": "0.5.1", "tool": "profile_serving", "tool_path": "/opt/p.py",
        "top_k": 5, "top_p": 0.9, "temperature": 0.7, **OLD,
    },
    "profile_restful_api 0.4.1": {
        "lmdeploy_version": "0.4.1", "tool": "profile_restful_api", "frontend": "api_server", **OLD,
    },
    "profile_restful_api 0.6.2": {
        "lmdeploy_version": "0.6.2", "tool": "profile_restful_api", "request_rate": 4,
    },
    "profile_restful_api": {"tool": "profile_restful_api", "request_rate": 4},
    "profile_throughput": {"tool": "profile_throughput", "tp": 2},
    "genai-perf": {"tool": "genai-perf"},
    "aiperf": {"tool": "aiperf"},
}  # fmt: skip

REJECTS = [
    ({"pp": 2}, "divides no layers among ranks"),
    ({"tp": 3}, "powers of 2 only"),
    ({"tp": 64}, "32 heads on 64 ranks"),
    ({"lmdeploy_version": "0.5.1"}, "by the name of its chat template"),
    ({"lmdeploy_version": "0.5.1", "precision": "bf16", **OLD}, "from 0.6.1 on"),
    (
        {"lmdeploy_version": "0.6.2", "precision": "bf16", "tool": "profile_throughput"},
        "profile_throughput from 0.6.3 on",
    ),
    ({"precision": "gptq"}, "config.json says none"),
    ({"precision": "w4a16", "model": "gptq"}, "quantized by gptq already"),
    ({"precision": "fp16", "model": "awq"}, "is quantized by awq"),
    ({"lmdeploy_version": "0.1.0", "precision": "w4a16", **OLD}, "before 0.2.0"),
    ({"lmdeploy_version": "0.5.1", "convert": False, **OLD}, "leave convert and"),
    ({"lmdeploy_version": "0.9.2", "convert": True, "engine": "pytorch"}, "reads checkpoints"),
    ({"lmdeploy_version": "0.9.2", "trust_remote_code": True}, "leave trust_remote_code out"),
    ({"lmdeploy": OWN, "requirements": "/r"}, "set only one of them"),
    ({"image": "i", "requirements": "/r"}, "set only one of them"),
    ({"bench_protocol": "triton-grpc"}, "leave bench_protocol out"),
    ({"session_len": 149}, "has room for 149 tokens"),
    ({"lmdeploy_version": "0.1.0", "frontend": "api_server", **OLD}, "has no options for its"),
    ({"lmdeploy_version": "0.4.1", "enable_kv_cache_reuse": True, **OLD}, "from 0.4.2 on"),
    ({"eager_mode": True}, "belong to engine pytorch"),
    ({"engine": "pytorch", "communicator": "nccl"}, "belong to engine turbomind"),
    ({"lmdeploy_version": "0.5.1", "server_options": "--ssl", **OLD}, "options of api_server"),
    ({"speculative_num_draft_tokens": 3}, "needs speculative_algorithm"),
    ({"beam_width": 2}, "has no beam search"),
    ({"return_context_logits": True}, "return no logits"),
    ({"bad_words": ["a"]}, "take no bad words"),
    ({"lmdeploy_version": "0.5.1", "stop_words": ["a"], **OLD}, "as token ids only"),
    ({"lora_task_id": 1}, "have names, not numbers"),
    ({"prompt_ids": True}, "takes texts"),
    ({"frontend": "offline"}, "belongs to profile_throughput"),
    ({"tool": "profile_throughput", "frontend": "api_server"}, "belongs to profile_throughput"),
    ({"lmdeploy_version": "0.2.3", "tool": "profile_throughput", **OLD}, "converted models only"),
    ({"tool": "profile_throughput", "batch_size": 64}, "requests in one batch, not for"),
    *(
        ({"tool": "profile_throughput", **value}, "starts the engine without")
        for value in [
            {"num_tokens_per_iter": 4096},
            {"rope_scaling_factor": 2.0},
            {"communicator": "native"},
            {"engine": "pytorch", "eager_mode": True},
            {"server_options": "--ssl"},
            {"speculative_algorithm": "eagle3"},
        ]
    ),
    ({"tool": "genai-perf", "bench_protocol": "openai-chat"}, "for /v1/completions"),
    ({"tool": "profile_serving"}, "sends to Triton"),
    (
        {"tool": "profile_restful_api", "request_rate": 4, "tool_image": "e/lmdeploy:1"},
        "set image, and leave tool_image out",
    ),
    ({"lmdeploy_version": "0.5.1", "tool": "profile_restful_api", **OLD}, "sends to api_server"),
    ({"tool": "profile_restful_api"}, "set request_rate"),
    ({"tool": "profile_restful_api", "request_rate": 4, "arrival": "constant"}, "poisson"),
    ({"tool": "profile_restful_api", "request_rate": 4, "top_k": 5}, "has no option for it"),
    (
        {"tool": "profile_restful_api", "request_rate": 4, "tool_version": "0.9.0"},
        "imports LMDeploy",
    ),
    ({"lmdeploy_version": "0.10.0", "convert": True}, "convert"),
    ({"lmdeploy_version": "0.3.0", "kv_cache_dtype": "int8", **OLD}, "int8"),
    ({"lmdeploy_version": "0.5.2", "frontend": "triton", **OLD}, "triton"),
]  # fmt: skip

# Every parameter that becomes a word, at values that its releases accept.
VALUES = [
    {"precision": "fp16"},
    {"precision": "bf16", "model": "bf16"},
    {"precision": "w4a16"},
    {"precision": "w4a16", "model": "awq"},
    {"precision": "gptq", "model": "gptq"},
    {"precision": "fp8", "model": "fp8"},
    {"precision": "mxfp4", "model": "mxfp4"},
    {"kv_cache_dtype": "int8"},
    {"kv_cache_dtype": "int4"},
    {"kv_cache_dtype": "fp8"},
    {"convert": True},
    {"convert": True, "precision": "bf16", "model": "bf16", "template": "internlm"},
    {"convert": True, "precision": "w4a16"},
    {"convert": True, "precision": "gptq", "model": "gptq"},
    {"convert": True, "precision": "fp8", "model": "fp8"},
    {"engine": "pytorch", "adapters": "a=/a b=/b"},
    {"engine": "pytorch", "eager_mode": True},
    {"precision": "w4a16", "calib_dataset": "c4", "calib_samples": 8, "calib_seqlen": 64},
    {"precision": "w4a16", "calib_batch_size": 2},
    {"precision": "w4a16", "search_scale": True},
    {"trust_remote_code": True},
    {"cache_block_seq_len": 64},
    {"enable_kv_cache_reuse": True},
    {"max_prefill_token_num": 4096},
    {"num_tokens_per_iter": 4096, "max_prefill_iters": 2},
    {"rope_scaling_factor": 2.0},
    *({"communicator": name} for name in ("nccl", "native", "cuda-ipc")),
    *(
        {"speculative_algorithm": name, "speculative_num_draft_tokens": 2}
        for name in ("eagle", "eagle3", "deepseek_mtp", "qwen3_5_mtp", "hy3_mtp")
    ),
    {"log_level": "DEBUG"},
    {"tool": "profile_restful_api", "request_rate": 4},
    *(
        {"tool": "profile_throughput", "frontend": "offline", **value}
        for value in [
            {},
            {"tp": 2},
            {"precision": "w4a16"},
            {"precision": "bf16", "model": "bf16"},
            {"kv_cache_dtype": "int4"},
            {"temperature": 0.5, "top_p": 0.5, "top_k": 2},
            {"enable_kv_cache_reuse": True},
            {"engine": "pytorch", "cache_block_seq_len": 64},
        ]
    ),
    {"tool": "profile_restful_api", "temperature": 0.5, "top_p": 0.5},
]


def cases_of(release):
    """Every way to serve at RELEASE, with every value."""
    base = {"lmdeploy_version": release}
    numbers = [int(part) for part in release.split(".")]
    if numbers < [0, 6]:
        base |= OLD
    rows = [{**base, "frontend": "api_server", **value} for value in [{}, *VALUES]]
    if numbers < [0, 5, 2]:
        rows += [{**base, **value} for value in [{}, *VALUES[:10]]]
        rows += [{**base, "tool": "profile_serving", "top_p": 0.5}, {**base, "tp": 2}]
    return rows


def tool_lines(point):
    """(tool, words behind its name) of what a point starts of LMDeploy."""
    for name, stage in point["stages"].items():
        words = [word.replace("{bind}", "127.0.0.1") for word in stage["argv"]]
        words = ["8000" if word.startswith("{port:") else word for word in words]
        if name in ("quantize", "convert", "serve_api"):
            start = {"quantize": 3, "convert": 2, "serve_api": 3}[name]
            tool = {"quantize": "auto_awq", "serve_api": "api_server"}.get(name, name)
            yield tool, words[start:]
        if name == "profile_bench":
            script = words.index("python") + 1
            yield point["params"]["tool"], words[script + 1 :]


def positionals(tool, release):
    if tool == "convert":
        return 2
    if tool == "profile_throughput":
        return 2
    old = tool == "profile_serving" or [int(part) for part in release.split(".")] < [0, 6, 2]
    return (3 if old else 0) if tool.startswith("profile_") else 1


def problems_of(release, points):
    """The problems of all command lines of POINTS, and the number of lines read."""
    problems, read = set(), 0
    for point in points:
        if point["status"] == "reject":
            continue
        for tool, words in tool_lines(point):
            read += 1
            try:
                found, wrong = option_table.read(words, TABLES[tool].at(release))
            except LookupError as error:
                wrong, found = [str(error)], {}
            if len(found.get("", [])) != positionals(tool, release) and not wrong:
                wrong = [f"it has the words {found.get('', [])} without an option"]
            problems |= {f"{release} {tool}: {one}: {' '.join(words)}" for one in wrong}
    return sorted(problems), read


def rules():
    """Names of the runner's own rules that reject."""
    texts = [RUNNER / "runner.yaml", *RUNNER.glob("manifest/*.yaml")]
    return {
        rule["name"]
        for text in texts
        for rule in yaml.safe_load(text.read_text()).get("rules", [])
        if rule.get("level", "reject") == "reject"
    }


def manifest():
    return yaml.safe_load((RUNNER / "runner.yaml").read_text())


class PlanTest(unittest.TestCase):
    maxDiff = None

    def test_command_lines_are_those_recorded(self):
        text = ""
        for (name, _), point in zip(CASES.items(), planned(list(CASES.values()))):
            self.assertEqual(point["status"], "run", f"{name}: {point['reason']}")
            for stage in STAGES:
                if stage in point["stages"]:
                    words = plain(point["stages"][stage]["argv"])
                    text += f"== {name}: {stage}\n" + "\n".join(words) + "\n"
        if os.environ.get("ORCH_UPDATE_GOLDEN"):
            COMMANDS.write_text(text)
        self.assertEqual(COMMANDS.read_text(), text)

    def test_every_word_is_an_option_of_its_release_with_a_valid_value(self):
        total, used = 0, set()
        for release in manifest()["versions"]["rows"]:
            with self.subTest(release):
                points = planned(cases_of(release))
                problems, read = problems_of(release, points)
                self.assertEqual([], problems, "\n".join(problems))
                self.assertGreater(read, 6)
                total += read
                used |= {
                    (tool, word)
                    for point in points
                    if point["status"] != "reject"
                    for tool, words in tool_lines(point)
                    for word in words
                    if word.startswith("--")
                }
        self.assertGreater(total, 1000)
        written = {
            word
            for name in ("model", "serve")
            for stage in self.stages_of(name)
            for word in re.findall(r"(?<=[ \[:])--[a-z][a-z_-]*(?![a-z_=-])", stage)
        }
        self.assertLessEqual(written - {word for _, word in used}, {"--speculative-draft-model"})

    def stages_of(self, name):
        """The texts of the stages that call LMDeploy's own commands."""
        text = (RUNNER / f"manifest/{name}.yaml").read_text().split("\nstages:")[1]
        found = re.split(r"\n  (?=\w+:\n)", text)
        return [one for one in found if one.startswith(("quantize", "convert", "serve_api"))]

    def test_a_wrong_option_is_detected(self):
        [point] = planned([{}])
        words = point["stages"]["serve_api"]["argv"]
        words[words.index("--tp")] = "--tp-size"
        problems, _ = problems_of("0.16.0", [point])
        self.assertIn("--tp-size is no option", problems[0])
        [point] = planned([{"lmdeploy_version": "0.9.2", "convert": True}])
        problems, _ = problems_of("0.10.0", [point])
        self.assertIn("0.10.0 was not read", problems[-1])

    def test_releases_and_their_commits_are_those_that_were_read(self):
        read = json.loads((HERE / "options/commits.json").read_text())
        self.assertEqual(list(manifest()["versions"]["rows"]), list(read))
        self.assertEqual(list(read), TABLES["api_server"].releases)
        text = yaml.safe_load((RUNNER / "manifest/tools.yaml").read_text())
        sql = text["parameters"]["benchmark_ref"]["sql"]
        self.assertEqual(dict(re.findall(r"WHEN '(\S+)' THEN '(\w{40})'", sql)), read)

    def test_what_cannot_be_done_is_a_reject_in_words(self):
        points = planned([case for case, _ in REJECTS])
        for point, (case, because) in zip(points, REJECTS):
            with self.subTest(**case):
                self.assertEqual(point["status"], "reject")
                self.assertIn(because, point["reason"])
        broken = {point["reason"].split(":")[0] for point in points}
        self.assertLessEqual(rules() - {"ids-in-triton"}, broken)

    def test_lengths_loads_and_tools_share_a_server_and_releases_do_not(self):
        cases = [{}, {"isl": 120}, {"concurrency": 8}, {"tool": "genai-perf"}, {"isl": 300},
                 {"lmdeploy_version": "0.15.0"}]  # fmt: skip
        servers = [point["stages"]["serve_api"]["id"] for point in planned(cases)]
        self.assertEqual(len(set(servers[:4])), 1)
        self.assertEqual(len(set(servers)), 3)

    def test_every_server_is_given_the_policy_of_its_KV_cache(self):
        old = {"lmdeploy_version": "0.5.1", **OLD}
        for stage, base in [("serve", old), ("serve_api", {})]:
            types = [{}, {"kv_cache_dtype": "int8"}, {"kv_cache_dtype": "int4"}]
            servers = [point["stages"][stage] for point in planned([{**base, **t} for t in types])]
            self.assertEqual(len({server["id"] for server in servers}), 3)
            given = [server["argv"] for server in servers]
            self.assertNotIn("--quant-policy", given[0])
            self.assertEqual(
                [words[words.index("--quant-policy") + 1] for words in given[1:]], ["8", "4"]
            )


if __name__ == "__main__":
    unittest.main()

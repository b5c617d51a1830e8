"""Models and calibration sets on one hub: tests/runners/hub/hub_server.py for each repository, on
one address. A model has the configuration that its matrix states, a tokenizer, and few weights."""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "runners/hub"))

import hub_server  # noqa: E402
import yaml  # noqa: E402

KNOWN = yaml.safe_load((HERE.parents[1] / "runners/common/models.yaml").read_text("utf-8"))

ARCHITECTURES = {"qwen2": "Qwen2ForCausalLM", "llama": "LlamaForCausalLM",
                 "gpt2": "GPT2LMHeadModel", "mixtral": "MixtralForCausalLM",
                 "internlm": "InternLMForCausalLM"}  # fmt: skip
KEYS = {"heads": "num_attention_heads", "kv_heads": "num_key_value_heads",
        "layers": "num_hidden_layers", "hidden": "hidden_size", "vocab": "vocab_size",
        "intermediate": "intermediate_size", "positions": "max_position_embeddings",
        "experts": "num_local_experts", "tied": "tie_word_embeddings"}  # fmt: skip
SMALL = {"type": "llama", "heads": 12, "layers": 2, "hidden": 768, "vocab": 32000,
         "intermediate": 3072, "positions": 2048, "tied": False}  # fmt: skip
ANSWER = "an answer of eight words in all"
# Conversations of ShareGPT: the first is too short for LMDeploy's scripts.
TALKS = [
    [{"from": "human", "value": text}, {"from": "gpt", "value": f"{ANSWER} {place}"}]
    for place, text in enumerate(["what?"] + 20 * ["what is the first number of all?"])
]
TOKENIZER = {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}


def model_files(facts):
    facts = {**SMALL, **facts}
    config = {name: facts[key] for key, name in KEYS.items() if key in facts}
    config |= {"model_type": facts["type"], "torch_dtype": "bfloat16",
               "architectures": [ARCHITECTURES.get(facts["type"], "LlamaForCausalLM")]}  # fmt: skip
    if "vision_width" in facts:
        config["vision_config"] = {"hidden_size": facts["vision_width"]}
    if facts["type"] == "gpt2":
        config |= {"n_head": facts["heads"], "n_layer": facts["layers"], "n_embd": facts["hidden"],
                   "n_positions": facts["positions"]}  # fmt: skip
    more = {"tokenizer.model": b"tokens"} if facts["type"] == "internlm" else {}
    header = json.dumps({"w": {"dtype": "F32", "shape": [1024], "data_offsets": [0, 4096]}})
    weights = len(header).to_bytes(8, "little") + header.encode() + bytes(4096)
    return {
        "config.json": json.dumps(config).encode(),
        "generation_config.json": b'{"eos_token_id": 2}',
        "tokenizer.json": json.dumps(TOKENIZER).encode(),
        "tokenizer_config.json": b'{"tokenizer_class": "PreTrainedTokenizerFast"}',
        "model.safetensors": weights,
        **more,
    }


class Hub(hub_server.Hub):
    """Every repository by its name. `gated` and `limits` name those that refuse."""

    def __init__(self):
        super().__init__({})
        self.repositories, self.gated_names, self.limited = {}, set(), set()
        self.open_token = "hf_rehearsal"
        self.repositories["datasets/abisee/cnn_dailymail"] = {
            f"3.0.0/train-0000{n}-of-00003.parquet": b"PAR1" + bytes(2000) for n in range(3)
        }

    def add(self, name, facts):
        """FACTS: as the matrix states them; else those that the runners know."""
        self.repositories[name] = model_files(facts or KNOWN.get(f"hf:{name}", {}))

    def add_talks(self, name, file):
        rows = [{"id": str(place), "conversations": one} for place, one in enumerate(TALKS)]
        self.repositories[f"datasets/{name}"] = {file: json.dumps(rows).encode()}

    def answer(self, handler, path):
        if handler.server is self.servers[1]:
            name, _, file = path.path.lstrip("/").partition("//")
            return One(self, name).send_file(handler, file)
        path = path._replace(path=with_the_commit(path.path))
        name = self.name_in(path.path)
        if name in self.limited:
            return handler.send(429, b'{"error": "rate limited"}', Retry_After="0")
        if name in self.gated_names and handler.headers.get("Authorization") != (
            f"Bearer {self.open_token}"
        ):
            one = One(self, name)
            one.gated = True
            return one.refuse(handler)
        if name is None:
            return handler.send(401, X_Error_Code="RepoNotFound")
        return One(self, name).answer(handler, path)

    def name_in(self, path):
        path = path.removeprefix("/api").removeprefix("/models").lstrip("/")
        return next((one for one in self.repositories if path.startswith(one + "/")), None)


def with_the_commit(path):
    """Any commit is the only one."""
    return re.sub(r"(?<=/)[0-9a-f]{40}(?=/|$)", hub_server.COMMIT, path)


class One(hub_server.Hub):
    """One repository of a hub: its answers, over the hub's servers."""

    def __init__(self, hub, name):
        super().__init__(hub.repositories[name], name)
        self.servers, self.url = [None, None], hub.url
        self.storage_url = f"{hub.storage_url}/{name}/"

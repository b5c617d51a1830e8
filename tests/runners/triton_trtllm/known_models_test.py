"""models.yaml of the runners: the published number of parameters of a model follows from the facts,
so a mistyped one shows; and it agrees with the facts that other tests use.
"""

import json
import pathlib
import unittest

import yaml

HERE = pathlib.Path(__file__).parent
KNOWN = yaml.safe_load((HERE.parents[2] / "runners/common/models.yaml").read_text())

# As the hub states them beside the weights.
PUBLISHED = {
    "Qwen/Qwen2-0.5B": 494032768,
    "Qwen/Qwen2-1.5B": 1543714304,
    "Qwen/Qwen2-7B": 7615616512,
    "Qwen/Qwen2-72B": 72706203648,
    "Qwen/Qwen2.5-3B": 3085938688,
    "Qwen/Qwen2.5-14B": 14770033664,
    "Qwen/Qwen2.5-32B": 32763876352,
    "Qwen/Qwen3-0.6B": 596049920,
    "Qwen/Qwen3-4B": 4022468096,
    "Qwen/Qwen3-8B": 8190735360,
    "Qwen/Qwen3-14B": 14768307200,
    "Qwen/Qwen3-32B": 32762123264,
    "Qwen/Qwen3-30B-A3B": 30532122624,
    "Qwen/Qwen3-235B-A22B": 235093634560,
    "meta-llama/Llama-2-7b-hf": 6738415616,
    "meta-llama/Llama-2-13b-hf": 13015864320,
    "meta-llama/Llama-2-70b-hf": 68976648192,
    "meta-llama/Meta-Llama-3-8B": 8030261248,
    "meta-llama/Llama-3.1-8B": 8030261248,
    "meta-llama/Llama-3.1-70B": 70553706496,
    "meta-llama/Llama-3.2-1B": 1235814400,
    "meta-llama/Llama-3.2-3B": 3212749824,
    "meta-llama/Llama-3.3-70B-Instruct": 70553706496,
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": 1100048384,
    "mistralai/Mistral-7B-v0.1": 7241732096,
    "mistralai/Mixtral-8x7B-v0.1": 46702792704,
    "mistralai/Mixtral-8x22B-v0.1": 140620634112,
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B": 1777088000,
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B": 14770033664,
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": 32763876352,
    "google/gemma-2b": 2506172416,
    "google/gemma-7b": 8537680896,
    "google/gemma-2-2b": 2614341888,
    "google/gemma-2-9b": 9241705984,
    "google/gemma-2-27b": 27227128320,
    "microsoft/Phi-3-mini-4k-instruct": 3821079552,
    "microsoft/Phi-3-medium-4k-instruct": 13960238080,
    "microsoft/phi-4": 14659507200,
    "openai-community/gpt2": 124439808,
    "openai-community/gpt2-medium": 354823168,
    "openai-community/gpt2-large": 774030080,
    "openai-community/gpt2-xl": 1557611200,
}


def parameters(facts):
    kind, hidden, heads = facts["type"], facts["hidden"], facts["heads"]
    if kind == "gpt2":
        layer = 12 * hidden * hidden + 13 * hidden
        return (facts["vocab"] + facts["positions"]) * hidden + facts["layers"] * layer + 2 * hidden
    dim = facts.get("head_dim", hidden // heads)
    kv = facts.get("kv_heads", heads) * dim
    layer = 2 * hidden * heads * dim + 2 * hidden * kv
    layer += (4 if kind == "gemma2" else 2) * hidden  # norms
    layer += {"qwen2": heads * dim + 2 * kv, "qwen3": 2 * dim, "qwen3_moe": 2 * dim}.get(kind, 0)
    experts = facts.get("experts", 0)
    width = facts.get("expert_width", facts["intermediate"])
    layer += 3 * hidden * width * max(experts, 1) + hidden * experts
    tied = facts.get("tied", kind.startswith("gemma"))
    return facts["vocab"] * hidden * (1 if tied else 2) + facts["layers"] * layer + hidden


class KnownModels(unittest.TestCase):
    def test_the_published_number_of_parameters_follows(self):
        for name, published in PUBLISHED.items():
            with self.subTest(name):
                self.assertEqual(parameters(KNOWN["hf:" + name]), published)

    def test_agree_with_the_facts_of_other_tests(self):
        compared = 0
        for model in json.loads((HERE / "models.json").read_text())["models"].values():
            known = KNOWN.get(model["source"])
            for fact, value in model["facts"].items() if known else ():
                with self.subTest(model["source"], fact=fact):
                    self.assertEqual(known[fact.removeprefix("model_")], value)
                    compared += 1
        self.assertGreater(compared, 150)

    def test_have_the_models_of_the_experiments(self):
        for name in (
            "Qwen/Qwen2-7B",
            "Qwen/Qwen2-72B",
            "Qwen/Qwen-14B-Chat",
            "Qwen/Qwen2.5-14B-Instruct",
            "openai-community/gpt2-medium",
            "meta-llama/Meta-Llama-3-8B",
            "meta-llama/Meta-Llama-3-70B",
            "mistralai/Mixtral-8x22B-v0.1",
            "meta-llama/Llama-2-7b-hf",
            "internlm/internlm-7b",
        ):
            self.assertIn("hf:" + name, KNOWN)


if __name__ == "__main__":
    unittest.main()

"""Generates a checkpoint: Qwen2 architecture, seeded random weights, a tokenizer trained on a text.

The same size always gives the same bytes. It does not know the later stages.
"""
import hashlib

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from checkpoint import bf16_from_f32, write_json, write_tensors

SHAPES = {
    "nano": dict(
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=192,
        vocab_size=512,
        tie_word_embeddings=False,
    ),
    "tiny": dict(
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=1024,
        vocab_size=8192,
        tie_word_embeddings=False,
    ),
    "m100": dict(
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
        num_key_value_heads=4,
        intermediate_size=2048,
        vocab_size=32000,
        tie_word_embeddings=True,
    ),
}
SPECIAL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
# The pre-tokenizer of Qwen2; readers of GGUF know this expression as "qwen2".
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def train_tokenizer(corpus, vocab_size):
    """A short corpus gives fewer tokens than requested; the ids above stay unused and the model
    never emits them.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train(
        [str(corpus)],
        trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=1,
            show_progress=False,
            special_tokens=SPECIAL_TOKENS,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        ),
    )
    return tokenizer


def tensor_shapes(config):
    """name -> (shape, standard deviation; None = all ones, 0 = all zeros)."""
    hidden, inter = config["hidden_size"], config["intermediate_size"]
    kv = hidden // config["num_attention_heads"] * config["num_key_value_heads"]
    # Small embeddings and full-size layers: the output of the layers outweighs the input token, so
    # that greedy output moves on even where the output head is the embedding matrix.
    shapes = {
        "model.embed_tokens.weight": ((config["vocab_size"], hidden), 0.05),
        "model.norm.weight": ((hidden,), None),
    }
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        shapes[prefix + "input_layernorm.weight"] = ((hidden,), None)
        shapes[prefix + "post_attention_layernorm.weight"] = ((hidden,), None)
        for name, rows, columns in [
            ("self_attn.q_proj", hidden, hidden),
            ("self_attn.k_proj", kv, hidden),
            ("self_attn.v_proj", kv, hidden),
            ("self_attn.o_proj", hidden, hidden),
            ("mlp.gate_proj", inter, hidden),
            ("mlp.up_proj", inter, hidden),
            ("mlp.down_proj", hidden, inter),
        ]:
            shapes[f"{prefix}{name}.weight"] = ((rows, columns), columns**-0.5)
        for name, rows in [("q", hidden), ("k", kv), ("v", kv)]:
            shapes[f"{prefix}self_attn.{name}_proj.bias"] = ((rows,), 0.02)
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = ((config["vocab_size"], hidden), hidden**-0.5)
    return shapes


def random_tensor(name, shape, deviation, used_ids):
    """Each tensor has its own random stream, so that a new one changes no other."""
    if deviation is None:
        return np.full(shape, 0x3F80, np.uint16)  # 1.0 in bfloat16
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    values = np.random.Generator(np.random.PCG64(seed)).standard_normal(
        shape, np.float32
    ) * np.float32(deviation)
    if name in ("lm_head.weight", "model.embed_tokens.weight"):
        values[used_ids:] = 0  # ids without a token are never chosen
    return bf16_from_f32(values)


def generate(size, corpus, out):
    config = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "torch_dtype": "bfloat16",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "max_position_embeddings": 4096,
        "initializer_range": 0.02,
        "use_cache": True,
        "attention_dropout": 0.0,
        "bos_token_id": None,
        "eos_token_id": 0,
        "pad_token_id": 0,
        **SHAPES[size],
    }
    tokenizer = train_tokenizer(corpus, config["vocab_size"])
    used_ids = tokenizer.get_vocab_size()
    tokenizer.save(str(out / "tokenizer.json"))
    write_json(out / "config.json", config)
    write_json(
        out / "generation_config.json", {"do_sample": False, "eos_token_id": 0, "pad_token_id": 0}
    )
    write_json(
        out / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": config["max_position_embeddings"],
            "bos_token": None,
            "eos_token": SPECIAL_TOKENS[0],
            "pad_token": SPECIAL_TOKENS[0],
            "add_bos_token": False,
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
        },
    )
    write_tensors(
        out / "model.safetensors",
        [
            (
                name,
                "BF16",
                shape,
                lambda n=name, s=shape, d=deviation: random_tensor(n, s, d, used_ids),
            )
            for name, (shape, deviation) in tensor_shapes(config).items()
        ],
        {"format": "pt"},
    )
    print(f"generated {size}: vocabulary of {used_ids} tokens in {config['vocab_size']} ids")

"""convert.py CHECKPOINT WEIGHTS OUT: joins quantised weights, configuration and vocabulary in
OUT/model.gguf.

CHECKPOINT provides config.json and the tokenizer, WEIGHTS is the output of quantize.py, or a GGUF
file, which is taken as it is. It does not know engines.
"""
import os
import re
import shutil
from pathlib import Path

import gguf
import numpy as np

from checkpoint import CheckpointError, TensorFile, read_json
from stage import run

LAYER_NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
FILE_TYPES = {
    "F16": gguf.LlamaFileType.MOSTLY_F16,
    "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
    "Q4_0": gguf.LlamaFileType.MOSTLY_Q4_0,
}
OTHER_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name):
    stem, _, kind = name.rpartition(".")
    layer = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", stem)
    if layer and layer[2] in LAYER_NAMES:
        return f"blk.{layer[1]}.{LAYER_NAMES[layer[2]]}.{kind}"
    if stem in OTHER_NAMES:
        return f"{OTHER_NAMES[stem]}.{kind}"
    raise CheckpointError(
        f"{name}: not a tensor of the Qwen2 architecture; this runner cannot convert the model"
    )


def vocabulary(tokenizer, vocab_size):
    """Tokens by id with their types; an id without a token is marked as unused."""
    if tokenizer["model"].get("type") != "BPE":
        raise CheckpointError(
            f"tokenizer.json: model type {tokenizer['model'].get('type')}; only byte-level BPE is"
            " converted"
        )
    tokens = [f"[PAD{i}]" for i in range(vocab_size)]
    types = [gguf.TokenType.UNUSED] * vocab_size
    added = tokenizer.get("added_tokens", [])
    highest = max([*tokenizer["model"]["vocab"].values(), *(token["id"] for token in added)])
    if highest >= vocab_size:
        raise CheckpointError(
            f"tokenizer.json: token id {highest} is beyond config.json's vocab_size {vocab_size}"
        )
    for text, id_ in tokenizer["model"]["vocab"].items():
        tokens[id_], types[id_] = text, gguf.TokenType.NORMAL
    for token in added:
        tokens[token["id"]] = token["content"]
        types[token["id"]] = (
            gguf.TokenType.CONTROL if token["special"] else gguf.TokenType.USER_DEFINED
        )
    merges = [
        merge if isinstance(merge, str) else " ".join(merge)
        for merge in tokenizer["model"]["merges"]
    ]
    return tokens, types, merges


def add_metadata(writer, config, precision):
    for feature in ("rope_scaling", "sliding_window"):
        if config.get(feature) and (
            feature != "sliding_window" or config.get("use_sliding_window")
        ):
            raise CheckpointError(
                f"config.json: {feature} is {config[feature]}; this runner does not convert models"
                " that use it"
            )
    heads = config["num_attention_heads"]
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.get("num_key_value_heads", heads))
    writer.add_rope_freq_base(config.get("rope_theta", 10000.0))
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_file_type(FILE_TYPES[precision])


def add_tokenizer(writer, folder, config):
    tokens, types, merges = vocabulary(read_json(folder / "tokenizer.json"), config["vocab_size"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    eos = config.get("eos_token_id")
    eos = eos[0] if isinstance(eos, list) else eos
    for add, id_ in [
        (writer.add_eos_token_id, eos),
        (writer.add_bos_token_id, config.get("bos_token_id")),
        (writer.add_pad_token_id, config.get("pad_token_id", eos)),
    ]:
        if id_ is not None:
            add(id_)
    writer.add_add_bos_token(False)
    if (folder / "tokenizer_config.json").exists():
        template = read_json(folder / "tokenizer_config.json").get("chat_template")
        if isinstance(template, str):
            writer.add_chat_template(template)


def add_weights(writer, weights, config):
    for name in sorted(weights.entries):
        if name == "lm_head.weight" and config.get("tie_word_embeddings"):
            continue  # some exporters write the tied matrix twice
        type_ = gguf.GGMLQuantizationType[weights.metadata[name]]
        raw = weights.raw(name)
        if type_ == gguf.GGMLQuantizationType.F32:
            data = raw.view(np.float32).reshape(weights.shape(name))
        elif type_ == gguf.GGMLQuantizationType.F16:
            data = raw.view(np.float16).reshape(weights.shape(name))
        else:
            data = raw.reshape(weights.shape(name))
        writer.add_tensor(gguf_name(name), data, raw_dtype=type_)


def take(gguf_file, out):
    """A GGUF file of someone else becomes OUT/model.gguf."""
    reader = gguf.GGUFReader(gguf_file)
    split = reader.fields.get("split.count")
    if split is not None and int(split.parts[-1][0]) > 1:
        raise CheckpointError(
            f"{gguf_file}: is one of several parts; join them with llama-gguf-split --merge, and"
            " name the result as a local: model"
        )
    try:
        os.link(gguf_file, out / "model.gguf")
    except OSError:
        shutil.copyfile(gguf_file, out / "model.gguf")


def main(arguments):
    if len(arguments) != 3:
        raise CheckpointError("usage: convert.py CHECKPOINT WEIGHTS OUT")
    checkpoint, weights, out = map(Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    if weights.is_file():
        return take(weights, out)
    config = read_json(checkpoint / "config.json")
    writer = gguf.GGUFWriter(out / "model.gguf", "qwen2")
    tensors = TensorFile(weights / "weights.safetensors")
    add_metadata(writer, config, tensors.metadata["model.embed_tokens.weight"])
    add_tokenizer(writer, checkpoint, config)
    add_weights(writer, tensors, config)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    run(main, CheckpointError, KeyError, ValueError)

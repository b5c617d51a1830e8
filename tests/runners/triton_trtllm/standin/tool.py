"""A converter, quantizer or builder of TensorRT-LLM that accepts the options of the real one of its
release (tests/runners/triton_trtllm/options) and writes files of the same names without weights:
config.json with the requested values, and one file per rank.

tool.py KEY VERSION WORDS..., or main(KEY, VERSION) from a script. It refuses abbreviated options,
which argparse accepts by default."""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import options  # noqa: E402

TYPES = {"int": int, "float": float}


def parser_of(key, version):
    parser = argparse.ArgumentParser(prog=key, allow_abbrev=False)
    for option in options.load(options.closest_record(version, key), key)["options"]:
        if option["action"] == "help":
            continue
        words = {"action": option["action"], "default": option.get("default")}
        if option["action"] in ("store", "append"):
            words |= {
                name: option[name]
                for name in ("choices", "nargs", "const", "required")
                if option.get(name) is not None and not is_unread(option[name])
            }
            words["type"] = TYPES.get(option.get("type"), str)
        parser.add_argument(*option["spellings"], **words)
    return parser


def is_unread(value):
    """A list that the real parser makes of what only an installation has."""
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def write(folder, name, value):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value, indent=1))


def read(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        return json.load(file)


def checkpoint(given, version):
    """config.json and rank*.safetensors out of a model."""
    model = read(given.model_dir)
    tp, pp = given.tp_size, getattr(given, "pp_size", 1)  # redrafter's has no stages
    moe_tp, moe_ep = (getattr(given, name, -1) for name in ("moe_tp_size", "moe_ep_size"))
    config = {
        "producer": {"name": "standin"},
        "version": version,
        "architecture": model["architectures"][0],
        "dtype": given.dtype,
        "vocab_size": model["vocab_size"],
        "hidden_size": model["hidden_size"],
        "num_hidden_layers": model["num_hidden_layers"],
        "num_attention_heads": model["num_attention_heads"],
        "mapping": {
            "world_size": tp * pp,
            "tp_size": tp,
            "pp_size": pp,
            "moe_tp_size": moe_tp if moe_tp > 0 else tp,
            "moe_ep_size": max(moe_ep, 1),
        },
        "quantization": {"quant_algo": getattr(given, "qformat", None)},
    }
    write(given.output_dir, "config.json", config)
    for rank in range(tp * pp):
        write(given.output_dir, f"rank{rank}.safetensors", f"weights of rank {rank}\n")


def engine(given, version):
    """config.json and rank*.engine out of a checkpoint."""
    config = read(given.checkpoint_dir)
    build = {key: value for key, value in vars(given).items() if key.startswith("max_")}
    write(
        given.output_dir,
        "config.json",
        {"version": version, "pretrained_config": config, "build_config": build},
    )
    for rank in range(config["mapping"]["world_size"]):
        if not os.path.exists(os.path.join(given.checkpoint_dir, f"rank{rank}.safetensors")):
            sys.exit(f"FileNotFoundError: rank{rank}.safetensors is not in {given.checkpoint_dir}")
        write(given.output_dir, f"rank{rank}.engine", f"engine of rank {rank}\n")


def refuse_names(given):
    """As quantize.py without a hub: its texts are a folder."""
    texts = getattr(given, "calib_dataset", None)
    if texts and not os.path.isdir(texts):
        sys.exit(f"NotImplementedError: Unsupported dataset name or local repo directory: {texts}.")


def main(key, version, words=None):
    given = parser_of(key, version).parse_args(words)
    if key == "quantize":
        refuse_names(given)
    print(f"{key} {version}: {given}", flush=True)
    (engine if key == "build" else checkpoint)(given, version)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

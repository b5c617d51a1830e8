"""The tools of TensorRT-LLM in an image: the options of the release's own parser, the files that
the next tool reads, and the failures of a machine that does not suit them.

main(KEY) is called by the scripts that images.py writes; KEY is convert-FAMILY, quantize, build,
visual, lora, run or serve. The layout states the release."""

import argparse
import copy
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TESTS, "runners/triton_trtllm/standin")]

import checked  # noqa: E402
import machine  # noqa: E402
import tool  # noqa: E402

BITS = {"float32": 32, "float16": 16, "bfloat16": 16}
QUANTIZED = {"fp8": 8, "int8": 8, "int8_sq": 8, "int4": 4, "int4_awq": 4, "w4a8_awq": 4,
             "int4_gptq": 4, "nvfp4": 4}  # fmt: skip
ALGORITHMS = {"fp8": "FP8", "int4_awq": "W4A16_AWQ", "w4a8_awq": "W4A8_AWQ", "int8_sq":
              "W8A8_SQ_PER_CHANNEL", "nvfp4": "NVFP4"}  # fmt: skip
# Of scripts whose parsers are not recorded: options that take a value, and flags. Read from
# NVIDIA/TensorRT-LLM: examples/enc_dec/convert_checkpoint.py at 1cc1443b,
# examples/multimodal/build_visual_engine.py at 05316d33.
PARSERS = {
    "convert-enc_dec": (
        "model_type world_size tp_size pp_size model_dir output_dir workers weight_data_type dtype"
        " embedding_sharding_dim weight_only_precision max_multimodal_len",
        "nougat verbose use_parallel_embedding use_weight_only use_embedding_sharing"
        " skip_cross_qkv",
    ),
    "lora": ("out-file in-file storage-type device", "verbose"),
    "visual": ("model_type model_path vila_path output_dir max_batch_size", ""),
}
NUMBERS = {"tp_size", "pp_size"}
MPI_SIZE = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
RANK = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))


def bits_of(config):
    kind = config["quantization"].get("weights") or ""
    return QUANTIZED.get(kind, BITS.get(config["dtype"], 16))


def out_of_memory(wanted):
    return (
        f"[TRT] [E] [defaultAllocator.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)"
        f"\n[TRT] [E] Requested amount of GPU memory ({wanted} bytes) could not be allocated. There"
        " may not be enough free memory for allocation to succeed.\n"
        "[TRT] [E] Error Code 2: OutOfMemory (no further information)"
    )


def parser_of(key, release):
    if key not in PARSERS:
        return tool.parser_of(key, release)
    parser = argparse.ArgumentParser(prog=key, allow_abbrev=False)
    values, flags = (names.split() for names in PARSERS[key])
    for name in values:
        short = [f"-{name[0]}"] if key == "lora" and name != "storage-type" else []
        kind = int if name in NUMBERS else str
        default = {"tp_size": 1, "pp_size": 1, "dtype": "float16"}.get(name)
        parser.add_argument(*short, f"--{name}", type=kind, default=default)
    for name in flags:
        parser.add_argument(f"--{name}", action="store_true")
    return parser


def read_model(folder):
    try:
        return tool.read(folder)
    except OSError as error:
        sys.exit(f"OSError: {folder} does not appear to have a file named config.json: {error}")


def convert(key, given, release):
    model = read_model(given.model_dir)
    if getattr(given, "use_weight_only", False):
        # torch.ops.trtllm packs the weights: its library needs the driver's, on a CPU as well.
        machine.load_driver()
    if getattr(given, "smoothquant", None) or getattr(given, "int8_kv_cache", False):
        machine.need_gpus(1)
        find_texts(getattr(given, "calib_dataset", None) or "ccdv/cnn_dailymail", release)
    for name in ("medusa_model_dir", "drafter_model_dir", "eagle_model_dir", "quant_ckpt_path"):
        folder = getattr(given, name, None)
        if folder and not os.path.exists(folder):
            sys.exit(f"FileNotFoundError: [Errno 2] No such file or directory: '{folder}'")
    if key == "convert-qwen" and not getattr(given, "load_model_on_cpu", False):
        note("visible GPUs", len(machine.devices()))
    kind = given.weight_only_precision if getattr(given, "use_weight_only", False) else None
    if kind is None and getattr(given, "smoothquant", None):
        kind = "int8_sq"
    write_checkpoint(given, release, model, kind)


def convert_both(key, given, release):
    """An encoder and a decoder, each with its own checkpoint."""
    for part in ("encoder", "decoder"):
        own = copy.copy(given)
        own.output_dir = os.path.join(given.output_dir, part)
        convert(key, own, release)


def build_visual(key, given, release):
    """The engine of the images' encoder: its names changed with the script's in 0.19."""
    machine.need_gpus(1)
    if given.model_type is None:
        sys.exit("RuntimeError: Invalid model type None")
    read_model(given.model_path)
    config = {"builder_config": {"model_type": given.model_type, "precision": "float16"}}
    tool.write(given.output_dir, "config.json", config)
    newer = [int(one) for one in release.split(".")[:2]] >= [0, 19]
    tool.write(given.output_dir, "model.engine" if newer else "visual_encoder.engine", "images\n")


def convert_adapter(key, given, release):
    """The tensors of an adapter, one row for each of its modules in each layer."""
    adapter = read_model(given.in_file)
    rows, rank = 3, json.loads(checked.read_text(f"{given.in_file}/adapter_config.json"))["r"]
    write_array(f"{given.out_file}/model.lora_weights.npy", "<f2", (1, rows, 2 * rank), 2)
    write_array(f"{given.out_file}/model.lora_config.npy", "<i4", (1, rows, 3), 4)
    note("adapter of", adapter["model_type"])


def write_array(path, kind, shape, size):
    """Zeros, as numpy.save writes them."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust(117) + "\n"  # with the ten bytes before it, a multiple of 64
    count = shape[0] * shape[1] * shape[2]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        file.write(bytes(count * size))


def quantize(key, given, release):
    del key
    machine.need_gpus(1)
    model = read_model(given.model_dir)
    wanted = machine.weights_bytes(model, BITS.get(given.dtype, 16))
    if wanted > len(machine.devices()) * machine.memory_bytes():
        print("Some parameters are on the meta device because they were offloaded to the cpu.")
        sys.exit(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate"
            f" {wanted / (1 << 30):.2f} GiB."
        )
    find_texts(getattr(given, "calib_dataset", None) or "cnn_dailymail", release)
    write_checkpoint(given, release, model, given.qformat)


def write_checkpoint(given, release, model, kind):
    tool.checkpoint(given, release)
    config = tool.read(given.output_dir)
    config["num_key_value_heads"] = (
        model.get("num_key_value_heads") or config["num_attention_heads"]
    )
    config["intermediate_size"] = model.get("intermediate_size")
    if model.get("num_local_experts"):
        config["num_local_experts"] = model["num_local_experts"]
    config["quantization"] = {
        "quant_algo": ALGORITHMS.get(kind),
        "kv_cache_quant_algo": (getattr(given, "kv_cache_dtype", None) or "").upper() or None,
        "weights": kind,
    }
    tool.write(given.output_dir, "config.json", config)


def find_texts(name, release):
    """The calibration set, as load_dataset finds it: a folder, the processed cache, the hub."""
    home = machine.hugging_face_home()
    if os.path.isdir(name):
        if "cnn_dailymail" not in name and not any(os.scandir(name)):
            sys.exit("ValueError: Config name is missing")
        return note("calibration set", name)
    if "/" in name and name.startswith(("/", ".")):
        sys.exit(f"NotImplementedError: Unsupported dataset name or local repo directory: {name}")
    if not any(known in name for known in ("cnn_dailymail", "pileval", "scienceqa")):
        sys.exit(f"NotImplementedError: Unsupported dataset name or local repo directory: {name}")
    if name.startswith("ccdv/") and machine.layout().get("datasets", 2) >= 4:
        sys.exit(
            "RuntimeError: Dataset scripts are no longer supported, but found cnn_dailymail.py"
        )
    if "/" not in name and machine.layout().get("full_ids_only"):
        sys.exit(
            "huggingface_hub.errors.HfUriError: Repository id must be 'namespace/name', got"
            f" '{name}'"
        )
    full = name if "/" in name else "abisee/" + name
    cached = os.path.join(home, "datasets", full.replace("/", "___"))
    if os.path.isdir(cached):
        return note("calibration set", "the cache of HF_HOME")
    if os.environ.get("HF_HUB_OFFLINE") == "1":
        sys.exit(f"ConnectionError: Couldn't reach '{name}' on the Hub (OfflineModeIsEnabled)")
    fetch_texts(name, full, cached)


def fetch_texts(name, full, cached):
    import urllib.error  # here, because it takes longer than all else
    import urllib.request

    endpoint = os.environ.get("HF_ENDPOINT", "https://hub.invalid")
    address = f"{endpoint}/api/datasets/{full}/revision/main"
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        kinds = {429: "429 Client Error: Too Many Requests", 401: "401 Client Error: Unauthorized"}
        kind = kinds.get(error.code, f"{error.code} Client Error")
        sys.exit(f"huggingface_hub.errors.HfHubHTTPError: {kind} for url: {address}")
    except OSError:
        sys.exit(f"ConnectionError: Couldn't reach '{name}' on the Hub (ConnectionError)")
    machine.make_folder(cached)
    note("calibration set", "downloaded")


def build(key, given, release):
    del key
    machine.need_gpus(1)
    config = tool.read(given.checkpoint_dir)
    wanted = machine.weights_bytes(config, bits_of(config)) // config["mapping"]["world_size"]
    if wanted > machine.memory_bytes():
        sys.exit(out_of_memory(wanted))
    if machine.layout().get("timing_cache"):  # model.cache in the working folder
        tool.write(os.getcwd(), "model.cache", "timings\n")
    tool.engine(given, release)
    plan = {"gpu": machine.stated("gpu_model"), "compute": machine.stated("compute"),
            "tensorrt": machine.layout()["tensorrt"]}  # fmt: skip
    for rank in range(config["mapping"]["world_size"]):
        tool.write(given.output_dir, f"rank{rank}.engine", plan | {"rank": rank})


def answer(key, given, release):
    """run.py: the session compares the ranks, then writes the tokens."""
    config = tool.read(given.engine_dir)["pretrained_config"]
    mapping = config["mapping"]
    if MPI_SIZE != mapping["world_size"]:
        sys.exit(
            f"RuntimeError: Assertion failed: MPI size {MPI_SIZE} != TP size {mapping['tp_size']} *"
            f" PP size {mapping['pp_size']}"
        )
    machine.need_gpus(mapping["world_size"])
    print(f"{key} {release}: {given.input_text} on rank {RANK} of {MPI_SIZE}", flush=True)
    if RANK == 0:
        with open(given.output_csv, "w", encoding="utf-8") as file:
            file.write("1,2,3\n")


def note(what, value):
    print(f"{what}: {value}", flush=True)


WORK = {"quantize": quantize, "build": build, "run": answer, "convert-enc_dec": convert_both,
        "visual": build_visual, "lora": convert_adapter}  # fmt: skip


def main(key):
    release = machine.layout()["release"]
    machine.load_driver()
    machine.import_torch()
    machine.make_folder(os.environ.get("TRITON_CACHE_DIR") or os.path.join(
        os.environ.get("HOME") or "/", ".triton"))  # fmt: skip
    print(f"[TensorRT-LLM] TensorRT-LLM version: {release}", flush=True)
    given = parser_of(key, release).parse_args()
    print(f"{key} {release}: {json.dumps(vars(given), default=str)}", flush=True)
    WORK.get(key, convert)(key, given, release)

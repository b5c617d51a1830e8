"""What a tool in an image sees of the machine: the GPU devices of its container, the driver's
library, memory, /dev/shm, the user and the folders that it writes to. Each check ends the tool with
the text of the real one. The machine states what cannot be seen in MACHINE."""

import ctypes
import getpass
import glob
import json
import os
import re
import sys

MACHINE = "/run/rehearsal/machine.json"
LAYOUT = "/opt/rehearsal/layout.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def layout():
    """That of the image; of a machine whose image was changed since, with the changes."""
    return {**read(LAYOUT), **stated("layout", {})}


def stated(name, default=None):
    return read(MACHINE).get(name, default) if os.path.exists(MACHINE) else default


def devices():
    """The GPUs of this container by their numbers in it, as CUDA counts them: what follows an
    invalid entry of CUDA_VISIBLE_DEVICES is hidden as well."""
    there = sorted(glob.glob("/dev/nvidia[0-9]*"), key=lambda path: int(path[11:]))
    wanted = os.environ.get("CUDA_VISIBLE_DEVICES")
    if wanted is None:
        return list(range(len(there)))
    seen = []
    for one in filter(None, wanted.split(",")):
        if re.fullmatch(r"\d+", one) and int(one) < len(there):
            seen.append(int(one))
        elif one.startswith(("GPU-", "MIG-")) and len(seen) < len(there):
            seen.append(len(seen))
        else:
            break
    return seen


def load_driver():
    """As the import of the wheel does, whose libraries need the driver's."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        sys.exit(f"ImportError: {error}")


def import_torch():
    """torch asks for the user's name when its compiler is imported."""
    try:
        getpass.getuser()
    except (KeyError, OSError):
        sys.exit(f"KeyError: 'getpwuid(): uid not found: {os.getuid()}'")


def make_cache(*names):
    """A folder below the user's caches, which the real tool makes when it is imported."""
    home = os.environ.get("HOME") or "/"
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), *names)
    return make_folder(folder)


def make_folder(folder):
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, ".written"), "w", encoding="utf-8"):
            pass
    except OSError as error:
        sys.exit(f"PermissionError: [Errno {error.errno}] {error.strerror}: '{folder}'")
    return folder


def hugging_face_home():
    """What HF_HOME names, or a folder of the user's caches."""
    named = os.environ.get("HF_HOME")
    return make_folder(named) if named else make_cache("huggingface")


def memory_bytes():
    """Free on each GPU."""
    used = stated("used_gib", 0)
    return int((stated("memory_gib", 79.6) - used) * (1 << 30))


def shm_bytes():
    found = os.statvfs("/dev/shm")
    return found.f_blocks * found.f_frsize


def need_gpus(count):
    seen = devices()
    if not seen:
        sys.exit("RuntimeError: No CUDA GPUs are available")
    if len(seen) < count:
        sys.exit(
            "RuntimeError: CUDA error: invalid device ordinal: this process needs GPU"
            f" {count - 1} and sees {len(seen)}"
        )


def weights_bytes(config, bits):
    """Of a decoder with these sizes, without its KV cache."""
    hidden, layers = config["hidden_size"], config["num_hidden_layers"]
    heads = config["num_attention_heads"]
    kv = config.get("num_key_value_heads") or heads
    inner = config.get("intermediate_size") or 4 * hidden
    experts = config.get("num_local_experts") or 1
    each = hidden * hidden * (2 + 2 * kv / heads) + 3 * hidden * inner * experts
    return int(each * layers * bits / 8 + 2 * config["vocab_size"] * hidden * 2)


CACHES = {  # of an engine: (the variable that names it, its place in HOME)
    "vllm": [("VLLM_CACHE_ROOT", ".cache/vllm"), ("VLLM_CONFIG_ROOT", ".config/vllm"),
             ("TRITON_CACHE_DIR", ".triton")],
    "sglang": [("TRITON_CACHE_DIR", ".triton")],
    "lmdeploy": [("TRITON_CACHE_DIR", ".triton")],
    "tgi": [],
}  # fmt: skip
RANKS = ("--tensor-parallel-size", "--tp-size", "--tp", "--num-shard")


def import_engine(name, words):
    """What a server of an engine meets before it reads its words, and when its ranks start."""
    if "--help" in words or "--version" in words:
        return
    load_driver()
    import_torch()
    for variable, place in CACHES[name]:
        make_folder(os.environ.get(variable) or os.path.join(os.environ.get("HOME") or "/", place))
    given = dict(zip(words, words[1:]))
    ranks = next((int(given[word]) for word in RANKS if word in given), 1)
    need_gpus(ranks)
    if ranks > 1 and shm_bytes() <= 64 << 20:
        sys.exit("NCCL WARN Error while creating shared memory segment: unable to allocate shared"
                 " memory: No space left on device")  # fmt: skip

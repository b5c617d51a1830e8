"""What holds of every container of a sound execution, whatever the host is like. Each function gets
a Result and the variables of the user's shell, and returns a sentence about the first container of
which it does not hold, or ""."""

import re

# Below these, programs make their caches: /tmp/torchinductor_USER, ~/.triton, ~/.cache.
CACHES = ["HOME", "TMPDIR", "XDG_CACHE_HOME"]
WITHOUT_GPUS = ("environment", "templates", "prompts", "convert")  # of points without calibration
PLACES = re.compile(r"(?:@STORE|@FOLDER|@ATTEMPT|@USER)[^\s:=,]*")


def containers(result):
    return [(stage, one) for stage, all_of in result.containers.items() for one in all_of]


def first(result, problem_of):
    """The problem of the first container that has one."""
    for stage, one in containers(result):
        if problem := problem_of(stage, one):
            return f"{stage}: {problem}"
    return "" if result.containers else "no container was started"


def user_is_known(result, variables):
    """torch asks for the user's name, and compilers for caches that can be written."""

    def problem(_, one):
        missing = [name for name in ("USER", *CACHES) if not one["variables"].get(name)]
        if missing:
            return f"without {', '.join(missing)}"
        written = [name for name in CACHES if not is_mounted(one["variables"][name], one, ":ro")]
        return f"cannot write {', '.join(written)}" if written else ""

    return first(result, problem)


def only_visible_gpus(result, variables):
    """Those of CUDA_VISIBLE_DEVICES, and no others."""
    visible = set(variables["CUDA_VISIBLE_DEVICES"].split(","))

    def problem(_, one):
        seen = {number for words in one["gpus"] for number in re.findall(r"\d+|all", words)}
        return f"sees the GPUs {', '.join(sorted(seen))}" if seen - visible else ""

    return first(result, problem)


def only_free_gpus(result, variables):
    """Those on which nobody else's memory lies."""
    used = {text.split()[0] for text in variables["ORCH_FAKE_GPU_USE"].split(";")}

    def problem(_, one):
        seen = {number for words in one["gpus"] for number in re.findall(r"\d+|all", words)}
        return f"sees the GPUs {', '.join(sorted(seen))}" if seen & {*used, "all"} else ""

    return first(result, problem)


def no_gpus_unless_held(result, variables):
    """A conversion that may use any GPU fills those on which a neighbour measures. It still needs
    the driver's libraries."""

    def problem(stage, one):
        if not stage.startswith(WITHOUT_GPUS):
            return ""
        seen = [words for words in one["gpus"] if re.search(r"all|\d", words)]
        if seen:
            return f"holds no GPU and sees {seen[0]}"
        if one["variables"].get("NVIDIA_VISIBLE_DEVICES") != "void":
            return "NVIDIA_VISIBLE_DEVICES does not hide the GPUs"
        has_driver = any("/libcuda.so.1:" in mount for mount in one["mounts"])
        return "" if has_driver or not stage.startswith("convert") else "has no libcuda.so.1"

    return first(result, problem)


def is_mounted(path, one, unless=None):
    """Whether PATH is there inside, by a mount that does not end with UNLESS."""
    mounts = [mount.split(":")[0] for mount in one["mounts"]
              if unless is None or not mount.endswith(unless)]  # fmt: skip
    return any(path == mount or path.startswith(mount + "/") for mount in mounts)


def folders_are_mounted(result, variables):
    """Every folder of the host that a variable or a word names is there inside."""

    def problem(_, one):
        words = [*one["argv"], *one["variables"].values()]
        for place in (found for word in words for found in PLACES.findall(word)):
            if not is_mounted(place.rstrip("/"), one):
                return f"{place} is named and not mounted"
        return ""

    return first(result, problem)


CHECKS = {function.__name__.replace("_", "-"): function for function in (
    user_is_known, only_visible_gpus, only_free_gpus, no_gpus_unless_held,
    folders_are_mounted)}  # fmt: skip

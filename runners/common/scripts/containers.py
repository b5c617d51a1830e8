"""Runs a command in a container as on the host: same paths, same user, same network, same GPU
numbers. The container never outlives the process that started it. It does not know what runs in it.
"""
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Failed

HERE = Path(__file__).resolve().parent
# The image has its own values.
NOT_PASSED = {
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
}
# Variables by which a client finds its engine. They are recorded once, so that no other stage needs
# them.
OF_THE_CLIENT = (
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_CERT_PATH",
    "DOCKER_TLS_VERIFY",
    "CONTAINER_HOST",
    "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
# Mounts at these paths would hide the programs of the image.
OF_THE_IMAGE = (
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt/tritonserver",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
)
NO_IMAGE = re.compile(r"no such (image|object)|image not known|failed to find image", re.IGNORECASE)
STACK = 64 << 20
END_S = 5  # from the client's death to the end of the container


def is_below(path, folder):
    return os.path.commonpath([path, folder]) == folder


def ask(command):
    """(exit status, stdout, stderr)"""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            check=False,
        )
    except OSError as error:
        raise Failed(
            f"{command[0]}: {error.strerror}; install it, or set container_engine to the one that"
            " is here"
        ) from None
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def find_engine(name):
    path = shutil.which(name)
    if not path:
        raise Failed(
            f"{name}: not found on PATH; install it, set container_engine to the installed one,"
            " or leave image out to run the tools on this machine"
        )
    return path


def identity(engine, image):
    """{"id", "digest"} of the local image of that name; None if there is none."""
    status, output, errors = ask(
        [
            engine,
            "image",
            "inspect",
            "--format",
            "{{.Id}}\n{{range .RepoDigests}}{{.}}\n{{end}}",
            image,
        ]
    )
    if status and not NO_IMAGE.search(errors):
        print(errors, flush=True)
        raise Failed(
            f"{os.path.basename(engine)} cannot list its images, for the reason above;"
            " check that it runs, and that this user may use it"
        )
    if status:
        return None
    lines = output.splitlines()
    number = (
        lines[0] if lines[0].startswith("sha256:") else "sha256:" + lines[0]
    )  # podman leaves it out
    return {"id": number, "digest": lines[1].strip() if len(lines) > 1 else ""}


def local_or_pulled(engine, name):
    """{"name", "id", "digest"} of the local image of NAME, pulled first if it is missing."""
    known = identity(engine, name)
    if known is None:
        print(f"{name} is not on this machine; pulling it", flush=True)
        if subprocess.run([engine, "pull", name], stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failed(
                f"image {name} could not be pulled, for the reason above; check the name, or"
                f" log in with `{os.path.basename(engine)} login`"
            )
        known = identity(engine, name)
    if known is None:
        raise Failed(f"image {name} was pulled and still is not on this machine; pull it by hand")
    return {"name": name, **known}


def box(given, name, app, options=()):
    """The container of the image NAME, as command() takes it. GIVEN has `engine`, `options` (words
    of the engine), `folders` (DIR:DIR) and `shm` of a command line; APP is where the tools are.
    """
    engine = find_engine(given.engine)
    try:
        own_options = shlex.split(given.options)
    except ValueError as error:
        raise Failed(
            f"container_options: {given.options!r} cannot be split into words ({error}); close its"
            " quotes"
        ) from None
    folders = [one for one in given.folders.split(":") if one]
    for folder in folders:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            raise Failed(
                f"container_folders: {folder} is not the absolute path of a folder; write DIR:DIR"
            )
    image = local_or_pulled(engine, name)
    return {
        "engine": engine,
        "image": image["id"],
        "identity": image,
        "rootless": is_rootless(engine),
        "client": client_variables(),
        "shm": given.shm,
        "options": [*options, *own_options],
        "folders": folders,
        "app": app,
    }


def is_rootless(engine):
    if os.path.basename(engine) == "podman":
        return os.getuid() != 0
    return "rootless" in ask([engine, "info", "--format", "{{.SecurityOptions}}"])[1]


def client_variables():
    return {name: os.environ[name] for name in OF_THE_CLIENT if name in os.environ}


def has_gpus():
    return os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg")


def gives_single_gpus():
    """WSL has one device for all GPUs."""
    return os.path.exists("/dev/nvidiactl")


def gpu_options(engine, visible):
    """The options that give a container the GPUs VISIBLE, the value of CUDA_VISIBLE_DEVICES; all
    of them where it is empty or where the engine knows only indices.
    """
    if not has_gpus():
        return []
    gpus = [gpu for gpu in visible.split(",") if gpu]
    if not gives_single_gpus():
        gpus = []
    if engine == "podman":
        names = gpus if is_numbers(gpus) else ["all"]
        return [word for name in names for word in ("--device", f"nvidia.com/gpu={name}")]
    # The engine reads a list of options with commas between them, unless they are in quotes.
    return ["--gpus", f'"device={",".join(gpus)}"' if gpus else "all"]


def is_numbers(gpus):
    return bool(gpus) and all(gpu.isdigit() for gpu in gpus)


def renumbered_gpus(visible):
    """CUDA counts the GPUs of a container from 0, in the order of the host. A UUID stays."""
    gpus = visible.split(",")
    if not has_gpus() or not gives_single_gpus() or not is_numbers(gpus):
        return []
    return ["--env", "CUDA_VISIBLE_DEVICES=" + ",".join(str(i) for i in range(len(gpus)))]


def passed(environment):
    return {
        name: value
        for name, value in environment.items()
        if name not in NOT_PASSED and name not in OF_THE_CLIENT
    }


def named_by(word):
    """What may be a path in the word of a command: the word, --option=PATH, and the adapters of
    engines, NAME=PATH,NAME=PATH. A variable is set for a program of the image.
    """
    if re.match(r"[A-Z_][A-Z0-9_]*=", word):
        return []
    return [word, *(one.partition("=")[2] for one in word.split(","))]


def folders_of(box, words, environment, also):
    """The mounts: folders on this host that words and variables name, except those of the image;
    and ALSO. All runners are mounted, because they share scripts.
    """
    named = [path for word in words for path in named_by(word)]
    named += [path for value in passed(environment).values() for path in value.split(":")]
    wanted = [
        path if os.path.isdir(path) else os.path.dirname(path)
        for path in named
        if path.startswith("/") and os.path.exists(path)
    ]
    hidden = [*OF_THE_IMAGE, box["app"]]
    wanted = [
        path
        for path in with_real_paths(wanted)
        if is_below(path, "/dev/shm") or not any(is_below(path, one) for one in hidden)
    ]
    wanted = {
        *wanted,
        *with_real_paths([os.getcwd(), str(HERE.parents[1]), *box["folders"], *also]),
    } - {"/", "/dev/shm"}
    return sorted(
        path
        for path in wanted
        if not any(path != other and is_below(path, other) for other in wanted)
    )


def with_real_paths(paths):
    return [name for path in paths for name in (os.path.normpath(path), os.path.realpath(path))]


def limits(of_a_daemon):
    """The limits that the vendor requires: unlimited pinned memory, large stacks. Rootless
    engines are capped by the limits of this process.
    """
    words = []
    for name, number, wanted in (
        ("memlock", resource.RLIMIT_MEMLOCK, resource.RLIM_INFINITY),
        ("stack", resource.RLIMIT_STACK, STACK),
    ):
        most = wanted if of_a_daemon else highest(number, wanted)
        words += ["--ulimit", f"{name}={most}:{most}"]
    return words


def highest(number, wanted):
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY or (wanted != resource.RLIM_INFINITY and hard >= wanted):
        return wanted
    try:
        resource.setrlimit(number, (resource.getrlimit(number)[0], wanted))
        return wanted
    except (ValueError, OSError):
        return hard


def command(box, words, environment, folders):
    """The command line that runs WORDS in the image of BOX, with the variables of ENVIRONMENT
    and with FOLDERS at their paths. environment.py wrote BOX.
    """
    engine = os.path.basename(box["engine"])
    uid, gid = os.getuid(), os.getgid()
    name = (
        "orchestrate-" + environment.get("ORCHESTRATE_ATTEMPT", "by-hand") + "-" + str(os.getpid())
    )
    line = [
        box["engine"],
        "run",
        "--rm",
        "--interactive",
        "--pull",
        "never",
        "--name",
        name,
        "--net",
        "host",
        "--shm-size",
        box["shm"],
    ]
    line += limits(engine == "docker" and not box["rootless"])
    line += gpu_options(engine, environment.get("CUDA_VISIBLE_DEVICES", ""))
    if not box["rootless"] and uid != 0:
        line += ["--user", f"{uid}:{gid}"]  # its files belong to the user
    for folder in folders:
        if ":" in folder:
            raise Failed(
                f"{folder}: the container engine cannot mount a folder with a ':' in its path; use"
                " another path"
            )
        line += ["--volume", f"{folder}:{folder}"]
    line += ["--workdir", os.getcwd()]
    for variable in sorted(passed(environment)):
        line += [
            "--env",
            variable,
        ]  # without its value, which process listings would show
    line += renumbered_gpus(environment.get("CUDA_VISIBLE_DEVICES", ""))
    line += ["--env", f"HOME={environment.get('TMPDIR', '/tmp')}", *box["options"], box["image"]]
    return [*line, "python3", str(HERE / "keeper.py"), str(END_S), *words]


def hold_input():
    """Replaces standard input by a pipe that closes exactly when this process ends; the client
    passes that on to the keeper.
    """
    read, write = os.pipe()
    os.dup2(read, 0)
    os.close(read)
    os.set_inheritable(write, True)


def become(words, environment):
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(words[0], words, environment)

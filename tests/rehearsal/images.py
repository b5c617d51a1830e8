"""Images laid out as the published ones, made of files of this machine: `Maker.make(NAME)` imports
that of a row of layouts.yaml. Nothing is pulled, and nothing of the vendors is in them: their tools
are those of inside/."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
LAYOUTS = yaml.safe_load((HERE / "layouts.yaml").read_text(encoding="utf-8"))["layouts"]
# In the image, the tools find the recorded options and each other by the paths of this project.
INSIDE = "/opt/rehearsal/tests"
COPIED = ["rehearsal/inside", "runners/triton_trtllm", "runners/openai_standin",
          "runners/lmdeploy", "runners/option_table.py", "runners/vllm/options.txt",
          "runners/sglang/options.txt", "runners/tgi/options.txt",
          "docs/stand_in/server.py"]  # fmt: skip
GRPC = Path("/usr/lib/python3/dist-packages/grpc")  # images of Triton have it
PROGRAMS = """bash sh cat cp mv rm ln ls mkdir chmod env id getent sleep test true false tail head
tee touch tr wc cut sort uniq dirname basename readlink realpath stat date df du uname whoami
pgrep grep sed find xargs ldconfig tar gzip python3.11""".split()
NOT_COPIED = {"test", "idlelib", "lib2to3", "ensurepip", "turtledemo", "tkinter", "distutils",
              "unittest", "pydoc_data", "config-3.11-x86_64-linux-gnu"}  # fmt: skip
PASSWD = (
    "root:x:0:0:root:/root:/bin/bash\ntriton-server:x:1000:1000::/home/triton-server:/bin/bash\n"
)
BANNER = """#!/bin/bash
# The banner goes to stdout; then the words run.
echo
echo "============================="
echo "== {title} =="
echo "============================="
if [ ! -e /dev/nvidiactl ]; then
  echo "WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available."
fi
echo
if [ $# -eq 0 ]; then exec /bin/bash; fi
exec "$@"
"""
TGI_ENTRYPOINT = "#!/bin/bash\nldconfig 2>/dev/null\nexec text-generation-launcher $@\n"
SCRIPT = "#!{python}\nimport sys\nsys.path.insert(0, '{inside}/rehearsal/inside')\n"


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def libraries_of(programs):
    """The libraries that the programs are linked with, by their paths."""
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(?:=> |^\t)(/\S+) \(0x", said, re.M))


def make_base(root):
    """A Debian of copied files: a shell, its usual programs, and Python."""
    found = [shutil.which(name, path="/usr/sbin:/usr/bin:/bin:/sbin") for name in PROGRAMS]
    extensions = list(Path("/usr/lib/python3.11/lib-dynload").glob("*.so"))
    extensions += list(GRPC.glob("_cython/*.so"))
    for folder in ("usr/bin", "usr/lib", "usr/lib64", "usr/sbin", "tmp", "etc", "run", "root",
                   "proc", "sys", "dev", "opt", "home"):  # fmt: skip
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / name).symlink_to(f"usr/{name}")
    for path in filter(None, found):
        shutil.copy(os.path.realpath(path), root / "usr/bin" / os.path.basename(path))
    for path in libraries_of([*filter(None, found), *map(str, extensions)]):
        target = root / "usr" / path.lstrip("/").removeprefix("usr/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(path), target)
    (root / "usr/bin/python3").symlink_to("python3.11")
    shutil.copytree("/usr/lib/python3.11", root / "usr/lib/python3.11", symlinks=False,
                    ignore=lambda _, names: NOT_COPIED & set(names),
                    ignore_dangling_symlinks=True)  # fmt: skip
    shutil.copytree(GRPC, f"{root}{GRPC}")
    write(root / "etc/passwd", PASSWD)
    write(root / "etc/group", "root:x:0:\ntriton-server:x:1000:\n")
    write(root / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    write(root / "etc/os-release", 'NAME="Debian GNU/Linux"\nVERSION_ID="12"\n')
    (root / "tmp").chmod(0o1777)
    (root / "root").chmod(0o700)
    for name in COPIED:
        source, target = TESTS / name, Path(f"{root}{INSIDE}/{name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    # Containers cannot keep what Python compiles.
    subprocess.run(["chroot", str(root), "/usr/bin/python3", "-m", "compileall", "-q", INSIDE],
                   check=True)  # fmt: skip


class Image:
    """The root of one layout, filled from the base."""

    def __init__(self, name, root):
        self.layout, self.root, self.name = LAYOUTS[name], root, name
        self.release = str(self.layout["release"])
        venv = self.layout["venv"]
        self.python = f"{venv}/bin/python3" if venv else "/usr/bin/python3"
        self.bin = f"{venv}/bin" if venv else "/usr/local/bin"

    def at(self, path):
        return self.root / path.lstrip("/")

    def program(self, path, call):
        text = SCRIPT.format(python=self.python, inside=INSIDE) + call + "\n"
        write(self.at(path), text, 0o755)

    def tool(self, path, key):
        self.program(path, f"import trtllm\ntrtllm.main({key!r})")

    def inside(self, *words):
        """Runs a program of the image at its paths."""
        subprocess.run(["chroot", str(self.root), *words], check=True, stdout=subprocess.DEVNULL)

    def make(self):
        self.make_python()
        self.make_entrypoint()
        self.at(self.layout["workdir"]).mkdir(parents=True, exist_ok=True)
        layout = {key: value for key, value in self.layout.items() if key not in ("from", "env")}
        write(self.at("/opt/rehearsal/layout.json"),
              json.dumps({**layout, "release": self.release}))  # fmt: skip
        {"triton-trtllm": self.make_triton, "lmdeploy": self.make_lmdeploy}.get(
            self.layout["engine"], self.make_engine
        )()

    def make_python(self):
        """The packages lie where the image has them; Debian's own place leads there."""
        if self.layout["venv"]:
            home = self.at(self.layout["venv"])
            packages = home / "lib" / self.layout["lib"] / "site-packages"
            packages.mkdir(parents=True)
            (home / "lib/python3.11").symlink_to(self.layout["lib"])
            (home / "bin").mkdir()
            (home / "bin/python3").symlink_to("/usr/bin/python3.11")
            write(home / "pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
        else:
            packages = self.at(f"/usr/local/lib/{self.layout['lib']}/dist-packages")
            packages.mkdir(parents=True)
            if self.layout["lib"] != "python3.11":
                self.at("/usr/local/lib/python3.11").symlink_to(self.layout["lib"])
        if self.layout["python"]:
            self.at("/usr/bin/python").symlink_to("python3")
        self.packages = packages
        shutil.copy(TESTS / "runners/triton_trtllm/standin/tokenizers.py", packages)

    def make_entrypoint(self):
        for path in self.layout["entrypoint"]:
            if path == "/tgi-entrypoint.sh":
                write(self.at(path), TGI_ENTRYPOINT, 0o755)
            elif path.startswith("/"):
                write(self.at(path), BANNER.format(title=self.layout["env"].get(
                    "NVIDIA_PRODUCT_NAME", "TensorRT-LLM")), 0o755)  # fmt: skip

    def make_triton(self):
        metadata = f"Metadata-Version: 2.1\nName: tensorrt_llm\nVersion: {self.release}\n"
        write(self.packages / f"tensorrt_llm-{self.release}.dist-info/METADATA", metadata)
        tools = self.layout["tools"]
        self.tool(f"{self.bin}/trtllm-build", "build")
        if "mpirun" in tools:
            self.program("/opt/hpcx/ompi/bin/mpirun", "import mpirun\nmpirun.main(sys.argv[1:])")
            self.at("/usr/local/mpi").parent.mkdir(parents=True, exist_ok=True)
            self.at("/usr/local/mpi").symlink_to("/opt/hpcx/ompi")
        if "trtllm-serve" in tools:
            call = "import llm_serve\nllm_serve.main(sys.argv[1:])"
            self.program(f"{self.bin}/trtllm-serve", call)
        if "tritonserver" in tools:
            self.program("/opt/tritonserver/bin/tritonserver", "import triton\ntriton.main()")
            write(self.at("/opt/tritonserver/TRITON_VERSION"), self.layout.get("triton", "") + "\n")
        app = self.layout["app"]
        if app == "app":
            self.make_examples("/app/examples")
            self.make_models("/app/all_models")
            self.make_scripts("/app")
        if app == "option2":
            self.make_examples("/app/tensorrt_llm/examples")
            self.make_scripts("/app")
        if app == "source":
            self.make_examples("/app/tensorrt_llm/examples")
            self.make_models("/app/tensorrt_llm/triton_backend/all_models")
            self.make_scripts("/app/tensorrt_llm/triton_backend")

    def make_examples(self, folder):
        make_examples(self.tool, folder, self.release)

    def make_models(self, folder):
        make_models(self.at(folder), self.release)

    def make_scripts(self, folder):
        write(self.at(f"{folder}/scripts/launch_triton_server.py"), "raise SystemExit(0)\n")
        make_tools(self.at(f"{folder}/tools"), self.release)

    def make_engine(self):
        """vLLM, SGLang or TGI: their own programs, over the packages of this image."""
        self.inside("/usr/bin/python3", f"{INSIDE}/runners/openai_standin/make.py",
                    self.layout["engine"], self.release, "/opt/engine")  # fmt: skip
        made = self.at("/opt/engine")
        self.add_checks(made, "import serve\n")
        for path in (made / "lib").glob("*"):
            shutil.move(str(path), self.packages / path.name)
        for path in (made / "bin").glob("*"):
            if path.name != "python3":
                write(self.at(f"/usr/local/bin/{path.name}"), path.read_text("utf-8"), 0o755)

    def add_checks(self, made, start):
        """The machine is looked at before START, with which the stand-in begins."""
        checks = (f"sys.path.insert(0, '{INSIDE}/rehearsal/inside')\nimport machine\n"
                  f"machine.import_engine({self.layout['engine']!r}, sys.argv)\n")  # fmt: skip
        for path in made.rglob("*"):
            text = path.read_text("utf-8") if path.is_file() else ""
            if start in text:
                write(path, text.replace(start, checks + start, 1), path.stat().st_mode & 0o777)

    def make_lmdeploy(self):
        self.inside("/usr/bin/python3", "-c", "import sys\n"
                    f"sys.path.insert(0, '{INSIDE}/runners/lmdeploy')\n"
                    "import standin\n"
                    f"standin.make({self.release!r}, '/opt/engine')")  # fmt: skip
        made = self.at("/opt/engine")
        self.add_checks(made, "import standin\n")
        for path in (made / "lib").glob("*"):
            shutil.move(str(path), self.packages / path.name)
        text = (made / "bin/lmdeploy").read_text("utf-8")
        text = text.replace("/opt/engine/bin/python3", self.python)
        write(self.at(f"{self.bin}/lmdeploy"), text, 0o755)
        if "tritonserver" in self.layout.get("tools", []):
            self.program("/opt/tritonserver/bin/tritonserver", "import turbomind\nturbomind.main()")


def make_examples(tool, folder, release):
    """The vendor's scripts at the paths of RELEASE, as layout.json has them; TOOL(path, key) writes
    one."""
    recorded = json.loads((TESTS / "runners/triton_trtllm/layout.json").read_text("utf-8"))
    converters = {}  # those of draft heads are not recorded of every release that has them
    for name, row in recorded["versions"].items():
        if order(name) <= order(release):
            converters |= row["paths"].get("convert") or {}
    models = "models/core/" if order(release) >= [0, 20] else ""
    if order(release) >= [0, 11]:
        tool(f"{folder}/{models}enc_dec/convert_checkpoint.py", "convert-enc_dec")
    if order(release) >= [0, 12]:
        name = "multimodal" if order(release) >= [0, 19] else "visual"
        tool(f"{folder}/{models}multimodal/build_{name}_engine.py", "visual")
    if order(release) >= [0, 15]:
        tool(f"{folder}/eagle/convert_checkpoint.py", "convert-eagle")
    tool(f"{folder}/hf_lora_convert.py", "lora")
    tool(f"{folder}/run.py", "run")
    tool(f"{folder}/quantization/quantize.py", "quantize")
    for family, path in converters.items():
        if path:
            tool(f"{folder}/{path.split('/examples/', 1)[1]}", f"convert-{family}")


def make_tools(folder, release):
    """tools: the measurement of one model runs on any machine, from a copy of the folder."""
    write(folder / "fill_template.py", "raise SystemExit(0)\n")
    text = (HERE / "inside/core_model.py").read_text("utf-8").replace("@release@", release)
    write(folder / "inflight_batcher_llm/benchmark_core_model.py", text)
    write(folder / "utils/triton_grpc.py", (HERE / "inside/triton_grpc.py").read_text("utf-8"))


# Of ensemble and tensorrt_llm_bls, which this project's own models, those of 0.14, lack.
INPUTS_SINCE_0_15 = """
input { name: "lora_task_id" data_type: TYPE_UINT64 dims: [1] optional: true }
input { name: "lora_weights" data_type: TYPE_FP16 dims: [-1, -1] optional: true }
input { name: "lora_config" data_type: TYPE_INT32 dims: [-1, 3] optional: true }
"""
INPUTS_SINCE_0_16 = """
input { name: "exclude_input_in_output" data_type: TYPE_BOOL dims: [1] optional: true }
"""


def make_models(folder, release):
    """all_models: the project's own models, with the placeholders that were recorded of RELEASE."""
    records = TESTS / "runners/triton_trtllm/templates"
    names = sorted((path.stem for path in records.glob("*.json")), key=order)
    name = [one for one in names if order(one) <= order(release)][-1]
    rows = json.loads((records / f"{name}.json").read_text("utf-8"))["models"]
    own = HERE.parents[1] / "templates/inflight_batcher_llm"
    for model, placeholders in rows.items():
        if "/" in model:
            continue
        text = (own / model / "config.pbtxt").read_text("utf-8")
        if order(release) >= [0, 15] and model in ("ensemble", "tensorrt_llm_bls"):
            text += INPUTS_SINCE_0_15
            text += INPUTS_SINCE_0_16 if order(release) >= [0, 16] else ""
        target = folder / "inflight_batcher_llm" / model
        write(target / "config.pbtxt", with_placeholders(text, placeholders))
        write(target / "1/model.py", "# a model of the vendor\n")
    if order(release) >= [0, 13]:
        make_models_of_images(folder / "multimodal", release, rows)


# Placeholders of multimodal_encoders, by docs/multimodal.md, with their first release.
OF_ENCODERS = {"visual_model_path": [0, 13], "hf_model_path": [0, 16],
               "multimodal_model_path": [0, 19]}  # fmt: skip
IMAGES = [("image_input", "TYPE_FP16", "[-1, 3, -1, -1]"), ("image_bytes_input", "TYPE_UINT8",
          "[-1, -1, -1, -1]"), ("image_url_input", "TYPE_STRING", "[-1]")]  # fmt: skip


def make_models_of_images(folder, release, rows):
    """The ensemble that takes images as well, and the model that encodes them."""
    inputs = "".join(
        f'input {{ name: "{name}" data_type: {kind} dims: {dims} optional: true }}\n'
        for name, kind, dims in IMAGES
    )
    text = (HERE.parents[1] / "templates/inflight_batcher_llm/ensemble/config.pbtxt").read_text(
        "utf-8"
    )
    write(folder / "ensemble/config.pbtxt", with_placeholders(text, rows["ensemble"]) + inputs)
    write(folder / "ensemble/1/.tmp", "")
    names = [name for name, first in OF_ENCODERS.items() if first <= order(release)]
    if order(release) >= [0, 19]:
        names.remove("visual_model_path")
    encoders = 'name: "multimodal_encoders"\nbackend: "python"\n'
    encoders += "max_batch_size: ${triton_max_batch_size}\n" + inputs
    for name in names:
        encoders += f'parameters {{ key: "{name}" value {{ string_value: "${{{name}}}" }} }}\n'
    features = "TYPE_FP16" if order(release) < [0, 15] else "${encoder_input_features_data_type}"
    encoders += f'output {{ name: "OUT_PROMPT_TABLE" data_type: {features} dims: [-1] }}\n'
    if order(release) >= [0, 19]:
        encoders += queue_of([])
    write(folder / "multimodal_encoders/config.pbtxt", encoders)
    write(folder / "multimodal_encoders/1/model.py", "# a model of the vendor\n")


def order(release):
    return [int(one) if one.isdigit() else 0 for one in release.split(".")]


def with_placeholders(text, wanted):
    """TEXT without parameters whose placeholders are not WANTED, and with those that it lacks."""
    lines = [
        line
        for line in text.splitlines()
        if set(re.findall(r"\$\{(\w+)\}", line)) <= set(wanted) or not line.startswith("parameters")
    ]
    kept = "\n".join(lines)
    kept = re.sub(r"^.*max_queue_size.*\n", "", kept, flags=re.M) if (
        "max_queue_size" not in wanted) else kept  # fmt: skip
    there = set(re.findall(r"\$\{(\w+)\}", kept))
    for name, row in wanted.items():
        if name in there or row.get("comment"):
            continue
        if row["quoted"]:
            key = row["fills"][0]
            kept += f'\nparameters {{ key: "{key}" value {{ string_value: "${{{name}}}" }} }}'
        elif name in ("encoder_input_features_data_type", "prompt_embedding_table_data_type"):
            kept += (f'\ninput {{ name: "of_{name}" data_type: ${{{name}}} dims: [-1]'
                     " optional: true }")  # fmt: skip
        elif name == "logits_datatype":
            kept = re.sub(r'("(?:context|generation)_logits" data_type: )TYPE_FP32',
                          r"\1${logits_datatype}", kept)  # fmt: skip
        elif name in ("max_queue_delay_microseconds", "max_queue_size"):
            kept += queue_of(wanted) if "dynamic_batching" not in kept else ""
    return kept + "\n"


def queue_of(wanted):
    size = "default_queue_policy { max_queue_size: ${max_queue_size} } "
    return ("\ndynamic_batching { max_queue_delay_microseconds: ${max_queue_delay_microseconds} "
            + (size if "max_queue_size" in wanted else "") + "}")  # fmt: skip


class Maker:
    """Makes images in FOLDER and imports them with the words of PODMAN."""

    def __init__(self, folder, podman):
        self.folder, self.podman, self.made = Path(folder), podman, set()

    def make(self, name):
        """The name of the image of layout NAME, which is made at first use."""
        image = LAYOUTS[name]["image"]
        if name in self.made:
            return image
        base = self.folder / "base"
        if not base.exists():
            make_base(base)
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
        Image(name, root).make()
        self.bring_in(name, root)
        shutil.rmtree(root)
        self.made.add(name)
        return image

    def bring_in(self, name, root):
        layout = LAYOUTS[name]
        changes = [f"WORKDIR {layout['workdir']}"]
        if layout["entrypoint"]:
            changes.append(f"ENTRYPOINT {json.dumps(layout['entrypoint'])}")
        changes += [f'ENV {key}="{value}"' for key, value in layout["env"].items()]
        words = [word for change in changes for word in ("--change", change)]
        tar = subprocess.Popen(
            ["tar", "--numeric-owner", "-C", str(root), "-cf", "-", "."], stdout=subprocess.PIPE
        )
        subprocess.run([*self.podman, "import", "--quiet", *words, "-", layout["image"]],
                       stdin=tar.stdout, check=True, capture_output=True)  # fmt: skip
        if tar.wait():
            raise RuntimeError("the files of an image could not be packed")

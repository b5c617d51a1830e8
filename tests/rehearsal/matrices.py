"""Matrices as they are rehearsed: those of experiments/ and of the pages, with the models of the
rehearsal's hub, an image of a layout, and few requests. Nothing else of them is changed."""

import copy
import json
import re
from pathlib import Path

import hub as hubs
import hub_server
import images
import yaml

# A busy machine may make the client late. That is no fault of a matrix.
LIMITS = {"wake_lag_ms": 10000, "send_lag_ms": 10000, "client_cpu_share": 10000}
REQUESTS = 4
FOLDERS = ("/models/", "/adapters/")  # of a user's machine, which the rehearsal makes


def merged(base, own):
    """As `base:` of a matrix: maps are merged, lists replaced, and an empty key removes."""
    found = copy.deepcopy(base)
    for key, value in own.items():
        if value is None:
            found.pop(key, None)
        elif isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        else:
            found[key] = value
    return found


def load(path, project):
    """The matrix of a file, with those that it is based on."""
    matrix = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    return with_base(matrix, Path(path).parent, project)


def with_base(matrix, folder, project):
    base = matrix.pop("base", None)
    if not base:
        return matrix
    preset = re.fullmatch(r"preset:([\w-]+)/([\w-]+)", base)
    path = (project / f"runners/{preset[1]}/presets/{preset[2]}.yaml" if preset
            else folder / base)  # fmt: skip
    return merged(load(path, project), matrix)


class Rehearsed:
    """MATRIX for HOST, in FOLDER. LAYOUTS: the layout of each release, or one for all."""

    def __init__(self, host, matrix, folder, layouts, pinned=True):
        self.host, self.folder, self.layouts, self.pinned = host, folder, layouts, pinned
        self.matrix = copy.deepcopy(matrix)
        self.matrix.pop("machine", None)  # the host is there

    def write(self, **more):
        self.add_models()
        self.add_datasets()
        self.few_requests()
        self.add_images()
        found = merged(self.on_this_host(self.matrix), more)
        path = self.folder / "matrix.yaml"
        path.write_text(json.dumps(found, indent=1), encoding="utf-8")
        return path

    def add_models(self):
        for model in self.matrix.get("models", {}).values():
            source = model.get("source", "")
            if source.startswith("hf:"):
                self.host.hub.add(source[3:], model.get("facts", {}))
                if self.pinned:
                    model["revision"] = hub_server.COMMIT
            elif source.startswith("local:") and self.layouts:
                self.make_model(self.folder / source[6:])

    def make_model(self, folder):
        """Of a folder's name, as the runners know it."""
        known = [facts for name, facts in hubs.KNOWN.items() if name.endswith(f"/{folder.name}")]
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in hubs.model_files(known[0]).items():
            (folder / name).write_bytes(content)

    def add_datasets(self):
        for one in self.matrix.get("datasets", {}).values():
            if one["source"].startswith("hf:"):
                self.host.hub.add_talks(one["source"][3:], one["files"])

    def few_requests(self):
        self.matrix.get("let", {}).pop("num_prompts", None)
        for point in self.matrix.get("axes", {}).get("load", []):
            point.pop("num_prompts", None)
        self.matrix.setdefault("defaults", {})["num_prompts"] = REQUESTS
        measure = self.matrix.setdefault("measure", {})
        measure.update({"limits": LIMITS, "warmup": "1", "repeats": {"measure": 1}})

    def add_images(self):
        if self.layouts is None:
            return
        if isinstance(self.layouts, str):
            self.matrix["defaults"]["image"] = self.image(self.layouts)
            return
        rows = [f"WHEN '{release}' THEN '{self.image(name)}'" for release, name in
                self.layouts.items()]  # fmt: skip
        self.matrix.setdefault("let", {})["image"] = f"CASE trtllm_version {' '.join(rows)} END"

    def image(self, name):
        image = self.host.images.make(name)
        return self.host.pinned(image) if self.pinned else image

    def on_this_host(self, value):
        """VALUE with folders of this host in place of those of a user."""
        if isinstance(value, dict):
            return {key: self.on_this_host(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.on_this_host(each) for each in value]
        if isinstance(value, str) and value.startswith(FOLDERS):
            return str(self.make_folder(value))
        return value

    def make_folder(self, path):
        folder = self.host.folder / "user" / path.lstrip("/")
        images.write(folder / "config.json", '{"model_type": "llama"}')
        adapter = {"r": 8, "lora_alpha": 16, "base_model_name_or_path": folder.name}
        images.write(folder / "adapter_config.json", json.dumps(adapter))
        return folder

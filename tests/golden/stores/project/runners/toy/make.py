"""The outputs of the tasks of this runner: make.py environment|model|prompts ARGUMENTS."""

import json
import os
import pathlib
import signal
import sys


def environment(out):
    pathlib.Path(out, "environment.txt").write_text("where it was made: " + out + "\n")


def model(out, flavour, of_environment):
    pathlib.Path(of_environment).read_text()
    if flavour == "broken":
        print("reading the recipe")
        sys.exit("the recipe has no flavour 'broken'; choose plain")
    marker = os.environ.get("TOY_KILLED_ONCE", "")
    if marker and not os.path.exists(marker):
        pathlib.Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    pathlib.Path(out, "model.txt").write_text(flavour)


def prompts(jobs):
    for job in json.loads(pathlib.Path(jobs).read_text()):
        with open(job["out"] + "/prompts.jsonl", "w") as file:
            for block in range(8):
                for i in range(13):
                    prompt = f"{job['seed']} {block} {i} " + "word " * int(job["isl"])
                    row = {"text_input": prompt, "isl": int(job["isl"]), "warmup": i == 0}
                    print(json.dumps({**row, "block": block}), file=file)


globals()[sys.argv[1]](*sys.argv[2:])

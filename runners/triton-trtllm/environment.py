"""Looks for the tools and writes down what they are.

environment.py --version VERSION --app DIR [--image IMAGE] --engine docker|podman OUT"""

import json
import pathlib
import sys


def main():
    out = pathlib.Path(sys.argv[-1])
    for name in ("environment.json", "options.json"):
        (out / name).write_text(json.dumps({"arguments": sys.argv[1:-1]}) + "\n")


if __name__ == "__main__":
    main()

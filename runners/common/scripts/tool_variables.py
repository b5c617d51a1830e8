"""Shared by the scripts of other people's tools: the environment variables that they start with."""
import os


def tool_variables(venv):
    """Those in which the tools of the virtual environment VENV find each other and
    their libraries."""
    cuda = [str(path) for path in venv.glob("lib/python3*/site-packages/nvidia/*/lib")]
    return {
        **os.environ,
        "PATH": f"{venv}/bin:/usr/bin:/bin",
        "LD_LIBRARY_PATH": ":".join(cuda),
        "TOKENIZERS_PARALLELISM": "false",
    }

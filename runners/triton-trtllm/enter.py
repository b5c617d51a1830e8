"""Runs a command where the tools are. Knows what environment.py found, and nothing of what the command does.

enter.py ENVIRONMENT TOOL COMMAND...

ENVIRONMENT is the output of environment.py; TOOL names the entry of its options.json that the command's options are checked against."""

import os
import sys


def main():
    command = sys.argv[3:]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()

"""start.py NAME=VALUE... [--word WORD]...: becomes the command of these words, in which {NAME} is
replaced by VALUE. Other braces stay as they are."""

import os
import re
import sys


def read(words):
    values, command = {}, []
    words = iter(words)
    for word in words:
        if word == "--word":
            command.append(next(words))
        else:
            name, _, value = word.partition("=")
            values[name] = value
    return values, command


def fill(word, values):
    """WORD, filled once: a value with braces stays as it is."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word)


def main():
    values, command = read(sys.argv[1:])
    if not command:
        sys.exit(
            "no command starts this server: set start to its words, or name a server that runs "
            "already with service: {url: ...} in the matrix"
        )
    command = [fill(word, values) for word in command]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot start {command[0]}: {error.strerror}; correct the first word of start")


if __name__ == "__main__":
    main()

"""Python's own string.Template for string_template_test.cpp. A line holds a template and values,
all in hex: TEMPLATE KEY=VALUE KEY=VALUE."""
import string
import sys


def text(hexadecimal):
    return bytes.fromhex(hexadecimal).decode()


for line in sys.stdin:
    template, *pairs = line.rstrip("\n").split(" ")
    values = {text(key): text(value) for key, value in (pair.split("=") for pair in pairs)}
    print(string.Template(text(template)).safe_substitute(values).encode().hex())

"""reset_cache.py URL COMMAND...: posts an empty request to URL, by which a server empties its KV
cache of prefixes, and then becomes COMMAND. A URL without a page, or with none behind the --url of
COMMAND, asks for nothing.

A server refuses while requests are under way; those of an earlier client may still end, so it is
asked again for a while. The request has what COMMAND says of its own: the bearer token in the
variable of --token-env, and each --header, in which $NAME stands for a variable.
"""
import http.client
import json
import os
import re
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from stage import Failed, run

PATIENCE_S = 60
PERIOD_S = 0.2
LONGEST = 65536  # bytes of an answer that are read
SHOWN = 300  # characters of it that a message shows
# It will answer so however often it is asked.
FINAL = (401, 403, 404, 405, 501)


def failed_anyway(text):
    """Some servers say with status 200 whether they did it."""
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("success") is False


def token_of(command):
    """The bearer token in the variable that COMMAND names; empty if it names none."""
    if "--token-env" not in command[:-1]:
        return ""
    name = command[command.index("--token-env") + 1]
    token = os.environ.get(name, "")
    if not re.fullmatch(r"[!-~]*", token):
        raise Failed(f"the token in {name} has a character that no header may have; set it anew")
    return token


def headers_of(command):
    """The headers of COMMAND by their names, and the values of the variables in them."""
    headers, secrets = {}, []

    def value_of(match):
        if match[1] == "$":
            return "$"
        secrets.append(os.environ.get(match[1], ""))
        return secrets[-1]

    for word, text in zip(command, command[1:]):
        if word == "--header":
            name, _, value = text.partition(":")
            headers[name] = re.sub(r"\$(\$|[A-Za-z_][A-Za-z0-9_]*)", value_of, value).strip()
            if not headers[name].isprintable():
                raise Failed(f"the header {name} gets a control character from a variable; set it"
                             " anew")  # fmt: skip
    token = token_of(command)
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return headers, [secret for secret in [*secrets, token] if secret]


def is_base(url, command):
    """Whether URL has no page behind the address to which COMMAND sends its requests."""
    base = command[command.index("--url") + 1] if "--url" in command[:-1] else ""
    return not urllib.parse.urlsplit(url).path.strip("/") or url.rstrip("/") == base.rstrip("/")


def shown(text, secrets):
    """TEXT of a server in one line, without SECRETS, which it may repeat."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:SHOWN]


def posted(url, headers, secrets):
    """Nothing when the server did it, else the status and the words of its refusal."""
    # A proxy of the environment is not for this server.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, data=b"", method="POST")
    for name, value in headers.items():
        # Not for a server to which this one redirects.
        request.add_unredirected_header(name, value)
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            text = answer.read(LONGEST).decode("utf-8", "replace")
        if not failed_anyway(text):
            return None
    except urllib.error.HTTPError as error:
        with error:
            answer, text = error, error.read(LONGEST).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        why = shown(str(error) or type(error).__name__, secrets)
        raise Failed(f"{url}: {why}; the cache of the server could not be emptied") from None
    words = shown(f"{answer.reason}: {text}", secrets).rstrip(": ")
    return answer.status, f"{answer.status} {words}"


def remedy(status, headers):
    if status in (401, 403) and headers:
        return f"it does not accept the value of {' or '.join(headers)}; export the right one"
    if status in (401, 403):
        return "name the variable with its bearer token under service (token_env: NAME)"
    return (
        "leave enable_kv_cache_reuse out, or set cache_reset to the page by which this server"
        ' empties its cache, or to "" if it has none'
    )


def reset(url, headers, secrets, clock=time.monotonic, wait=time.sleep):
    until = clock() + PATIENCE_S
    refusal = posted(url, headers, secrets)
    while refusal:
        status, said = refusal
        if status in FINAL or clock() > until:
            raise Failed(f"{url} answers {said}; {remedy(status, headers)}")
        wait(PERIOD_S)
        refusal = posted(url, headers, secrets)


def main(arguments):
    if len(arguments) < 2:
        raise Failed("two arguments are needed: a URL, and a command")
    url, command = arguments[0], arguments[1:]
    if not is_base(url, command):
        reset(url, *headers_of(command))
    sys.stdout.flush()
    os.execv(shutil.which(command[0]) or command[0], command)


if __name__ == "__main__":
    run(main)

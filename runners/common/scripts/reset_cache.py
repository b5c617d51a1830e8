"""reset_cache.py URL COMMAND...: posts an empty request to URL, by which a server empties its KV
cache of prefixes, and then becomes COMMAND. A URL without a page asks for nothing.

A server refuses while requests are under way; those of an earlier client may still end, so it is
asked again for a while. Where COMMAND has --token-env NAME, the request has the bearer token in
that variable, too. It does not know what COMMAND does.
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


def shown(text, token):
    """TEXT of a server in one line, without TOKEN, which it may repeat."""
    text = text.replace(token, "***") if token else text
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:SHOWN]


def posted(url, token):
    """Nothing when the server did it, else the status and the words of its refusal."""
    # A proxy of the environment is not for this server.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, data=b"", method="POST")
    if token:
        # Not for a server to which this one redirects.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            text = answer.read(LONGEST).decode("utf-8", "replace")
        if not failed_anyway(text):
            return None
    except urllib.error.HTTPError as error:
        with error:
            answer, text = error, error.read(LONGEST).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        why = shown(str(error) or type(error).__name__, token)
        raise Failed(f"{url}: {why}; the cache of the server could not be emptied") from None
    words = shown(f"{answer.reason}: {text}", token).rstrip(": ")
    return answer.status, f"{answer.status} {words}"


def remedy(status):
    if status in (401, 403):
        return "name the variable with its bearer token under service (token_env: NAME)"
    return (
        "leave enable_kv_cache_reuse out, or set cache_reset to the page by which this server"
        ' empties its cache, or to "" if it has none'
    )


def reset(url, token="", clock=time.monotonic, wait=time.sleep):
    until = clock() + PATIENCE_S
    while refusal := posted(url, token):
        status, said = refusal
        if status in FINAL or clock() > until:
            raise Failed(f"{url} answers {said}; {remedy(status)}")
        wait(PERIOD_S)


def main(arguments):
    if len(arguments) < 2:
        raise Failed("two arguments are needed: a URL, and a command")
    url, command = arguments[0], arguments[1:]
    if urllib.parse.urlsplit(url).path.strip("/"):
        reset(url, token_of(command))
    sys.stdout.flush()
    os.execv(shutil.which(command[0]) or command[0], command)


if __name__ == "__main__":
    run(main)

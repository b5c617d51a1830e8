"""reset_cache.py URL COMMAND...: posts an empty request to URL, by which a server empties its KV
cache of prefixes, and then becomes COMMAND. A URL without a page asks for nothing.

A server refuses while requests are under way; those of an earlier client may still end, so it is
asked again for a while. It does not know what COMMAND does.
"""
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from stage import Failed, run

PATIENCE_S = 60
PERIOD_S = 0.2


def failed_anyway(text):
    """Some servers say with status 200 whether they did it."""
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("success") is False


def posted(url):
    """Empty when the server did it, else its refusal."""
    # A proxy of the environment is not for a server on this host.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, data=b"", method="POST")
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            text = answer.read(300).decode("utf-8", "replace").strip()
        return f"{answer.status} {answer.reason}: {text}" if failed_anyway(text) else ""
    except urllib.error.HTTPError as error:
        with error:
            text = error.read(300).decode("utf-8", "replace").strip()
        return f"{error.code} {error.reason}{': ' if text else ''}{text}"
    except OSError as error:
        raise Failed(f"{url}: {error}; the cache of the server could not be emptied") from error


def reset(url, clock=time.monotonic, wait=time.sleep):
    until = clock() + PATIENCE_S
    while True:
        refusal = posted(url)
        if not refusal:
            return
        if refusal.startswith("404") or clock() > until:
            raise Failed(
                f"{url} answers {refusal}; leave enable_kv_cache_reuse out, or set cache_reset to"
                " the page by which this server empties its cache"
            )
        wait(PERIOD_S)


def main(arguments):
    if len(arguments) < 2:
        raise Failed("two arguments are needed: a URL, and a command")
    url, command = arguments[0], arguments[1:]
    if urllib.parse.urlsplit(url).path.strip("/"):
        reset(url)
    sys.stdout.flush()
    os.execv(shutil.which(command[0]) or command[0], command)


if __name__ == "__main__":
    run(main)

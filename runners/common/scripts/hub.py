"""Client of a Hugging Face hub: its address, credentials and the meaning of its responses.

It does not know files or models.
"""
import json
import os
import re
import urllib.parse

from web import Again, Pace, Patience, Web, WebError, cut_short, length_of, origin, plain

PUBLIC = "https://huggingface.co"
MOST_JSON = 64 << 20
MOST_PAGES = 100


def is_true(value):
    return (value or "").upper() in ("1", "ON", "YES", "TRUE")


def home(environment):
    base = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return path_of(environment.get("HF_HOME") or os.path.join(base, "huggingface"))


def path_of(text):
    return os.path.expandvars(os.path.expanduser(text))


def cache_folder(environment):
    """The folder in which the hub's own tools cache files."""
    named = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE")
    return path_of(named) if named else os.path.join(home(environment), "hub")


def read_token(environment):
    """The token and its origin; both are empty if there is none."""
    if is_true(environment.get("HF_HUB_DISABLE_IMPLICIT_TOKEN")):
        return "", ""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if environment.get(name):
            return clean(environment[name], name)
    path = path_of(environment.get("HF_TOKEN_PATH") or os.path.join(home(environment), "token"))
    try:
        with open(path, encoding="utf-8") as file:
            return clean(file.read(), path)
    except (FileNotFoundError, NotADirectoryError):
        return "", ""
    except UnicodeDecodeError:
        return clean("\0", path)


def clean(text, where):
    token = text.replace("\r", "").replace("\n", "").strip()
    if not re.fullmatch(r"[!-~]*", token):
        raise WebError(
            f"{where}: contains characters that a token cannot have; write only the token"
        )
    return token, where if token else ""


class Hub(Web):
    """One repository of a hub; SOURCE is hf:OWNER/NAME."""

    names = "the hub lists"
    expected = "the listing of the hub"
    remedy = "check the disk, the proxy and HF_ENDPOINT"

    def __init__(self, source, environment=os.environ):
        super().__init__(source, environment)
        match = re.fullmatch(r"hf:([A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?)", source, re.ASCII)
        if not match:
            raise WebError(
                f"source '{source}': not the name of a repository on a hub; write hf:OWNER/NAME"
            )
        self.repo = match[1]
        self.endpoint = (environment.get("HF_ENDPOINT") or PUBLIC).rstrip("/")
        if not re.match(r"https?://[^/\s]+(/\S*)?$", self.endpoint):
            raise WebError(
                f"HF_ENDPOINT is '{self.endpoint}', which is not a URL; write https://HOST"
            )
        if is_true(environment.get("HF_HUB_OFFLINE") or environment.get("TRANSFORMERS_OFFLINE")):
            raise WebError(
                f"{source}: HF_HUB_OFFLINE is set; unset it, or name a local folder as local:PATH"
            )
        self.token, self.token_from = read_token(environment)

    def authorize(self, request):
        if self.token and origin(request.full_url) == origin(self.endpoint):
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")

    def file_url(self, commit, name):
        return f"{self.endpoint}/{self.repo}/resolve/{commit}/{urllib.parse.quote(name)}"

    def is_signed(self, url):
        return origin(url) != origin(self.endpoint)

    def advice(self, status):
        return "; a token in HF_TOKEN raises the limit" if status == 429 and not self.token else ""

    def json(self, url):
        """The value and the address of the next page, if there is one."""
        patience = Patience(self, self.source)
        while True:
            try:
                with self.open(url) as response:
                    return self.value_of(response, url), self.next_page(response)
            except Again as again:
                patience.spend(again)

    def value_of(self, response, url):
        text = bytearray()
        pace = Pace(self, url)
        expected = length_of(response)
        while len(text) != expected:
            some = self.read(response, 1 << 20)
            if not some:
                break
            text += some
            pace.got(len(some))
            if len(text) > MOST_JSON:
                raise WebError(
                    f"{url}: the answer is longer than {MOST_JSON >> 20} MiB; is HF_ENDPOINT a hub?"
                )
        if expected is not None and len(text) < expected:
            raise cut_short(self.source, len(text), expected)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise WebError(f"{url}: the answer is not JSON; is HF_ENDPOINT a hub?") from None

    def next_page(self, response):
        match = re.search(r'<([^>]+)>\s*;\s*rel="?next"?', response.headers.get("Link") or "")
        if not match:
            return None
        url = urllib.parse.urljoin(response.url, match[1])
        # A mirror passes on the links of the public hub, which may not be reachable from here.
        return self.endpoint + url[len(PUBLIC) :] if url.startswith(PUBLIC + "/") else url

    def api(self, path):
        return f"{self.endpoint}/api/models/{self.repo}/{path}"

    def commit(self, revision):
        answer, _ = self.json(self.api("revision/" + urllib.parse.quote(revision, safe="")))
        commit = answer.get("sha") if isinstance(answer, dict) else None
        if not is_commit(commit):
            raise WebError(
                f"{self.source}: the hub names no commit for revision '{revision}'; is HF_ENDPOINT"
                " a hub?"
            )
        return commit

    def listing(self, commit, with_folders):
        """The entries of the repository, as the hub describes them: those at the top, or all."""
        url = self.api(f"tree/{commit}") + ("?recursive=true" if with_folders else "")
        entries = []
        for _ in range(MOST_PAGES):
            page, url = self.json(url)
            if not isinstance(page, list):
                raise WebError(
                    f"{self.source}: the hub's listing is not a list; is HF_ENDPOINT a hub?"
                )
            entries += page
            if not url:
                return entries
        raise WebError(
            f"{self.source}: the hub's listing has more than {MOST_PAGES} pages; is this a"
            " model repository?"
        )

    def why_refused(self, status, headers):
        code = headers.get("X-Error-Code") or ""
        page = f"{self.endpoint}/{self.repo}"
        if status == 401 and (headers.get("X-Error-Message") or "").startswith(
            "Invalid credentials"
        ):
            return (
                f"the hub rejects the token in {self.token_from or 'HF_TOKEN'}; create one "
                f"at {self.endpoint}/settings/tokens and put it there"
            )
        if code == "GatedRepo" and not self.token:
            return (
                f"{self.source} is gated; accept its terms at {page} and set HF_TOKEN to a token of"
                " that account"
            )
        if code == "GatedRepo":
            return (
                f"{self.source} is gated, and the account of the token in {self.token_from} has no"
                f" access; request it at {page}"
            )
        if status == 401 and not self.token:
            return (
                f"the hub does not show {self.source} without a token; check the name, or set"
                " HF_TOKEN if it is private or gated"
            )
        if status in (401, 403):
            return (
                f"the hub does not show {self.source} to the token in"
                f" {self.token_from or 'HF_TOKEN'}; check the name and the permissions of the token"
            )
        if status == 404 and code == "RevisionNotFound":
            return (
                f"{self.source} has no such revision; see {page}/commits, or leave the revision"
                " out for main"
            )
        if status == 404 and code == "EntryNotFound":
            return f"{self.source} lists a file that it does not have; see {page}/tree/main"
        if status == 404:
            return f"{self.source} is not on {self.endpoint}; check the name"
        return (
            f"{self.endpoint} refused {self.source}:"
            f" {plain(headers.get('X-Error-Message') or 'no reason given')}"
        )


def is_commit(text):
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{40}", text) is not None

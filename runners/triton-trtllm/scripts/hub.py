"""Client of a Hugging Face hub: its address, credentials, the meaning of its responses and which of
them to retry.

It does not know files or models. `orchestrate` classifies a failure by the words of the final
message. Messages about a failure that is retried avoid these words, because the whole log is
searched.
"""
import email.utils
import http.client
import json
import os
import re
import socket
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request

from stage import Failed

PUBLIC = "https://huggingface.co"
WAITS_S = (1, 2, 4, 8, 16)  # before each retry
# A longer delay ends the attempt: `orchestrate` waits without holding resources.
LONGEST_WAIT_S = 60
WORTH_A_NEW_START = 64 << 20  # after this many bytes since the last failure the count starts again
MOST_JSON = 64 << 20
MOST_PAGES = 100


class HubError(Failed):
    """The request failed for good: a retry would not help, or the retries are used up."""


class Again(Exception):
    """A transient failure. BRIEFLY describes it while it is being retried."""

    def __init__(self, sentence, briefly, after_s=None, status=None):
        super().__init__(sentence)
        self.briefly = briefly
        self.after_s = after_s
        self.status = status


def pause(gone, seconds):
    """True if the result is no longer needed."""
    return gone.wait(seconds)


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
        raise HubError(
            f"{where}: contains characters that a token cannot have; write only the token"
        )
    return token, where if token else ""


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects to other hosts, which store the files, drop the token; a renamed repository
    stays on the same host and needs it.
    """

    def __init__(self, hub):
        self.hub = hub

    def redirect_request(self, request, *answer):
        again = super().redirect_request(request, *answer)
        if again is not None:
            self.hub.authorize(again)
        return again


class Hub:
    """One repository of a hub; SOURCE is hf:OWNER/NAME."""

    def __init__(self, source, environment=os.environ):
        match = re.fullmatch(r"hf:([A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?)", source, re.ASCII)
        if not match:
            raise HubError(
                f"source '{source}': not the name of a repository on a hub; write hf:OWNER/NAME"
            )
        self.source = source
        self.repo = match[1]
        self.endpoint = (environment.get("HF_ENDPOINT") or PUBLIC).rstrip("/")
        if not re.match(r"https?://[^/\s]+(/\S*)?$", self.endpoint):
            raise HubError(
                f"HF_ENDPOINT is '{self.endpoint}', which is not a URL; write https://HOST"
            )
        if is_true(environment.get("HF_HUB_OFFLINE") or environment.get("TRANSFORMERS_OFFLINE")):
            raise HubError(
                f"{source}: HF_HUB_OFFLINE is set; unset it, or name a local folder as local:PATH"
            )
        self.token, self.token_from = read_token(environment)
        given = environment.get("HF_HUB_DOWNLOAD_TIMEOUT") or ""
        self.timeout_s = int(given) if re.fullmatch(r"[1-9]\d{0,5}", given) else 30
        self.gone = threading.Event()
        self.opener = urllib.request.build_opener(Redirects(self))

    def authorize(self, request):
        if self.token and origin(request.full_url) == origin(self.endpoint):
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")

    def file_url(self, commit, name):
        return f"{self.endpoint}/{self.repo}/resolve/{commit}/{urllib.parse.quote(name)}"

    def open(self, url, headers=None):
        """Returns a response with status 2xx; raises Again or HubError."""
        request = urllib.request.Request(
            url,
            headers={"User-Agent": "orchestrate", "Accept-Encoding": "identity", **(headers or {})},
        )
        self.authorize(request)
        try:
            return self.opener.open(request, timeout=self.timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                raise self.refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise self.no_answer(error, url) from None

    def read(self, response, most):
        """The bytes that have arrived, at most MOST; empty at the end of the body."""
        try:
            return response.read1(most)
        except (OSError, http.client.HTTPException) as error:
            raise self.no_answer(error, response.url) from None

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
        expected = int(response.headers.get("Content-Length") or -1)
        while len(text) != expected and (some := self.read(response, 1 << 20)):
            text += some
            if len(text) > MOST_JSON:
                raise HubError(
                    f"{url}: the answer is longer than {MOST_JSON >> 20} MiB; is HF_ENDPOINT a hub?"
                )
        if len(text) < expected:
            raise cut_short(self.source, len(text), expected)
        try:
            return json.loads(text)
        except ValueError:
            raise HubError(f"{url}: the answer is not JSON; is HF_ENDPOINT a hub?") from None

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
            raise HubError(
                f"{self.source}: the hub names no commit for revision '{revision}'; is HF_ENDPOINT"
                " a hub?"
            )
        return commit

    def listing(self, commit):
        """The top-level entries of the repository, as the hub describes them."""
        url = self.api(f"tree/{commit}")
        entries = []
        for _ in range(MOST_PAGES):
            page, url = self.json(url)
            if not isinstance(page, list):
                raise HubError(
                    f"{self.source}: the hub's listing is not a list; is HF_ENDPOINT a hub?"
                )
            entries += page
            if not url:
                return entries
        raise HubError(
            f"{self.source}: the hub's listing has more than {MOST_PAGES} pages; is this a"
            " model repository?"
        )

    def refusal(self, error):
        """The exception for a response that is not 2xx."""
        status = error.code
        if status == 429:
            return self.to_wait(
                error,
                (
                    f"429 Too Many Requests: {self.host(error.url)} asks to retry later for"
                    f" {self.source}"
                ),
            )
        if status >= 500 or status == 408:
            return self.to_wait(
                error,
                f"HTTP error {status}: {self.host(error.url)} could not answer for {self.source}",
            )
        if status == 416 or origin(error.url) != origin(self.endpoint):
            # Each retry asks for the location again, because it carries a new signature.
            return Again(
                f"HTTP error {status}: {self.host(error.url)} refused a file of {self.source}",
                f"status {status}",
                status=status,
            )
        return HubError(f"HTTP error {status}: {self.why_refused(status, error.headers)}")

    def to_wait(self, error, sentence):
        after_s = seconds_to_wait(error.headers)
        if after_s is not None:
            sentence += f"; Retry-After: {after_s}"
        if error.code == 429 and not self.token:
            sentence += "; a token in HF_TOKEN raises the limit"
        return Again(sentence, f"status {error.code}", after_s, error.code)

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

    def no_answer(self, error, url):
        """The exception for a missing response."""
        reason = getattr(error, "reason", error)
        host = self.host(url)
        if isinstance(reason, ssl.SSLCertVerificationError):
            return HubError(
                f"{host}: certificate verify failed ({reason.verify_message}); "
                "check the clock, the proxy and SSL_CERT_FILE"
            )
        if isinstance(reason, socket.gaierror):
            sentence = (
                f"could not resolve host {host}: {reason.strerror}; check the network, the"
                " proxy and HF_ENDPOINT"
            )
            return (
                Again(sentence, "the name was not found")
                if reason.errno == socket.EAI_AGAIN
                else HubError(sentence)
            )
        if isinstance(reason, TimeoutError):
            return Again(
                (
                    f"{host} sent nothing for {self.timeout_s} s: connection timed out;"
                    " HF_HUB_DOWNLOAD_TIMEOUT sets this limit"
                ),
                "no answer in time",
            )
        return Again(
            (
                f"{host}: {type(reason).__name__}: {plain(str(reason))}; check the network and"
                " the proxy"
            ),
            "the connection broke",
        )

    @staticmethod
    def host(url):
        return urllib.parse.urlsplit(url).netloc


def cut_short(what, arrived, size):
    sentence = (
        f"{what}: the answer ended early: IncompleteRead({arrived} of {size} bytes); check the"
        " network and the proxy"
    )
    return Again(sentence, f"the answer ended after {arrived} of {size} bytes")


def is_commit(text):
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{40}", text) is not None


def plain(text):
    return "".join(one if " " <= one <= "~" else "?" for one in text)[:200]


def seconds_to_wait(headers):
    """The delay that the response requests: Retry-After, in seconds or as a date by the clock of
    the server, or else the hub's own header. None without either.
    """
    text = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    try:
        between = email.utils.parsedate_to_datetime(text) - email.utils.parsedate_to_datetime(
            headers.get("Date") or ""
        )
        return max(0, int(between.total_seconds()))
    except (TypeError, ValueError):
        pass
    match = re.search(r"\br\s*=\s*0\s*;\s*t\s*=\s*(\d{1,9})", headers.get("RateLimit") or "")
    return int(match[1]) if match else None


class Patience:
    """Counts the retries of one operation and waits with exponential backoff."""

    def __init__(self, hub, what):
        self.hub = hub
        self.what = what
        self.failures = 0
        self.arrived = 0

    def got(self, count):
        self.arrived += count

    def spend(self, again):
        """Waits, or raises the final error."""
        if self.arrived >= WORTH_A_NEW_START:
            self.failures = 0
        self.arrived = 0
        if self.failures == len(WAITS_S) or (again.after_s or 0) > LONGEST_WAIT_S:
            raise HubError(str(again)) from again
        wait_s = max(WAITS_S[self.failures], again.after_s or 0)
        self.failures += 1
        print(f"{self.what}: {again.briefly}; next try in {wait_s} s", flush=True)
        if pause(self.hub.gone, wait_s):
            raise HubError(f"{self.what}: given up")

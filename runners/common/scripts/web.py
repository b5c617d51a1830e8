"""HTTP for downloads: a request succeeds, may be tried again, or fails for good; and how long to
wait in between.

It does not know hubs, files or models. `orchestrate` classifies a failure by the words of the final
message. Messages about a failure that is retried avoid these words, because the whole log is
searched.
"""
import email.utils
import http.client
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from stage import Failed

WAITS_S = (1, 2, 4, 8, 16)  # before each retry
# A longer delay ends the attempt: `orchestrate` waits without holding resources.
LONGEST_WAIT_S = 60
WORTH_A_NEW_START = 64 << 20  # after this many bytes since the last failure the count starts again
# A connection is broken off that sends nothing for SILENT_S, or on average less than SLOWEST bytes
# per second during TRICKLE_S: a stall lasts 30 s at most.
SILENT_S = 20
TRICKLE_S = 10
SLOWEST = 1 << 10


class WebError(Failed):
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


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects to other hosts, which store the files, drop the token; a renamed repository
    stays on the same host and needs it. Only the web is followed, never file: or ftp:.
    """

    def __init__(self, web):
        self.web = web

    def redirect_request(self, request, answer, code, message, headers, url):
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise self.web.no_redirect(url)
        again = super().redirect_request(request, answer, code, message, headers, url)
        if again is not None:
            self.web.authorize(again)
        return again


class Web:
    """Answers to requests for SOURCE, which messages name."""

    names = "its revision is"
    expected = "its revision"
    remedy = "check the address, the revision and the proxy"

    def __init__(self, source, environment=os.environ):
        self.source = source
        self.token = ""
        given = environment.get("HF_HUB_DOWNLOAD_TIMEOUT") or ""
        self.timeout_s = int(given) if re.fullmatch(r"[1-9]\d{0,5}", given) else SILENT_S
        self.gone = threading.Event()
        self.opener = urllib.request.build_opener(Redirects(self))

    def authorize(self, request):
        """Adds the token to REQUEST if its host may see it; by default there is none."""

    def open(self, url, headers=None):
        """Returns a response with status 2xx; raises Again or WebError."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):  # of a page that a hub named
            raise self.no_redirect(url)
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
        if status == 416 or (status >= 400 and self.is_signed(error.url)):
            # Each retry asks for the location again, because it carries a new signature.
            return Again(
                f"HTTP error {status}: {self.host(error.url)} refused a file of {self.source}",
                f"status {status}",
                status=status,
            )
        if status < 400:  # a loop, or a place that is not on the web
            return self.no_redirect(error.url)
        return WebError(f"HTTP error {status}: {self.why_refused(status, error.headers)}")

    def no_redirect(self, url):
        return WebError(
            f"{self.source} is redirected to {plain(url)}, which cannot be followed; check the"
            " address and the proxy"
        )

    def is_signed(self, url):
        """Whether URL is a location that a redirect named for a short time."""
        return False

    def why_refused(self, status, headers):
        return f"{self.source} cannot be fetched; check the address"

    def to_wait(self, error, sentence):
        after_s = seconds_to_wait(error.headers)
        if after_s is not None:
            sentence += f"; Retry-After: {after_s}"
        return Again(
            sentence + self.advice(error.code), f"status {error.code}", after_s, error.code
        )

    def advice(self, status):
        return ""

    def no_answer(self, error, url):
        """The exception for a missing response."""
        reason = getattr(error, "reason", error)
        host = self.host(url)
        refusal = getattr(reason, "verify_message", "")
        if refusal:
            return WebError(
                f"{host}: certificate verify failed ({refusal}); "
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
                else WebError(sentence)
            )
        if isinstance(reason, (TimeoutError, socket.timeout)):  # one class from Python 3.10 on
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


class Pace:
    """Breaks off a connection that trickles."""

    def __init__(self, web, url, clock=time.monotonic):
        self.web = web
        self.url = url
        self.clock = clock
        self.since_s = clock()
        self.arrived = 0

    def got(self, count):
        self.arrived += count
        now = self.clock()
        if now - self.since_s < TRICKLE_S:
            return
        if self.arrived < SLOWEST * (now - self.since_s):
            raise Again(
                (
                    f"{self.web.host(self.url)} sent less than {SLOWEST >> 10} KiB/s for"
                    f" {TRICKLE_S} s: connection timed out; check the network and the proxy"
                ),
                "almost no data arrives",
            )
        self.since_s, self.arrived = now, 0


def cut_short(what, arrived, size):
    sentence = (
        f"{what}: the answer ended early: IncompleteRead({arrived} of {size} bytes); check the"
        " network and the proxy"
    )
    return Again(sentence, f"the answer ended after {arrived} of {size} bytes")


def length_of(response):
    """The length that RESPONSE states; None if it states none."""
    text = response.headers.get("Content-Length") or ""
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


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

    def __init__(self, web, what):
        self.web = web
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
            raise WebError(str(again)) from again
        wait_s = max(WAITS_S[self.failures], again.after_s or 0)
        self.failures += 1
        print(f"{self.what}: {again.briefly}; next try in {wait_s} s", flush=True)
        if pause(self.web.gone, wait_s):
            raise WebError(f"{self.what}: given up")

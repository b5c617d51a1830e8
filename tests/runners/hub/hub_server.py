"""A small Hugging Face hub on 127.0.0.1 that misbehaves on request and keeps a diary of requests.

Serves one repository, of a model or of a dataset; a second port serves its large files, as a second
host does for the public hub. Knows nothing of the client.
"""
import hashlib
import http.server
import json
import threading
import urllib.parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LFS_BYTES = 1000  # git LFS keeps files of this size or larger


def git_sum(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *_):
        pass

    def do_GET(self):
        hub = self.server.hub
        path = urllib.parse.urlsplit(self.path)
        hub.note(self, path.path)
        fault = hub.next_fault(path.path)
        try:
            if not (fault and fault(self)):
                hub.answer(self, path)
        except ConnectionError:  # the client has disconnected
            self.close_connection = True

    def send(self, status, body=b"", before_last=lambda: None, **headers):
        """BEFORE_LAST is called before the last byte: the client may act as soon as it has it."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body[:-1])
        before_last()
        self.wfile.write(body[-1:])

    def hang_up(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)


def entered(test, context):
    """Enters CONTEXT until the end of TEST, as TestCase does from Python 3.11 on."""
    value = context.__enter__()
    test.addCleanup(context.__exit__, None, None, None)
    return value


class Hub:
    """`with Hub({"config.json": b"{}"}) as hub:`; REPO of datasets is datasets/OWNER/NAME."""

    def __init__(self, files, repo="acme/tiny", commit=COMMIT):
        """A REPO of datasets begins with datasets/."""
        self.files = files
        self.repo = repo
        self.commit = commit
        self.token = None  # required of every request, unless None
        self.gated = False
        self.open_listing = False  # everybody may see revisions and lists, as of gated repositories
        self.page_size = 1000
        self.next_page_host = None  # the host in the link to the next page, if it is another one
        self.ranges = True  # supports Range
        self.if_range = True  # supports If-Range
        self.listed = {}  # name: false fields of its listing entry
        self.etags = {}  # name: the tag, if it is not the checksum
        self.served = {}  # name: the content, if it differs from the listing
        self.moved_to = None  # the new name of the repository
        self.others = []  # hubs whose repositories this one has, too
        self.faults = []  # [part of a path, fault], each used once
        self.diary = []  # (path, headers, port)
        self.lock = threading.Lock()
        self.sending = set()  # an object for each file that is being sent
        self.max_concurrent = 0

    def __enter__(self):
        self.servers = [self.start(), self.start()]
        self.url, self.storage_url = (
            f"http://127.0.0.1:{server.server_address[1]}" for server in self.servers
        )
        return self

    def start(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.hub = self
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server

    def __exit__(self, *_):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def note(self, handler, path):
        with self.lock:
            self.diary.append((path, dict(handler.headers), handler.server.server_address[1]))

    def requests(self, part):
        """The headers of each request whose path contains PART."""
        return [headers for path, headers, _ in self.diary if part in path]

    def storage_requests(self):
        port = self.servers[1].server_address[1]
        return [headers for _, headers, at in self.diary if at == port]

    def fail(self, part, *faults):
        self.faults += [[part, fault] for fault in faults]

    def next_fault(self, path):
        with self.lock:
            for one in self.faults:
                if one[0] in path:
                    self.faults.remove(one)
                    return one[1]
        return None

    def answer(self, handler, path):
        if handler.server is self.servers[1]:
            return self.send_file(handler, urllib.parse.unquote(path.path.lstrip("/")))
        is_open = self.open_listing and path.path.startswith("/api/")
        sent = handler.headers.get("Authorization")
        if self.token and not is_open and sent != f"Bearer {self.token}":
            return self.refuse(handler)
        for other in self.others:
            if other.repo in path.path:
                return other.answer(handler, path)
        kind = "" if self.repo.startswith("datasets/") else "models/"
        api, web = f"/api/{kind}{self.repo}", f"/{self.repo}/resolve/{self.commit}/"
        if self.moved_to and self.repo in path.path:
            return handler.send(307, Location=path.path.replace(self.repo, self.moved_to))
        api, web = api.replace(self.repo, self.moved_to or self.repo), web.replace(
            self.repo, self.moved_to or self.repo
        )
        if path.path in (
            f"{api}/revision/main",
            f"{api}/revision/refs%2Fpr%2F1",
            f"{api}/revision/{self.commit}",
        ):
            return handler.send(200, json.dumps({"sha": self.commit}).encode())
        if path.path.startswith(f"{api}/revision/"):
            return handler.send(
                404, X_Error_Code="RevisionNotFound", X_Error_Message="Invalid rev id"
            )
        if path.path == f"{api}/tree/{self.commit}":
            return self.list(handler, path)
        if path.path.startswith(web):
            return self.send_or_redirect(handler, urllib.parse.unquote(path.path[len(web) :]))
        return handler.send(
            404, X_Error_Code="RepoNotFound", X_Error_Message="Repository not found"
        )

    def refuse(self, handler):
        sent = handler.headers.get("Authorization")
        if self.gated:
            return handler.send(
                403 if sent else 401,
                X_Error_Code="GatedRepo",
                X_Error_Message="Access to it is restricted",
            )
        if sent:
            return handler.send(401, X_Error_Message="Invalid credentials in Authorization header")
        return handler.send(
            401, X_Error_Code="RepoNotFound", X_Error_Message="Invalid username or password."
        )

    def entry(self, name):
        content = self.files[name]
        if content is None:
            return {"type": "directory", "oid": git_sum(b""), "size": 0, "path": name}
        entry = {"type": "file", "oid": git_sum(content), "size": len(content), "path": name}
        if len(content) >= LFS_BYTES:
            entry["lfs"] = {"oid": sha256(content), "size": len(content), "pointerSize": 134}
        return {**entry, **self.listed.get(name, {})}

    def list(self, handler, path):
        begin = int(dict(urllib.parse.parse_qsl(path.query)).get("cursor", 0))
        names = list(self.files)
        headers = {}
        if begin + self.page_size < len(names):
            headers["Link"] = (
                f"<{self.next_page_host or self.url}{path.path}?cursor={begin + self.page_size}>;"
                ' rel="next"'
            )
        handler.send(
            200,
            json.dumps(
                [self.entry(name) for name in names[begin : begin + self.page_size]]
            ).encode(),
            **headers,
        )

    def send_or_redirect(self, handler, name):
        if name not in self.files:
            return handler.send(404, X_Error_Code="EntryNotFound")
        if len(self.files[name]) >= LFS_BYTES:
            return handler.send(302, Location=f"{self.storage_url}/{name}")
        return self.send_file(handler, name)

    def send_file(self, handler, name, most=None, meanwhile=lambda: None):
        """MOST: after this number of bytes, MEANWHILE is called and the connection closes."""
        if name not in self.files:
            return handler.send(404, X_Error_Code="EntryNotFound")
        sending = object()
        with self.lock:
            self.sending.add(sending)
            self.max_concurrent = max(self.max_concurrent, len(self.sending))
        try:
            self.send_content(handler, name, most, meanwhile, lambda: self.sending.discard(sending))
        finally:
            self.sending.discard(sending)

    def send_content(self, handler, name, most, meanwhile, before_last):
        content = self.served.get(name, self.files[name])
        etag = f'"{self.etags.get(name) or sha256(content)}"'
        requested = handler.headers.get("Range") if self.ranges else None
        changed = self.if_range and handler.headers.get("If-Range") not in (None, etag)
        body, status, headers = content, 200, {"ETag": etag}
        if requested and not changed:
            begin, end = (int(one) for one in requested.removeprefix("bytes=").split("-"))
            if begin >= len(content):
                return handler.send(416, Content_Range=f"bytes */{len(content)}")
            body, status = content[begin : end + 1], 206
            headers["Content-Range"] = f"bytes {begin}-{begin + len(body) - 1}/{len(content)}"
        if most is None:
            return handler.send(status, body, before_last, **headers)
        handler.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(body[:most])
        handler.wfile.flush()
        meanwhile()
        return handler.hang_up()


# Faults run before an answer, or in place of it if they return True.


def cut_after(count):
    def fault(handler):
        hub = handler.server.hub
        hub.send_file(handler, handler.path.rsplit("/", 1)[-1], count)
        return True

    return fault


def hold_after(count, reached, release):
    """Sends COUNT bytes, sets REACHED and hangs up once RELEASE is set."""

    def fault(handler):
        hub, name = handler.server.hub, handler.path.rsplit("/", 1)[-1]
        hub.send_file(handler, name, count, lambda: reached.set() or release.wait(20))
        return True

    return fault


def hang_up(handler):
    handler.hang_up()
    return True


def status(code, **headers):
    def fault(handler):
        handler.send(code, b"no", **headers)
        return True

    return fault


def then(change):
    """Calls CHANGE(hub), then answers."""

    def fault(handler):
        change(handler.server.hub)
        return False

    return fault


def wait_for(event):
    """Answers when EVENT is set, at most 20 seconds later."""

    def fault(_):
        event.wait(20)
        return False

    return fault

"""Drives a headless Chromium over its debugging pipe: no port, no package beside the browser.

Messages are JSON, each ended by a NUL byte; the browser reads file descriptor 3 and writes 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FIND = ("chromium", "chromium-browser", "google-chrome")
START_TRIES = 3  # a start of the browser may fail on a busy machine


def program():
    """The path of a browser, or None."""
    return next((path for path in map(shutil.which, FIND) if path), None)


class Failure(Exception):
    pass


class Browser:
    """One process; each Page is a tab. A context manager."""

    def __init__(self, timeout_s=60):
        self.timeout_s = timeout_s
        self.number = 0
        self.events = []
        self.buffer = b""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="orch-browser-")
        for attempt in range(START_TRIES):
            self.start()
            try:
                self.call("Browser.getVersion")
                return self
            except Failure:
                self.stop()
                if attempt + 1 == START_TRIES:
                    raise
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")  # with the processes that still write into the profile
            self.process.wait(timeout=10)
        except (Failure, subprocess.TimeoutExpired):
            pass
        self.stop()
        shutil.rmtree(self.profile, ignore_errors=True)

    def start(self):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def place():
            # Above 4 first: the ends may have the numbers that they must be given.
            kept = [os.dup(to_browser), os.dup(from_browser)]
            while min(kept) < 5:
                kept = [os.dup(fd) for fd in kept]
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [
                program(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-dev-shm-usage",
                f"--user-data-dir={self.profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place,
            close_fds=False,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""

    def stop(self):
        self.process.kill()
        self.process.wait()
        for fd in (self.write_end, self.read_end):
            os.close(fd)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise Failure("the browser did not answer in time")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise Failure("the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """The result of METHOD. What arrives meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            os.write(self.write_end, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise Failure(f"the browser has ended: {error}")
        deadline = time.monotonic() + self.timeout_s
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method, session):
        deadline = time.monotonic() + self.timeout_s
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(i)
            self.events.append(self.receive(deadline))


class Page:
    """A tab with an address open in it."""

    # What a page must not do: throw, write to the console, break its own policy.
    COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")

    def __init__(self, browser, address, width=1200, height=900, dark=False, scripts=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open(address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.browser.wait_for("Page.loadEventFired", self.session)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def ask(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        answer = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key, text=""):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes.get(key, 0),
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def type(self, text):
        self.call("Input.insertText", text=text)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def complaints(self):
        """What the page threw, logged or was refused."""
        self.ask("1")  # what was sent before the answer has arrived
        return [
            event
            for event in self.browser.events
            if event.get("sessionId") == self.session and event.get("method") in self.COMPLAINTS
        ]

    def requests(self):
        """The addresses that the page asked for, itself included."""
        return [
            event["params"]["request"]["url"]
            for event in self.browser.events
            if event.get("sessionId") == self.session
            and event.get("method") == "Network.requestWillBeSent"
        ]

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def whole_screenshot(self, path, most_height=6000):
        """Of the page from its top to its end, or to MOST_HEIGHT."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": min(size["height"], most_height),
            "scale": 1,
        }
        data = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

// A runner whose stages, server, measurement and resolver repeat a secret in every form that the
// page about secrets names: in logs, control pages, answers, errors and records.
#pragma once

#include "e2e/sweep.hpp"

namespace orch::e2e {

inline constexpr const char* k_canary_variable = "CANARY_VALUE";  // no name of a secret
inline constexpr const char* k_canary = "cNy7/Q?k&\"w'z<R>+4~p9 \\e";

// Writes the forms of CANARY_VALUE as a JSON object: name -> text.
inline constexpr const char* k_canary_forms = R"(import base64, html, json, os, shlex, urllib.parse

def escapes(text, form):
    return "".join(form % ord(c) for c in text)

def forms(secret):
    raw = secret.encode()
    b64 = lambda data: base64.b64encode(data).decode()
    quoted = lambda text: urllib.parse.quote(text, safe="")
    in_json = lambda text: json.dumps(text)[1:-1]
    half = len(secret) // 2
    halves = secret[:half], secret[half:]
    out = {
        "as it is": secret,
        "base64": b64(raw), "base64 at offset 1": b64(b"x" + raw), "base64 at offset 2": b64(b"xx" + raw),
        "base64url": base64.urlsafe_b64encode(raw).decode(),
        "base64 in lines": base64.encodebytes(raw * 3).decode(),
        "base64 split": b64(raw)[:9] + "\n" + b64(raw)[9:],
        "hexadecimal": raw.hex(), "upper case": raw.hex().upper(),
        "with colons": raw.hex(":"), "with spaces": raw.hex(" "), "with dashes": raw.hex("-"),
        "0x": ", ".join("0x%02x" % b for b in raw),
        "\\x": escapes(secret, "\\x%02x"), "\\x upper": escapes(secret, "\\x%02X"),
        "octal": escapes(secret, "\\%03o"),
        "%u00": escapes(secret, "%%u%04x"), "percent all": escapes(secret, "%%%02x"),
        "percent": quoted(secret), "percent slash": urllib.parse.quote(secret),
        "form": urllib.parse.quote_plus(secret),
        "percent of percent": quoted(quoted(secret)),
        "json": in_json(secret), "json all": escapes(secret, "\\u%04x"),
        "json slash": in_json(secret).replace("/", "\\/"),
        "json one": "".join(escapes(c, "\\u%04X") if i == 2 else in_json(c) for i, c in enumerate(secret)),
        "json in json": in_json(in_json(secret)),
        "html": html.escape(secret), "html decimal": escapes(secret, "&#%d;"),
        "html hex": escapes(secret, "&#x%x;"), "html of html": html.escape(html.escape(secret)),
        "repr": repr(secret)[1:-1], "repr bytes": repr(raw)[2:-1],
        "shell": shlex.quote(secret)[1:-1], "backslashes": "".join("\\" + c if not c.isalnum() else c for c in secret),
        "base64 of base64": b64(b64(raw).encode()), "base64 of percent": b64(quoted(secret).encode()),
        "base64 of json": b64(in_json(secret).encode()),
        "hexadecimal of base64": b64(raw).encode().hex(), "base64 of hexadecimal": b64(raw.hex().encode()),
        "percent of base64": quoted(b64(raw)), "json of percent": in_json(quoted(secret)),
        "html of json": html.escape(in_json(secret)),
        "line end": "\n".join(halves), "indented": "\n    ".join(halves), "escaped line end": "\\n".join(halves),
        "colours": "\x1b[31m" + "\x1b[0m\x1b[1m".join(halves), "escaped colours": "\\u001b[0m".join(halves),
        "two strings": "\", \"".join(map(in_json, halves)),
    }
    return out

if __name__ == "__main__":
    print(json.dumps(forms(os.environ["CANARY_VALUE"])))
)";

inline constexpr const char* k_canary_runner = R"(
runner: canary
parameters:
  flavour: {type: text, default: plain}
stages:
  make:
    kind: task
    reads: [flavour]
    secrets: [CANARY_VALUE]
    argv: [/usr/bin/python3, "{file:make.py}", "{flavour}", "{out}"]
    files: [forms.py]
    outputs: [prompts.jsonl]
  serve:
    kind: service
    needs: [make]
    reads: [flavour]
    secrets: [CANARY_*]
    ports: [http]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}", "{flavour}"]
    files: [forms.py]
    ready: {port: http, get: [/ready], timeout_s: 60}
    smoke: {port: http, post: /v2/models/toy/generate, body: '{"text_input": "hello"}', answer: text_output}
  bench:
    kind: measure
    needs: [serve, make]
    reads: [flavour]
    argv: [/usr/bin/python3, "{file:measure.py}", "{orchestrate}", "http://127.0.0.1:{port:serve.http}", "{stage:make}/prompts.jsonl", "{out}"]
    outputs: [measurement.json, requests.jsonl]
)";

inline constexpr const char* k_canary_make = R"(import json, os, sys
from forms import forms
flavour, out = sys.argv[1:]
for name, text in forms(os.environ["CANARY_VALUE"]).items():
    print("<" + name + ">", text, flush=True)
    print(text, "</" + name + ">", file=sys.stderr, flush=True)
if flavour == "broken":
    sys.exit("it ends with " + forms(os.environ["CANARY_VALUE"])["percent"])
with open(out + "/prompts.jsonl", "w") as prompts:
    for i in range(7):
        print(json.dumps({"text_input": f"prompt {i}", "isl": 3, "warmup": i == 0}), file=prompts)
)";

inline constexpr const char* k_canary_serve = R"(import http.server, json, os, sys
from forms import forms
port, flavour = sys.argv[1:]
all_forms = forms(os.environ["CANARY_VALUE"])
texts = list(all_forms.values())
requests = 0

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): print("asked for", self.path, texts[len(self.path) % len(texts)], flush=True)
    def answer(self, status, body):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.path == "/ready":
            return self.answer(200, "{}")
        if self.path == "/metrics":
            label = lambda text: text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
            return self.answer(200, "".join("canary_total{form=\"%s\"} %d\n" % (label(text), requests) for name, text in all_forms.items() if name != "json in json"))
        if flavour == "config":
            return self.answer(400, json.dumps({"error": " | ".join(texts)}))
        return self.answer(404, " | ".join(texts))
    def do_POST(self):
        global requests
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("generate_stream"):
            said = " | ".join(texts)
            return self.answer(200, said if flavour == "smoke" else json.dumps({"text_output": said}))
        requests += 1
        if flavour == "errors":
            return self.answer(500, json.dumps({"error": "you sent " + texts[requests % len(texts)] + " to me"}))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        for text in texts[:request["max_tokens"]]:
            self.wfile.write(("data: " + json.dumps({"text_output": text + " | "}) + "\n\n").encode())
        self.close_connection = True

http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
)";

// It gets the forms from the server, because it declares no secret.
inline constexpr const char* k_canary_measure = R"(import json, subprocess, sys, urllib.request
orchestrate, url, prompts, out = sys.argv[1:]
ask = urllib.request.Request(url + "/v2/models/toy/generate", b"{}", {"Content-Type": "application/json"})
texts = json.load(urllib.request.urlopen(ask))["text_output"].split(" | ")
for text in texts:
    print("the server said", text, flush=True)
done = subprocess.run([orchestrate, "bench", "--url", url, "--protocol", "triton-http", "--model", "toy", "--stream",
                       "--concurrency", "1", "--requests", "6", "--warmup", "1", "--osl", "200", "--prompts", prompts,
                       "--metrics-url", url + "/metrics", "--wake-lag-ms-limit", "100000", "--client-cpu-limit", "1000",
                       "--out", out, "--format", "json"])
try:
    record = json.load(open(out + "/measurement.json"))
    record["measurements"][0]["warnings"] += texts
    json.dump(record, open(out + "/measurement.json", "w"))
    lines = open(out + "/requests.jsonl").read().splitlines()
    with open(out + "/requests.jsonl", "w") as file:
        for i, line in enumerate(lines):
            print(json.dumps(json.loads(line) | {"note": texts[i % len(texts)]}), file=file)
except OSError as error:
    print(error)
sys.exit(done.returncode)
)";

inline constexpr const char* k_canary_resolve = R"(import os, sys
from forms import forms
texts = forms(os.environ["CANARY_VALUE"])
revision = sys.argv[1].replace("_", " ")
if revision == "fails":
    sys.exit("no access with " + texts["base64"])
print("asking for " + texts["as it is"])
print(texts[revision])
)";

inline constexpr const char* k_resolved_runner = R"(
runner: resolved
parameters:
  model: {type: text}
resolve:
  hf: {argv: [/usr/bin/python3, "{file:resolve.py}", "{model.revision}"], inherit: [CANARY_VALUE]}
stages:
  fetch:
    kind: task
    secrets: [CANARY_VALUE]
    argv: [/bin/touch, "{out}/{model.revision}"]
    outputs: [config.json]
  serve:
    kind: service
    needs: [fetch]
    ports: [http]
    argv: [/bin/sleep, "60", "{stage:fetch}", "{port:http}"]
    ready: {port: http, get: [/ready], timeout_s: 1}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/touch, "{port:serve.http}", "{out}"]
    outputs: [measurement.json]
)";

inline void canary_project(Sweep& sweep) {
  std::filesystem::create_directories(sweep.folder() + "/runners/canary");
  sweep.write("runners/canary/runner.yaml", k_canary_runner)
      .write("runners/canary/forms.py", k_canary_forms)
      .write("runners/canary/make.py", k_canary_make)
      .write("runners/canary/serve.py", k_canary_serve)
      .write("runners/canary/measure.py", k_canary_measure);
  std::filesystem::create_directories(sweep.folder() + "/runners/resolved");
  sweep.write("runners/resolved/runner.yaml", k_resolved_runner)
      .write("runners/resolved/forms.py", k_canary_forms)
      .write("runners/resolved/resolve.py", k_canary_resolve);
}

}  // namespace orch::e2e

// A runner of YAML and two small scripts: a file is made, a toy HTTP server answers like Triton's
// generate_stream, `orchestrate bench` measures it. Fast enough to test how a run handles failures.
#pragma once

#include "e2e/sweep.hpp"

namespace orch::e2e {

inline constexpr const char* k_toy_runner = R"(
runner: toy
parameters:
  flavour: {type: text, default: plain}
  delay: {type: text, default: "0"}
  osl: {type: integer, default: 4}
  concurrency: {type: integer, default: 1}
stages:
  make:
    kind: task
    reads: [flavour, delay]
    argv: [/usr/bin/python3, "{file:make.py}", "{flavour}", "{delay}", "{out}"]
    outputs: [model.txt, prompts.jsonl]
  serve:
    kind: service
    needs: [make]
    reads: [flavour]
    ports: [http]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}", "{flavour}", "{stage:make}/model.txt"]
    ready: {port: http, get: [/ready], timeout_s: 20}
    smoke: {port: http, post: /v2/models/toy/generate, body: '{"text_input": "hello"}', answer: text_output}
    stop_s: 5
  bench:
    kind: measure
    needs: [serve, make]
    reads: [osl, concurrency]
    argv: ["{orchestrate}", bench, --url, "http://127.0.0.1:{port:serve.http}", --protocol, triton-http, --model, toy, --stream,
           --concurrency, "{concurrency}", --requests, "6", --warmup, "1", --osl, "{osl}", --prompts, "{stage:make}/prompts.jsonl",
           --wake-lag-ms-limit, "{measure.wake_lag_ms}", --send-lag-ms-limit, "{measure.send_lag_ms}", --client-cpu-limit, "{measure.client_cpu_share}", --out, "{out}", --format, json]
    outputs: [measurement.json, requests.jsonl]
)";

inline constexpr const char* k_toy_make = R"(import json, sys, time
flavour, delay, out = sys.argv[1:]
time.sleep(float(delay))
if flavour == "broken":
    print("reading the recipe")
    sys.exit("the recipe has no flavour 'broken'; choose plain")
open(out + "/model.txt", "w").write(flavour)
if flavour == "large":
    open(out + "/weights", "wb").truncate(60 << 30)
if flavour == "holes":
    open(out + "/weights", "wb").truncate(1 << 40)
with open(out + "/prompts.jsonl", "w") as prompts:
    for block in range(3):
        for i in range(7):
            print(json.dumps({"text_input": f"prompt {block} {i}", "isl": 3, "warmup": i == 0, "block": block}), file=prompts)
)";

inline constexpr const char* k_toy_serve = R"(import http.server, json, os, signal, sys
port, flavour, model = sys.argv[1:]
assert open(model).read() == flavour
if flavour == "dies":
    sys.exit("cannot load the flavour 'dies'")

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(200 if self.path == "/ready" else 404, b"{}")
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("generate_stream"):
            return self.answer(200, b'{"text_output": "hello"}')
        if flavour == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(request["max_tokens"]):
            event = b'data: {"text_output": "x"}\n\n'
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
)";

// MATRIX: the text after the name of the runner.
inline void toy_project(Sweep& sweep, const std::string& matrix) {
  std::filesystem::create_directories(sweep.folder() + "/runners/toy");
  sweep.write("runners/toy/runner.yaml", k_toy_runner)
      .write("runners/toy/make.py", k_toy_make)
      .write("runners/toy/serve.py", k_toy_serve);
  sweep.write(
      "toy.yaml",
      "name: toy\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 1000, client_cpu_share: 1000}}\n" +
          matrix);
}

}  // namespace orch::e2e

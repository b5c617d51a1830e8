// Sweeps of the toy runner on servers that run already: measured, never started or stopped, gone in
// the middle, behind a token.
#include "e2e/toy.hpp"

#include <csignal>
#include <filesystem>

namespace orch::e2e {
namespace running_server_test {

// serve.py PORT FOLDER: FOLDER/version is what it says of itself; it ends at the stream that
// FOLDER/die counts down to, and holds those from FOLDER/hold on; TOKEN guards it.
constexpr const char* k_foreign = R"(import http.server, json, os, pathlib, sys, threading
port, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
token = os.environ.get("SERVED_TOKEN", "")
lock, streams = threading.Lock(), 0

def number(name):
    try:
        return int((folder / name).read_text())
    except OSError:
        return None

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def allowed(self):
        if not token or self.headers["Authorization"] == "Bearer " + token:
            return True
        self.answer(401, b"{}")
    def do_GET(self):
        if self.allowed():
            about = {"version": (folder / "version").read_text(), "created": os.urandom(4).hex()}
            self.answer(200 if self.path == "/ready" else 404, json.dumps(about).encode())
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.allowed():
            return
        if not self.path.endswith("generate_stream"):
            return self.answer(200, b'{"text_output": "hello"}')
        self.stream(request["max_tokens"])
    def stream(self, tokens):
        global streams
        with lock:
            streams += 1
            if number("die") is not None and streams >= number("die"):
                (folder / "die").unlink()
                os._exit(3)
        while number("hold") is not None and streams >= number("hold"):
            (folder / "held").touch()
            threading.Event().wait(0.01)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(tokens):
            event = b'data: {"text_output": "x"}\n\n'
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
print("listening", flush=True)
server.serve_forever()
)";

class RunningServer : public ::testing::Test {
 protected:
  RunningServer() : port_(free_port()) {
    sweep.write("foreign.py", k_foreign).write("version", "1");
    write_matrix();
  }
  ~RunningServer() override { stop(); }

  void write_matrix(const std::string& more = "", const std::string& axes = "concurrency: [1, 2]") {
    toy_project(sweep, fmt::format("axes: {{{}}}\nservice: {{url: \"{}\", machine: a box{}}}\n",
                                   axes, url(), more));
  }
  // LOOP: another one follows where it ended.
  void serve(const char* loop = "") {
    const std::string command =
        fmt::format("{0} python3 '{1}/foreign.py' {2} '{1}'{3}", *loop ? "while true; do" : "exec",
                    sweep.folder(), port_, *loop ? "; done" : "");
    server_ = sweep.start_program({"/usr/bin/setsid", "/bin/sh", "-c", command});
    sweep.wait_until([&] { return !Sweep::read(server_.out).empty(); });
  }
  void stop() {
    if (server_.pid == 0) return;
    ::kill(-server_.pid, SIGKILL);
    sweep.finish(std::exchange(server_, {}));
  }
  bool lives() const { return server_.pid > 0 && ::kill(server_.pid, 0) == 0; }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }
  Json attempts(const std::string& stage) {
    return sweep.value(
        "select count(*) from attempt a join stage s on s.id = a.stage_id where "
        "s.name = '" +
        stage + "'");
  }

  Sweep sweep;

 private:
  const int port_;
  Sweep::Started server_;
};

TEST_F(RunningServer, IsMeasuredAndNeitherStartedNorStopped) {
  serve();
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(lives());
  const Json rows = sweep.query("select service, prefix_cache, warnings from results");
  ASSERT_EQ(rows.size(), 2u);
  for (const Json& row : rows) {
    EXPECT_EQ(row["service"], url());
    EXPECT_EQ(row["prefix_cache"], "unknown");
    EXPECT_NE(row["warnings"].dump().find("the server ran already"), std::string::npos) << row;
  }
  EXPECT_EQ(sweep.query("select distinct name from metric where name like 'server%'").dump(), "[]");
  EXPECT_EQ(attempts("serve"), 1);
  EXPECT_EQ(sweep.value("select count(*) from results_all where service = '" + url() + "'"), 2);
}

TEST_F(RunningServer, IsMeasuredAnewInEachRunUnlessTheMatrixReusesIt) {
  serve();
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const Finished again = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(attempts("bench"), 4);
  EXPECT_EQ(attempts("make"), 1);
  write_matrix(", reuse: true");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(attempts("bench"), 4);
  // It says of itself that it is another one.
  sweep.write("version", "2");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(attempts("bench"), 6);
}

TEST_F(RunningServer, GetsSessionsForTheChosenPointsAloneWithThePromptsOfTheFirst) {
  serve();
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const Finished again =
      sweep.orchestrate({"run", "toy.yaml", "--again", "concurrency = 1", "--sessions", "2"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(
      sweep.query("select concurrency, repeats, serve_repeats from results order by 1").dump(),
      R"([{"concurrency":1,"repeats":3,"serve_repeats":3},)"
      R"({"concurrency":2,"repeats":1,"serve_repeats":1}])");
  EXPECT_EQ(attempts("bench"), 4);
  EXPECT_EQ(attempts("serve"), 3);
  EXPECT_EQ(sweep.value("select count(distinct repeat) from results_all"), 1);
  const Finished compared = sweep.orchestrate({"compare", "run 1", "run 2"});
  EXPECT_EQ(compared.out.find("configurations"), std::string::npos) << compared.out;
}

// The server may have been started again with other settings between two experiments.
TEST_F(RunningServer, IsMeasuredAnewByAnotherExperimentWhoseRowsAreItsOwn) {
  serve();
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  std::string other = Sweep::read(sweep.folder() + "/toy.yaml");
  const auto name = other.find("name: toy");
  ASSERT_NE(name, std::string::npos) << other;
  other.replace(name, 9, "name: two");
  sweep.write("two.yaml", other);
  stop();
  serve();
  const Finished two = sweep.orchestrate({"run", "two.yaml"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(attempts("bench"), 4);
  EXPECT_EQ(sweep.query("select experiment, measured_run from results order by 1, 2").dump(),
            R"([{"experiment":"toy","measured_run":1},{"experiment":"toy","measured_run":1},)"
            R"({"experiment":"two","measured_run":2},{"experiment":"two","measured_run":2}])");
  write_matrix(", reuse: true");
  other = Sweep::read(sweep.folder() + "/toy.yaml");
  sweep.write("three.yaml", other.replace(other.find("name: toy"), 9, "name: three"));
  ASSERT_EQ(sweep.orchestrate({"run", "three.yaml"}).code, 0);
  EXPECT_EQ(attempts("bench"), 4) << "it asked for the measurements of others";
  EXPECT_EQ(sweep.value("select count(*) from results where experiment = 'three'"), 2);
}

TEST_F(RunningServer, GoneInTheMiddleIsAConnectionFailureAndTriedAgainAtTheSameUrl) {
  sweep.write("die", "4");
  serve("loop");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  EXPECT_FALSE(std::filesystem::exists(sweep.folder() + "/die"));
}

TEST_F(RunningServer, GoneForGoodEndsWithTheWordsOfTheFailureTable) {
  sweep.write("die", "4");
  serve();
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("connection_failed: "), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("Connection refused; is the server running?"), std::string::npos)
      << done.err;
  // What failed then is no result of the server that listens there later.
  serve();
  EXPECT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
}

TEST_F(RunningServer, NotThereIsAnErrorThatNamesItsPlaceAndNothingIsMeasured) {
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find(fmt::format("toy.yaml:5:16: service: no answer from {}/ready: ", url())),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("; correct url, or start that server"), std::string::npos) << done.err;
  EXPECT_EQ(attempts("bench"), 0);
}

TEST_F(RunningServer, TheTokenOfItsVariableIsSentAndKeptNowhere) {
  const std::string token = "canary-of-a-running-server";
  ::setenv("SERVED_TOKEN", token.c_str(), 1);
  serve();
  ::unsetenv("SERVED_TOKEN");
  const Finished without = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_NE(without.err.find("answers 401"), std::string::npos) << without.err;
  write_matrix(", token_env: TOY_AUTH");
  const Finished unset = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_NE(unset.err.find("token_env names TOY_AUTH, which is not set"), std::string::npos)
      << unset.err;
  ::setenv("TOY_AUTH", token.c_str(), 1);
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ::unsetenv("TOY_AUTH");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  const Finished found = sweep.run({"/bin/grep", "-rlF", token, sweep.store()});
  EXPECT_EQ(found.out, "");
}

TEST_F(RunningServer, ARunThatWasKilledIsContinuedAndNotMeasuredAnew) {
  sweep.write("hold", "10");
  serve();
  const Sweep::Started run = sweep.start({"run", "toy.yaml"});
  sweep.wait_until([&] { return std::filesystem::exists(sweep.folder() + "/held"); });
  EXPECT_EQ(sweep.value("select count(*) from measurement"), 1);
  ::kill(run.pid, SIGKILL);
  sweep.finish(run);
  std::filesystem::remove(sweep.folder() + "/hold");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  EXPECT_EQ(sweep.value("select count(*) from measurement"), 2);
  EXPECT_EQ(attempts("serve"), 1);  // its watcher was adopted
}

TEST_F(RunningServer, APlanSendsNothingAndSaysWhatIsNotUnderControl) {
  const Finished plan = sweep.orchestrate({"plan", "toy.yaml"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.err.find("are not under control; every run measures it anew"), std::string::npos)
      << plan.err;
  EXPECT_FALSE(std::filesystem::exists(sweep.store()));
}

}  // namespace running_server_test
}  // namespace orch::e2e

// The memory of the real binary beside servers and stages that send without end. The bounds are
// wide: what they rule out is memory that grows with what a server sends, or with the number of its
// answers.
#include "bench/protocol/triton_answers.hpp"
#include "core/sql/packed.hpp"
#include "e2e/toy.hpp"

namespace orch::e2e {
namespace memory_test {

constexpr const char* k_measure_memory = R"(import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
sys.exit(code)
)";

class Memory : public testing::Test {
 protected:
  // Runs the binary; its peak is then in peak_mib.
  Finished orchestrate(const std::vector<std::string>& args) {
    const std::string peak = sweep.folder() + "/peak";
    std::vector<std::string> words = {"/usr/bin/python3", "-c", k_measure_memory, peak,
                                      ORCH_BINARY};
    words.insert(words.end(), args.begin(), args.end());
    Finished done = sweep.run(words);
    peak_mib = std::stoi(Sweep::read(peak));
    return done;
  }
  Finished bench(const std::string& url, const std::vector<std::string>& more) {
    sweep.write("prompts.jsonl", "{\"text_input\": \"p\", \"isl\": 1}\n");
    std::vector<std::string> words = {"bench",
                                      "--url",
                                      url,
                                      "--protocol",
                                      "triton-http",
                                      "--model",
                                      "ensemble",
                                      "--osl",
                                      "4",
                                      "--prompts",
                                      "prompts.jsonl",
                                      "--reuse-prompts",
                                      "--warmup",
                                      "0",
                                      "--wake-lag-ms-limit",
                                      "1000000",
                                      "--client-cpu-limit",
                                      "1000"};
    words.insert(words.end(), more.begin(), more.end());
    return orchestrate(words);
  }

  Sweep sweep;
  int peak_mib = 0;
};

constexpr std::size_t k_answer_bytes = 30'000'000;

// A stream of K_ANSWER_BYTES of text.
truth::Answer large_stream() {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  const std::string piece =
      truth::chunk("data: " + truth::event_json(std::string(1'000'000, 'x')) + "\n\n");
  for (std::size_t i = 0; i < k_answer_bytes / 1'000'000; ++i)
    answer.pieces.push_back({.bytes = piece});
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  return answer;
}

// Sends WHAT after HEAD, 200 MiB of it.
truth::Answer flood(const std::string& head, const std::string& what) {
  std::string piece;
  while (piece.size() < 1 << 20) piece += what;
  truth::Answer answer{.pieces = {{.bytes = head}}, .after = truth::After::close};
  for (int i = 0; i < 200; ++i) answer.pieces.push_back({.bytes = piece});
  return answer;
}

// FLOOD for requests of METHOD, and short streams for the others.
truth::Script floods(const std::string& method, truth::Answer flood) {
  const auto large = std::make_shared<const truth::Answer>(std::move(flood));
  const auto small = std::make_shared<const truth::Answer>(truth::stream());
  return [=](const truth::Request& request) { return request.method == method ? large : small; };
}

TEST_F(Memory, OfABenchmarkDoesNotGrowWithTheNumberOfItsAnswers) {
  truth::Server server(truth::always(large_stream()), {.keep_log = false});
  const Finished done = bench(
      server.url(), {"--concurrency", "2", "--requests", "24", "--out", "out", "--db", "results"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_LT(peak_mib, 400);
  EXPECT_EQ(sweep.value("select count(*) from requests where error is null"), 24);
  EXPECT_EQ(sweep.value("select count(*) || ' of ' || min(length(answer)) from answers"),
            fmt::format("24 of {}", k_answer_bytes));
  const std::string packed = Sweep::read(sweep.folder() + "/out/answers.jsonl.zst");
  EXPECT_GT(unpack(packed, std::size_t{1} << 30).value().size(), 24 * k_answer_bytes);
}

TEST_F(Memory, OfABenchmarkIsBoundedForAnswersInOneBody) {
  const std::string body = R"({"text_output":")" + std::string(k_answer_bytes, 'x') + "\"}";
  truth::Server server(truth::always(truth::body(200, body)), {.keep_log = false});
  const Finished done = bench(
      server.url(), {"--no-stream", "--concurrency", "2", "--requests", "12", "--out", "out"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_LT(peak_mib, 500);
}

TEST_F(Memory, OfABenchmarkIsBoundedForAnswersWithoutEnd) {
  truth::Server server(
      floods("POST",
             flood(std::string(truth::k_stream_head) + "\r\n",
                   truth::chunk("data: " + truth::event_json("xxxxxxxxxxxxxxxx") + "\n\n"))),
      {.keep_log = false});
  const Finished done =
      bench(server.url(), {"--concurrency", "2", "--requests", "6", "--out", "out"});
  EXPECT_LT(peak_mib, 500);
  const std::string requests = Sweep::read(sweep.folder() + "/out/requests.jsonl");
  EXPECT_NE(requests.find("the answer was cut off: it has more than"), std::string::npos)
      << requests << done.err;
  EXPECT_NE(requests.find("\"first_ns\":"), std::string::npos);
}

TEST_F(Memory, OfABenchmarkIsBoundedForPagesWithoutEnd) {
  for (const auto& [head, what] :
       {std::pair{"HTTP/1.1 200 OK\r\n\r\n", "a_total 1\n"},
        {"HTTP/1.1 200 OK\r\n", "X-More: xxxxxxxxxxxxxxxx\r\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nxxxx\r\n"}}) {
    truth::Server server(floods("GET", flood(head, what)), {.keep_log = false});
    const Finished done = bench(server.url(), {"--concurrency", "1", "--requests", "4",
                                               "--metrics-url", server.url() + "/metrics"});
    EXPECT_LT(peak_mib, 150);
    EXPECT_NE((done.out + done.err).find("/metrics answered more than 1 MiB"), std::string::npos)
        << done.out << done.err;
  }
}

// A server that never says that it is ready, but sends without end.
constexpr const char* k_flooding_server = R"(import socket, sys
port, flavour, model = sys.argv[1:]
listener = socket.create_server(("127.0.0.1", int(port)))
while True:
    connection, _ = listener.accept()
    request = connection.recv(65536)
    try:
        if flavour == "smoke" and request.startswith(b"GET"):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        else:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x" * 65536)
    except OSError:
        pass
    connection.close()
)";

TEST_F(Memory, OfARunIsBoundedForReadinessAndSmokeWithoutEnd) {
  toy_project(sweep, "axes: {flavour: [plain, smoke]}\n");
  sweep.write("runners/toy/serve.py", k_flooding_server);
  std::string runner = Sweep::read(sweep.folder() + "/runners/toy/runner.yaml");
  runner.replace(runner.find("timeout_s: 20"), 13, "timeout_s: 2");
  sweep.write("runners/toy/runner.yaml", runner);
  const Finished done = orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_LT(peak_mib, 150);
  for (const char* path : {"/ready answered more than 1 MiB", "/generate answered more than 1 MiB"})
    EXPECT_NE(done.err.find(path), std::string::npos) << done.err;
}

// Runs the benchmark, and makes the record of one flavour larger than it may be: with holes, so
// that it takes no space on disk.
constexpr const char* k_growing_measure = R"(import os, subprocess, sys
flavour, out = sys.argv[1:3]
done = subprocess.call(sys.argv[3:])
name = {"record": "measurement.json", "line": "requests.jsonl"}.get(flavour)
if name:
    with open(out + "/" + name, "ab") as file:
        file.truncate(1 << 30)
sys.exit(done)
)";

TEST_F(Memory, OfARunIsBoundedForRecordsOfAGigabyteWhichAreRefusedAlone) {
  toy_project(sweep, "axes: {flavour: [plain, record, line]}\n");
  std::string runner = Sweep::read(sweep.folder() + "/runners/toy/runner.yaml");
  runner.replace(runner.find("reads: [osl, concurrency]"), 25,
                 "reads: [osl, concurrency, flavour]");
  runner.replace(runner.find("argv: [\"{orchestrate}\""), 22,
                 "argv: [/usr/bin/python3, \"{file:measure.py}\", \"{flavour}\", \"{out}\", "
                 "\"{orchestrate}\"");
  sweep.write("runners/toy/runner.yaml", runner).write("runners/toy/measure.py", k_growing_measure);
  const Finished done = orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_LT(peak_mib, 400);
  EXPECT_EQ(sweep.value("select count(*) from results"), 1) << done.err;
  for (const char* words : {"measurement.json has 1.0 GiB; at most 64.0 MiB are read",
                            "requests.jsonl has 1.0 GiB, and its line at byte"})
    EXPECT_GT(sweep.value(
                  fmt::format("select count(*) from results_all where reasons like '%{}%'", words)),
              0)
        << words << done.err;
}

}  // namespace memory_test
}  // namespace orch::e2e

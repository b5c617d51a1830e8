// A measurement without a clock: asks the server once, then writes a record that is the same every
// time.
#include "actor.hpp"

#include <cstdio>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace actor {

namespace {

// The answer of "http://127.0.0.1:PORT" to one request; empty without an answer.
std::string ask(const std::string& url) {
  const std::size_t colon = url.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(url.c_str() + colon + 1)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string body = "{\"text_input\": \"hello\"}";
    const std::string request =
        "POST /v2/models/toy/generate HTTP/1.1\r\nHost: x\r\nConnection: "
        "close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    char bytes[1024];
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0)
      for (ssize_t got; (got = ::read(socket, bytes, sizeof bytes)) > 0;)
        answer.append(bytes, static_cast<std::size_t>(got));
  }
  ::close(socket);
  return answer;
}

std::string statistics(double base) {
  char text[256];
  std::snprintf(
      text, sizeof text,
      R"({"mean": %.3f, "sd": 0.5, "min": %.3f, "max": %.3f, "p50": %.3f, "p90": %.3f, "p99": %.3f, "n": 4})",
      base, base - 1, base + 1, base, base + .5, base + 1);
  return text;
}

}  // namespace

int bench(const std::vector<std::string>& words) {
  const std::string &stage = words.at(0), &url = words.at(1), &out = words.at(2);
  const Work work(stage, "tmp=" + variable("TMPDIR"));
  hold_quiet(true, stage);
  if (value(words, "--fail") == "bench") {
    std::fprintf(stderr, "requested to fail at %s\n", stage.c_str());
    return 1;
  }
  if (ask(url).find("200 OK") == std::string::npos) {
    std::fprintf(stderr, "the server at %s gave no answer\n", url.c_str());
    return 1;
  }
  const auto number = static_cast<double>(fingerprint(stage) % 1000);
  std::string requests;
  for (int i = 0; i < 4; ++i) {
    char line[512];
    std::snprintf(
        line, sizeof line,
        R"({"measurement": 0, "index": %d, "warmup": false, "block": 0, "due_ns": %d, "sent_ns": %d, "first_ns": %d, "last_ns": %d, "end_ns": %d, "isl": 3, "osl_requested": 4, "osl_counted": 4, "status": 200, "gaps_ns": [1000, 2000, 3000], "answer": "%s answer %d"})"
        "\n",
        i, i * 1000000, i * 1000000, i * 1000000 + 1000, i * 1000000 + 7000, i * 1000000 + 8000,
        stage.c_str(), i);
    requests += line;
  }
  write_file(out + "/requests.jsonl", requests);
  wait_once(stage);
  pace("bench");
  write_file(
      out + "/measurement.json",
      R"({"schema": 1, "measurements": [{"load": {"concurrency": 1}, "valid": true, "reasons": [], "warnings": [], "unsupported": [], "window": {"start_wall_ns": 1, "duration_s": 1}, "counting": {"osl": "ids", "isl": "ids"}, "metrics": {"ttft_ms": )" +
          statistics(10 + number) + R"(, "itl_ms": )" + statistics(1 + number / 1000) +
          R"(, "output_tps": )" + std::to_string(1000 + number) +
          R"(, "error_rate": 0}}]})"
          "\n");
  work.done();
  return 0;
}

}  // namespace actor

// The ground-truth server as a separate program, for any client: answers by a fixed schedule of
// tokens in the form of Triton's generate extension, of OpenAI's completions or chat, or of
// Triton's gRPC, and logs when it sent each token.
//   orch_truth --shape NAME [--tokens N] [--ttft-ms X] [--itl-ms X] [--no-stream] [--one-send]
//   [--cpu N] [--log FILE]
// prints one JSON line when it listens, and at SIGTERM writes FILE, one JSON line per request.
#include "bench/protocol/triton_answers.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <fmt/core.h>
#include <sys/prctl.h>

namespace orch::truth {
namespace {

struct Options {
  std::string shape = "triton";
  int tokens = 16;
  double ttft_ms = 0;
  double itl_ms = 0;
  bool stream = true;
  bool one_send = false;
  int cpu = -1;
  std::string log;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 < argc) return argv[++i];
      fmt::print(stderr, "orch_truth: {} needs a value\n", word);
      std::exit(2);
    };
    if (word == "--shape") options.shape = value();
    else if (word == "--tokens") options.tokens = std::stoi(value());
    else if (word == "--ttft-ms") options.ttft_ms = std::stod(value());
    else if (word == "--itl-ms") options.itl_ms = std::stod(value());
    else if (word == "--no-stream") options.stream = false;
    else if (word == "--one-send") options.one_send = true;
    else if (word == "--cpu") options.cpu = std::stoi(value());
    else if (word == "--log") options.log = value();
    else {
      fmt::print(stderr, "orch_truth: unknown option {}\n", word);
      std::exit(2);
    }
  }
  return options;
}

std::string usage_of(const Options& options) {
  return fmt::format(R"("usage":{{"prompt_tokens":8,"completion_tokens":{},"total_tokens":{}}})",
                     options.tokens, options.tokens + 8);
}

// One chunk of a stream: the members that all chunks have, then MEMBERS.
std::string openai_event(const Options& options, std::string_view members) {
  return fmt::format(R"({{"id":"cmpl-1","object":"{}","created":1,"model":"m",{}}})",
                     options.shape == "openai-chat" ? "chat.completion.chunk" : "text_completion",
                     members);
}

std::string openai_token(const Options& options, std::string_view text) {
  return openai_event(
      options,
      options.shape == "openai-chat"
          ? fmt::format(
                R"("choices":[{{"index":0,"delta":{{"content":"{}"}},"finish_reason":null}}])",
                text)
          : fmt::format(R"("choices":[{{"index":0,"text":"{}","finish_reason":null}}])", text));
}

std::string openai_body(const Options& options) {
  const std::string text = answer_text(options.tokens);
  if (options.shape == "openai-chat")
    return fmt::format(
        R"({{"id":"c","object":"chat.completion","choices":[{{"index":0,"message":{{"role":"assistant","content":"{}"}},"finish_reason":"length"}}],{}}})",
        text, usage_of(options));
  return fmt::format(
      R"({{"id":"c","object":"text_completion","choices":[{{"index":0,"text":"{}","finish_reason":"length"}}],{}}})",
      text, usage_of(options));
}

std::int64_t first_ns(const Options& options) {
  return static_cast<std::int64_t>(options.ttft_ms * 1e6);
}
std::int64_t next_ns(const Options& options) {
  return static_cast<std::int64_t>(options.itl_ms * 1e6);
}

Answer http_answer(const Options& options) {
  const bool triton = options.shape == "triton";
  if (!options.stream) {
    Answer answer =
        body(200, triton ? event_json(answer_text(options.tokens)) : openai_body(options));
    answer.pieces[0].tokens = options.tokens;
    answer.pieces[0].wait_ns = first_ns(options);
    return answer;
  }
  const auto event = [](const std::string& json) { return chunk("data: " + json + "\n\n"); };
  Answer answer{.pieces = {{.bytes = std::string(k_stream_head) + "\r\n"}}};
  std::int64_t wait_ns = first_ns(options);
  // OpenAI's servers send the role of a chat just before its first token, and the requested usage
  // at the end.
  if (options.shape == "openai-chat")
    answer.pieces.push_back(
        {.bytes = event(openai_event(
             options,
             R"("choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}])")),
         .wait_ns = std::exchange(wait_ns, 0)});
  for (int i = 0; i < options.tokens; ++i)
    answer.pieces.push_back(
        {.bytes = event(triton ? event_json(token_text(i)) : openai_token(options, token_text(i))),
         .wait_ns = std::exchange(wait_ns, next_ns(options)),
         .tokens = 1});
  answer.pieces.push_back(
      {.bytes = (triton ? ""
                        : event(openai_event(options, R"("choices":[],)" + usage_of(options))) +
                              event("[DONE]")) +
                "0\r\n\r\n"});
  return options.one_send ? at_once(answer) : answer;
}

struct Row {
  int connection;
  std::int64_t arrived_ns;
  const std::vector<std::int64_t>* token_ns;
};

void write_log(const std::string& path, const std::vector<Row>& rows) {
  if (path.empty()) return;
  std::ofstream out(path);
  for (const Row& row : rows) {
    out << fmt::format(R"({{"connection":{},"arrived_ns":{},"token_ns":[)", row.connection,
                       row.arrived_ns);
    for (std::size_t i = 0; i < row.token_ns->size(); ++i)
      out << (i == 0 ? "" : ",") << (*row.token_ns)[i];
    out << "]}\n";
  }
}

template <class Served> std::vector<Row> rows_of(const std::vector<Served>& log) {
  std::vector<Row> rows;
  for (const auto& served : log)
    rows.push_back({served.connection, served.arrived_ns, &served.token_ns});
  return rows;
}

// Prints the port, the length of an answer and the offset of its first token, for a raw client.
void announce(std::uint16_t port, std::size_t head_bytes, std::size_t answer_bytes) {
  fmt::print("{{\"port\":{},\"head_bytes\":{},\"answer_bytes\":{}}}\n", port, head_bytes,
             answer_bytes);
  std::fflush(stdout);
}

void wait_for_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  int signal = 0;
  sigwait(&signals, &signal);
}

int run(const Options& options) {
  if (options.shape == "grpc") {
    GrpcServer server(
        triton(with_request_id(grpc_stream(options.tokens, first_ns(options), next_ns(options)))),
        {.keep_log = !options.log.empty(), .cpu = options.cpu, .each_message = true});
    announce(server.port(), 0, 0);
    wait_for_signal();
    const auto log = inferences(server);
    write_log(options.log, rows_of(log));
    return 0;
  }
  const Answer answer = http_answer(options);
  std::size_t bytes = 0;
  for (const Piece& piece : answer.pieces) bytes += piece.bytes.size();
  Server server([shared = std::make_shared<const Answer>(answer),
                 missing = std::make_shared<const Answer>(body(404, R"({"error":"not here"})"))](
                    const Request& request) { return request.method == "POST" ? shared : missing; },
                {.keep_log = !options.log.empty(), .keep_bodies = false, .cpu = options.cpu});
  announce(server.port(), options.stream ? answer.pieces[0].bytes.size() : 0, bytes);
  wait_for_signal();
  auto log = server.log();
  std::erase_if(log, [](const Served& served) { return served.request.method != "POST"; });
  write_log(options.log, rows_of(log));
  return 0;
}

}  // namespace
}  // namespace orch::truth

int main(int argc, char** argv) {
  // Blocked before any thread starts, so that no thread handles the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // the server ends with its parent
  return orch::truth::run(orch::truth::parse(argc, argv));
}

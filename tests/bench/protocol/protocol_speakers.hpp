// The same replies in the form of each protocol, for tests with one expectation for all protocols.
// A new protocol adds one Speaker.
#pragma once

#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <memory>
#include <set>

namespace orch::protocol {

// The reply of a server to one request, in any protocol.
struct Reply {
  struct Event {
    std::string bytes;  // as the speaker made it
    int tokens = 0;
    std::int64_t wait_ns = 0;
  };
  enum class Cut { per_event, at_once, per_byte };

  std::vector<Event> events;
  Cut cut = Cut::per_event;
  bool whole = true;  // false: the connection closes after the events
  int refused = 0;    // HTTP status, with the one event as the body; 0: it answers
};

// A server under test.
class ServerFixture {
 public:
  virtual ~ServerFixture() = default;
  virtual std::string url() const = 0;
  virtual int requests() const = 0;
  virtual int connections() const = 0;  // that carried the requests
};

class Speaker {
 public:
  virtual ~Speaker() = default;
  virtual std::string name() const = 0;
  virtual std::string protocol() const = 0;
  virtual bool takes_batches() const { return true; }
  virtual bool reports_usage() const { return false; }  // closing() holds token counts

  // One event each. TEXT_JSON is a JSON string without its quotes.
  virtual std::string token(std::string_view text_json, int sequence = 0) const = 0;
  virtual std::vector<std::string> opening() const { return {}; }  // before the first token
  virtual std::vector<std::string> closing(int /*tokens*/) const { return {}; }  // after the last
  virtual std::string failure(std::string_view message) const = 0;
  // The body of an answer that is not streamed, and of a refusal.
  virtual std::string body(std::string_view text_json, int tokens) const = 0;
  // The body of an answer to two prompts that is not streamed.
  virtual std::string bodies(std::string_view first_json, std::string_view second_json,
                             int tokens) const = 0;
  virtual std::string refusal(std::string_view message) const { return failure(message); }

  // The error in the record of a request that was refused with MESSAGE.
  virtual std::string refused(std::string_view message) const {
    return fmt::format("HTTP 503: {}", message);
  }

  virtual std::unique_ptr<ServerFixture> serve(Reply reply, bool stream) const = 0;
  virtual std::string ca_file() const { return ""; }  // of a server that speaks TLS
};

template <class Log> int connections_of(const Log& log) {
  std::set<int> connections;
  for (const auto& served : log) connections.insert(served.connection);
  return static_cast<int>(connections.size());
}

class HttpServerFixture final : public ServerFixture {
 public:
  explicit HttpServerFixture(truth::Answer answer) : server_(truth::always(std::move(answer))) {}
  std::string url() const override { return server_.url(); }
  int requests() const override { return static_cast<int>(server_.log().size()); }
  int connections() const override { return connections_of(server_.log()); }

 private:
  truth::Server server_;
};

class HttpSpeaker : public Speaker {
 public:
  explicit HttpSpeaker(std::string separator) : separator_(std::move(separator)) {}

  std::unique_ptr<ServerFixture> serve(Reply reply, bool stream) const override {
    truth::Answer answer;
    if (reply.refused > 0 || !stream) {
      answer = truth::body(reply.refused > 0 ? reply.refused : 200, reply.events.at(0).bytes);
    } else {
      answer.pieces.push_back({.bytes = std::string(truth::k_stream_head) + "\r\n"});
      for (const Reply::Event& event : reply.events)
        answer.pieces.push_back({.bytes = truth::chunk("data: " + event.bytes + separator_),
                                 .wait_ns = event.wait_ns,
                                 .tokens = event.tokens});
      if (reply.whole) answer.pieces.push_back({.bytes = "0\r\n\r\n"});
      else answer.after = truth::After::close;
    }
    if (reply.cut == Reply::Cut::at_once) answer = truth::at_once(answer);
    if (reply.cut == Reply::Cut::per_byte) answer = truth::byte_by_byte(answer);
    return std::make_unique<HttpServerFixture>(std::move(answer));
  }

 protected:
  std::string suffix() const { return separator_ == "\n\n" ? "" : "WithCarriageReturns"; }

 private:
  std::string separator_;
};

class TritonHttpSpeaker final : public HttpSpeaker {
 public:
  using HttpSpeaker::HttpSpeaker;
  std::string name() const override { return "TritonHttp" + suffix(); }
  std::string protocol() const override { return "triton-http"; }
  std::string token(std::string_view text, int sequence) const override {
    return fmt::format(
        R"({{"batch_index":{},"cum_log_probs":0.0,"model_name":"ensemble","model_version":"1","sequence_index":0,"text_output":"{}"}})",
        sequence, text);
  }
  std::string failure(std::string_view message) const override {
    return fmt::format(R"({{"error":"{}"}})", message);
  }
  std::string body(std::string_view text, int) const override { return token(text, 0); }
  std::string bodies(std::string_view first, std::string_view second, int) const override {
    return fmt::format(
        R"({{"batch_index":[0,1],"model_name":"ensemble","model_version":"1","sequence_index":[0,0],"text_output":["{}","{}"]}})",
        first, second);
  }
};

class OpenAiSpeaker : public HttpSpeaker {
 public:
  OpenAiSpeaker(bool chat, std::string separator)
      : HttpSpeaker(std::move(separator)), chat_(chat) {}
  std::string name() const override {
    return (chat_ ? "OpenAiChat" : "OpenAiCompletions") + suffix();
  }
  std::string protocol() const override { return chat_ ? "openai-chat" : "openai-completions"; }
  bool takes_batches() const override { return !chat_; }
  bool reports_usage() const override { return true; }
  std::string token(std::string_view text, int sequence) const override {
    return chat_
               ? fmt::format(
                     R"({{"id":"c","object":"chat.completion.chunk","choices":[{{"index":{},"delta":{{"content":"{}"}},"logprobs":null,"finish_reason":null}}],"usage":null}})",
                     sequence, text)
               : fmt::format(
                     R"({{"id":"c","object":"text_completion","choices":[{{"index":{},"text":"{}","logprobs":null,"finish_reason":null}}],"usage":null}})",
                     sequence, text);
  }
  std::vector<std::string> opening() const override {
    if (!chat_) return {};
    return {
        R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})",
        R"({"choices":[{"index":0,"delta":{"role":"assistant"}}]})"};
  }
  std::vector<std::string> closing(int tokens) const override {
    return {chat_ ? R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})"
                  : R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})",
            fmt::format(R"({{"choices":[],"usage":{}}})", usage(tokens)), "[DONE]", "[DONE]"};
  }
  std::string failure(std::string_view message) const override {
    return fmt::format(R"({{"error":{{"message":"{}","type":"server_error","code":500}}}})",
                       message);
  }
  std::string body(std::string_view text, int tokens) const override {
    return chat_
               ? fmt::format(
                     R"({{"choices":[{{"index":0,"message":{{"role":"assistant","content":"{}"}},"finish_reason":"length"}}],"usage":{}}})",
                     text, usage(tokens))
               : fmt::format(
                     R"({{"choices":[{{"index":0,"text":"{}","finish_reason":"length"}}],"usage":{}}})",
                     text, usage(tokens));
  }
  std::string bodies(std::string_view first, std::string_view second, int tokens) const override {
    return fmt::format(
        R"({{"choices":[{{"index":1,"text":"{}"}},{{"index":0,"text":"{}"}}],"usage":{}}})", second,
        first, usage(tokens));
  }

 private:
  static std::string usage(int tokens) {
    return fmt::format(R"({{"prompt_tokens":9,"total_tokens":{},"completion_tokens":{}}})",
                       9 + tokens, tokens);
  }

  bool chat_;
};

inline std::vector<std::shared_ptr<const Speaker>> json_speakers() {
  std::vector<std::shared_ptr<const Speaker>> out;
  for (const char* separator : {"\n\n", "\r\n\r\n"}) {
    out.push_back(std::make_shared<TritonHttpSpeaker>(separator));
    for (const bool chat : {false, true})
      out.push_back(std::make_shared<OpenAiSpeaker>(chat, separator));
  }
  return out;
}

}  // namespace orch::protocol

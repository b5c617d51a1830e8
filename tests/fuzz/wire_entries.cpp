// The entries for answers of servers: an answer has the same meaning however it is cut.
#include "bench/wire/exchange.hpp"
#include "bench/wire/grpc_session.hpp"
#include "bench/wire/http_parser.hpp"
#include "fuzz/entries.hpp"
#include "fuzz/expect.hpp"

#include <string>
#include <vector>

namespace orch::fuzz {
namespace {

struct Outcome {
  int status = 0;
  bool complete = false;
  bool broken = false;
  std::string error;
  std::vector<std::string> events;
  std::string open;  // data that belongs to no event

  bool operator==(const Outcome&) const = default;
};

// Reads one answer of either wire as the transports do.
class HttpReader final : public wire::BodySink, public wire::EventSink {
 public:
  void on_body(std::string_view piece) override {
    if (parser_.head().is_stream()) sse_.feed(piece, *this);
    else on_data(piece);
  }
  void on_data(std::string_view piece) override { outcome_.open.append(piece); }
  void on_event(bool) override { outcome_.events.push_back(std::exchange(outcome_.open, {})); }

  void receive(std::string_view bytes) {
    if (parser_.complete() || parser_.failed()) return;
    const std::size_t used = parser_.feed(bytes, *this);
    expect(used <= bytes.size(), "more bytes were consumed than were given");
    expect(used == bytes.size() || parser_.complete() || parser_.failed(),
           "reading stopped before the end");
  }
  Outcome end() {
    parser_.finish();
    expect(parser_.complete() != parser_.failed(), "an answer that is neither complete nor broken");
    expect(parser_.failed() == !parser_.error().empty(), "a failure without a message");
    outcome_.status = parser_.head().status;
    outcome_.complete = parser_.complete();
    outcome_.broken = parser_.failed();
    outcome_.error = parser_.error();
    return std::move(outcome_);
  }

 private:
  wire::HttpParser parser_;
  wire::SseParser sse_;
  Outcome outcome_;
};

class GrpcReader final : private wire::GrpcSession::Listener {
 public:
  GrpcReader()
      : session_({.scheme = "http", .authority = "a:1", .method = "/p.S/M", .authorization = ""},
                 *this) {
    expect(session_.call(0, "a request", exchange_) > 0, "a new session takes no call");
    send();
  }

  void receive(std::string_view bytes) {
    if (!session_.alive()) return;
    session_.receive(bytes, ++clock_);
    send();
  }
  Outcome end() {
    Outcome outcome{.status = exchange_.status,
                    .complete = ended_,
                    .broken = exchange_.broken,
                    .error = exchange_.error,
                    .events = {},
                    .open = {}};
    expect(!exchange_.broken || !exchange_.error.empty(), "a failure without a message");
    exchange_.take_events([&](std::string_view data, const wire::Exchange::Event& event) {
      expect(event.ns > 0 && event.ns <= clock_, "an event without the time of a read");
      outcome.events.emplace_back(data);
    });
    return outcome;
  }

 private:
  void on_call_end(wire::SlotId, bool) override {
    expect(!ended_, "a call ended twice");
    ended_ = true;
  }
  void send() {
    for (std::string bytes = "-"; !bytes.empty();) {
      bytes.clear();
      session_.take_bytes(bytes, 16 * 1024);
    }
  }

  std::int64_t clock_ = 0;
  bool ended_ = false;
  wire::Exchange exchange_;
  wire::GrpcSession session_;
};

template <class Reader> Outcome read(std::string_view bytes, std::size_t cut) {
  Reader reader;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(cut, bytes.size())))
    reader.receive(bytes.substr(0, cut));
  return reader.end();
}

}  // namespace

void read_http_answer(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t cut = 1u + static_cast<unsigned char>(bytes.front()) % 32u;
  bytes.remove_prefix(1);
  expect(read<HttpReader>(bytes, cut) == read<HttpReader>(bytes, bytes.size() + 1),
         "the meaning of an answer depends on how it is cut");
}

void read_grpc_answer(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t cut = 1u + static_cast<unsigned char>(bytes.front()) % 32u;
  bytes.remove_prefix(1);
  // The library may give up a broken connection some bytes later in one piece than in many, so only
  // calls that ended well are compared.
  const Outcome many = read<GrpcReader>(bytes, cut),
                one = read<GrpcReader>(bytes, bytes.size() + 1);
  if (many.complete && one.complete && !many.broken && !one.broken)
    expect(many == one, "the meaning of an answer depends on how it is cut");
}

}  // namespace orch::fuzz

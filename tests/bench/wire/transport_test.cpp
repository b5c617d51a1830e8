// The contract of every transport: one suite, run over each of them.
#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/driver.hpp"
#include "bench/wire/grpc_truth_server.hpp"
#include "bench/wire/tls_relay.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace orch::wire {
namespace transport_test {

// An answer, in terms that every transport has.
struct Shape {
  enum class End { whole, close, silent };
  std::vector<std::string> events = {"one", "two", "three"};
  std::int64_t wait_ns = 0;   // between events
  bool together = false;      // all events leave by one send()
  std::size_t cut_bytes = 0;  // the size of each send(); 0: unlimited
  End end = End::whole;
};

struct Seen {
  std::string request;
  std::int64_t arrived_ns = 0;
  std::vector<std::int64_t> token_ns;
};

// A server that answers requests by SHAPES in turn, the last for all that follow.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string url() const = 0;
  virtual std::string grpc_method() const = 0;
  virtual std::string request(const std::string& body) const = 0;
  virtual std::vector<Seen> seen() const = 0;
  virtual int connections() const = 0;
};

class HttpPeer final : public Peer {
 public:
  explicit HttpPeer(std::vector<Shape> shapes)
      : server_([answers = answers_of(shapes)](const truth::Request& request) {
          return answers[std::min<std::size_t>(static_cast<std::size_t>(request.number),
                                               answers.size() - 1)];
        }) {}

  std::string url() const override { return server_.url(); }
  std::string grpc_method() const override { return ""; }
  std::string request(const std::string& body) const override {
    return fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
  }
  int connections() const override { return server_.connections(); }
  std::vector<Seen> seen() const override {
    std::vector<Seen> out;
    for (const truth::Served& served : server_.log())
      out.push_back({.request = served.request.body,
                     .arrived_ns = served.arrived_ns,
                     .token_ns = served.token_ns});
    return out;
  }

 private:
  static truth::Answer answer_of(const Shape& shape) {
    truth::Answer out{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
    for (const std::string& event : shape.events)
      out.pieces.push_back({.bytes = truth::chunk("data: " + event + "\n\n"),
                            .wait_ns = shape.wait_ns,
                            .tokens = 1});
    if (shape.end == Shape::End::whole) out.pieces.push_back({.bytes = "0\r\n\r\n"});
    if (shape.end == Shape::End::close) out.after = truth::After::close;
    if (shape.together) out = truth::at_once(out);
    if (shape.cut_bytes == 0) return out;
    truth::Answer cut{.pieces = {}, .after = out.after};
    for (const truth::Piece& piece : out.pieces)
      for (std::size_t at = 0; at < piece.bytes.size(); at += shape.cut_bytes)
        cut.pieces.push_back({.bytes = piece.bytes.substr(at, shape.cut_bytes)});
    return cut;
  }
  static std::vector<std::shared_ptr<const truth::Answer>> answers_of(
      const std::vector<Shape>& shapes) {
    std::vector<std::shared_ptr<const truth::Answer>> out;
    for (const Shape& shape : shapes)
      out.push_back(std::make_shared<const truth::Answer>(answer_of(shape)));
    return out;
  }

  truth::Server server_;
};

class GrpcPeer final : public Peer {
 public:
  explicit GrpcPeer(std::vector<Shape> shapes)
      : server_(
            [answers = answers_of(shapes)](const truth::GrpcServed& request) {
              return answers[std::min<std::size_t>(static_cast<std::size_t>(request.number),
                                                   answers.size() - 1)];
            },
            {.cut_bytes = shapes.front().cut_bytes, .hold_back = shapes.front().together}) {}

  std::string url() const override { return server_.url(); }
  std::string grpc_method() const override { return "/p.S/M"; }
  std::string request(const std::string& body) const override { return body; }
  int connections() const override { return server_.connections(); }
  std::vector<Seen> seen() const override {
    std::vector<Seen> out;
    for (const truth::GrpcServed& served : server_.log())
      out.push_back({.request = served.message(),
                     .arrived_ns = served.arrived_ns,
                     .token_ns = served.token_ns});
    return out;
  }

 private:
  static std::vector<std::shared_ptr<const truth::GrpcAnswer>> answers_of(
      const std::vector<Shape>& shapes) {
    std::vector<std::shared_ptr<const truth::GrpcAnswer>> out;
    for (const Shape& shape : shapes) {
      auto answer = std::make_shared<truth::GrpcAnswer>();
      for (const std::string& event : shape.events)
        answer->pieces.push_back(
            {.bytes = truth::framed(event), .wait_ns = shape.wait_ns, .tokens = 1});
      if (shape.end == Shape::End::close) answer->end = truth::GrpcAnswer::End::close;
      if (shape.end == Shape::End::silent) answer->end = truth::GrpcAnswer::End::silent;
      out.push_back(std::move(answer));
    }
    return out;
  }

  truth::GrpcServer server_;
};

// The same server behind TLS.
class TlsPeer final : public Peer {
 public:
  explicit TlsPeer(std::unique_ptr<Peer> plain)
      : plain_(std::move(plain)),
        relay_((*parse_url(plain_->url())).port, plain_->grpc_method().empty() ? "" : "h2") {}

  std::string url() const override { return fmt::format("https://127.0.0.1:{}", relay_.port()); }
  std::string grpc_method() const override { return plain_->grpc_method(); }
  std::string request(const std::string& body) const override { return plain_->request(body); }
  std::vector<Seen> seen() const override { return plain_->seen(); }
  int connections() const override { return plain_->connections(); }

 private:
  std::unique_ptr<Peer> plain_;
  truth::TlsRelay relay_;
};

struct WireRow {
  std::string name;
  std::unique_ptr<Peer> (*make)(std::vector<Shape> shapes);
  bool tls = false;
};

void PrintTo(const WireRow& row, std::ostream* out) { *out << row.name; }

class TransportContract : public testing::TestWithParam<WireRow> {
 protected:
  // Starts the server and opens SLOTS connections to it.
  void serve(std::vector<Shape> shapes, SlotId slots = 1) {
    peer = GetParam().make(std::move(shapes));
    driver = std::make_unique<Driver>(peer->url(), peer->grpc_method(), true, access());
    ASSERT_TRUE(driver->open(slots).ok());
  }
  static Access access() {
    return {.ca_file = GetParam().tls ? truth::Authority::shared().file("ca.pem") : ""};
  }
  Exchange& start(SlotId slot, const std::string& body) {
    requests.push_back(peer->request(body));
    return driver->start(slot, requests.back());
  }
  Exchange& exchange(SlotId slot, const std::string& body) {
    requests.push_back(peer->request(body));
    return driver->exchange(slot, requests.back());
  }

  std::unique_ptr<Peer> peer;
  std::unique_ptr<Driver> driver;
  std::deque<std::string> requests;
};

const std::vector<std::string> k_three = {"one", "two", "three"};

TEST_P(TransportContract, StampsTheSendBeforeTheServerReadsItAndEventsAfterTheyWereSent) {
  serve({{.wait_ns = 2'000'000}});
  Exchange& answer = exchange(0, "q");
  const Seen truth = peer->seen().at(0);
  EXPECT_EQ(answer.status, 200);
  EXPECT_LE(answer.sent_ns, truth.arrived_ns);
  const auto events = events_of(answer);
  ASSERT_EQ(events.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(events[i].ns, truth.token_ns[i]);
  EXPECT_GE(answer.end_ns, events[2].ns);
}

TEST_P(TransportContract, FindsTheSameEventsForEverySplitOfTheAnswer) {
  for (const std::size_t bytes : {1u, 2u, 3u, 7u}) {
    serve({{.cut_bytes = bytes}});
    Exchange& answer = exchange(0, "q");
    EXPECT_EQ(answer.status, 200) << answer.error;
    EXPECT_EQ(texts_of(answer), k_three) << "cut every " << bytes << " bytes";
  }
}

TEST_P(TransportContract, MarksEventsThatShareARead) {
  serve({{.together = true}});
  const auto events = events_of(exchange(0, "q"));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_FALSE(events[0].coalesced);
  EXPECT_TRUE(events[1].coalesced && events[2].coalesced);
  EXPECT_EQ(events[0].ns, events[2].ns);
}

TEST_P(TransportContract, ReusesItsConnections) {
  serve({{}}, 2);
  for (int i = 0; i < 5; ++i) {
    start(0, "q");
    start(1, "q");
    ASSERT_TRUE(driver->run_to_end());
  }
  EXPECT_EQ(peer->connections(), 2);
  EXPECT_EQ(driver->transport().counters().connections_opened, 2);
}

TEST_P(TransportContract, CallsATruncatedAnswerLostAndReconnects) {
  serve({{.end = Shape::End::close}, {}});
  Exchange& answer = exchange(0, "q");
  EXPECT_TRUE(answer.broken && answer.lost_server);
  EXPECT_FALSE(answer.error.empty());
  EXPECT_EQ(texts_of(answer), k_three);
  EXPECT_EQ(texts_of(exchange(0, "q")), k_three);
  EXPECT_EQ(peer->connections(), 2);
}

TEST_P(TransportContract, EndsACancelledRequestAsBrokenAndTakesTheNext) {
  serve({{.end = Shape::End::silent}, {}});
  Exchange& answer = start(0, "q");
  ASSERT_TRUE(driver->run_until([&] { return answer.bytes() == 11; }));
  driver->transport().cancel(0, "it took too long");
  EXPECT_EQ(driver->in_flight(), 0);
  EXPECT_TRUE(answer.broken);
  EXPECT_FALSE(answer.lost_server || answer.stopped);
  EXPECT_EQ(answer.error, "it took too long");
  EXPECT_EQ(texts_of(exchange(0, "q")), k_three);
}

TEST_P(TransportContract, EndsAStoppedRequestWithoutAnErrorAndTakesTheNext) {
  serve({{.end = Shape::End::silent}, {}});
  Exchange& answer = start(0, "q");
  ASSERT_TRUE(driver->run_until([&] { return answer.bytes() == 11; }));
  driver->transport().stop(0);
  EXPECT_EQ(driver->in_flight(), 0);
  EXPECT_TRUE(answer.stopped);
  EXPECT_FALSE(answer.broken);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(texts_of(answer), k_three);
  EXPECT_EQ(texts_of(exchange(0, "q")), k_three);
}

TEST_P(TransportContract, MovesRequestsAndEventsLargerThanAnyBuffer) {
  const std::string large(5'000'000, 'x');
  serve({{.events = {large, "end"}}});
  Exchange& answer = exchange(0, large);
  EXPECT_EQ(answer.status, 200) << answer.error;
  const auto texts = texts_of(answer);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(texts[0] == large && texts[1] == "end");
  EXPECT_TRUE(peer->seen().at(0).request == large);
}

TEST_P(TransportContract, GrowsWhileRequestsAreInFlight) {
  serve({{.wait_ns = 1'000'000}});
  std::vector<Exchange*> answers = {&start(0, "q")};
  driver->transport().grow(4);
  for (SlotId slot = 1; slot < 4; ++slot) answers.push_back(&start(slot, "q"));
  ASSERT_TRUE(driver->run_to_end());
  for (Exchange* answer : answers) EXPECT_EQ(texts_of(*answer), k_three) << answer->error;
  EXPECT_EQ(peer->connections(), 4);
}

TEST_P(TransportContract, NamesAServerThatDoesNotAccept) {
  serve({{}});
  const std::string name = (*resolve(*parse_url(peer->url()))).name;
  const std::string url = peer->url(), method = peer->grpc_method();
  peer.reset();
  driver = std::make_unique<Driver>(url, method, true, access());
  const Status opened = driver->open(1);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            fmt::format("cannot connect to {}: Connection refused; is the server running?", name));
  driver->transport().grow(1);
  Exchange& answer = driver->exchange(0, "q");
  EXPECT_TRUE(answer.broken && answer.lost_server);
  EXPECT_EQ(answer.error, opened.error().message);
}

// While it lives no descriptor can be opened.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_P(TransportContract, DoesNotBlameTheServerForMissingDescriptors) {
  serve({{.end = Shape::End::close}, {}});
  EXPECT_TRUE(exchange(0, "q").lost_server);
  const std::string name = (*resolve(*parse_url(peer->url()))).name;
  {
    const NoDescriptors none;
    Exchange& answer = exchange(0, "q");
    EXPECT_TRUE(answer.broken && answer.client_failed);
    EXPECT_FALSE(answer.lost_server);
    EXPECT_EQ(
        answer.error,
        fmt::format(
            "cannot connect to {}: Too many open files; raise the limit of open files (ulimit -n)",
            name));
  }
  EXPECT_EQ(texts_of(exchange(0, "q")), k_three);
}

template <class Wire> std::unique_ptr<Peer> make_peer(std::vector<Shape> shapes) {
  return std::make_unique<Wire>(std::move(shapes));
}

template <class Wire> std::unique_ptr<Peer> make_tls_peer(std::vector<Shape> shapes) {
  return std::make_unique<TlsPeer>(make_peer<Wire>(std::move(shapes)));
}

INSTANTIATE_TEST_SUITE_P(Over, TransportContract,
                         testing::Values(WireRow{"http", make_peer<HttpPeer>},
                                         WireRow{"grpc", make_peer<GrpcPeer>},
                                         WireRow{"https", make_tls_peer<HttpPeer>, true},
                                         WireRow{"grpcs", make_tls_peer<GrpcPeer>, true}),
                         [](const auto& row) { return row.param.name; });

}  // namespace transport_test
}  // namespace orch::wire

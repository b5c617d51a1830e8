#include "bench/wire/http_transport.hpp"

#include "bench/wire/channel.hpp"

#include <cerrno>

#include <sys/epoll.h>

namespace orch::wire {
namespace {

constexpr std::size_t k_http_buffer_bytes = 128 * 1024;
static_assert(k_http_buffer_bytes >= TlsSession::k_read_bytes);
// epoll reports unexpected bytes that arrive during a pause. Of the requests that follow an answer
// immediately, only one in this many (beginning with the second of a connection) checks for them: a
// connection that is out of step stays so, and one more system call per request would cost a tenth
// of the client's time.
constexpr unsigned k_look_every = 16;
// A server may close after each answer without announcing it. After this many consecutive requests
// that found the connection closed, each sent within this time after an answer, every request gets
// a new connection: sending on a closed one first would cost a round trip.
constexpr int k_closed_in_a_row = 3;
constexpr std::int64_t k_at_once_ns = 1'000'000'000;
// One in this many connections to such a server is kept open, to check whether it still closes
// them: the cause may have been a restart or an overload.
constexpr int k_look_again_every = 256;
// A server that had already closed the connection reports it within a round trip. If it reports it
// later, it may have processed the request.
constexpr std::int64_t k_unread_ns = 250'000'000;
constexpr std::size_t k_event_limit_bytes = std::size_t{64} << 20;

}  // namespace

// One connection and the exchange on it.
struct HttpTransport::Wire final : BodySink {
  enum class State { closed, connecting, idle, sending, receiving };

  Wire(HttpTransport& transport, SlotId id)
      : slot(id),
        events(transport.options_.format.events),
        endpoint(transport.options_.endpoints[id % transport.options_.endpoints.size()]),
        closing(transport.closings_[id % transport.closings_.size()]),
        channel(transport.options_.epoll_fd, id) {}

  void on_body(std::string_view piece) override {
    if (is_stream()) sse.feed(piece, *exchange);
    else exchange->on_data(piece);
  }
  bool is_stream() const { return events && parser.head().is_stream(); }

  void close() {
    channel.close();
    exchanges = 0;
    state = State::closed;
  }

  const SlotId slot;
  const bool events;
  const Endpoint& endpoint;
  Closing& closing;
  State state = State::closed;
  EpollChannel channel;
  HttpParser parser;
  SseParser sse;
  unsigned exchanges = 0;        // complete ones on this connection
  std::int64_t answered_ns = 0;  // the end of the last one
  Exchange* exchange = nullptr;  // of the request in flight
  std::string_view request;
  std::string_view unsent;  // the rest of the request
  bool resent = false;      // it was sent before, on another connection
};

HttpTransport::HttpTransport(TransportOptions options, Listener& listener)
    : options_(std::move(options)),
      listener_(listener),
      tls_(TlsContext::for_endpoints(options_.endpoints, options_.access, "")),
      closings_(options_.endpoints.size()),
      buffer_(k_http_buffer_bytes) {}

HttpTransport::~HttpTransport() = default;

void HttpTransport::make_room(SlotId slots) {
  raise_file_limit(slots + 64);
  while (wires_.size() < slots)
    wires_.push_back(std::make_unique<Wire>(*this, static_cast<SlotId>(wires_.size())));
}

void HttpTransport::grow(SlotId slots) {
  make_room(slots);
  for (const auto& wire : wires_)
    if (wire->state == Wire::State::closed && !connect(*wire)) return;
}

Status HttpTransport::open(SlotId slots, int timeout_ms) {
  make_room(slots);
  OpeningPace pace;
  for (const auto& wire : wires_) {
    if (wire->state != Wire::State::closed) continue;
    if (!connect(*wire)) return wire->channel.error();
    pace.one_more();
  }
  for (const auto& wire : wires_) {
    if (wire->state != Wire::State::connecting) continue;
    if (Status opened =
            wire->channel.wait_open(monotonic_ns() + timeout_ms * std::int64_t{1'000'000});
        !opened.ok()) {
      wire->close();
      return opened;
    }
    connected(*wire);
  }
  return {};
}

bool HttpTransport::connect(Wire& wire) {
  if (!wire.channel.connect(wire.endpoint, tls_.get())) return false;
  ++counters_.connections_opened;
  wire.state = Wire::State::connecting;
  return true;
}

void HttpTransport::start(SlotId slot, std::string_view request, Exchange& exchange) {
  Wire& wire = *wires_[slot];
  wire.exchange = &exchange;
  wire.request = wire.unsent = request;
  wire.resent = false;
  wire.parser.reset();
  wire.sse.reset();
  if (wire.state == Wire::State::idle && wire.exchanges % k_look_every == 1) check_quiet(wire);
  exchange.sent_ns = monotonic_ns();
  if (wire.state == Wire::State::closed && !connect(wire)) return fail_to_connect(wire);
  if (wire.state == Wire::State::idle) {
    wire.state = Wire::State::sending;
    write(wire);
  }
}

bool HttpTransport::warm(SlotId slot) {
  Wire& wire = *wires_[slot];
  if (wire.state == Wire::State::closed) connect(wire);
  return wire.state == Wire::State::idle;
}

void HttpTransport::continue_connecting(Wire& wire) {
  const EpollChannel::Step step = wire.channel.advance();
  if (step == EpollChannel::Step::failed) return fail_to_connect(wire);
  if (step == EpollChannel::Step::done) connected(wire);
}

void HttpTransport::connected(Wire& wire) {
  wire.state = wire.exchange == nullptr ? Wire::State::idle : Wire::State::sending;
  wire.channel.watch_for_writing(false);
  if (wire.state != Wire::State::sending) return;
  if (!wire.resent)
    wire.exchange->sent_ns =
        monotonic_ns();  // latency excludes the handshake of a reopened connection
  write(wire);
}

void HttpTransport::ready(std::uint32_t tag, std::uint32_t events) {
  Wire& wire = *wires_[tag];
  if (wire.state == Wire::State::closed)
    return;  // reported in the same batch in which it was closed
  if (wire.state == Wire::State::connecting) return continue_connecting(wire);
  if (wire.state == Wire::State::idle) return check_quiet(wire);
  if ((events & EPOLLOUT) != 0 && wire.state == Wire::State::sending) write(wire);
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && wire.exchange != nullptr)
    read(wire);
}

void HttpTransport::write(Wire& wire) {
  while (!wire.unsent.empty()) {
    const ssize_t sent = wire.channel.write(wire.unsent);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return wire.channel.watch_for_writing(true);
      // An answer or a reset may be waiting; epoll will report it, and reading shows which.
      wire.state = Wire::State::receiving;
      return;
    }
    wire.unsent.remove_prefix(static_cast<std::size_t>(sent));
  }
  wire.state = Wire::State::receiving;
  wire.channel.watch_for_writing(false);
}

void HttpTransport::read(Wire& wire) {
  do {
    const ssize_t received = wire.channel.read(buffer_.data(), buffer_.size());
    const std::int64_t now_ns = monotonic_ns();
    if (received < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      return lose(wire, fmt::format("the connection to {} broke: {}", wire.endpoint.name,
                                    wire.channel.trouble()) +
                            doubt(wire));
    }
    if (received == 0) {
      wire.parser.finish();
      if (wire.parser.failed()) return lose(wire, wire.parser.error() + doubt(wire));
      return end(wire);
    }
    take(wire, {buffer_.data(), static_cast<std::size_t>(received)}, now_ns);
  } while (wire.exchange != nullptr && wire.channel.at_end());
}

void HttpTransport::take(Wire& wire, std::string_view bytes, std::int64_t now_ns) {
  ++counters_.reads;
  wire.exchange->begin_read(now_ns);
  const std::size_t used = wire.parser.feed(bytes, wire);
  wire.exchange->status = wire.parser.head().status;
  if (wire.parser.failed()) return fail(wire, wire.parser.error());
  if (wire.exchange->open_bytes() + wire.sse.unfinished_bytes() > k_event_limit_bytes)
    return fail(wire, fmt::format("the answer has an event or body larger than {} MiB",
                                  k_event_limit_bytes >> 20));
  if (!wire.parser.complete()) {
    if (wire.exchange->has_many()) listener_.on_many(wire.slot);
    return;
  }
  if (used < bytes.size()) ++counters_.out_of_step;
  if (used < bytes.size() || !wire.unsent.empty()) wire.close();  // unusable for another request
  end(wire);
}

// A server that never sent anything may be waiting for TLS.
std::string HttpTransport::doubt(const Wire& wire) const {
  return counters_.reads == 0 && !wire.endpoint.tls ? "; is it https?" : "";
}

// Without a request only TLS itself may send. Other bytes would be read as the answer to the next
// request, so the connection is abandoned.
void HttpTransport::check_quiet(Wire& wire) {
  const ssize_t received = wire.channel.read(buffer_.data(), buffer_.size());
  if (received < 0 && errno == EAGAIN) return;
  counters_.out_of_step += received > 0;
  wire.close();
}

void HttpTransport::end(Wire& wire) {
  Exchange& exchange = *wire.exchange;
  exchange.status = wire.parser.head().status;
  exchange.end_ns = exchange.last_read_ns();
  if (!wire.is_stream()) {
    exchange.unstreamed = wire.events && exchange.status == 200;
    if (exchange.open_bytes() > 0) exchange.on_event();
    if (!wire.parser.head().redirect.empty())
      exchange.error =
          fmt::format("HTTP {}: it redirects to {}", exchange.status, wire.parser.head().redirect);
  } else if (wire.sse.finish(exchange); wire.sse.inside_event()) {
    exchange.on_unended_event();
  }
  if (exchange.status != 200 && wire.parser.head().is_compressed)
    exchange.error = fmt::format(
        "HTTP {}: its body is compressed, although no compression was requested", exchange.status);
  Closing& closing = wire.closing;
  if (wire.exchanges > 0) closing.closed_at_once = 0;
  wire.answered_ns = exchange.end_ns;
  const bool closes =
      closing.closed_at_once >= k_closed_in_a_row && ++closing.answers % k_look_again_every != 0;
  if (!wire.parser.head().keep_alive || wire.channel.at_end() || closes) wire.close();
  if (wire.state != Wire::State::closed) {
    wire.state = Wire::State::idle;
    ++wire.exchanges;
  }
  wire.exchange = nullptr;
  listener_.on_end(wire.slot);
}

void HttpTransport::fail(Wire& wire, std::string reason) {
  wire.close();
  if (wire.exchange == nullptr) return;
  Exchange& exchange = *wire.exchange;
  exchange.broken = true;
  exchange.error = std::move(reason);
  exchange.end_ns = monotonic_ns();
  wire.exchange = nullptr;
  listener_.on_end(wire.slot);
}

void HttpTransport::lose(Wire& wire, std::string reason) {
  const bool unread = wire.exchange != nullptr && wire.exchanges > 0 && !wire.parser.started() &&
                      monotonic_ns() - wire.exchange->sent_ns < k_unread_ns;
  if (unread && !wire.resent) return resend(wire);
  if (wire.exchange != nullptr) wire.exchange->lost_server = true;
  fail(wire, std::move(reason));
}

void HttpTransport::fail_to_connect(Wire& wire) {
  const Error error = wire.channel.error();
  if (wire.exchange != nullptr)
    (error.kind == ErrorKind::unavailable ? wire.exchange->lost_server
                                          : wire.exchange->client_failed) = true;
  fail(wire, error.message);
}

void HttpTransport::resend(Wire& wire) {
  Closing& closing = wire.closing;
  if (wire.exchanges > 1) closing.closed_at_once = 0;  // it stayed open after the previous answer
  else if (wire.exchange->sent_ns - wire.answered_ns < k_at_once_ns) ++closing.closed_at_once;
  wire.close();
  wire.resent = true;
  wire.unsent = wire.request;
  wire.parser.reset();
  ++counters_.resent;
  if (!connect(wire)) fail_to_connect(wire);
}

void HttpTransport::stop(SlotId slot) {
  Wire& wire = *wires_[slot];
  if (wire.exchange == nullptr) return;
  wire.exchange->stopped = true;
  wire.exchange->end_ns = monotonic_ns();
  wire.exchange = nullptr;
  wire.close();
  listener_.on_end(slot);
}

void HttpTransport::cancel(SlotId slot, std::string reason) {
  Wire& wire = *wires_[slot];
  if (wire.state == Wire::State::connecting) lose(wire, std::move(reason));
  else fail(wire, std::move(reason));
}

}  // namespace orch::wire

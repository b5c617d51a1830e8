#include "wire/http_transport.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "wire/clock.hpp"
#include "wire/socket.hpp"
#include "wire/sse_parser.hpp"

namespace orch::wire {
namespace {

constexpr std::size_t k_buffer_bytes = 128 * 1024;
constexpr std::size_t k_event_limit_bytes = std::size_t{64} << 20;

// More connections than the soft limit of open files allows: take what the hard limit gives.
void raise_file_limit(std::size_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

// One connection and the exchange on it.
struct HttpTransport::Wire final : BodySink {
  enum class State { closed, connecting, idle, sending, receiving };

  explicit Wire(SlotId id, bool event_stream) : slot(id), events(event_stream) {}

  void on_body(std::string_view piece) override {
    if (events && parser.status() == 200) sse.feed(piece, *exchange);
    else exchange->on_data(piece);
  }

  void close() {
    fd = {};
    waits_for_room = false;
    state = State::closed;
  }

  SlotId slot;
  bool events;
  State state = State::closed;
  system::Descriptor fd;
  HttpParser parser;
  SseParser sse;
  Exchange* exchange = nullptr;  // of the request under way
  std::string_view unsent;
  bool waits_for_room = false;  // epoll watches for writing, because the kernel's buffer was full
};

HttpTransport::HttpTransport(Options options, Listener& listener)
    : options_(std::move(options)), listener_(listener), buffer_(k_buffer_bytes) {}

HttpTransport::~HttpTransport() = default;

void HttpTransport::make_room(SlotId slots) {
  raise_file_limit(slots + 64);
  while (wires_.size() < slots) wires_.push_back(std::make_unique<Wire>(static_cast<SlotId>(wires_.size()), options_.events));
}

void HttpTransport::grow(SlotId slots) {
  make_room(slots);
  for (const auto& wire : wires_)
    if (wire->state == Wire::State::closed && !connect(*wire)) return;
}

Status HttpTransport::open(SlotId slots, int timeout_ms) {
  make_room(slots);
  const std::int64_t deadline_ns = monotonic_ns() + timeout_ms * std::int64_t{1'000'000};
  for (const auto& wire : wires_)
    if (wire->state == Wire::State::closed && !connect(*wire)) return connect_error(endpoint_of(*wire), errno);
  for (const auto& wire : wires_) {
    if (wire->state != Wire::State::connecting) continue;
    ORCH_TRY(wait_connected(wire->fd.get(), endpoint_of(*wire), deadline_ns));
    connected(*wire);
  }
  return {};
}

const Endpoint& HttpTransport::endpoint_of(const Wire& wire) const { return options_.endpoints[wire.slot % options_.endpoints.size()]; }

bool HttpTransport::connect(Wire& wire) {
  bool pending = false;
  wire.fd = start_connect(endpoint_of(wire), pending);
  if (!wire.fd) return false;
  ++counters_.connections_opened;
  wire.state = pending ? Wire::State::connecting : Wire::State::idle;
  return watch(wire, {.added = true, .for_writing = pending});
}

bool HttpTransport::watch(Wire& wire, Watch how) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (how.for_writing ? EPOLLOUT : 0u);
  event.data.u32 = wire.slot;
  return epoll_ctl(options_.epoll_fd, how.added ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, wire.fd.get(), &event) == 0;
}

void HttpTransport::start(SlotId slot, std::string_view request, Exchange& exchange) {
  Wire& wire = *wires_[slot];
  wire.exchange = &exchange;
  wire.unsent = request;
  wire.parser.reset();
  wire.sse.reset();
  exchange.sent_ns = monotonic_ns();
  if (wire.state == Wire::State::closed && !connect(wire)) return lose(wire, connect_error(endpoint_of(wire), errno).message);
  if (wire.state == Wire::State::idle) {
    wire.state = Wire::State::sending;
    write(wire);
  }
}

void HttpTransport::connected(Wire& wire) {
  wire.state = wire.exchange == nullptr ? Wire::State::idle : Wire::State::sending;
  watch(wire, {.for_writing = false});
  if (wire.state != Wire::State::sending) return;
  wire.exchange->sent_ns = monotonic_ns();  // the handshake of a reopened connection is no part of a latency
  write(wire);
}

void HttpTransport::ready(std::uint32_t tag, std::uint32_t events) {
  Wire& wire = *wires_[tag];
  if (wire.state == Wire::State::closed) return;  // reported in the same batch in which it was closed
  if (wire.state == Wire::State::connecting) {
    if (const int error = socket_error(wire.fd.get()); error != 0) return lose(wire, connect_error(endpoint_of(wire), error).message);
    if ((events & EPOLLOUT) != 0) connected(wire);
    return;
  }
  if (wire.state == Wire::State::idle) return wire.close();  // bytes or an end that nobody asked for
  if ((events & EPOLLOUT) != 0 && wire.state == Wire::State::sending) write(wire);
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && wire.exchange != nullptr) read(wire);
}

void HttpTransport::write(Wire& wire) {
  while (!wire.unsent.empty()) {
    const ssize_t sent = ::send(wire.fd.get(), wire.unsent.data(), wire.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        wire.waits_for_room = true;
        watch(wire, {.for_writing = true});
        return;
      }
      // An answer or a reset may already be waiting, and reading says which: epoll will report it.
      wire.state = Wire::State::receiving;
      return;
    }
    wire.unsent.remove_prefix(static_cast<std::size_t>(sent));
  }
  wire.state = Wire::State::receiving;
  if (std::exchange(wire.waits_for_room, false)) watch(wire, {.for_writing = false});
}

void HttpTransport::read(Wire& wire) {
  const ssize_t received = ::recv(wire.fd.get(), buffer_.data(), buffer_.size(), 0);
  const std::int64_t now_ns = monotonic_ns();
  if (received < 0) {
    if (errno == EAGAIN || errno == EINTR) return;
    return lose(wire, fmt::format("the connection to {} broke: {}", endpoint_of(wire).name, std::strerror(errno)));
  }
  if (received == 0) {
    wire.parser.finish();
    if (wire.parser.failed()) return lose(wire, wire.parser.error());
    return end(wire);
  }
  ++counters_.reads;
  wire.exchange->begin_read(now_ns);
  const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(received));
  const std::size_t used = wire.parser.feed(bytes, wire);
  wire.exchange->status = wire.parser.status();
  if (wire.parser.failed()) return fail(wire, wire.parser.error());
  if (wire.exchange->open_bytes() + wire.sse.unfinished_bytes() > k_event_limit_bytes)
    return fail(wire, fmt::format("the answer has an event or body larger than {} MiB", k_event_limit_bytes >> 20));
  if (!wire.parser.complete()) {
    if (wire.exchange->has_many()) listener_.on_many(wire.slot);
    return;
  }
  if (used < bytes.size() || !wire.unsent.empty()) wire.close();  // out of step: not fit for another request
  end(wire);
}

void HttpTransport::end(Wire& wire) {
  Exchange& exchange = *wire.exchange;
  exchange.status = wire.parser.status();
  exchange.end_ns = exchange.last_read_ns();
  if (wire.events && exchange.status == 200) {
    if (wire.sse.inside_event()) {
      exchange.broken = true;
      exchange.error = "the stream ended inside an event";
    }
  } else if (exchange.open_bytes() > 0) {
    exchange.on_event();
  }
  if (!wire.parser.keep_alive()) wire.close();
  if (wire.state != Wire::State::closed) wire.state = Wire::State::idle;
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
  if (wire.exchange != nullptr) wire.exchange->lost_server = true;
  fail(wire, std::move(reason));
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

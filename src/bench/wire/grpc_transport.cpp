#include "bench/wire/grpc_transport.hpp"

#include "bench/wire/channel.hpp"

#include <cerrno>

#include <poll.h>
#include <sys/epoll.h>

namespace orch::wire {
namespace {

constexpr std::size_t k_grpc_buffer_bytes = 128 * 1024;
static_assert(k_grpc_buffer_bytes >= TlsSession::k_read_bytes);
constexpr std::size_t k_send_bytes = 64 * 1024;

}  // namespace

// The request in flight in one slot.
struct GrpcTransport::Call {
  Exchange* exchange = nullptr;  // null: no request in flight
  std::string_view request;
  GrpcSession::StreamId stream = 0;  // 0: waiting for its connection
  bool resent = false;
  std::uint64_t heard_before = 0;  // reads of its connection before this request was started
};

struct GrpcTransport::Connection {
  enum class State { closed, connecting, open };

  Connection(const TransportOptions& options, std::size_t number)
      : endpoint(options.endpoints[number % options.endpoints.size()]),
        channel(options.epoll_fd, static_cast<std::uint32_t>(number)) {}

  const Endpoint& endpoint;
  State state = State::closed;
  EpollChannel channel;
  std::unique_ptr<GrpcSession> session;  // of an open connection
  std::string unsent;
  std::vector<SlotId> slots;  // those with a request in flight
  bool used = false;          // it has carried a complete exchange
  bool hangs = false;         // a request timed out, and nothing has been read since its start
  std::uint64_t heard = 0;    // number of reads

  // New requests wait for the connection that replaces this one.
  bool takes_no_more() const { return hangs || session->leaving(); }
  void close() {
    channel.close();
    session.reset();
    unsent.clear();
    used = hangs = false;
    state = State::closed;
  }
  void flush() {
    while (session->wants_to_send() || !unsent.empty()) {
      // `unsent` stays empty if the session has failed; the next read reports why.
      if (unsent.empty()) session->take_bytes(unsent, k_send_bytes);
      if (unsent.empty()) break;
      const ssize_t sent = channel.write(unsent);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return channel.watch_for_writing(true);
      // An answer or a reset may be waiting; epoll will report it, and reading shows which.
      if (sent < 0) return;
      unsent.erase(0, static_cast<std::size_t>(sent));
    }
    channel.watch_for_writing(false);
  }
};

GrpcTransport::GrpcTransport(TransportOptions options, Transport::Listener& listener)
    : options_(std::move(options)),
      listener_(listener),
      tls_(TlsContext::for_endpoints(options_.endpoints, options_.access, "h2")),
      buffer_(k_grpc_buffer_bytes) {}

GrpcTransport::~GrpcTransport() = default;

// Only slots of the same server share a connection.
std::size_t GrpcTransport::connection_of(SlotId slot) const {
  const std::size_t servers = options_.endpoints.size(), of_server = slot / servers,
                    own = options_.own_connections;
  return (of_server < own ? of_server
                          : own + (of_server - own) / options_.slots_per_shared_connection) *
             servers +
         slot % servers;
}

void GrpcTransport::make_room(SlotId slots) {
  if (calls_.size() < slots) calls_.resize(slots);
  std::size_t needed = 0;
  const auto servers = static_cast<SlotId>(options_.endpoints.size());
  for (SlotId slot = slots - std::min(servers, slots); slot < slots; ++slot)
    needed = std::max(needed, connection_of(slot) + 1);
  raise_file_limit(needed + 64);
  while (connections_.size() < needed)
    connections_.push_back(std::make_unique<Connection>(options_, connections_.size()));
}

void GrpcTransport::grow(SlotId slots) {
  make_room(slots);
  for (const auto& connection : connections_)
    if (connection->state == Connection::State::closed && !connect(*connection)) return;
}

Status GrpcTransport::open(SlotId slots, int timeout_ms) {
  make_room(slots);
  OpeningPace pace;
  for (const auto& connection : connections_) {
    if (connection->state != Connection::State::closed) continue;
    if (!connect(*connection)) return connection->channel.error();
    pace.one_more();
  }
  for (const auto& connection : connections_) {
    const std::int64_t deadline_ns = monotonic_ns() + timeout_ms * std::int64_t{1'000'000};
    if (connection->state == Connection::State::connecting) {
      if (Status waited = connection->channel.wait_open(deadline_ns); !waited.ok()) {
        connection->close();
        return waited;
      }
      opened(*connection);
    }
    ORCH_TRY(settle(*connection, deadline_ns));
  }
  return {};
}

bool GrpcTransport::connect(Connection& connection) {
  connection.close();
  if (!connection.channel.connect(connection.endpoint, tls_.get())) return false;
  ++counters_.connections_opened;
  connection.state = Connection::State::connecting;
  return true;
}

void GrpcTransport::continue_connecting(Connection& connection) {
  const EpollChannel::Step step = connection.channel.advance();
  if (step == EpollChannel::Step::failed)
    return lose(connection, connection.channel.error().message);
  if (step == EpollChannel::Step::done) opened(connection);
}

void GrpcTransport::opened(Connection& connection) {
  connection.state = Connection::State::open;
  GrpcSession::Listener& self = *this;
  connection.session = std::make_unique<GrpcSession>(
      GrpcSession::Head{.scheme = connection.endpoint.tls ? "https" : "http",
                        .authority = connection.endpoint.name,
                        .method = options_.format.grpc_method,
                        .authorization = options_.access.authorization,
                        .headers = options_.access.headers},
      self);
  connection.channel.watch_for_writing(false);
  send_waiting(connection);
}

// Waits for the first bytes of the server, which show whether it speaks HTTP/2.
Status GrpcTransport::settle(Connection& connection, std::int64_t deadline_ns) {
  const auto refuse = [&](std::string_view why) {
    connection.close();
    return Error{
        .kind = ErrorKind::unavailable,
        .message = fmt::format("{} does not speak HTTP/2: {}", connection.endpoint.name, why)};
  };
  while (!connection.session->settled()) {
    const Status waited = connection.channel.wait(POLLIN, deadline_ns);
    if (!waited.ok() && waited.error().kind == ErrorKind::timeout)
      return refuse("it sends nothing");
    ORCH_TRY(waited);
    if (!receive(connection))
      return refuse(connection.endpoint.tls ? "it closed the connection"
                                            : "it closed the connection; is it https?");
    if (!connection.session->alive()) return refuse(connection.session->trouble());
    connection.flush();
  }
  return {};
}

void GrpcTransport::start(SlotId slot, std::string_view request, Exchange& exchange) {
  calls_[slot] = {.exchange = &exchange, .request = request};
  exchange.sent_ns = monotonic_ns();
  Connection& connection = *connections_[connection_of(slot)];
  connection.slots.push_back(slot);
  if (connection.state == Connection::State::closed && !connect(connection))
    return lose(connection, connection.channel.error().message);
  calls_[slot].heard_before = connection.heard;
  if (connection.state == Connection::State::open) send_waiting(connection);
}

bool GrpcTransport::warm(SlotId slot) {
  Connection& connection = *connections_[connection_of(slot)];
  if (connection.state == Connection::State::closed) connect(connection);
  return connection.state == Connection::State::open && !connection.takes_no_more();
}

void GrpcTransport::send_waiting(Connection& connection) {
  if (connection.takes_no_more()) {
    connection.flush();
    return retire(connection);
  }
  for (const SlotId slot : connection.slots) {
    Call& call = calls_[slot];
    if (call.stream != 0) continue;
    if (!call.resent)
      call.exchange->sent_ns = monotonic_ns();  // latency excludes the opening of a connection
    call.stream = connection.session->call(slot, call.request, *call.exchange);
    if (call.stream < 0)
      return lose(connection, fmt::format("the connection to {} takes no more requests",
                                          connection.endpoint.name));
  }
  connection.flush();
}

void GrpcTransport::ready(std::uint32_t tag, std::uint32_t events) {
  Connection& connection = *connections_[tag];
  if (connection.state == Connection::State::closed)
    return;  // reported in the same batch in which it was closed
  if (connection.state == Connection::State::connecting) return continue_connecting(connection);
  if ((events & EPOLLOUT) != 0) connection.flush();
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) read(connection);
}

// Reads the bytes that have arrived. False: the connection has ended.
bool GrpcTransport::receive(Connection& connection) {
  const ssize_t received = connection.channel.read(buffer_.data(), buffer_.size());
  const std::int64_t now_ns = monotonic_ns();
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (received <= 0) {
    const std::string why = received == 0 ? "the server closed it" : connection.channel.trouble();
    lose(connection, fmt::format("the connection to {} broke: {}", connection.endpoint.name, why));
    return false;
  }
  ++counters_.reads;
  ++connection.heard;
  connection.hangs = false;
  connection.session->receive({buffer_.data(), static_cast<std::size_t>(received)}, now_ns);
  for (const SlotId slot : connection.slots)
    if (calls_[slot].exchange->has_many()) listener_.on_many(slot);
  return true;
}

void GrpcTransport::read(Connection& connection) {
  if (!receive(connection)) return;
  send_waiting(connection);  // those that were refused; also flushes
  if (connection.state == Connection::State::open && !connection.session->alive())
    lose(connection, fmt::format("the connection to {} broke: {}", connection.endpoint.name,
                                 connection.session->trouble()));
  if (connection.state == Connection::State::open && connection.channel.at_end())
    receive(connection);
}

// Closes a connection that accepts no more requests, once no call is open on it. Waiting requests
// use a new one.
void GrpcTransport::retire(Connection& connection) {
  const auto on_stream = [&](SlotId slot) { return calls_[slot].stream != 0; };
  if (std::ranges::any_of(connection.slots, on_stream)) return;
  connection.close();
  ++connection.heard;  // waiting requests must not make the new connection count as hanging
  if (!connection.slots.empty() && !connect(connection))
    lose(connection, connection.channel.error().message);
}

// Closes the connection and ends its requests. Those that may be resent use a new one.
void GrpcTransport::lose(Connection& connection, const std::string& reason) {
  const bool used = connection.used;
  const bool client_failed = connection.state != Connection::State::open &&
                             connection.channel.error().kind != ErrorKind::unavailable;
  connection.close();
  const std::int64_t now_ns = monotonic_ns();
  for (const SlotId slot : std::exchange(connection.slots, {})) {
    Exchange& exchange = *calls_[slot].exchange;
    if (used && !calls_[slot].resent && exchange.last_read_ns() == 0) {
      reset_to_unsent(slot);
      connection.slots.push_back(slot);
      continue;
    }
    exchange.broken = true;
    (client_failed ? exchange.client_failed : exchange.lost_server) = true;
    exchange.error = reason;
    exchange.end_ns = now_ns;
    finish(slot);
  }
  if (!connection.slots.empty() && !connect(connection))
    lose(connection, connection.channel.error().message);
}

// Resets the request of SLOT to unsent, except for the timestamp of the first send.
void GrpcTransport::reset_to_unsent(SlotId slot) {
  Call& call = calls_[slot];
  const std::int64_t sent_ns = call.exchange->sent_ns;
  call.exchange->clear();
  call.exchange->sent_ns = sent_ns;
  call.stream = 0;
  call.resent = true;
  ++counters_.resent;
}

void GrpcTransport::on_call_end(SlotId slot, bool refused) {
  if (refused && !calls_[slot].resent) return reset_to_unsent(slot);
  Connection& connection = *connections_[connection_of(slot)];
  connection.used = connection.used || !calls_[slot].exchange->broken;
  std::erase(connection.slots, slot);
  finish(slot);
}

void GrpcTransport::finish(SlotId slot) {
  calls_[slot] = {};
  listener_.on_end(slot);
}

// Removes the request of SLOT from its connection and cancels it at the server.
void GrpcTransport::drop(SlotId slot) {
  Connection& connection = *connections_[connection_of(slot)];
  std::erase(connection.slots, slot);
  if (connection.state != Connection::State::open) return;
  if (calls_[slot].stream != 0) connection.session->abandon(calls_[slot].stream);
  send_waiting(connection);  // flushes; another request may have waited for this one to end
}

void GrpcTransport::cancel(SlotId slot, std::string reason) {
  Exchange* exchange = calls_[slot].exchange;
  if (exchange == nullptr) return;
  Connection& connection = *connections_[connection_of(slot)];
  const bool connecting = connection.state == Connection::State::connecting;
  // The server may be gone without closing: then no request on this connection would be answered.
  connection.hangs = connection.hangs || connection.heard == calls_[slot].heard_before;
  exchange->lost_server = connecting;
  exchange->broken = true;
  exchange->error = std::move(reason);
  exchange->end_ns = monotonic_ns();
  drop(slot);
  if (connecting && connection.hangs) retire(connection);
  finish(slot);
}

void GrpcTransport::stop(SlotId slot) {
  Exchange* exchange = calls_[slot].exchange;
  if (exchange == nullptr) return;
  exchange->stopped = true;
  exchange->end_ns = monotonic_ns();
  drop(slot);
  finish(slot);
}

}  // namespace orch::wire

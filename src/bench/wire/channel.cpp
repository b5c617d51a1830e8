#include "bench/wire/channel.hpp"

#include <poll.h>

#include <cerrno>
#include <cstring>

#include "bench/wire/clock.hpp"
#include "bench/wire/socket.hpp"

namespace orch::wire {

bool Channel::connect(const Endpoint& endpoint, const TlsContext* tls) {
  close();
  endpoint_ = &endpoint;
  context_ = endpoint.tls ? tls : nullptr;
  if (context_ != nullptr) {
    if (const Status ready = context_->ready(); !ready.ok()) {
      fail(ready.error());
      return false;
    }
  }
  fd_ = start_connect(endpoint, pending_);
  if (!fd_) fail(connect_error(endpoint, errno));
  return static_cast<bool>(fd_);
}

void Channel::close() {
  tls_.reset();
  fd_ = {};
}

Channel::Step Channel::fail(Error error) {
  error_ = std::move(error);
  return Step::failed;
}

Status Channel::settle() {
  if (const int error = socket_error(fd_.get()); error != 0)
    return connect_error(*endpoint_, error);
  pending_ = false;
  return {};
}

Channel::Step Channel::advance() {
  if (pending_) {
    pollfd poll_fd{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&poll_fd, 1, 0) == 0) return Step::wants_write;
    if (const Status connected = settle(); !connected.ok()) return fail(connected.error());
  }
  if (context_ == nullptr) return Step::done;
  if (!tls_) tls_.emplace(*context_, fd_.get(), endpoint_->host);
  switch (tls_->handshake()) {
    case TlsSession::Step::done: return Step::done;
    case TlsSession::Step::wants_read: return Step::wants_read;
    case TlsSession::Step::wants_write: return Step::wants_write;
    case TlsSession::Step::failed: break;
  }
  return fail(
      {.kind = ErrorKind::unavailable,
       .message = fmt::format("cannot speak TLS with {}: {}", endpoint_->name, tls_->trouble()),
       .where = {}});
}

Status Channel::wait(short events, std::int64_t deadline_ns) const {
  pollfd poll_fd{.fd = fd_.get(), .events = events, .revents = 0};
  const auto left_ms = std::max<std::int64_t>(0, (deadline_ns - monotonic_ns()) / 1'000'000);
  const int ready = ::poll(&poll_fd, 1, static_cast<int>(left_ms));
  if (ready < 0 && errno == EINTR)
    return Error{.kind = ErrorKind::interrupted,
                 .message = fmt::format("interrupted while waiting for {}", endpoint_->name),
                 .where = {}};
  if (ready < 0) return io_error("wait for", endpoint_->name, errno);
  if (ready == 0)
    return Error{.kind = ErrorKind::timeout,
                 .message = fmt::format("{} did not answer in time", endpoint_->name),
                 .where = {}};
  return {};
}

Status Channel::wait_open(std::int64_t deadline_ns) {
  for (;;) {
    const Step step = advance();
    if (step == Step::done) return {};
    if (step == Step::failed) return error_;
    Status waited = wait(step == Step::wants_read ? POLLIN : POLLOUT, deadline_ns);
    if (waited.ok()) continue;
    if (waited.error().kind != ErrorKind::timeout) return waited;
    if (!tls_) return connect_error(*endpoint_, ETIMEDOUT);
    return Error{.kind = ErrorKind::unavailable,
                 .message = fmt::format("cannot speak TLS with {}: it sends nothing; is it http?",
                                        endpoint_->name),
                 .where = {}};
  }
}

Status Channel::wait_connected(std::int64_t deadline_ns) {
  if (!fd_) return error_;
  if (!pending_) return {};
  const Status waited = wait(POLLOUT, deadline_ns);
  if (!waited.ok())
    return waited.error().kind == ErrorKind::timeout ? connect_error(*endpoint_, ETIMEDOUT)
                                                     : waited;
  return settle();
}

Status Channel::open(std::span<const Endpoint> endpoints, const TlsContext* tls,
                     std::int64_t deadline_ns) {
  Status first;
  for (const Endpoint& endpoint : endpoints) {
    const bool last = &endpoint == &endpoints.back();
    connect(endpoint, tls);
    const Status connected =
        wait_connected(last ? deadline_ns
                            : std::min(deadline_ns, monotonic_ns() + k_other_address_timeout_ms *
                                                                         std::int64_t{1'000'000}));
    if (connected.ok()) return wait_open(deadline_ns);
    if (connected.error().kind == ErrorKind::interrupted) return connected;
    if (first.ok()) first = connected;
  }
  return first;
}

std::string Channel::trouble() const {
  return tls_ && errno == EPROTO ? tls_->trouble() : std::strerror(errno);
}

}  // namespace orch::wire

#include "bench/wire/channel.hpp"

#include "bench/wire/exchange.hpp"

#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>

namespace orch::wire {

void OpeningPace::one_more() {
  constexpr int k_at_once = 128;
  constexpr timespec k_breath{.tv_sec = 0, .tv_nsec = 2'000'000};
  if (++opened_ % k_at_once == 0) ::nanosleep(&k_breath, nullptr);
}

system::Descriptor start_connect(const Endpoint& endpoint, bool& pending) {
  pending = false;
  system::Descriptor fd(::socket(endpoint.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fd;
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(endpoint.address.data()),
                endpoint.length) == 0)
    return fd;
  pending = errno == EINPROGRESS;
  if (!pending) {
    const int error = errno;
    fd = {};
    errno = error;
  }
  return fd;
}

int socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

int try_connect(const Endpoint& endpoint, int within_ms) {
  bool pending = false;
  const system::Descriptor fd = start_connect(endpoint, pending);
  if (!fd) return errno;
  if (!pending) return 0;
  pollfd connected{fd.get(), POLLOUT, 0};
  const int ready = ::poll(&connected, 1, within_ms);
  if (ready < 0) return errno;
  return ready == 0 ? ETIMEDOUT : socket_error(fd.get());
}

const Endpoint& first_listening(std::span<const Endpoint> endpoints, int within_ms) {
  const auto found = std::ranges::find_if(
      endpoints, [&](const Endpoint& one) { return try_connect(one, within_ms) == 0; });
  return found == endpoints.end() ? endpoints.front() : *found;
}

namespace {

// " (ADDRESS)" if a name was resolved: a server may listen at another address of that name.
std::string address_of_name(const Endpoint& endpoint) {
  const std::string number = number_of(endpoint);
  return number.empty() || endpoint.host == number ? "" : fmt::format(" ({})", number);
}

}  // namespace

Error connect_error(const Endpoint& endpoint, int error_number) {
  std::string message = fmt::format("cannot connect to {}{}: {}", endpoint.name,
                                    address_of_name(endpoint), std::strerror(error_number));
  if (error_number == ECONNREFUSED) message += "; is the server running?";
  if (error_number == EMFILE) message += "; raise the limit of open files (ulimit -n)";
  if (error_number == EADDRNOTAVAIL)
    message +=
        "; no local port is left: let the server keep connections alive, or widen "
        "net.ipv4.ip_local_port_range";
  constexpr int k_own[] = {EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM};
  const bool own = std::ranges::find(k_own, error_number) != std::end(k_own);
  return Error{.kind = own ? ErrorKind::io : ErrorKind::unavailable, .message = std::move(message)};
}

void raise_file_limit(std::size_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

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
       .message = fmt::format("cannot speak TLS with {}: {}", endpoint_->name, tls_->trouble())});
}

Status Channel::wait(short events, std::int64_t deadline_ns) const {
  pollfd poll_fd{.fd = fd_.get(), .events = events, .revents = 0};
  const auto left_ms = std::max<std::int64_t>(0, (deadline_ns - monotonic_ns()) / 1'000'000);
  const int ready = ::poll(&poll_fd, 1, static_cast<int>(left_ms));
  if (ready < 0 && errno == EINTR)
    return Error{.kind = ErrorKind::interrupted,
                 .message = fmt::format("interrupted while waiting for {}", endpoint_->name)};
  if (ready < 0) return io_error("wait for", endpoint_->name, errno);
  if (ready == 0)
    return Error{.kind = ErrorKind::timeout,
                 .message = fmt::format("{} did not answer in time", endpoint_->name)};
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
                                        endpoint_->name)};
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

bool EpollChannel::connect(const Endpoint& endpoint, const TlsContext* tls) {
  if (!Channel::connect(endpoint, tls)) return false;
  for_writing_ = true;
  watch(EPOLL_CTL_ADD);
  return true;
}

Channel::Step EpollChannel::advance() {
  const Step step = Channel::advance();
  if (step == Step::wants_read || step == Step::wants_write)
    watch_for_writing(step == Step::wants_write);
  return step;
}

void EpollChannel::close() {
  Channel::close();
  for_writing_ = false;
}

void EpollChannel::watch_for_writing(bool wanted) {
  if (std::exchange(for_writing_, wanted) != wanted) watch(EPOLL_CTL_MOD);
}

void EpollChannel::watch(int operation) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (for_writing_ ? EPOLLOUT : 0u);
  event.data.u32 = tag_;
  ::epoll_ctl(epoll_, operation, fd(), &event);
}

}  // namespace orch::wire

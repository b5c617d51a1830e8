#include "bench/wire/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "bench/wire/endpoint.hpp"

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

// " (ADDRESS)" where a name was resolved: a server may listen at another address of that name.
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
  return Error{.kind = own ? ErrorKind::io : ErrorKind::unavailable,
               .message = std::move(message),
               .where = {}};
}

void raise_file_limit(std::size_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace orch::wire

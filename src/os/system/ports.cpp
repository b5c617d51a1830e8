#include "os/system/ports.hpp"

#include "core/base/text.hpp"
#include "os/system/server_processes.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace orch::system {

namespace {

// 0, or the errno of bind().
int bind_error(in_addr where, int port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  // Servers set this option, too; with it, a port in TIME_WAIT counts as free.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr = where;
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
             ? 0
             : errno;
}

int bind_error(int port) { return bind_error({.s_addr = htonl(INADDR_ANY)}, port); }

in_addr parsed(const std::string& ipv4) {
  in_addr address{};
  ::inet_pton(AF_INET, ipv4.c_str(), &address);
  return address;
}

std::string holders_of(int port) {
  std::vector<std::string> names;
  for (const auto& [pid, name] : all_listeners_on(static_cast<std::uint16_t>(port)))
    names.push_back(fmt::format("{} (pid {})", printable(name), pid));
  return names.empty() ? "a process that /proc does not show to this user" : join(names, ", ");
}

}  // namespace

// Leases the pinned ports first, so that no other name gets one.
Result<std::vector<PortLease>> lease_named(Ports& ports, const std::vector<std::string>& names,
                                           const std::map<std::string, int>& pinned) {
  std::map<std::string, PortLease> taken;
  for (const std::string& name : names) {
    const auto number = pinned.find(name);
    if (number == pinned.end()) continue;
    ORCH_ASSIGN(auto lease, ports.take(number->second));
    taken.emplace(name, std::move(lease));
  }
  ORCH_ASSIGN(auto chosen, ports.lease(names.size() - taken.size()));
  auto next = chosen.begin();
  std::vector<PortLease> leases;
  for (const std::string& name : names) {
    const auto found = taken.find(name);
    leases.push_back(std::move(found != taken.end() ? found->second : *next++));
  }
  return leases;
}

std::optional<std::string> ipv4_address(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return text;
}

bool is_loopback(const std::string& ipv4) { return ipv4.starts_with("127."); }

std::string address_to_call(const std::string& bind) {
  return bind == "0.0.0.0" ? "127.0.0.1" : bind;
}

std::string why_no_listening(const std::string& ipv4) {
  const int error = bind_error(parsed(ipv4), 0);
  if (error == EADDRNOTAVAIL) return "this machine has no such address";
  return error == 0 ? "" : ::strerror(error);
}

Result<std::optional<PortLease>> RealPorts::lock(int port) {
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return io_error("make a socket for the lease of port", std::to_string(port), errno);
  const std::string name = fmt::format("orchestrate-port-{}", port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A name that begins with NUL is not a path.
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0)
    return std::optional(PortLease(port, std::move(socket)));
  if (errno == EADDRINUSE) return std::optional<PortLease>();
  return io_error("lease port", std::to_string(port), errno);
}

Result<std::vector<PortLease>> RealPorts::lease(std::size_t count) {
  std::vector<PortLease> leases;
  const int size = range_.last - range_.first + 1;
  for (int tried = 0; tried < size && leases.size() < count; ++tried) {
    const int port = next_;
    next_ = next_ == range_.last ? range_.first : next_ + 1;
    ORCH_ASSIGN(auto locked, lock(port));
    if (locked && bind_error(port) == 0) leases.push_back(std::move(*locked));
  }
  if (leases.size() < count)
    return Error{ErrorKind::conflict,
                 fmt::format("cannot find {} between {} and {}", plural(count, "free port"),
                             range_.first, range_.last)};
  return leases;
}

Result<PortLease> RealPorts::take(int port) {
  ORCH_ASSIGN(auto locked, lock(port));
  const int error = bind_error(port);
  if (error == EADDRINUSE || !locked)
    return Error{
        ErrorKind::unavailable,
        fmt::format("port {} is in use by {}", port,
                    error == EADDRINUSE ? holders_of(port)
                                        : "another run of orchestrate, which has leased it")};
  if (error != 0)
    return Error{ErrorKind::conflict,
                 fmt::format("cannot listen on port {}: {}", port, ::strerror(error))};
  return std::move(*locked);
}

Result<PortLease> RealPorts::retake(int port) {
  ORCH_ASSIGN(auto locked, lock(port));
  if (!locked)
    return Error{ErrorKind::conflict, fmt::format("port {} is leased to another process", port)};
  return std::move(*locked);
}

}  // namespace orch::system

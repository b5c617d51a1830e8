#include "system/ports.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {

namespace {

bool can_bind(int port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return false;
  // As servers set it: a port in TIME_WAIT is free.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<std::optional<PortLease>> RealPorts::lock(int port) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return io_error("make the folder", folder_, errno);
  const std::string path = fmt::format("{}/{}", folder_, port);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return io_error("open the port lock", path, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::optional<PortLease>();
  return std::optional(PortLease(port, std::move(file)));
}

Result<std::vector<PortLease>> RealPorts::lease(std::size_t count) {
  std::vector<PortLease> leases;
  const int size = range_.last - range_.first + 1;
  for (int tried = 0; tried < size && leases.size() < count; ++tried) {
    const int port = next_;
    next_ = next_ == range_.last ? range_.first : next_ + 1;
    ORCH_ASSIGN(auto locked, lock(port));
    if (locked && can_bind(port)) leases.push_back(std::move(*locked));
  }
  if (leases.size() < count)
    return Error{
        ErrorKind::conflict,
        fmt::format("no {} free ports between {} and {}", count, range_.first, range_.last),
        {}};
  return leases;
}

Result<PortLease> RealPorts::retake(int port) {
  ORCH_ASSIGN(auto locked, lock(port));
  if (!locked)
    return Error{
        ErrorKind::conflict, fmt::format("port {} is leased to another process", port), {}};
  return std::move(*locked);
}

}  // namespace orch::system

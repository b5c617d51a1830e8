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
  // As servers do: a port in TIME_WAIT is free.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<std::vector<PortLease>> RealPorts::lease(std::size_t count) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return io_error("make the folder", folder_, errno);
  std::vector<PortLease> leases;
  const int size = range_.last - range_.first + 1;
  for (int tried = 0; tried < size && leases.size() < count; ++tried) {
    const int port = next_;
    next_ = next_ == range_.last ? range_.first : next_ + 1;
    const std::string path = fmt::format("{}/{}", folder_, port);
    Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return io_error("open the port lock", path, errno);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || !can_bind(port)) continue;
    leases.emplace_back(port, std::move(lock));
  }
  if (leases.size() < count)
    return Error{ErrorKind::conflict, fmt::format("no {} free ports between {} and {}", count, range_.first, range_.last), {}};
  return leases;
}

}  // namespace orch::system

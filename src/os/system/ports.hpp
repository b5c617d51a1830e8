// TCP ports of this host, leased so that no two servers get the same one, even from different
// orchestrate processes.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::system {

// A port that is reserved for the lifetime of this object.
class PortLease {
 public:
  PortLease(int port, Descriptor lock) : port_(port), lock_(std::move(lock)) {}
  int port() const { return port_; }

 private:
  int port_;
  Descriptor lock_;  // a name that only one process can hold, released when it exits
};

struct PortRange {
  int first = 20000;  // below the kernel's ephemeral range (32768-60999)
  int last = 29999;
};

// Use from one thread.
class Ports {
 public:
  virtual ~Ports() = default;
  // Leases COUNT free ports, or none: ErrorKind::conflict if the range has too few, ErrorKind::io
  // if one cannot be locked.
  virtual Result<std::vector<PortLease>> lease(std::size_t count) = 0;
  // Leases exactly PORT. ErrorKind::unavailable: another process has it, which the message names if
  // /proc shows it; ErrorKind::conflict: this user may not listen on it.
  virtual Result<PortLease> take(int port) = 0;
  // Leases PORT again, for a server that got it from an earlier process and listens on it.
  // ErrorKind::conflict: another process has leased it since.
  virtual Result<PortLease> retake(int port) = 0;
};

// A port for each of NAMES, in order: its port in PINNED, or a free one. All or none.
Result<std::vector<PortLease>> lease_named(Ports& ports, const std::vector<std::string>& names,
                                           const std::map<std::string, int>& pinned);

// TEXT as an IPv4 address; nullopt if it is not one.
std::optional<std::string> ipv4_address(const std::string& text);
bool is_loopback(const std::string& ipv4);
// The address at which processes of this host reach a server that listens on BIND.
std::string address_to_call(const std::string& bind);
// Why no server can listen on IPV4 here; "" if one can.
std::string why_no_listening(const std::string& ipv4);

// Leases are abstract names of Unix sockets: like ports, these are shared by all users of a network
// namespace, even if each sees another /tmp.
class RealPorts final : public Ports {
 public:
  // Starts searching START ports into RANGE, wrapping around, so that processes with different
  // starts rarely collide.
  explicit RealPorts(PortRange range = {}, std::uint64_t start = 0)
      : range_(range),
        next_(range.first +
              static_cast<int>(start % static_cast<std::uint64_t>(range.last - range.first + 1))) {}
  Result<std::vector<PortLease>> lease(std::size_t count) override;
  Result<PortLease> take(int port) override;
  Result<PortLease> retake(int port) override;

 private:
  // nullopt: another process has it.
  static Result<std::optional<PortLease>> lock(int port);

  PortRange range_;
  int next_;
};

}  // namespace orch::system

// TCP ports of this host, leased so that no two servers of orchestrate get the same one, whoever
// started them. Knows no servers.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::system {

// A port that is reserved for the life of this object.
class PortLease {
 public:
  PortLease(int port, Descriptor lock) : port_(port), lock_(std::move(lock)) {}
  int port() const { return port_; }

 private:
  int port_;
  Descriptor lock_;  // a name that one process has at a time, and that its end releases
};

struct PortRange {
  int first = 20000;  // below the ephemeral range of the kernel (32768-60999)
  int last = 29999;
};

// Used from one thread.
class Ports {
 public:
  virtual ~Ports() = default;
  // COUNT free ports, or none: ErrorKind::conflict when the range has too few, ErrorKind::io when
  // none can be locked.
  virtual Result<std::vector<PortLease>> lease(std::size_t count) = 0;
  // PORT and no other. ErrorKind::unavailable: another process has it, which the message names
  // where /proc shows it; ErrorKind::conflict: this user may not listen on it.
  virtual Result<PortLease> take(int port) = 0;
  // PORT again, for a server that got it from an earlier process and listens on it.
  // ErrorKind::conflict: another process has leased it since.
  virtual Result<PortLease> retake(int port) = 0;
};

// A port for each of NAMES, in their order: that of PINNED, or a free one. All of them or none.
Result<std::vector<PortLease>> lease_named(Ports& ports, const std::vector<std::string>& names,
                                           const std::map<std::string, int>& pinned);

// TEXT as an IPv4 address; empty when it is none.
std::optional<std::string> ipv4_address(const std::string& text);
bool is_loopback(const std::string& ipv4);
// The address at which processes of this host reach a server that listens on BIND.
std::string address_to_call(const std::string& bind);
// Why no server can listen on IPV4 here; "" when one can.
std::string why_no_listening(const std::string& ipv4);

// Leases are abstract names of Unix sockets: all users of a network have them in common, as they
// have its ports, whatever /tmp each of them sees.
class RealPorts final : public Ports {
 public:
  // Looks from number START of RANGE on, so that those who start elsewhere seldom meet.
  explicit RealPorts(PortRange range = {}, std::uint64_t start = 0)
      : range_(range),
        next_(range.first +
              static_cast<int>(start % static_cast<std::uint64_t>(range.last - range.first + 1))) {}
  Result<std::vector<PortLease>> lease(std::size_t count) override;
  Result<PortLease> take(int port) override;
  Result<PortLease> retake(int port) override;

 private:
  // Empty: another process has it.
  static Result<std::optional<PortLease>> lock(int port);

  PortRange range_;
  int next_;
};

}  // namespace orch::system

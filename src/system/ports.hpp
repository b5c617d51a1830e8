// TCP ports of this host, leased so that no two servers of this user get the same one. Knows no
// servers.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

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
  Descriptor lock_;  // a kernel lock on a file per port, which the end of the process releases
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
  // the locks cannot be created.
  virtual Result<std::vector<PortLease>> lease(std::size_t count) = 0;
  // PORT and no other. ErrorKind::unavailable: another process has it, which the message names
  // where /proc shows it; ErrorKind::conflict: this user may not listen on it.
  virtual Result<PortLease> take(int port) = 0;
  // PORT again, for a server that got it from an earlier process and listens on it.
  // ErrorKind::conflict: another process has leased it since.
  virtual Result<PortLease> retake(int port) = 0;
};

// TEXT as an IPv4 address; empty when it is none.
std::optional<std::string> ipv4_address(const std::string& text);
bool is_loopback(const std::string& ipv4);
// The address at which processes of this host reach a server that listens on BIND.
std::string address_to_call(const std::string& bind);
// Why no server can listen on IPV4 here; "" when one can.
std::string why_no_listening(const std::string& ipv4);

// FOLDER holds the lock files; processes with the same folder respect each other's leases.
class RealPorts final : public Ports {
 public:
  explicit RealPorts(std::string folder, PortRange range = {})
      : folder_(std::move(folder)), range_(range), next_(range.first) {}
  Result<std::vector<PortLease>> lease(std::size_t count) override;
  Result<PortLease> take(int port) override;
  Result<PortLease> retake(int port) override;

 private:
  // Empty: another process has it.
  Result<std::optional<PortLease>> lock(int port);

  std::string folder_;
  PortRange range_;
  int next_;
};

}  // namespace orch::system

// TCP ports of this host, leased so that no two servers of ours are given the same one.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::system {

// A port that is ours as long as this lives.
class PortLease {
 public:
  PortLease(int port, Descriptor lock) : port_(port), lock_(std::move(lock)) {}
  int port() const { return port_; }

 private:
  int port_;
  Descriptor
      lock_;  // a kernel lock on a file per port: it vanishes with the process, however that ends
};

struct PortRange {
  int first = 20000;  // below the range that the kernel hands out by itself (32768-60999)
  int last = 29999;
};

class Ports {
 public:
  virtual ~Ports() = default;
  // COUNT free ports. conflict: all of the range is taken.
  virtual Result<std::vector<PortLease>> lease(std::size_t count) = 0;
  // PORT, on which a server listens that was given it before. conflict: somebody else has leased it
  // meanwhile.
  virtual Result<PortLease> retake(int port) = 0;
};

// FOLDER holds the lock files; invocations that share it share the leases.
class RealPorts final : public Ports {
 public:
  explicit RealPorts(std::string folder, PortRange range = {})
      : folder_(std::move(folder)), range_(range), next_(range.first) {}
  Result<std::vector<PortLease>> lease(std::size_t count) override;
  Result<PortLease> retake(int port) override;

 private:
  // Empty: somebody else has it.
  Result<std::optional<PortLease>> lock(int port);

  std::string folder_;
  PortRange range_;
  int next_;
};

}  // namespace orch::system

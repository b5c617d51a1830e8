// A timer of absolute deadlines in an epoll set. It does not know what is due.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.hpp"
#include "os/system/files.hpp"

namespace orch::load {

class EpollTimer {
 public:
  // Its events carry TAG in the epoll set. Fails when the system has no descriptor left.
  static Result<std::unique_ptr<EpollTimer>> make(int epoll, std::uint32_t tag);

  // Fires at AT_NS of the monotonic clock, then every PERIOD_NS unless that is 0. AT_NS 0: never.
  Status arm(std::int64_t at_ns, std::int64_t period_ns = 0);
  // The number of deadlines that passed since the last call.
  std::uint64_t expired();

 private:
  static constexpr std::int64_t k_unknown = -1;

  system::Descriptor fd_;
  std::int64_t at_ns_ = k_unknown;  // the single deadline that is armed, 0: none
};

}  // namespace orch::load

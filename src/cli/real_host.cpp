#include "cli/real_host.hpp"

namespace orch::cli {

store::Host real_host() {
  static system::RealFiles files;
  static system::RealClock clock;
  return {files, clock};
}

}  // namespace orch::cli

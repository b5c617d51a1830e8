// A fixture with the host of a guardian and its folder of cards.
#pragma once

#include "run/execute/real_executor.hpp"

namespace orch::execute {

class GuardianTest : public ::testing::Test {
 protected:
  explicit GuardianTest(system::Containment containment = system::Containment::session)
      : host(containment) {}
  RealHost host;
  std::size_t files_of_guardians() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(host.guardians()), {}));
  }
};

}  // namespace orch::execute

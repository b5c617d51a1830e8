// The executor's side of one guardian: starts the guardian or attaches to it, and remembers its
// launch.
#pragma once

#include "run/execute/guarded.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/execute/guardian_message.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace orch::execute {

struct GuardianLink {
  GuardianCard card;
  Channel channel;
  std::optional<Launch> launch = {};  // without argv, environment and secrets; nullopt: idle
  Handle handle = {};                 // of that launch
  double since_s = 0;                 // when an adopted launch was spawned, by the executor's clock
  // When the guardian is considered hung; finite only after a kill request.
  double hangs_at_s = std::numeric_limits<double>::infinity();
};

// Starts a guardian, which is then ready for its first launch. After an error no guardian is left.
Result<GuardianLink> start_guardian(const system::Host& host, const GuardedOptions& options);

// How a guardian that a dead process left answers a request for a launch.
struct AttachResult {
  enum class Answer {
    attached,  // it runs the launch, and `link` is connected to it
    busy,      // it runs the launch for another live orchestrator
    not_held,  // it does not run the launch
    nobody,    // it does not listen, or its process is gone
    hangs,     // its process is alive, but does not answer or speaks another protocol version
  };
  Answer answer = Answer::nobody;
  GuardianLink link = {};  // when attached
};
AttachResult attach_to_guardian(system::Clock& clock, const GuardianCard& card,
                                const Launch& launch, double grace_s);

// The guardians of CARDS that listen but do not answer. Asks all at once, so the call takes no
// longer than for one.
std::vector<GuardianCard> unresponsive_guardians(system::Clock& clock,
                                                 const std::vector<GuardianCard>& cards);

// Kills the guardian of CARD if it is still alive, and reaps it if it is a child. Never signals
// another process.
void end_guardian(system::Processes& processes, const GuardianCard& card);
// Waits for a dismissed guardian to end, for at most WITHIN_S.
void wait_for_guardian(const GuardianCard& card, double within_s);

}  // namespace orch::execute

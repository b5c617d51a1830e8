// The executor's end of one guardian: starts it or finds it again, and knows what it holds. Knows
// nothing of the others.
#pragma once

#include "execute/guarded.hpp"
#include "execute/guardian_card.hpp"
#include "execute/guardian_channel.hpp"
#include "execute/guardian_message.hpp"

#include <limits>
#include <memory>
#include <optional>

namespace orch::execute {

struct GuardianLink {
  GuardianCard card;
  Channel channel;
  std::optional<Launch> launch;  // what it holds; without its environment and secrets
  Handle handle;                 // of that
  double since_s = 0;            // when it was spawned, by our clock; of what was taken over
  // It has been told to kill; if it has not done so by then, it hangs.
  double hangs_at_s = std::numeric_limits<double>::infinity();
};

// A guardian of our own, ready for its first launch.
Result<GuardianLink> start_guardian(const Host& host, const GuardedOptions& options);

// What asking a guardian of a dead process for a launch came to.
struct Asked {
  enum class Answer {
    attached,  // LINK is ours, with the launch
    busy,      // it lives and has that launch, for an orchestrator that lives, too
    not_held,  // it lives and does not have that launch
    nobody,    // none of that name listens
    hangs,  // it is the process on its card, but does not answer, or in a language that we do not
            // speak
  };
  Answer answer = Answer::nobody;
  GuardianLink link;  // when attached
};
Asked ask_guardian(system::Clock& clock, const GuardianCard& card, const Launch& launch,
                   double grace_s);

// Those of CARDS whose processes listen, but do not say a word to whoever asks: at once to all, so
// that it takes no longer than one of them would. Who is busy for somebody else says so.
std::vector<GuardianCard> silent_guardians(system::Clock& clock,
                                           const std::vector<GuardianCard>& cards);

// Ends the guardian itself, if it still lives, and takes note of its end if it was our child. Never
// another process.
void end_guardian(system::Processes& processes, const GuardianCard& card);
// Waits for a guardian that was told to quit, at most WITHIN_S.
void wait_for_guardian(const GuardianCard& card, double within_s);

}  // namespace orch::execute

// Two invocations on one store: one proceeds, the other names the holder and exits at once.
#include "crash/lanes.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <random>
#include <regex>

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::crash {
namespace two_runs_test {

constexpr double k_refused_within_s = 1;

// What is wrong with the refusal of a run while HOLDER continued; "" when it is right.
std::string complaint(const World& world, const World::Run& holder, const World::Run& refused,
                      const Ended& ended) {
  const std::string message = world.read(refused.err);
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  if (message.find(fmt::format("pid {}", holder.pid)) == std::string::npos)
    return "the holder's pid is not in: " + message;
  if (message.find(host) == std::string::npos) return "the host is not in: " + message;
  if (!std::regex_search(message, std::regex("since .*[0-9]{2}:[0-9]{2}")))
    return "the start time is not in: " + message;
  if (ended.wall_s > k_refused_within_s) return fmt::format("refused after {:.2f} s", ended.wall_s);
  return "";
}

struct Trial {
  Verdict verdict;
  bool contended = false;
  double refused_s = 0;
};

Trial attempt(std::size_t number, int lane) {
  std::mt19937_64 random(number);
  World world({.lane = lane});
  Trial trial;
  World::Run first = world.start(k_paced);
  first.wait(std::uniform_real_distribution<>(0, number % 2 ? 0.02 : reference().wall_s)(random));
  World::Run second = world.start(k_paced);
  // The refused run ends first; its time is measured until that is seen.
  while (!first.wait(0) && !second.wait(0)) short_pause();
  const Ended b = world.finish(second), a = world.finish(first);
  // The second run may be so early that it is the one that proceeds, or so late that the first has
  // ended.
  const bool second_refused = b.code == 3, first_refused = a.code == 3;
  std::vector<std::string> wrong;
  if (second_refused && first_refused) wrong.push_back("both were refused");
  if (second_refused || first_refused) {
    trial.contended = true;
    const std::string why =
        second_refused ? complaint(world, first, second, b) : complaint(world, second, first, a);
    if (!why.empty()) wrong.push_back(why);
    trial.refused_s = second_refused ? b.wall_s : a.wall_s;
  }
  Referee referee(world, reference().store);
  trial.verdict =
      referee.judge(second_refused ? a : b, world.read(second_refused ? first.err : second.err));
  if (const Ended& other = second_refused ? b : a; other.code != 3 && other.code != 0)
    wrong.push_back(fmt::format("the other ended with exit status {}", other.code));
  trial.verdict.wrong.insert(trial.verdict.wrong.end(), wrong.begin(), wrong.end());
  return trial;
}

TEST(TwoRuns, OneProceedsAndTheOtherNamesItsHolderAtOnce) {
  ASSERT_EQ(reference().complaint, "");
  std::vector<Trial> trials(static_cast<std::size_t>(count_of(20, 200)));
  in_lanes(trials.size(), [&](std::size_t i, int lane) { trials[i] = attempt(i, lane); });
  Tally tally;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    tally.add(trials[i].verdict, trials[i].contended, trials[i].refused_s);
    if (!trials[i].verdict.clean())
      ADD_FAILURE() << "number " << i << ":\n" << trials[i].verdict.text();
  }
  fmt::print("{}", table("two runs at once (killed: refused)", {{"second run", tally}}));
}

}  // namespace two_runs_test
}  // namespace orch::crash

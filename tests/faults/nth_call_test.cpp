// The n-th call of each family fails once, or for ever, in the orchestrator, in guardians and in
// `bench --db`; then the same command runs without a fault. A sample of the calls, or with
// ORCH_CRASH=full every one (`make fault-test`). ORCH_FAULT_CASE=PREFIX runs the cases whose
// text begins so, such as run:write:17:once:EIO; with ORCH_KEEP=1 their folders stay.
#include "crash/lanes.hpp"
#include "faults/trial.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::faults {
namespace nth_call_test {

std::string wanted() {
  const char* prefix = std::getenv("ORCH_FAULT_CASE");
  return prefix ? prefix : "";
}

constexpr std::uint64_t k_sampled_calls = 2;
// Most of the time a stage waits longer and longer between its attempts.
constexpr std::size_t k_lanes_per_processor = 8;

std::vector<Fault> cases_of(std::size_t program) {
  const Counts counts = count_calls(program);
  std::vector<Fault> cases;
  fmt::print("calls of {}:", k_programs[program]);
  for (std::size_t i = 0; i < k_family_count; ++i) {
    fmt::print(" {} {}", k_families[i], counts[i]);
    const auto family = static_cast<Family>(i);
    std::vector<Fault> more = crash::full() || !wanted().empty()
                                  ? all_faults(program, family, counts[i])
                                  : some_faults(program, family, counts[i], k_sampled_calls);
    std::erase_if(more, [](const Fault& fault) { return !fault.text().starts_with(wanted()); });
    cases.insert(cases.end(), more.begin(), more.end());
  }
  fmt::print("\n");
  return cases;
}

std::string replay(const Fault& fault, const char* test) {
  return fmt::format("ORCH_KEEP=1 ORCH_FAULT_CASE={} {}/test_faults --gtest_filter={}",
                     fault.text(), ORCH_TEST_FOLDER, test);
}

void complain(const Fault& fault, const Outcome& outcome, const char* test) {
  ADD_FAILURE() << fault.text() << "\n"
                << outcome.text() << "  replay: " << replay(fault, test) << "\n"
                << outcome.story;
}

void try_all(std::size_t program, const char* test) {
  (void)undisturbed();
  const std::vector<Fault> cases = cases_of(program);
  if (cases.empty() && !wanted().starts_with(k_programs[program])) GTEST_SKIP();
  ASSERT_FALSE(cases.empty()) << wanted() << ": no run makes this call";
  std::vector<Outcome> outcomes(cases.size());
  std::atomic<std::size_t> ended = 0;
  crash::in_lanes(
      cases.size(),
      [&](std::size_t i, int lane) {
        outcomes[i] = try_fault(cases[i], lane);
        if (!outcomes[i].clean()) complain(cases[i], outcomes[i], test);
        if (const std::size_t so_far = ++ended; so_far % 200 == 0)
          fmt::print("{} of {} cases\n", so_far, cases.size());
        std::fflush(stdout);
      },
      k_lanes_per_processor);
  Table table(fmt::format("the n-th call of {}", k_programs[program]));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const char* family = k_families[static_cast<std::size_t>(cases[i].family)];
    table.add(fmt::format("{} {}", family, cases[i].error), outcomes[i]);
  }
  fmt::print("{}", table.text());
}

TEST(NthCall, OfTheOrchestratorLosesNothing) {
  try_all(0, "NthCall.OfTheOrchestratorLosesNothing");
}
TEST(NthCall, OfAGuardianLosesNothing) { try_all(1, "NthCall.OfAGuardianLosesNothing"); }
TEST(NthCall, OfABenchLosesNothing) { try_all(2, "NthCall.OfABenchLosesNothing"); }

}  // namespace nth_call_test
}  // namespace orch::faults

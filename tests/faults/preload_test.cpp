// The preloaded library by itself: which calls it lets fail, in which processes and folders.
#include "faults/shared_state.hpp"

#include <array>
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

namespace orch::faults {
namespace preload_test {

// A world without a run; VICTIM stands for orchestrate.
class Preload : public testing::Test {
 protected:
  Preload() {
    std::filesystem::create_directories(folder_);
    std::filesystem::create_symlink(ORCH_FAULT_VICTIM, world_.folder() + "/orchestrate");
  }

  // What it prints, a line per call.
  std::string calls(const std::string& program, const std::optional<Fault>& fault,
                    const std::string& name = "orchestrate") {
    crash::World::Run run =
        world_.spawn({world_.folder() + "/" + name, program, folder_}, state_.variables(fault));
    EXPECT_EQ(world_.finish(run).code, 0);
    return world_.read(run.out);
  }
  static std::string line(Family family, const std::string& end) {
    return fmt::format("{} {}\n", k_families[static_cast<std::size_t>(family)], end);
  }
  static int lines(const std::string& text, const std::string& line) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos; at += line.size())
      ++found;
    return found;
  }

  crash::World world_;
  std::string folder_ = world_.folder() + "/below";
  SharedState state_{world_, "preload"};
};

TEST_F(Preload, CountsTheCallsOfEveryFamily) {
  EXPECT_EQ(calls("run", {}).find("denied"), std::string::npos);
  const Counts counts = state_.counts(0);
  for (std::size_t family = 0; family < k_family_count; ++family)
    EXPECT_GE(counts[family], 2u) << k_families[family];
  EXPECT_EQ(state_.counts(1), Counts{});
  EXPECT_EQ(state_.failed(), 0u);
}

TEST_F(Preload, FailsOneCallOfEachFamilyOnce) {
  for (std::size_t i = 0; i < k_family_count; ++i) {
    const Fault fault{.program = 0,
                      .family = static_cast<Family>(i),
                      .n = state_.counts(0)[i] + 1,
                      .ever = false,
                      .error = "EACCES"};
    folder_ = world_.folder() + "/" + k_families[i];
    std::filesystem::create_directories(folder_);
    const std::string said = calls("run", fault);
    EXPECT_GE(lines(said, "Permission denied"), 1) << said;
    EXPECT_EQ(state_.failed(), i + 1);
    EXPECT_EQ(lines(state_.log(), fmt::format(" {} {} ", k_families[i], fault.n)), 1);
  }
  EXPECT_EQ(lines(state_.log(), "\n"), static_cast<int>(k_family_count)) << state_.log();
}

TEST_F(Preload, FailsAllCallsFromTheNthOn) {
  const std::string said =
      calls("guardian",
            Fault{.program = 1, .family = Family::sync, .n = 2, .ever = true, .error = "ENOSPC"});
  EXPECT_EQ(lines(said, line(Family::sync, "ok")), 1) << said;
  EXPECT_EQ(lines(said, line(Family::sync, "No space left on device")), 1) << said;
}

TEST_F(Preload, CountsAcrossProcesses) {
  const Fault second{.program = 0, .family = Family::sync, .n = 3, .ever = false, .error = "EIO"};
  EXPECT_EQ(lines(calls("run", second), line(Family::sync, "ok")), 2);
  EXPECT_EQ(lines(calls("run", second), line(Family::sync, "ok")), 1);
  EXPECT_EQ(lines(calls("run", second), line(Family::sync, "ok")), 2);
}

TEST_F(Preload, LeavesOtherProgramsAndOtherFoldersAlone) {
  const Fault fault{.program = 0, .family = Family::write, .n = 1, .ever = true, .error = "EIO"};
  std::filesystem::create_symlink(ORCH_FAULT_VICTIM, world_.folder() + "/python3");
  EXPECT_EQ(lines(calls("guardian", fault), line(Family::write, "ok")), 2);
  EXPECT_EQ(lines(calls("run", fault, "python3"), line(Family::write, "ok")), 2);
  EXPECT_EQ(state_.failed(), 0u);
  const crash::World elsewhere({.lane = 1});
  folder_ = elsewhere.folder();
  EXPECT_EQ(lines(calls("run", fault), line(Family::write, "ok")), 2);
  EXPECT_EQ(state_.failed(), 0u);
}

TEST_F(Preload, SetsTheWallClockAndNoOther) {
  const auto clocks = [&] {
    long long time = 0, day = 0, system = 0, steady = 0;
    const std::string said = calls("run", {});
    const std::size_t at = said.find("clocks ");
    EXPECT_EQ(
        std::sscanf(said.c_str() + at, "clocks %lld %lld %lld %lld", &time, &day, &system, &steady),
        4)
        << said;
    return std::array{time, day, system, steady};
  };
  const auto before = clocks();
  EXPECT_GE(state_.clock_reads(), 3u);
  constexpr long long k_year = 365 * 86400;
  state_.set_clock(k_year);
  const auto after = clocks();
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_GE(after[i] - before[i], k_year);
  EXPECT_LT(after[3] - before[3], k_year);
}

}  // namespace preload_test
}  // namespace orch::faults

// Real file systems and limits under a sweep: small disks, few inodes, a disk that turns read-only,
// a loss of power, limits on file sizes and open files, a stopped orchestrator, a clock that jumps.
// Then there is room again, and the same command runs. A sample, or with ORCH_CRASH=full everything
// (`make fault-test`).
#include "faults/disk.hpp"

#include "crash/diary.hpp"
#include "crash/lanes.hpp"
#include "crash/project.hpp"
#include "crash/reference.hpp"
#include "faults/shared_state.hpp"
#include "faults/trial.hpp"

#include <csignal>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

namespace orch::faults {
namespace disk_test {

using namespace crash;

// Outputs of this size, so that disks of many megabytes are too small.
const World::Variables k_large = {{"ORCH_CRASH_BYTES", "2000000"}};
constexpr Tmpfs::Size k_room{.kilobytes = 128 << 10, .inodes = 0};

// The stages of the sweep, in their order.
const std::vector<std::string> k_stages = {"environment", "download", "convert", "build",
                                           "prompts",     "serve",    "bench"};

const Snapshot& undisturbed_large() {
  static const Snapshot made = [] {
    World world;
    world.write_matrix(k_one_point);
    if (world.run(k_large).code != 0) throw std::runtime_error(world.last_stderr());
    return read_store(world.store(), world.folder());
  }();
  return made;
}

World::Run start_limited(World& world, const std::string& limit,
                         const World::Variables& variables) {
  return world.spawn({"/bin/sh", "-c", "ulimit " + limit + " && exec \"$0\" \"$@\"", ORCH_BINARY,
                      "run", "crash.yaml", "--site", "site.yaml"},
                     variables);
}

using Cases = std::map<std::string, std::function<Outcome(int lane)>>;

std::string replay(const std::string& name) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format(
      "  replay: ORCH_KEEP=1 ORCH_CRASH=full ORCH_FAULT_CASE='{}' {}/test_faults "
      "--gtest_filter={}.{}\n",
      name, ORCH_TEST_FOLDER, test->test_suite_name(), test->name());
}

void try_all(const std::string& title, Cases cases) {
  if (const char* wanted = std::getenv("ORCH_FAULT_CASE"))
    std::erase_if(cases, [&](const auto& one) { return one.first != wanted; });
  const std::vector<Cases::value_type> all(cases.begin(), cases.end());
  std::vector<Outcome> outcomes(all.size());
  in_lanes(all.size(), [&](std::size_t i, int lane) {
    const auto begun = Clock::now();
    outcomes[i] = all[i].second(lane);
    outcomes[i].wall_s = seconds_since(begun);
  });
  Table table(title);
  for (std::size_t i = 0; i < all.size(); ++i) {
    table.add(all[i].first, outcomes[i]);
    if (!outcomes[i].clean())
      ADD_FAILURE() << title << " " << all[i].first << "\n"
                    << outcomes[i].text() << replay(all[i].first) << outcomes[i].story;
  }
  fmt::print("{}", table.text());
}

// On a disk of SIZE that becomes large afterwards. KILLED: the writer is killed on the full disk.
Outcome try_size(const Tmpfs::Size& size, bool killed, int lane) {
  World world({.lane = lane, .grace_s = 2});
  world.write_matrix(k_one_point);
  const Tmpfs disk(world, size);
  Referee referee(world, undisturbed_large());
  World::Run run = world.start(k_large);
  if (killed) {
    run.wait(3);
    run.kill();
  }
  Ended disturbed = end_of(world, run);
  if (killed) disturbed.signal = 0;
  const std::string story = world.read(run.err);
  disk.resize(k_room);
  Outcome outcome = judge(world, referee, disturbed, k_large);
  outcome.fired = disturbed.code != 0;
  outcome.story = story;
  return outcome;
}

TEST(Disk, OfAFewKilobytesOrMegabytesLosesNothing) {
  if (!why_no_mounts().empty()) GTEST_SKIP() << why_no_mounts();
  (void)undisturbed_large();
  Cases cases;
  const std::vector<std::uint64_t> some = {40, 6000};
  const std::vector<std::uint64_t> every = {40,   64,   100,  160,  250,  400,  600,   1000,
                                            1500, 2000, 3000, 4000, 6000, 8000, 11000, 14000};
  for (const std::uint64_t kilobytes : full() ? every : some) {
    cases[fmt::format("{:>6} KB", kilobytes)] = [=](int lane) {
      return try_size({.kilobytes = kilobytes}, false, lane);
    };
    if (full())
      cases[fmt::format("{:>6} KB, killed", kilobytes)] = [=](int lane) {
        return try_size({.kilobytes = kilobytes}, true, lane);
      };
  }
  try_all("a disk of", cases);
}

TEST(Disk, OfAFewInodesLosesNothing) {
  if (!why_no_mounts().empty()) GTEST_SKIP() << why_no_mounts();
  (void)undisturbed_large();
  Cases cases;
  const std::vector<std::uint64_t> some = {8};
  const std::vector<std::uint64_t> every = {2, 5, 8, 12, 16, 20, 24, 32, 40, 50, 60};
  for (const std::uint64_t inodes : full() ? every : some)
    cases[fmt::format("{:>4} inodes", inodes)] = [=](int lane) {
      return try_size({.kilobytes = 64 << 10, .inodes = inodes}, false, lane);
    };
  try_all("a disk of", cases);
}

// On an ext4 that is DISTURBED when STAGE is at work.
Outcome try_loop(const std::string& stage, bool power, int lane) {
  World world({.lane = lane, .grace_s = 1});
  world.write_matrix(k_one_point);
  Referee referee(world, undisturbed());
  LoopDisk disk(world);
  Outcome outcome;
  if (!disk.why_not().empty()) throw std::runtime_error(disk.why_not());
  World::Run run = world.start({{"ORCH_CRASH_PACE", "task=150,start=150,bench=150"}});
  const bool reached = wait_for(
      [&] { return run.wait(0) || world.read("diary/diary").find(stage) != std::string::npos; },
      k_disturbed_s);
  if (power) kill_all_of(world);  // first, so that none reads from the dead disk
  power ? disk.cut_power() : disk.make_read_only();
  Ended disturbed = end_of(world, run);
  if (power) disturbed.signal = 0;
  const std::string story = world.read(run.err);
  wait_for([&] { return alive_of(world).empty(); }, 20);
  kill_all_of(world);
  disk.mount_again();
  outcome = judge(world, referee, disturbed);
  outcome.fired = reached && disturbed.code != 0;
  outcome.story = story;
  return outcome;
}

void try_loops(const std::string& title, bool power) {
  if (!why_no_mounts().empty()) GTEST_SKIP() << why_no_mounts();
  {
    World world;
    if (const LoopDisk disk(world); !disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  }
  (void)undisturbed();
  Cases cases;
  for (const std::string& stage : k_stages)
    cases["at " + stage] = [=](int lane) { return try_loop(" " + stage, power, lane); };
  try_all(title, cases);
}

TEST(Disk, ThatTurnsReadOnlyLosesNothing) { try_loops("read-only", false); }
TEST(Disk, WithoutPowerLosesNothing) { try_loops("the power is lost", true); }

Outcome try_limit(const std::string& limit, const World::Variables& variables,
                  const Snapshot& reference, int lane) {
  World world({.lane = lane, .grace_s = 2});
  world.write_matrix(k_one_point);
  Referee referee(world, reference);
  World::Run run = start_limited(world, limit, variables);
  const Ended disturbed = end_of(world, run);
  const std::string story = world.read(run.err);
  Outcome outcome = judge(world, referee, disturbed, variables);
  outcome.fired = disturbed.code != 0;
  outcome.story = story;
  return outcome;
}

TEST(Limits, OfFileSizesLoseNothing) {
  (void)undisturbed_large();
  Cases cases;
  const std::vector<int> some = {64};
  const std::vector<int> every = {1, 8, 32, 64, 128, 256, 512, 1024, 2048};
  for (const int kilobytes : full() ? every : some)
    cases[fmt::format("ulimit -f {:>5}", kilobytes)] = [=](int lane) {
      // sh counts blocks of 512 bytes
      return try_limit(fmt::format("-f {}", 2 * kilobytes), k_large, undisturbed_large(), lane);
    };
  try_all("limits of file sizes", cases);
}

TEST(Limits, OfOpenFilesLoseNothing) {
  (void)undisturbed();
  Cases cases;
  for (int files = full() ? 5 : 12; files <= (full() ? 64 : 12); ++files)
    cases[fmt::format("ulimit -n {:>2}", files)] = [=](int lane) {
      return try_limit(fmt::format("-n {}", files), {}, undisturbed(), lane);
    };
  try_all("limits of open files", cases);
}

// As long as a suspended laptop, in small.
TEST(Stopped, AnOrchestratorGoesOn) {
  if (!full()) GTEST_SKIP() << "only in `make fault-test`: it waits";
  (void)undisturbed();
  Cases cases;
  for (const std::string stage : {"download", "build", "serve", "bench"})
    cases["at " + stage] = [=](int lane) {
      World world({.lane = lane, .grace_s = 2});
      world.write_matrix(k_one_point);
      Referee referee(world, undisturbed());
      World::Run run = world.start({{"ORCH_CRASH_PACE", "task=50,start=50,bench=50"}});
      wait_for([&] { return world.read("diary/diary").find(" " + stage) != std::string::npos; },
               k_disturbed_s);
      run.kill(SIGSTOP);
      run.wait(60);
      run.kill(SIGCONT);
      const Ended disturbed = end_of(world, run);
      const std::string story = world.read(run.err);
      Outcome outcome = judge(world, referee, disturbed);
      if (disturbed.code != 0) outcome.other = {"the stopped run failed"};
      outcome.fired = true;
      outcome.story = story;
      return outcome;
    };
  try_all("an orchestrator stopped", cases);
}

// Times that attempts cannot have taken.
constexpr const char* k_impossible_times =
    "SELECT 'attempt ' || id || ' took ' || wall_s || ' s' AS line FROM attempt "
    "WHERE wall_s NOT BETWEEN 0 AND 1000";

Outcome try_clock(const std::string& stage, std::int64_t ahead_s, int lane) {
  World world({.lane = lane, .grace_s = 2});
  world.write_matrix(k_one_point);
  Referee referee(world, undisturbed());
  const SharedState state(world, "clock");
  World::Variables variables = state.variables({});
  variables["ORCH_CRASH_PACE"] = "task=50,start=50,bench=50";
  World::Run run = world.start(variables);
  wait_for([&] { return world.read("diary/diary").find(" " + stage) != std::string::npos; },
           k_disturbed_s);
  state.set_clock(ahead_s);
  const std::uint64_t reads = state.clock_reads();
  const Ended disturbed = end_of(world, run);
  const std::string story = world.read(run.err);
  Outcome outcome = judge(world, referee, disturbed);
  if (disturbed.code != 0) outcome.other.push_back("the run failed");
  for (const std::string& line : ask_store(world.store(), world.folder(), k_impossible_times))
    outcome.other.push_back(line);
  outcome.fired = state.clock_reads() > reads;
  outcome.story = story;
  return outcome;
}

// As an administrator or a time service sets it.
TEST(WallClock, ThatJumpsFailsNothing) {
  (void)undisturbed();
  constexpr std::int64_t k_hour = 3600, k_year = 365 * 24 * k_hour;
  Cases cases;
  for (const std::string& stage : full() ? k_stages : std::vector<std::string>{"build"})
    for (const std::int64_t ahead_s : {-60 * k_year, -k_hour, k_hour, 10 * k_year})
      cases[fmt::format("by {} h at {}", ahead_s / k_hour, stage)] = [=](int lane) {
        return try_clock(stage, ahead_s, lane);
      };
  try_all("a wall clock that jumps", cases);
}

}  // namespace disk_test
}  // namespace orch::faults

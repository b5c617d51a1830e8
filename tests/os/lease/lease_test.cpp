// Who may write to a folder that several hosts share: with real files, and a clock that the test
// drives.
#include "os/lease/lease.hpp"

#include "core/base/fields_json.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/temp_folder.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::lease {
namespace lease_test {

constexpr double k_never_s = 1e6;  // the thread of a lease does not renew it during a test

// Sleeping moves the time.
class DrivenClock final : public system::Clock {
 public:
  double time_s = 1000;
  std::function<void()> while_asleep = [] {};
  double now_s() override { return time_s; }
  double wall_s() override { return 1.7e9; }  // clocks of hosts say nothing
  void sleep_s(double s) override {
    time_s += s;
    while_asleep();
  }
};

struct LeaseTest : testing::Test {
  fakes::TempFolder temporary;
  const std::string folder = (temporary.path() / "store" / "lease").string();
  system::RealFiles files;
  DrivenClock clock;
  std::vector<std::string> said;

  LeaseTools tools() {
    return {.files = files,
            .clock = clock,
            .self = this_process(clock.wall_s()),
            .says = [this](const std::string& text) { said.push_back(text); }};
  }

  // A lease that another host holds.
  LeaseNote elsewhere(std::uint64_t beat = 3) const {
    return {.owner = {.host = "nodeb",
                      .kernel = "its boot",
                      .pid = 4321,
                      .start_ticks = 5,
                      .job = "77",
                      .since = "2025-01-31T12:00:00Z",
                      .nonce = "other"},
            .silent_s = 20,
            .beat = beat,
            .is_released = false};
  }
  void write(std::uint64_t number, const LeaseNote& note) {
    ASSERT_TRUE(files.make_folder(folder));
    ASSERT_TRUE(files.replace(fmt::format("{}/{}", folder, number), to_json_text(note)));
  }
  std::vector<std::string> names() { return files.names(folder).value(); }
};

TEST_F(LeaseTest, IsHeldUntilItIsDestroyedAndThenTakenAtOnce) {
  {
    const auto lease = Lease::take(tools(), folder);
    ASSERT_TRUE(lease.ok()) << lease.error().text();
    EXPECT_TRUE(lease->check());
    const auto second = Lease::take(tools(), folder);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::conflict);
    const auto holder = Lease::holder(tools(), folder);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->nonce, lease->owner().nonce);
  }
  EXPECT_FALSE(Lease::holder(tools(), folder));
  EXPECT_TRUE(Lease::take(tools(), folder).ok());
  EXPECT_EQ(clock.time_s, 1000) << "nothing was waited for";
  EXPECT_EQ(names(), std::vector<std::string>{"2"});
}

TEST_F(LeaseTest, OfALivingOwnerOnAnotherHostIsRefusedAtItsFirstSignOfLife) {
  write(7, elsewhere(3));
  int looks = 0;
  clock.while_asleep = [&] {
    if (++looks == 4) write(7, elsewhere(4));
  };
  const auto refused = Lease::take(tools(), folder);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_EQ(refused.error().text(),
            fmt::format("the store {} is in use by pid 4321 on nodeb (job 77 of Slurm) since "
                        "2025-01-31T12:00:00Z; wait for it, end it there (`scancel 77`), or name "
                        "another store with --store",
                        (temporary.path() / "store").string()));
  EXPECT_EQ(clock.time_s, 1004);
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(names(), std::vector<std::string>{"7"});
}

TEST_F(LeaseTest, OfASilentOwnerOnAnotherHostIsTakenOverAfterTheTimeThatItPromised) {
  write(7, elsewhere());
  const auto lease = Lease::take(tools(), folder, k_never_s);
  ASSERT_TRUE(lease.ok()) << lease.error().text();
  EXPECT_EQ(clock.time_s, 1020);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0],
            fmt::format("waiting up to 14 s for a sign of life of pid 4321 on nodeb (job 77 "
                        "of Slurm) since 2025-01-31T12:00:00Z, which holds the store {}",
                        (temporary.path() / "store").string()));
  EXPECT_NE(said[1].find("took the store over from pid 4321 on nodeb"), std::string::npos);
  EXPECT_EQ(names(), std::vector<std::string>{"8"});
}

TEST_F(LeaseTest, OfAnOwnerThatReleasesItMeanwhileIsTakenAtOnce) {
  write(7, elsewhere());
  clock.while_asleep = [&] {
    LeaseNote released = elsewhere(4);
    released.is_released = true;
    write(7, released);
  };
  EXPECT_TRUE(Lease::take(tools(), folder).ok());
  EXPECT_EQ(clock.time_s, 1001);
}

// A suspended host wakes with a clock that jumps, and has seen nothing meanwhile.
TEST_F(LeaseTest, AWatcherThatWasStoppedDoesNotCountTheTime) {
  write(7, elsewhere());
  int looks = 0;
  clock.while_asleep = [&] {
    if (++looks == 1) clock.time_s += 86400;
    if (looks == 10) write(7, elsewhere(4));
  };
  EXPECT_FALSE(Lease::take(tools(), folder).ok());
  EXPECT_EQ(looks, 10);
}

TEST_F(LeaseTest, OfADeadProcessOfThisHostIsTakenAtOnce) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto held = Lease::take(tools(), folder);
    const char byte = held.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto refused = Lease::take(tools(), folder);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find(fmt::format("pid {} on", child)), std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(Lease::holder(tools(), folder));
  EXPECT_TRUE(Lease::take(tools(), folder).ok());
  EXPECT_EQ(clock.time_s, 1000);
}

TEST_F(LeaseTest, AReusedPidIsNotItsOwner) {
  LeaseNote note{.owner = this_process(0), .silent_s = 20, .beat = 1, .is_released = false};
  note.owner.start_ticks += 1;
  write(1, note);
  EXPECT_TRUE(Lease::take(tools(), folder).ok());
  EXPECT_EQ(clock.time_s, 1000);
}

TEST_F(LeaseTest, AnOwnerThatWasStoppedNoticesItsSuccessorAndChangesNothing) {
  const auto first = Lease::take(tools(), folder, k_never_s);
  ASSERT_TRUE(first.ok());
  write(2, elsewhere());
  EXPECT_TRUE(first->check()) << "not yet noticed";
  const_cast<Lease&>(*first).beat();
  const Status lost = first->check();
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind, ErrorKind::conflict);
  EXPECT_NE(lost.error().text().find("was taken over by pid 4321 on nodeb"), std::string::npos)
      << lost.error().text();
  { const auto gone = Lease::take(tools(), folder, k_never_s); }
  EXPECT_EQ(files.read(folder + "/1").ok(), false) << "removed by the last one, and not made again";
}

TEST_F(LeaseTest, ABeatIsAnotherText) {
  auto lease = Lease::take(tools(), folder, k_never_s);
  ASSERT_TRUE(lease.ok());
  const std::string before = files.read(folder + "/1").value();
  lease->beat();
  EXPECT_NE(files.read(folder + "/1").value(), before);
  EXPECT_EQ(names(), std::vector<std::string>{"1"});
}

TEST_F(LeaseTest, AReaderWaitsForThreeBeats) {
  write(7, elsewhere());
  EXPECT_FALSE(Lease::holder(tools(), folder));
  EXPECT_EQ(clock.time_s, 1006);
  clock.while_asleep = [&] { write(7, elsewhere(9)); };
  const auto holder = Lease::holder(tools(), folder);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->job, "77");
}

// Both have seen the same dead owner; the other one was faster.
TEST_F(LeaseTest, OfTwoThatTakeItAtOnceOneSucceeds) {
  LeaseNote dead{.owner = this_process(0), .silent_s = 20, .beat = 1, .is_released = false};
  dead.owner.start_ticks += 1;
  write(1, dead);
  fakes::FaultyFiles slow(files);
  std::optional<Lease> rival;
  slow.fault = [&](std::string_view verb, const std::string&) {
    if (verb == "create_once" && !rival) {
      auto taken = Lease::take(tools(), folder, k_never_s);
      if (taken) rival.emplace(std::move(*taken));
    }
    return Status();
  };
  const auto refused =
      Lease::take({.files = slow, .clock = clock, .self = this_process(0)}, folder, k_never_s);
  ASSERT_TRUE(rival);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_TRUE(rival->check());
  EXPECT_EQ(names(), std::vector<std::string>{"2"});
}

}  // namespace lease_test
}  // namespace orch::lease

#include "run/execute/oom_kills.hpp"

#include "fakes/temp_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace orch::execute {
namespace oom_kills_test {

class OomKillsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
  }
  std::string vmstat() const { return folder.file("vmstat"); }
  std::string cgroup() const { return folder.path().string(); }

  fakes::TempFolder folder;
};

TEST_F(OomKillsTest, OfACgroupAreItsOwn) {
  write("vmstat", "pgfault 7\noom_kill 3\n");
  const OomKills kills(vmstat());
  write("vmstat", "pgfault 9\noom_kill 4\n");
  write("memory.events", "oom 1\noom_kill 0\n");
  EXPECT_FALSE(kills.any(cgroup()));
  write("memory.events", "oom 1\noom_kill 1\n");
  EXPECT_TRUE(kills.any(cgroup()));
}

// On hosts where cgroup v1 has the memory controller, and v2 the process trees.
TEST_F(OomKillsTest, OfACgroupWithoutACountAreThoseOfTheHost) {
  write("vmstat", "oom_kill 3\n");
  const OomKills kills(vmstat());
  EXPECT_FALSE(kills.any(cgroup()));
  write("vmstat", "oom_kill 4\n");
  EXPECT_TRUE(kills.any(cgroup()));
}

TEST_F(OomKillsTest, WithoutACgroupAreThoseOfTheHost) {
  write("vmstat", "oom_kill 3\n");
  write("memory.events", "oom_kill 1\n");
  const OomKills kills(vmstat());
  EXPECT_FALSE(kills.any(""));
  write("vmstat", "oom_kill 4\n");
  EXPECT_TRUE(kills.any(""));
}

TEST_F(OomKillsTest, AreUnknownWhereNothingCountsThem) {
  const OomKills kills(vmstat());
  EXPECT_FALSE(kills.any(cgroup()));
}

}  // namespace oom_kills_test
}  // namespace orch::execute

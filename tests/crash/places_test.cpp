// Places that lack what most programs expect: a whole sweep succeeds there.
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::crash {
namespace places_test {

namespace fs = std::filesystem;

// Words before the command, in which FOLDER stands for that of the world.
struct Place {
  const char* name;
  std::vector<std::string> words;
};

// Words that change mounts by COMMANDS of a shell, for the command alone.
std::vector<std::string> with_mounts(const std::string& commands) {
  return {
      "unshare", "--mount", "sh", "-ec", "mount --make-rprivate /; " + commands + "; exec \"$@\"",
      "sh"};
}

const Place k_places[] = {
    {"AUserWithoutAnEntryAndAHome",
     {"setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "env", "-u", "HOME", "-u",
      "XDG_CACHE_HOME", "-u", "USER"}},
    {"ALocaleThatIsNotInstalled", {"env", "LC_ALL=xx_YY.none", "LANG=xx_YY.none"}},
    {"AReadOnlyUsr", with_mounts("mount --bind /usr /usr; mount -o remount,bind,ro /usr")},
    {"TemporaryFoldersWithoutExecution",
     with_mounts(
         "export TMPDIR=FOLDER/tmp; mkdir -p $TMPDIR; mount -t tmpfs -o noexec none $TMPDIR")}};

class Places : public testing::TestWithParam<Place> {};

TEST_P(Places, HoldASweep) {
  const Reference undisturbed = make_reference(k_one_point, k_one_point_outputs);
  ASSERT_EQ(undisturbed.complaint, "");
  World world;
  world.write_matrix(k_one_point);
  std::vector<std::string> argv = GetParam().words;
  const std::string placeholder = "FOLDER";
  for (std::string& word : argv)
    for (std::size_t at; (at = word.find(placeholder)) != std::string::npos;)
      word.replace(at, placeholder.size(), world.folder());
  fs::permissions(world.folder(), fs::perms::all);
  for (const auto& entry : fs::recursive_directory_iterator(world.folder()))
    fs::permissions(entry, fs::perms::all);
  const auto with = [&](const std::vector<std::string>& command) {
    std::vector<std::string> all = argv;
    all.insert(all.end(), command.begin(), command.end());
    World::Run run = world.spawn(all);
    return world.finish(run);
  };
  if (with({"test", "-x", ORCH_BINARY}).code != 0)
    GTEST_SKIP() << "this place cannot be made here: " << world.last_stderr();
  Referee referee(world, undisturbed.store);
  const Ended ended = with({ORCH_BINARY, "run", "crash.yaml", "--site", "site.yaml"});
  EXPECT_EQ(referee.judge(ended, world.last_stderr()).text(), "");
}

INSTANTIATE_TEST_SUITE_P(In, Places, testing::ValuesIn(k_places),
                         [](const auto& place) { return place.param.name; });

}  // namespace places_test
}  // namespace orch::crash

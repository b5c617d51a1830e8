// What the lines of a site change in the environment of stages.
#include "run/slurm/node_remains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace site_variables_test {

using testing::ElementsAre;
using testing::Pair;

execute::Launch launch() {
  execute::Launch made{.argv = {"true"},
                       .env = {{"PATH", "/login/bin"}, {"THREADS", "4"}, {"LD_PRELOAD", "x"}}};
  made.place.inherited = {"PATH", "LD_PRELOAD"};
  return made;
}

TEST(SiteVariables, ReadWhatEnvPrints) {
  using namespace std::literals;
  EXPECT_THAT(parse_variables("A=1\0B=two=2\nlines\0EMPTY=\0no variable\0"sv),
              ElementsAre(Pair("A", "1"), Pair("B", "two=2\nlines"), Pair("EMPTY", "")));
}

TEST(SiteVariables, AreThoseThatDiffer) {
  const SiteVariables changed =
      changed_variables({{"SAME", "1"}, {"PATH", "/bin"}, {"GONE", "1"}, {"SHLVL", "1"}},
                        {{"SAME", "1"}, {"PATH", "/cuda:/bin"}, {"NEW", ""}, {"_", "/bin/env"}});
  EXPECT_THAT(changed.set, ElementsAre(Pair("NEW", ""), Pair("PATH", "/cuda:/bin")));
  EXPECT_THAT(changed.unset, ElementsAre("GONE"));
}

TEST(SiteVariables, TakeThePlaceOfWhatAStageInherits) {
  execute::Launch made = launch();
  give_variables({.set = {{"PATH", "/cuda:/login/bin"}, {"CUDA_HOME", "/cuda"}},
                  .unset = {"LD_PRELOAD", "NEVER_THERE"}},
                 made);
  EXPECT_THAT(made.env, ElementsAre(Pair("CUDA_HOME", "/cuda"), Pair("PATH", "/cuda:/login/bin"),
                                    Pair("THREADS", "4")));
}

TEST(SiteVariables, LeaveWhatAStageStates) {
  execute::Launch made = launch();
  made.place.inherited.clear();
  give_variables({.set = {{"THREADS", "64"}, {"PATH", "/cuda"}}, .unset = {"LD_PRELOAD"}}, made);
  EXPECT_EQ(made.env, launch().env);
}

TEST(SiteVariables, AreKeptOutOfTheLogWhereTheyLookSecret) {
  execute::Launch made = launch();
  give_variables({.set = {{"HF_TOKEN", "hf_0123456789"}, {"CUDA_HOME", "/cuda"}}, .unset = {}},
                 made);
  EXPECT_THAT(made.secrets, ElementsAre("hf_0123456789"));
  EXPECT_EQ(made.env.at("HF_TOKEN"), "hf_0123456789");
}

}  // namespace site_variables_test
}  // namespace orch::slurm

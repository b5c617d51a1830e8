#include "run/slurm/job_files.hpp"

#include "core/base/version.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/temp_folder.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::slurm {
namespace job_files_test {

class JobFilesTest : public testing::Test {
 protected:
  JobFilesTest() { std::filesystem::create_directories(files.attempt(token)); }

  fakes::TempFolder store;
  system::RealFiles real;
  OrchestratorFiles files{real, store.path()};
  AgentFiles agent{real, store.path()};
  const std::string token = system::new_token();
};

TEST_F(JobFilesTest, ALaunchIsPrivateAndGoneOnceItIsRead) {
  execute::Launch launch{.argv = {"a b", "$c"}, .env = {{"HF_TOKEN", "secret"}}, .token = token};
  launch.place.ports = {"http"};
  launch.place.pinned = {{"http", 8000}};
  launch.place.is_server = true;
  launch.place.inherited = {"HF_TOKEN"};
  ASSERT_TRUE(files.write_launch(launch, system::LogLevel::off));
  struct stat status {};
  const std::string path = files.attempt(token) + "/launch.json";
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_TRUE(agent.is_wanted(token));
  const auto asked = agent.read_launch(token);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->launch.argv, launch.argv);
  EXPECT_EQ(asked->launch.env, launch.env);
  EXPECT_EQ(asked->launch.place.ports, launch.place.ports);
  EXPECT_EQ(asked->launch.place.pinned, launch.place.pinned);
  EXPECT_TRUE(asked->launch.place.is_server);
  EXPECT_EQ(asked->launch.place.inherited, launch.place.inherited);
  EXPECT_FALSE(real.exists(path));
  EXPECT_FALSE(agent.is_wanted(token));
}

TEST_F(JobFilesTest, ALaunchOfAnotherVersionIsRefusedAndNamesBoth) {
  const std::string path = files.attempt(token) + "/launch.json";
  const auto refusal_of = [&](const std::string& from, const std::string& to) {
    EXPECT_TRUE(files.write_launch({.argv = {"true"}, .token = token}, system::LogLevel::off));
    std::string text = real.read(path).value();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    std::ofstream(path) << text.replace(at, from.size(), to);
    const auto asked = agent.read_launch(token);
    EXPECT_FALSE(asked);
    EXPECT_FALSE(real.exists(path)) << "its secrets stay";
    EXPECT_EQ(asked.error().kind, ErrorKind::conflict);
    return asked.error().message;
  };
  const std::string own = fmt::format("\"version\":\"{}\"", k_version);
  const auto message = [](std::string_view version) {
    return fmt::format(
        "the run is of orchestrate {}, and its job started orchestrate {} on the node; make the "
        "path of the program one version on every node",
        version, k_version);
  };
  EXPECT_EQ(refusal_of(own, "\"version\":\"9.8.7\""), message("9.8.7"));
  EXPECT_EQ(refusal_of(own, "\"later\":1"), message("of an unknown version"));
}

TEST_F(JobFilesTest, OnlyOneJobClaimsALaunch) {
  EXPECT_FALSE(files.is_claimed(token));
  EXPECT_TRUE(*agent.claim(token, "12"));
  EXPECT_TRUE(files.is_claimed(token));
  EXPECT_FALSE(*agent.claim(token, "13"));
  EXPECT_TRUE(*agent.claim(token, "12")) << "its answer was lost on the way";
  EXPECT_FALSE(files.write_off(token));
}

TEST_F(JobFilesTest, WhatWasWrittenOffIsNoLongerClaimed) {
  ASSERT_TRUE(files.write_launch({.token = token}, system::LogLevel::off));
  EXPECT_TRUE(files.write_off(token));
  EXPECT_FALSE(*agent.claim(token, "12"));
  EXPECT_FALSE(agent.is_wanted(token)) << "its secrets stay";
}

TEST_F(JobFilesTest, AFolderIsRemovedOnlyWhereOthersAreSeen) {
  ASSERT_TRUE(*agent.claim(token, "12"));
  EXPECT_FALSE(agent.is_removed(token));
  ASSERT_TRUE(real.remove_tree(files.attempt(token)));
  EXPECT_TRUE(agent.is_removed(token));
  std::filesystem::create_directories(files.attempt(token));
  agent.pulse(token, 7);
  EXPECT_TRUE(agent.is_removed(token)) << "its agent wrote while it was removed";
  ASSERT_TRUE(real.remove_tree(store.file("attempts")));
  EXPECT_FALSE(agent.is_removed(token)) << "the file system may be away";
}

TEST_F(JobFilesTest, AScriptHasNoValueOfAUserButTheLinesOfTheSite) {
  ASSERT_TRUE(files.write_batch(
      {.name = "b1", .tokens = {token}, .extra = {}, .program = "/opt/it's here/orchestrate"}));
  EXPECT_EQ(*real.read(files.batch_folder("b1") + "/script.sh"),
            "#!/bin/sh\n[ -z \"$SLURM_CPUS_PER_TASK\" ] || export "
            "SRUN_CPUS_PER_TASK=\"$SLURM_CPUS_PER_TASK\"\nexec '/opt/it'\\''s here/orchestrate' "
            "guardian --job " +
                files.batch_folder("b1") + " 20000 29999\n");
  EXPECT_EQ(files.tokens_of("b1"), std::vector<std::string>{token});
}

// The shell that Slurm starts, with the agent's words in place of the agent.
TEST_F(JobFilesTest, AScriptTellsTheEnvironmentAheadOfTheLinesOfTheSite) {
  const std::string program = store.file("program");
  ASSERT_TRUE(real.write(program,
                         "#!/bin/bash\n"
                         "test \"$1 $2\" = 'guardian --job' || exit 9\n"
                         "echo now $SITE $LOADED $SRUN_CPUS_PER_TASK; eval \"tr '\\0' '\\n' <&$6\" "
                         "| grep '^SITE='\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ASSERT_TRUE(files.write_batch(
      {.name = "b1",
       .tokens = {token},
       .extra = {"export SITE=after", "module() { export LOADED=$2; }", "module load cuda/12.4"},
       .program = program}));
  struct stat status {};
  ASSERT_EQ(::stat((files.batch_folder("b1") + "/script.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u) << "the lines may hold a token";
  const std::string out = store.file("out");
  EXPECT_EQ(std::system(("SLURM_CPUS_PER_TASK=6 SITE=before bash " + files.batch_folder("b1") +
                         "/script.sh >" + out)
                            .c_str()),
            0);
  EXPECT_EQ(*real.read(out), "now after cuda/12.4 6\nSITE=before\n");
}

TEST_F(JobFilesTest, LinesOfTheSiteThatEndTheShellAreToldAsSuch) {
  const auto why_after = [&](const std::string& line) {
    EXPECT_TRUE(files.write_batch(
        {.name = "b2", .tokens = {token}, .extra = {line}, .program = "/bin/true"}));
    EXPECT_EQ(files.why_not_begun({"b2", 3}), "") << "no job has begun";
    static_cast<void>(std::system(
        ("SLURM_ARRAY_TASK_ID=3 bash " + files.batch_folder("b2") + "/script.sh").c_str()));
    const std::string why = files.why_not_begun({"b2", 3});
    EXPECT_TRUE(real.remove_tree(files.batch_folder("b2")));
    return why;
  };
  const std::string begin =
      "the job never ran orchestrate: the lines of the site file (slurm.lines, "
      "slurm.modules) ";
  EXPECT_EQ(why_after("exit 0"),
            begin + "have ended its shell (status 0); leave `exit` and `exec` out of them");
  EXPECT_EQ(why_after("set -e; false"),
            begin + "have ended its shell (status 1); leave `exit` and `exec` out of them");
  EXPECT_EQ(why_after("exec true"), begin +
                                        "have replaced its shell, or ended it by a signal; leave "
                                        "`exit` and `exec` out of them");
  EXPECT_EQ(why_after("export X=1"), "");
}

TEST_F(JobFilesTest, ARecordOfAnotherLaunchIsNone) {
  execute::Ended ended{.token = token, .code = 3};
  ended.node = "n1";
  ended.job = "12";
  ended.stopped_by_slurm = true;
  ASSERT_TRUE(agent.write_ended(ended));
  const auto read = files.read_ended(token);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->code, 3);
  EXPECT_EQ(read->node, "n1");
  EXPECT_EQ(read->job, "12");
  EXPECT_TRUE(read->stopped_by_slurm);
  const std::string other = system::new_token();
  std::filesystem::copy(store.file("slurm/ended/" + token), store.file("slurm/ended/" + other));
  EXPECT_FALSE(files.read_ended(other));
}

// A client of NFS keeps believing that a file is absent until it lists the folder.
TEST_F(JobFilesTest, AFileThatWasAbsentIsReadAsSoonAsItIsThere) {
  std::set<std::string> absent;
  fakes::FaultyFiles client(real);
  client.fault = [&](std::string_view verb, const std::string& path) -> Status {
    if (verb == "names") absent.clear();
    if (verb == "read_own" && !real.exists(path)) absent.insert(path);
    if (!absent.contains(path)) return {};
    return Error{ErrorKind::not_found, path, {}};
  };
  OrchestratorFiles far(client, store.path());
  AgentFiles far_agent(client, store.path());
  EXPECT_EQ(far_agent.asked_signal(token), 0);
  EXPECT_FALSE(far.health(token));
  EXPECT_FALSE(far.read_started(token));
  ASSERT_TRUE(files.signal(token, SIGKILL));
  EXPECT_EQ(far_agent.asked_signal(token), SIGKILL);
  ASSERT_TRUE(agent.write_health(token, {attempt::Health::ready, ""}));
  EXPECT_TRUE(far.health(token));
  ASSERT_TRUE(agent.write_started(token, {.node = "n1", .job = "12", .ports = {}}));
  EXPECT_TRUE(far.read_started(token));
}

TEST_F(JobFilesTest, AnUncleanNodeIsNotedUntilItIsForgotten) {
  for (const char* node : {"n1", "gpu-02.site", "n[1-2]", "n1,n2", "", "..", "../n3"})
    files.note_unclean(node);
  EXPECT_EQ(files.unclean_nodes(), (std::vector<std::string>{"gpu-02.site", "n1"}));
  agent.forget_unclean("n1");
  agent.forget_unclean("../n1");
  EXPECT_EQ(files.unclean_nodes(), std::vector<std::string>{"gpu-02.site"});
}

TEST_F(JobFilesTest, SignalsAreTermAndKillAlone) {
  EXPECT_EQ(agent.asked_signal(token), 0);
  ASSERT_TRUE(files.signal(token, SIGTERM));
  EXPECT_EQ(agent.asked_signal(token), SIGTERM);
  ASSERT_TRUE(real.replace(files.attempt(token) + "/signal", "19\n"));
  EXPECT_EQ(agent.asked_signal(token), 0);
}

}  // namespace job_files_test
}  // namespace orch::slurm

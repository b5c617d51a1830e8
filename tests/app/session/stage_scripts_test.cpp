#include "app/session/project_of_files.hpp"
#include "app/session/stage_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace stage_scripts_test {

constexpr const char* k_runner = R"(runner: own
parameters: {size: {type: text, default: s}}
stages:
  make:
    kind: task
    reads: [size]
    files: [scripts/listed.py, scripts/setup.sh, scripts/start]
    argv: [/usr/bin/python3, "{file:scripts/make.py}", "{size}", "{out}"]
    outputs: [a]
  pack:  # its files are those of `make` as well
    kind: task
    needs: [make]
    argv: [/usr/bin/python3, "{file:scripts/make.py}", "{stage:make}", "{out}"]
    outputs: [a]
)";

class StageScriptsTest : public ::testing::Test {
 protected:
  StageScriptsTest() {
    project.write("runners/own/runner.yaml", k_runner);
    script("listed.py", "import json\n");
    script("make.py", "import sys\nimport listed\n");
    script("setup.sh", "if true; then echo; fi\n");
    script("start", "#!/bin/bash\n[[ a == a ]]\n");
  }
  void script(const std::string& name, const std::string& text) {
    project.write("runners/own/scripts/" + name, text);
  }
  std::string at(const std::string& name) const {
    return std::filesystem::path(project.path("runners/own/scripts/" + name))
        .lexically_proximate(std::filesystem::current_path())
        .string();
  }
  std::string errors() {
    system::RealProcesses processes;
    system::RealClock clock;
    const World& fake = project.world;
    World world{.files = fake.files,
                .clock = clock,
                .processes = processes,
                .http = fake.http,
                .workers = fake.workers,
                .environment = {},
                .detect_machine = {},
                .open_gpu_memory = {},
                .open_ports = {},
                .make_executor = {}};
    const RunnerFile file{.name = "own",
                          .file = project.path("runners/own/runner.yaml"),
                          .folder = project.path("runners/own"),
                          .common = "",
                          .project = ""};
    Errors errors;
    const auto manifest = read_manifest(world.files, file, errors);
    if (manifest) found = check_scripts(world, file, *manifest, errors);
    return text_of(errors);
  }

  ProjectOfFiles project;
  ScriptsRead found;
};

TEST_F(StageScriptsTest, AreReadByTheirLanguage) {
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(found.python, 2u);
  EXPECT_EQ(found.shell, 2u);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
  EXPECT_FALSE(std::filesystem::exists(project.path("runners/own/scripts/__pycache__")));
}

TEST_F(StageScriptsTest, AMistakeInPythonHasItsLine) {
  script("make.py", "import listed\n\ndef main(:\n    pass\n");
  EXPECT_EQ(errors(), at("make.py") +
                          ":3:10: /usr/bin/python3 cannot parse this: invalid syntax; "
                          "correct it\n");
}

TEST_F(StageScriptsTest, BytesThatAreNoTextAreAMistakeToo) {
  script("make.py", "x = '\xff\xfe'\n");
  EXPECT_NE(errors().find(at("make.py") + ":"), std::string::npos) << errors();
}

TEST_F(StageScriptsTest, AMistakeInAShellScriptIsFoundByItsOwnShell) {
  script("setup.sh", "if true; then\n");
  script("start", "#!/bin/bash\nf() {\n");
  const std::string text = errors();
  EXPECT_NE(text.find(at("setup.sh") + ": /bin/sh -n refuses this script: "), std::string::npos)
      << text;
  EXPECT_NE(text.find(at("start") + ": /bin/bash -n refuses this script: "), std::string::npos)
      << text;
}

TEST_F(StageScriptsTest, AnImportedNeighbourOutsideTheDigestIsNoted) {
  script("hidden.py", "");
  script("make.py", "import listed\n\ndef main():\n    from hidden import x\n");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(found.notes,
            std::vector<std::string>{
                at("make.py") +
                ":4: 'hidden.py' is imported but not listed under 'files' of make, pack, so a "
                "change to it repeats no stage; list it there"});
}

}  // namespace stage_scripts_test
}  // namespace orch::session

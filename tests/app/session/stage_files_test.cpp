#include "app/session/stage_files.hpp"

#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace stage_files_test {

constexpr const char* k_runner = R"(runner: own
parameters: {size: {type: text, default: s}, model: {type: text, default: m}}
resolve: {hf: {argv: [/x, "{file:resolve.py}"]}}
stages:
  make:
    kind: task
    reads: [size]
    files: [scripts/help.py]
    argv: ["{file:scripts/make.py}", "{size}", "{out}"]
    copy: [{from: model/a, to: a}]
    render: [{from: templates/t, to: t}]
    outputs: [a]
)";

class StageFilesTest : public ::testing::Test {
 protected:
  StageFilesTest() {
    project.write("runners/own/runner.yaml", k_runner)
        .write("runners/own/scripts/help.py", "")
        .write("runners/own/scripts/make.py", "#!/usr/bin/python3\n")
        .write("runners/own/model/a", "")
        .write("runners/own/resolve.py", "")
        .write("templates/t", "");
    set_executable(true);
  }
  void set_executable(bool is) {
    std::filesystem::permissions(
        at("scripts/make.py"), std::filesystem::perms::owner_exec,
        is ? std::filesystem::perm_options::add : std::filesystem::perm_options::remove);
  }
  std::string at(const std::string& file) const { return project.path("runners/own/" + file); }
  void remove(const std::string& path) { std::filesystem::remove(path); }
  // Without the path of the manifest.
  std::string errors() {
    RunnerFile file{.name = "own",
                    .file = at("runner.yaml"),
                    .folder = project.path("runners/own"),
                    .common = "",
                    .project = std::filesystem::path(project.path("x")).parent_path().string()};
    Errors errors;
    const auto manifest = read_manifest(project.world.files, file, errors);
    if (manifest) check_stage_files(project.world.files, file, *manifest, errors);
    std::string text = text_of(errors);
    for (std::size_t found; (found = text.find(at("runner.yaml"))) != std::string::npos;)
      text.erase(found, at("runner.yaml").size());
    return text;
  }

  ProjectOfFiles project;
};

TEST_F(StageFilesTest, AreThere) { EXPECT_EQ(errors(), ""); }

TEST_F(StageFilesTest, AMissingFileIsReportedWhereItIsNamed) {
  remove(at("scripts/make.py"));
  remove(at("model/a"));
  EXPECT_EQ(errors(), ":10:12: stage 'make' names 'model/a', but there is no " + at("model/a") +
                          "; write it, or correct the name\n:9:13: stage 'make' names "
                          "'scripts/make.py', but there is no " +
                          at("scripts/make.py") + "; write it, or correct the name\n");
}

TEST_F(StageFilesTest, ASimilarNameIsSuggested) {
  std::filesystem::rename(at("scripts/help.py"), at("scripts/helps.py"));
  EXPECT_EQ(errors(), ":8:13: stage 'make' names 'scripts/help.py', but there is no " +
                          at("scripts/help.py") + "; did you mean 'helps.py'?\n");
}

TEST_F(StageFilesTest, AFolderIsNoFile) {
  remove(at("scripts/help.py"));
  std::filesystem::create_directory(at("scripts/help.py"));
  EXPECT_EQ(errors(),
            ":8:13: stage 'make' names 'scripts/help.py', which is a folder; name a "
            "file\n");
}

TEST_F(StageFilesTest, ALinkToNothingIsNoFile) {
  remove(at("scripts/help.py"));
  std::filesystem::create_symlink("/nowhere", at("scripts/help.py"));
  EXPECT_EQ(errors(),
            ":8:13: stage 'make' names 'scripts/help.py', which is a dangling link; "
            "write the file\n");
}

TEST_F(StageFilesTest, ALinkMayNotLeaveTheFoldersOfTheRunner) {
  remove(at("scripts/help.py"));
  project.write("elsewhere/help.py", "").write("runners/common/scripts/help.py", "");
  std::filesystem::create_symlink("../../common/scripts/help.py", at("scripts/help.py"));
  EXPECT_EQ(errors(), "") << "what runners share belongs to each of them";
  remove(at("scripts/help.py"));
  std::filesystem::create_symlink(project.path("elsewhere/help.py"), at("scripts/help.py"));
  EXPECT_EQ(errors(), ":8:13: stage 'make' names 'scripts/help.py', a link to " +
                          project.path("elsewhere/help.py") +
                          ", outside the folder of the runner; what a script imports from there "
                          "enters no digest, so copy the file here\n");
}

TEST_F(StageFilesTest, AFolderOfARunnerMayBeALinkItself) {
  std::filesystem::create_directories(project.path("elsewhere"));
  std::filesystem::rename(project.path("runners/own"), project.path("elsewhere/own"));
  std::filesystem::create_symlink(project.path("elsewhere/own"), project.path("runners/own"));
  EXPECT_EQ(errors(), "");
}

TEST_F(StageFilesTest, AProgramMustBeExecutableAndNameItsInterpreter) {
  set_executable(false);
  EXPECT_EQ(errors(),
            ":9:13: stage 'make' starts 'scripts/make.py', which is not executable; run chmod +x "
            "on it, or begin with its interpreter: [/usr/bin/python3, \"{file:scripts/make.py}\", "
            "...]\n");
  set_executable(true);
  project.write("runners/own/scripts/make.py", "print()\n");
  EXPECT_NE(errors().find(":9:13: stage 'make' starts 'scripts/make.py', which names no "
                          "interpreter; begin it with a line such as #!/usr/bin/python3"),
            std::string::npos)
      << errors();
  project.write("runners/own/scripts/make.py",
                "\x7f"
                "ELF and so on");
  EXPECT_EQ(errors(), "");
}

TEST_F(StageFilesTest, TemplatesAndFilesOfResolversCountToo) {
  remove(project.path("templates/t"));
  remove(at("resolve.py"));
  const std::string text = errors();
  EXPECT_NE(text.find(":11:14: stage 'make' fills 'templates/t', but there is no " +
                      project.path("templates/t") +
                      "; templates are named from the folder above runners/\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(":3:11: resolver 'hf' names 'resolve.py', but there is no"),
            std::string::npos)
      << text;
}

TEST_F(StageFilesTest, AnyMatrixOfTheRunnerIsRefused) {
  remove(at("scripts/make.py"));
  Errors errors;
  load_experiment(project.world, project.options("name: m\nrunner: own\naxes: {size: [s]}\n"),
                  errors);
  ASSERT_EQ(errors.size(), 1u) << text_of(errors);
  EXPECT_EQ(errors.front().where.line, 9);
}

}  // namespace stage_files_test
}  // namespace orch::session

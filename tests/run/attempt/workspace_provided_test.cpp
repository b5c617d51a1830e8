// Provided outputs: a workspace reads them where they are and never writes them.
#include "fakes/memory_files.hpp"
#include "run/attempt/workspace.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace workspace_provided_test {

class ProvidedOutputs : public ::testing::Test {
 protected:
  ProvidedOutputs() {
    build.id = "build-1a2b";
    build.provided = "/data/engine";
    build.spec.name = "build";
    build.rendered["config.json"] = "{}";
    serve.id = "serve-3c4d";
    serve.spec.name = "serve";
    serve.spec.kind = runner::Kind::service;
    serve.spec.argv = {"server", "{stage:build-1a2b}", "{stage:download-5e6f}"};
    serve.spec.place = {
        {.from = "{stage:build-1a2b}/repository", .to = "repository", .stages = {}}};
    plan.stages = {build, serve};
    for (const char* folder : {"/data/engine", "/data/engine/repository", "/store"})
      files.folders.insert(folder);
    files.files["/data/engine/repository/config.pbtxt"] =
        "engine_dir: '{stage:build-1a2b}' tokenizer_dir: '{stage:download-5e6f}'";
  }

  Prepared prepare(const plan::Stage& stage) {
    return workspace().describe(std::vector<Attempt>{{.stage = &stage, .token = "t"}}).front();
  }
  Workspace workspace() {
    return {files,
            {.layout = {.store = "/store",
                        .project = "/p",
                        .runner = "/p/runners/r",
                        .orchestrate = "/bin/o"},
             .provided = provided_by(plan)}};
  }

  fakes::MemoryFiles files;
  plan::Stage build, serve;
  plan::Plan plan;
  system::LongWork work;
};

TEST_F(ProvidedOutputs, AppearInCommandLinesUnchanged) {
  EXPECT_EQ(
      prepare(serve).launch.argv,
      (std::vector<std::string>{"server", "/data/engine", "/store/artifacts/download-5e6f/out"}));
}

// A text of several blocks, with symbols across and beside their borders.
TEST_F(ProvidedOutputs, AreNamedInLargePlacedTexts) {
  static constexpr std::size_t k_block = 1 << 20;
  const std::string symbol = "{stage:build-1a2b}";
  std::string& text = files.files["/data/engine/repository/large"];
  std::string expected;
  const auto add = [&](const std::string& from, const std::string& to) {
    text += from;
    expected += to;
  };
  for (const std::size_t before : {std::size_t{1}, std::size_t{17}, std::size_t{18}}) {
    const std::string filling(k_block - before - text.size() % k_block, 'x');
    add(filling, filling);
    add(symbol, "/data/engine");
  }
  add("{", "{");
  const Prepared prepared = prepare(serve);
  ASSERT_TRUE(workspace().lay_out({&prepared}, work));
  EXPECT_EQ(files.files.at("/store/attempts/t/work/repository/large"), expected);
  EXPECT_GE(work.done_bytes(), text.size());
}

TEST_F(ProvidedOutputs, AreNamedInPlacedTextsAndCopiedFromTheirOwnFolder) {
  const Prepared prepared = prepare(serve);
  ASSERT_TRUE(workspace().lay_out({&prepared}, work));
  EXPECT_EQ(files.files.at("/store/attempts/t/work/repository/config.pbtxt"),
            "engine_dir: '/data/engine' tokenizer_dir: '/store/artifacts/download-5e6f/out'");
}

TEST_F(ProvidedOutputs, ResolveOlderTextsThatNameOnlyTheirStage) {
  serve.needs = {{"build", "build-1a2b"}, {"download", "download-5e6f"}};
  serve.spec.place[0].stages = {"build", "convert"};
  files.files["/data/engine/repository/config.pbtxt"] =
      "{stage:build} {stage:build-1a2b} {stage:download} {stage:convert}";
  const Prepared prepared = prepare(serve);
  ASSERT_TRUE(workspace().lay_out({&prepared}, work));
  EXPECT_EQ(files.files.at("/store/attempts/t/work/repository/config.pbtxt"),
            "/data/engine /data/engine /store/artifacts/download/out /store/artifacts/convert/out");
}

TEST_F(ProvidedOutputs, AreNeverMade) {
  const Prepared prepared = prepare(build);
  const Status laid_out = workspace().lay_out({&prepared}, work);
  ASSERT_FALSE(laid_out);
  EXPECT_EQ(laid_out.error().text(), "'build-1a2b' is provided at /data/engine; it cannot be made");
  EXPECT_EQ(files.diary, std::vector<std::string>{});
}

TEST_F(ProvidedOutputs, AreNotTouchedByOtherAttempts) {
  const Prepared prepared = prepare(serve);
  ASSERT_TRUE(workspace().lay_out({&prepared}, work));
  workspace().discard(prepared);
  for (const std::string& line : files.diary)
    EXPECT_EQ(line.find("/data"), std::string::npos) << line;
}

TEST_F(ProvidedOutputs, AreDamagedWhenTheyAreGone) {
  EXPECT_EQ(workspace().damage(build), "");
  files.folders.erase("/data/engine");
  EXPECT_EQ(workspace().damage(build), "/data/engine is gone");
}

}  // namespace workspace_provided_test
}  // namespace orch::attempt

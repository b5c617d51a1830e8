// The launch of an attempt, and its outputs: checked, published, and recognised after a crash.
#include "attempt/workspace.hpp"
#include "fakes/memory_files.hpp"
#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orch::attempt {
namespace {

namespace fs = std::filesystem;

using Variables = std::map<std::string, std::string>;

class Launches : public testing::Test {
 protected:
  Launches() {
    stage.id = "serve-1a2b";
    stage.spec.name = "serve";
    stage.spec.argv = {"/bin/serve"};
  }

  Prepared prepare(const Variables& inherited) {
    return prepare({{.stage = &stage, .number = 2, .token = "o1", .ports = {}, .gpus = {}}},
                   inherited)
        .front();
  }
  std::vector<Prepared> prepare(const std::vector<Attempt>& attempts, const Variables& inherited) {
    return Workspace(files,
                     {.store = "/store",
                      .project = "/p",
                      .runner = "/p/runners/r",
                      .orchestrate = "/bin/o"},
                     inherited)
        .describe(attempts);
  }

  fakes::MemoryFiles files;
  plan::Stage stage;
};

TEST_F(Launches, OfServicesHaveTheirStopTimeAndSharedMemory) {
  stage.spec.kind = runner::Kind::service;
  stage.spec.stop_s = 42;
  stage.spec.shm_prefix = "{token}_";
  stage.spec.argv = {"/bin/serve", "{tmp}/socket"};
  const execute::Launch launch = prepare({}).launch;
  EXPECT_EQ(launch.argv, (std::vector<std::string>{"/bin/serve", "/tmp/o1/socket"}));
  EXPECT_EQ(launch.tmp, "/tmp/o1");
  EXPECT_EQ(launch.exit_record, "/store/attempts/o1/exit.json");
  EXPECT_EQ(launch.shm_prefix, "o1_");
  EXPECT_EQ(launch.stop_s, 42);
}

TEST_F(Launches, FindTheFilesThatAllRunnersShare) {
  stage.spec.argv = {"/bin/serve", "{file:common/make.py}", "{file:commons/make.py}",
                     "{file:own/common/make.py}"};
  EXPECT_EQ(prepare({}).launch.argv,
            (std::vector<std::string>{"/bin/serve", "/p/runners/common/make.py",
                                      "/p/runners/r/commons/make.py",
                                      "/p/runners/r/own/common/make.py"}));
}

TEST_F(Launches, NameTheirGpusByNumberOrByCudaName) {
  const std::vector<Attempt> attempts = {
      {.stage = &stage, .number = 1, .token = "o1", .ports = {}, .gpus = {1, 2}}};
  Workspace workspace(
      files,
      {.store = "/store", .project = "/p", .runner = "/p/runners/r", .orchestrate = "/bin/o"}, {});
  EXPECT_EQ(workspace.describe(attempts).front().launch.env.at("CUDA_VISIBLE_DEVICES"), "1,2");
  workspace.name_gpus({{1, "MIG-a"}, {2, "MIG-b"}});
  EXPECT_EQ(workspace.describe(attempts).front().launch.env.at("CUDA_VISIBLE_DEVICES"),
            "MIG-a,MIG-b");
}

TEST_F(Launches, ProbeEachOfTheirPortsOfAKind) {
  stage.spec.kind = runner::Kind::service;
  stage.spec.ports = {"http.1", "http.2", "side"};
  stage.spec.ready =
      std::make_shared<runner::Ready>(runner::Ready{.port = "http", .get = {"/a", "/b"}});
  stage.spec.smoke = std::make_shared<runner::Smoke>(
      runner::Smoke{.port = "http", .post = "/ask", .body = "{}", .answer = "text"});
  const Probe probe = prepare({{.stage = &stage,
                                .number = 1,
                                .token = "o1",
                                .ports = {{"http.1", 81}, {"http.2", 82}, {"side", 83}},
                                .gpus = {}}},
                              {})
                          .front()
                          .probe;
  EXPECT_EQ(probe.get,
            (std::vector<std::string>{"http://127.0.0.1:81/a", "http://127.0.0.1:81/b",
                                      "http://127.0.0.1:82/a", "http://127.0.0.1:82/b"}));
  EXPECT_EQ(probe.smoke,
            (std::vector<std::string>{"http://127.0.0.1:81/ask", "http://127.0.0.1:82/ask"}));
}

TEST_F(Launches, OfTasksHaveTenSecondsToStopAndNoSharedMemory) {
  stage.spec.stop_s = 42;
  const execute::Launch launch = prepare({}).launch;
  EXPECT_EQ(launch.stop_s, 10);
  EXPECT_EQ(launch.shm_prefix, "");
}

TEST_F(Launches, KeepTheirTemporaryFilesInTheCallersFolder) {
  EXPECT_EQ(prepare({{"TMPDIR", "/fast"}}).launch.tmp, "/fast/o1");
  EXPECT_EQ(prepare({{"TMPDIR", "/fast//"}}).launch.tmp, "/fast/o1");
  EXPECT_EQ(prepare({{"TMPDIR", "relative"}}).launch.tmp, "/tmp/o1");
  EXPECT_EQ(prepare({{"TMPDIR", ""}}).launch.tmp, "/tmp/o1");
  EXPECT_EQ(prepare({{"TMPDIR", "/fast"}}).launch.shm_folder, "/dev/shm/o1");
}

TEST_F(Launches, PassSecretsOnAndListTheirValues) {
  stage.spec.secrets = {"HUB_*", "PIN"};
  const execute::Launch launch = prepare({{"HUB_ONE", "value-one"},
                                          {"PIN", "value-two"},
                                          {"OTHER", "value-three"},
                                          {"DB_PASSWORD", "value-four"}})
                                     .launch;
  EXPECT_EQ(launch.env,
            (Variables{
                {"HUB_ONE", "value-one"}, {"PIN", "value-two"}, {"PYTHONDONTWRITEBYTECODE", "1"}}));
  // A secret that is not passed on may still be read, for example from a file.
  EXPECT_EQ(launch.secrets, (std::vector<std::string>{"value-four", "value-one", "value-two"}));
}

TEST_F(Launches, OfABatchShareOneTemporaryFolder) {
  stage.spec.batch = true;
  stage.spec.job = {{"scratch", "{tmp}/x"}};
  plan::Stage second = stage;
  second.id = "serve-3c4d";
  const std::vector<Attempt> attempts = {
      {.stage = &stage, .number = 1, .token = "o1", .ports = {}, .gpus = {}},
      {.stage = &second, .number = 1, .token = "o2", .ports = {}, .gpus = {}}};
  const auto prepared = prepare(attempts, {});
  Workspace workspace(
      files, {.store = "/store", .project = "/p", .runner = "/r", .orchestrate = "/o"}, {});
  ASSERT_TRUE(workspace.lay_out({&prepared[0], &prepared[1]}));
  EXPECT_EQ(files.files.at("/store/attempts/o1/jobs.json"),
            "[\n {\n  \"id\": \"serve-1a2b\",\n  \"scratch\": \"/tmp/o1/x\"\n },\n {\n  \"id\": "
            "\"serve-3c4d\",\n  \"scratch\": \"/tmp/o1/x\"\n }\n]\n");
}

// On a real disk, for symbolic links.
class Outputs : public testing::Test {
 protected:
  Outputs() {
    stage.id = "build-1a2b";
    stage.spec.name = "build";
    stage.spec.argv = {"/bin/build"};
    stage.spec.outputs = {"engine"};
  }

  // An attempt whose process has ended.
  Prepared ended(const std::string& token) {
    Prepared prepared =
        workspace()
            .describe(std::vector<Attempt>{
                {.stage = &stage, .number = 1, .token = token, .ports = {}, .gpus = {}}})
            .front();
    EXPECT_TRUE(workspace().lay_out({&prepared}));
    write(prepared.out + "/engine/rank0", "weights of " + token);
    return prepared;
  }
  Workspace workspace() {
    return Workspace(
        files,
        {.store = folder.path().string(), .project = "/p", .runner = "/r", .orchestrate = "/o"},
        {});
  }
  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  std::string refusal(const Prepared& prepared) {
    const auto checked = workspace().check(prepared);
    return checked ? "" : checked.error().message;
  }
  std::string published() const { return folder.file("artifacts/build-1a2b/out/engine/rank0"); }

  fakes::TempFolder folder;
  system::RealFiles files;
  plan::Stage stage;
};

TEST_F(Outputs, PublishedBeforeACrashAreRecognisedAndKept) {
  fs::create_directories(folder.file("artifacts"));
  const Prepared prepared = ended("o1");
  const auto before = workspace().check(prepared);
  ASSERT_TRUE(before);
  ASSERT_TRUE(workspace().publish(prepared, *before));
  ASSERT_FALSE(fs::exists(prepared.out));
  // The crash happens here. The attempt's folder is gone, so it cannot be hashed again.
  const auto after = workspace().check(prepared);
  ASSERT_TRUE(after) << after.error().message;
  ASSERT_EQ(after->size(), 1u);
  EXPECT_EQ(after->front().path, "engine/rank0");
  EXPECT_EQ(after->front().bytes, before->front().bytes);
  EXPECT_EQ(after->front().sha256, before->front().sha256);
  ASSERT_TRUE(workspace().publish(prepared, *after));
  EXPECT_EQ(*files.read(published()), "weights of o1");
}

TEST_F(Outputs, OfAnotherAttemptAreReplaced) {
  fs::create_directories(folder.file("artifacts"));
  const Prepared first = ended("o1");
  ASSERT_TRUE(workspace().publish(first, *workspace().check(first)));
  const Prepared second = ended("o2");
  ASSERT_TRUE(workspace().publish(second, *workspace().check(second)));
  EXPECT_EQ(*files.read(published()), "weights of o2");
}

TEST_F(Outputs, WithAnInvalidManifestAreMissing) {
  Prepared prepared = ended("o1");
  fs::remove_all(prepared.out);
  for (const char* manifest :
       {"", "[]", "{\"token\": \"o2\", \"files\": []}", "{\"token\": \"o1\"}",
        "{\"token\": \"o1\", \"files\": [{\"path\": 3}]}"}) {
    write(folder.file("artifacts/build-1a2b/manifest.json"), manifest);
    EXPECT_FALSE(workspace().check(prepared)) << manifest;
  }
}

TEST_F(Outputs, MayLinkWithinThemselves) {
  const Prepared prepared = ended("o1");
  fs::create_symlink("engine/rank0", prepared.out + "/latest");
  fs::create_symlink("../engine", prepared.out + "/engine/self");
  EXPECT_EQ(refusal(prepared), "");
}

TEST_F(Outputs, ThatLinkOutsideAreRefused) {
  const std::string rest =
      " is a link that leaves the output or has an absolute target; copy its target, or use a "
      "relative link";
  const Prepared prepared = ended("o1");
  const std::string link = prepared.out + "/link";
  for (const std::string& target : {std::string("/etc/hostname"), prepared.out + "/engine",
                                    std::string("../../work"), std::string("../missing")}) {
    fs::create_symlink(target, link);
    EXPECT_EQ(refusal(prepared), "'link'" + rest) << target;
    fs::remove(link);
  }
  // Inside by its text, outside through another link.
  fs::create_symlink("..", prepared.out + "/engine/up");
  fs::create_symlink("engine/up/../../work", link);
  EXPECT_EQ(refusal(prepared), "'link'" + rest);
}

TEST_F(Outputs, InPlaceMayLinkToTheSystem) {
  stage.spec.in_place = true;
  const Prepared prepared = ended("o1");
  fs::create_symlink("/usr/bin/env", prepared.out + "/python");
  EXPECT_EQ(refusal(prepared), "");
}

TEST_F(Outputs, InPlaceAreRemovedWithAFailedAttemptUnlessTheyArePublished) {
  stage.spec.in_place = true;
  const Prepared published = ended("o1");
  ASSERT_TRUE(workspace().publish(published, *workspace().check(published)));
  workspace().discard(published, true);
  EXPECT_TRUE(fs::exists(published.out));
  const Prepared failed = ended("o2");
  workspace().discard(failed, true);
  EXPECT_FALSE(fs::exists(folder.file("artifacts/build-1a2b")));
}

TEST_F(Outputs, WhoseFolderWasReplacedByALinkAreRefused) {
  const Prepared prepared = ended("o1");
  fs::rename(prepared.out, folder.file("elsewhere"));
  fs::create_directory_symlink(folder.file("elsewhere"), prepared.out);
  EXPECT_EQ(refusal(prepared),
            prepared.out + " was replaced by a link; write into the original folder");
}

}  // namespace
}  // namespace orch::attempt

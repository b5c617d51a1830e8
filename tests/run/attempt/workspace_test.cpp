// The launch of an attempt, and its outputs: checked, published, and recognised after a crash.
#include "run/attempt/workspace.hpp"

#include "fakes/faulty_files.hpp"
#include "fakes/memory_files.hpp"
#include "fakes/own_mounts.hpp"
#include "fakes/temp_folder.hpp"

#include <cerrno>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::attempt {
namespace workspace_test {

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
    return prepare({{.stage = &stage, .number = 2, .token = "o1"}}, inherited).front();
  }
  std::vector<Prepared> prepare(const std::vector<Attempt>& attempts, const Variables& inherited) {
    return Workspace(files, {.layout = in_store, .inherited = inherited}).describe(attempts);
  }

  const Layout in_store = {
      .store = "/store", .project = "/p", .runner = "/p/runners/r", .orchestrate = "/bin/o"};
  fakes::MemoryFiles files;
  plan::Stage stage;
  system::LongWork work;
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

TEST_F(Launches, KnowTheSecretsOfAllStages) {
  stage.spec.kind = runner::Kind::service;
  stage.spec.secrets = {"MINE"};
  const std::vector<Attempt> attempts = {{.stage = &stage, .token = "o1"}};
  const Variables mine = {{"MINE", "my own value"}, {"DB_PASSWORD", "open sesame"}, {"X", "other"}};
  const Prepared by_name = prepare(attempts, mine).front();
  EXPECT_EQ(by_name.launch.secrets, (std::vector<std::string>{"my own value", "open sesame"}));
  const Prepared told =
      Workspace(files, {.layout = in_store,
                        .inherited = mine,
                        .secrets = std::vector<std::string>{"of another", "my own value"}})
          .describe(attempts)
          .front();
  EXPECT_EQ(told.launch.secrets,
            (std::vector<std::string>{"my own value", "of another", "open sesame"}));
  EXPECT_EQ(told.probe.redact("say of%20another"), "say [secret]");
}

TEST_F(Launches, ElsewhereSayWhatTheyHaveOfThisHost) {
  stage.spec.env = {{"THREADS", "4"}, {"LANG", "C"}};
  stage.spec.inherit = {"LD_*"};
  Workspace workspace(
      files,
      {.layout = in_store,
       .inherited = {{"PATH", "/bin"}, {"LANG", "de"}, {"LD_LIBRARY_PATH", "/lib"}, {"X", "1"}},
       .places = PlaceOptions{.grace_s = 120, .server_s = 600}});
  const auto launch = workspace.describe({{.stage = &stage, .token = "o1"}}).front().launch;
  EXPECT_EQ(launch.place.inherited, (std::vector<std::string>{"LD_LIBRARY_PATH", "PATH"}));
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
  const std::vector<Attempt> attempts = {{.stage = &stage, .token = "o1", .gpus = {1, 2}}};
  EXPECT_EQ(prepare(attempts, {}).front().launch.env.at("CUDA_VISIBLE_DEVICES"), "1,2");
  Workspace workspace(files, {.layout = in_store, .gpu_names = {{1, "MIG-a"}, {2, "MIG-b"}}});
  EXPECT_EQ(workspace.describe(attempts).front().launch.env.at("CUDA_VISIBLE_DEVICES"),
            "MIG-a,MIG-b");
}

TEST_F(Launches, SeeNoGpuWhereTheyHoldNoneUnlessTheManifestSaysOtherwise) {
  const std::map<std::string, std::string> mine = {{"CUDA_VISIBLE_DEVICES", "2,3"}};
  const auto visible = [&](bool has_gpus) -> std::string {
    const std::vector<Attempt> attempts = {{.stage = &stage, .token = "o1"}};
    Workspace workspace(files, {.layout = in_store, .inherited = mine, .hides_gpus = has_gpus});
    const auto env = workspace.describe(attempts).front().launch.env;
    return env.contains("CUDA_VISIBLE_DEVICES") ? env.at("CUDA_VISIBLE_DEVICES") : "unset";
  };
  EXPECT_EQ(visible(true), "");
  EXPECT_EQ(visible(false), "unset");
  stage.spec.inherit = {"CUDA_*"};
  EXPECT_EQ(visible(true), "");
  stage.spec.inherit = {"CUDA_VISIBLE_DEVICES"};
  EXPECT_EQ(visible(true), "2,3");
  stage.spec.env = {{"CUDA_VISIBLE_DEVICES", "0"}};
  EXPECT_EQ(visible(true), "0");
}

TEST_F(Launches, OfServersLockTheClocksOfTheirGpusAndRestoreThem) {
  WorkspaceConfig config = {
      .layout = in_store, .clock_mhz = 1410, .clock_command = {"sudo", "-n", "nvidia-smi"}};
  const auto launch_of = [&](runner::Kind kind, std::vector<int> gpus) {
    stage.spec.kind = kind;
    const std::vector<Attempt> attempts = {
        {.stage = &stage, .token = "o1", .gpus = std::move(gpus)}};
    return Workspace(files, config).describe(attempts).front().launch;
  };
  using Commands = std::vector<std::vector<std::string>>;
  const execute::Launch server = launch_of(runner::Kind::service, {1, 2});
  EXPECT_EQ(server.before,
            (Commands{{"sudo", "-n", "nvidia-smi", "-i", "1,2", "-lgc", "1410,1410"}}));
  EXPECT_EQ(server.after, (Commands{{"sudo", "-n", "nvidia-smi", "-i", "1,2", "-rgc"}}));
  EXPECT_EQ(server.undo, "/store/attempts/o1/undo.json");
  EXPECT_TRUE(launch_of(runner::Kind::task, {1}).before.empty());
  EXPECT_TRUE(launch_of(runner::Kind::service, {}).before.empty());
  EXPECT_EQ(launch_of(runner::Kind::measure, {}).env.at("ORCHESTRATE_GPU_CLOCK"), "1410");
  // A cluster chooses the GPUs.
  config.places.emplace();
  EXPECT_TRUE(launch_of(runner::Kind::service, {}).before.empty());
  stage.gpus = 2;
  const execute::Launch job = launch_of(runner::Kind::service, {});
  EXPECT_EQ(job.before,
            (Commands{{"sudo", "-n", "nvidia-smi", "-i", "{gpus}", "-lgc", "1410,1410"}}));
  EXPECT_EQ(job.after, (Commands{{"sudo", "-n", "nvidia-smi", "-i", "{gpus}", "-rgc"}}));
  EXPECT_TRUE(launch_of(runner::Kind::task, {}).before.empty());
}

TEST_F(Launches, ProbeEachOfTheirPortsOfAKind) {
  stage.spec.kind = runner::Kind::service;
  stage.spec.ports = {"http.1", "http.2", "side"};
  stage.spec.ready =
      std::make_shared<runner::Ready>(runner::Ready{.port = "http", .get = {"/a", "/b"}});
  stage.spec.smoke = std::make_shared<runner::Smoke>(
      runner::Smoke{.port = "http", .post = "/ask", .body = "{}", .answer = "text"});
  const Probe probe = prepare({{.stage = &stage,
                                .token = "o1",
                                .ports = {{"http.1", 81}, {"http.2", 82}, {"side", 83}}}},
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
  const std::vector<Attempt> attempts = {{.stage = &stage, .token = "o1"},
                                         {.stage = &second, .token = "o2"}};
  const auto prepared = prepare(attempts, {});
  Workspace workspace(files, {.layout = in_store});
  ASSERT_TRUE(workspace.lay_out({&prepared[0], &prepared[1]}, work));
  EXPECT_EQ(files.files.at("/store/attempts/o1/jobs.json"),
            "[\n {\n  \"id\": \"serve-1a2b\",\n  \"scratch\": \"/tmp/o1/x\"\n },\n {\n  \"id\": "
            "\"serve-3c4d\",\n  \"scratch\": \"/tmp/o1/x\"\n }\n]\n");
}

TEST_F(Launches, OfABatchMayTakeTheTimeOfAllItsStages) {
  stage.spec.kind = runner::Kind::task;
  stage.spec.batch = true;
  stage.spec.timeout_s = 600;
  Workspace workspace(files, {.layout = in_store, .places = PlaceOptions()});
  const Attempt one = {.stage = &stage, .token = "o1"};
  EXPECT_EQ(workspace.describe({one, one, one}).front().launch.place.seconds, 1800);
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
        workspace().describe(std::vector<Attempt>{{.stage = &stage, .token = token}}).front();
    EXPECT_TRUE(workspace().lay_out({&prepared}, work));
    write(prepared.out + "/engine/rank0", "weights of " + token);
    return prepared;
  }
  Layout layout() const {
    return {.store = folder.path().string(), .project = "/p", .runner = "/r", .orchestrate = "/o"};
  }
  Workspace workspace() { return Workspace(files, {.layout = layout()}); }
  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  std::string refusal(const Prepared& prepared) {
    const auto checked = workspace().check(prepared, work);
    return checked ? "" : checked.error().message;
  }
  std::string published() const { return folder.file("artifacts/build-1a2b/out/engine/rank0"); }

  fakes::TempFolder folder;
  system::RealFiles files;
  plan::Stage stage;
  system::LongWork work;
};

TEST_F(Outputs, AreNotPublishedOnceTheirWorkIsStopped) {
  const Prepared prepared = ended("o1");
  const auto checked = workspace().check(prepared, work);
  ASSERT_TRUE(checked);
  EXPECT_EQ(work.done_bytes(), work.expected_bytes());
  work.stop();
  EXPECT_EQ(workspace().check(prepared, work).error().kind, ErrorKind::interrupted);
  EXPECT_EQ(workspace().publish(prepared, *checked, work).error().kind, ErrorKind::interrupted);
  EXPECT_FALSE(fs::exists(folder.path() / "artifacts" / stage.id));
}

TEST_F(Outputs, PublishedBeforeACrashAreRecognisedAndKept) {
  fs::create_directories(folder.file("artifacts"));
  const Prepared prepared = ended("o1");
  const auto before = workspace().check(prepared, work);
  ASSERT_TRUE(before);
  ASSERT_TRUE(workspace().publish(prepared, *before, work));
  ASSERT_FALSE(fs::exists(prepared.out));
  // The crash happens here. The attempt's folder is gone, so it cannot be hashed again.
  const auto after = workspace().check(prepared, work);
  ASSERT_TRUE(after) << after.error().message;
  ASSERT_EQ(after->size(), 1u);
  EXPECT_EQ(after->front().path, "engine/rank0");
  EXPECT_EQ(after->front().bytes, before->front().bytes);
  EXPECT_EQ(after->front().sha256, before->front().sha256);
  ASSERT_TRUE(workspace().publish(prepared, *after, work));
  EXPECT_EQ(*files.read(published()), "weights of o1");
}

TEST_F(Outputs, OfAnotherAttemptAreReplaced) {
  fs::create_directories(folder.file("artifacts"));
  const Prepared first = ended("o1");
  ASSERT_TRUE(workspace().publish(first, *workspace().check(first, work), work));
  const Prepared second = ended("o2");
  ASSERT_TRUE(workspace().publish(second, *workspace().check(second, work), work));
  EXPECT_EQ(*files.read(published()), "weights of o2");
}

TEST_F(Outputs, WithAnInvalidManifestAreMissing) {
  Prepared prepared = ended("o1");
  fs::remove_all(prepared.out);
  for (const char* manifest :
       {"", "[]", "{\"token\": \"o2\", \"files\": []}", "{\"token\": \"o1\"}",
        "{\"token\": \"o1\", \"files\": [{\"path\": 3}]}"}) {
    write(folder.file("artifacts/build-1a2b/manifest.json"), manifest);
    EXPECT_FALSE(workspace().check(prepared, work)) << manifest;
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
      " is a link that points outside the output or has an absolute target; copy its target, or "
      "use a relative link";
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
  ASSERT_TRUE(workspace().publish(published, *workspace().check(published, work), work));
  workspace().discard_failed(published, true);
  EXPECT_TRUE(fs::exists(published.out));
  const Prepared failed = ended("o2");
  workspace().discard_failed(failed, true);
  EXPECT_FALSE(fs::exists(folder.file("artifacts/build-1a2b")));
}

TEST_F(Outputs, WithAManifestOfTheStageItselfAreRemovedWithAFailedAttempt) {
  stage.spec.in_place = true;
  const std::string manifest = folder.file("artifacts/build-1a2b/manifest.json");
  const Prepared failed = ended("o1");
  for (const bool pipe : {false, true}) {
    fs::create_directories(failed.out);
    if (pipe) ASSERT_EQ(::mkfifo(manifest.c_str(), 0600), 0);
    else write(manifest, "{}");
    workspace().discard_failed(failed, true);
    EXPECT_FALSE(fs::exists(folder.file("artifacts/build-1a2b")));
  }
}

TEST_F(Outputs, InPlaceThatCannotBeMadeDurableAreNotPublished) {
  stage.spec.in_place = true;
  fakes::FaultyFiles faulty(files);
  faulty.fault = [](std::string_view verb, const std::string& path) {
    return verb == "sync_tree" ? Status(io_error("sync", path, EIO)) : Status();
  };
  const Prepared prepared = ended("o1");
  Workspace workspace(faulty, {.layout = layout()});
  EXPECT_FALSE(workspace.publish(prepared, *workspace.check(prepared, work), work));
  workspace.discard_failed(prepared, true);
  EXPECT_FALSE(fs::exists(folder.file("artifacts/build-1a2b")));
}

TEST_F(Outputs, WhoseMoveCannotBeMadeDurableAreNotLeftInArtifacts) {
  fs::create_directories(folder.file("artifacts"));
  fakes::FaultyFiles faulty(files);
  bool fails = true;
  faulty.fault = [&](std::string_view verb, const std::string& path) {
    return fails && verb == "sync_rename" ? Status(io_error("sync", path, EIO)) : Status();
  };
  const Prepared prepared = ended("o1");
  Workspace workspace(faulty, {.layout = layout()});
  const auto checked = workspace.check(prepared, work);
  EXPECT_FALSE(workspace.publish(prepared, *checked, work));
  EXPECT_TRUE(fs::is_empty(folder.file("artifacts")));
  fails = false;
  EXPECT_TRUE(workspace.publish(prepared, *workspace.check(prepared, work), work));
  EXPECT_EQ(*files.read(published()), "weights of o1");
}

TEST_F(Outputs, BehindALinkMustHaveContent) {
  stage.spec.outputs = {"model"};
  const Prepared prepared = ended("o1");
  const std::string link = prepared.out + "/model";
  write(prepared.out + "/data/empty", "");
  write(prepared.out + "/data/full", "x");
  fs::create_directories(prepared.out + "/bare");
  fs::create_symlink("data/empty", prepared.out + "/second");
  const std::string missing = "the output 'model' is missing or empty";
  for (const auto& [target, expected] : std::map<std::string, std::string>{{"nothing", missing},
                                                                           {"data/empty", missing},
                                                                           {"second", missing},
                                                                           {"bare", missing},
                                                                           {"data/full", ""},
                                                                           {"data", ""}}) {
    fs::create_symlink(target, link);
    EXPECT_EQ(refusal(prepared), expected) << target;
    fs::remove(link);
  }
}

TEST_F(Outputs, InAFolderBehindALinkMustHaveContent) {
  stage.spec.outputs = {"current/model"};
  const Prepared prepared = ended("o1");
  fs::create_symlink("engine", prepared.out + "/current");
  EXPECT_EQ(refusal(prepared), "the output 'current/model' is missing or empty");
  write(prepared.out + "/engine/model", "");
  EXPECT_EQ(refusal(prepared), "the output 'current/model' is missing or empty");
  write(prepared.out + "/engine/model", "x");
  EXPECT_EQ(refusal(prepared), "");
}

TEST_F(Outputs, OfOneDanglingLinkAreMissing) {
  stage.spec.outputs = {"model"};
  const Prepared prepared = ended("o1");
  fs::create_directories(prepared.out + "/model");
  fs::create_symlink("nothing", prepared.out + "/model/weights");
  EXPECT_EQ(refusal(prepared), "the output 'model' is missing or empty");
}

TEST_F(Outputs, WithAMountPointAreRefusedAndItsContentStays) {
  const Prepared prepared = ended("o1");
  write(folder.file("foreign/kept"), "text");
  fs::create_directory(prepared.out + "/data");
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::bind(folder.file("foreign"), prepared.out + "/data");
    EXPECT_EQ(refusal(prepared),
              "'data' is a mount point; unmount it, and write its files into the output");
    std::vector<std::string> warnings;
    Workspace workspace(files, {.layout = layout(), .warn = [&](const std::string& text) {
                                  warnings.push_back(text);
                                }});
    workspace.discard(prepared);
    workspace.tell_warnings();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(prepared.out + "/data: it is a mount point"), std::string::npos)
        << warnings[0];
    EXPECT_TRUE(fs::exists(folder.file("foreign/kept")));
    EXPECT_FALSE(fs::exists(prepared.out + "/engine"));
  });
}

// What a hostile stage leaves where its orchestrator reads and writes.
TEST_F(Outputs, ArePublishedWhateverIsAtThePlaceOfTheManifest) {
  fs::create_directories(folder.file("artifacts"));
  write(folder.file("victim"), "precious");
  for (const char* kind : {"pipe", "link", "folder"}) {
    const Prepared prepared = ended("o1");
    const std::string manifest = fs::path(prepared.out).parent_path() / "manifest.json";
    if (kind == std::string("pipe")) ASSERT_EQ(::mkfifo(manifest.c_str(), 0600), 0);
    else if (kind == std::string("link")) fs::create_symlink(folder.file("victim"), manifest);
    else write(manifest + "/file", "x");
    EXPECT_TRUE(workspace().publish(prepared, *workspace().check(prepared, work), work)) << kind;
    EXPECT_TRUE(
        fs::is_regular_file(fs::symlink_status(folder.file("artifacts/build-1a2b/manifest.json"))))
        << kind;
    EXPECT_EQ(*files.read(folder.file("victim")), "precious");
    fs::remove_all(folder.file("artifacts/build-1a2b"));
  }
}

TEST_F(Outputs, OfAForeignManifestAreNotTakenForPublished) {
  const Prepared prepared = ended("o1");
  fs::create_directories(folder.file("artifacts/build-1a2b"));
  write(folder.file("forged"), "{\"token\": \"o1\", \"files\": []}");
  fs::create_symlink(folder.file("forged"), folder.file("artifacts/build-1a2b/manifest.json"));
  ASSERT_EQ(workspace().check(prepared, work)->size(), 1u);
  fs::remove(folder.file("artifacts/build-1a2b/manifest.json"));
  ASSERT_EQ(::mkfifo(folder.file("artifacts/build-1a2b/manifest.json").c_str(), 0600), 0);
  ASSERT_EQ(workspace().check(prepared, work)->size(), 1u);
}

TEST_F(Outputs, ALinkInPlaceOfTheNameOfTheTemporaryFolderIsNotRead) {
  const Prepared prepared = ended("o1");
  const std::string elsewhere = folder.file("elsewhere/o1");
  fs::create_directories(elsewhere);
  write(folder.file("name"), elsewhere);
  const std::string tmp = folder.file("attempts/o1/tmp");
  fs::remove(tmp);
  fs::create_symlink(folder.file("name"), tmp);
  workspace().forget("o1");
  EXPECT_TRUE(fs::exists(elsewhere));
  fs::create_directories(folder.file("attempts/o1"));
  ASSERT_EQ(::mkfifo(tmp.c_str(), 0600), 0);
  workspace().forget("o1");
  EXPECT_FALSE(fs::exists(folder.file("attempts/o1")));
}

TEST_F(Outputs, VersionsInAPipeAreUnknown) {
  write(folder.file("versions.json"), "{\"tool\": \"1.2\"}");
  stage.spec.tools = std::make_shared<runner::Tools>(
      runner::Tools{.from = folder.file("versions.json"), .names = {"tool"}});
  EXPECT_EQ(ended("o1").tool_version, "tool 1.2");
  fs::remove(folder.file("versions.json"));
  ASSERT_EQ(::mkfifo(folder.file("versions.json").c_str(), 0600), 0);
  EXPECT_EQ(ended("o2").tool_version, "");
}

TEST_F(Outputs, AreNotMissingWhenTheyCannotBeRead) {
  const Prepared prepared = ended("o1");
  fs::create_directory_symlink("engine", prepared.out + "/other");
  stage.spec.outputs = {"engine", "other/rank0"};
  fakes::FaultyFiles faulty(files);
  Workspace checks(faulty, {.layout = layout()});
  ASSERT_TRUE(checks.check(prepared, work));
  for (const char* broken : {"read_own", "list", "read_block", "sha256"}) {
    for (const int number : {EIO, EMFILE, EACCES, ENOSPC}) {
      faulty.fault = [&](std::string_view verb, const std::string& path) {
        return verb == broken ? Status(io_error("open", path, number)) : Status();
      };
      const auto checked = checks.check(prepared, work);
      ASSERT_FALSE(checked) << broken;
      EXPECT_EQ(checked.error().number, number) << broken;
    }
  }
}

TEST_F(Outputs, ThatTheProgramRemovedAreToldFromThoseOfADiscardedAttempt) {
  const Prepared removed = ended("o1");
  fs::remove_all(removed.out);
  EXPECT_EQ(workspace().check(removed, work).error().kind, ErrorKind::invalid);
  EXPECT_EQ(refusal(removed), removed.out + " was removed; write the outputs there");
  const Prepared discarded = ended("o2");
  workspace().discard_failed(discarded, true);
  EXPECT_EQ(workspace().check(discarded, work).error().kind, ErrorKind::not_found);
}

TEST_F(Outputs, OfAFailedAttemptGoWithItsWorkFolderUnlessThatIsKept) {
  const Prepared kept = ended("o1"), dropped = ended("o2");
  workspace().discard_failed(kept, true);
  EXPECT_FALSE(fs::exists(folder.file("attempts/o1/artifact")));
  EXPECT_TRUE(fs::exists(folder.file("attempts/o1/work")));
  workspace().discard_failed(dropped, false);
  EXPECT_FALSE(fs::exists(folder.file("attempts/o2")));
}

TEST_F(Outputs, OfAnAttemptThatMayHaveFilledTheDiskGoWithMostOfItsLog) {
  const Prepared prepared = ended("o1");
  for (const std::size_t bytes : {std::size_t{3} << 20, std::size_t{9}}) {
    write(prepared.launch.log, std::string(bytes, 'x'));
    workspace().discard_failed(prepared, true);
    EXPECT_EQ(fs::file_size(prepared.launch.log), bytes);
    workspace().discard_failed(prepared, false);
    EXPECT_EQ(fs::file_size(prepared.launch.log), std::min(bytes, std::size_t{1} << 20));
  }
}

TEST_F(Outputs, AreDamagedWhenAFileOrTheManifestIsGoneOrHasAnotherSize) {
  fs::create_directories(folder.file("artifacts"));
  const Prepared prepared = ended("o1");
  ASSERT_TRUE(workspace().publish(prepared, *workspace().check(prepared, work), work));
  EXPECT_EQ(workspace().damage(stage), "");
  write(published(), "short");
  EXPECT_EQ(workspace().damage(stage), published() + " has 5 bytes instead of 13");
  fs::remove(published());
  EXPECT_EQ(workspace().damage(stage), published() + " is gone");
  const std::string manifest = folder.file("artifacts/build-1a2b/manifest.json");
  write(manifest, "{\"files\": [{\"path\": 3}]}");
  EXPECT_EQ(workspace().damage(stage), manifest + " is damaged");
  fs::remove_all(folder.file("artifacts"));
  EXPECT_EQ(workspace().damage(stage), "cannot open " + manifest + ": No such file or directory");
}

TEST_F(Outputs, InPlaceMayChangeButNotVanish) {
  stage.spec.in_place = true;
  const Prepared prepared = ended("o1");
  ASSERT_TRUE(workspace().publish(prepared, *workspace().check(prepared, work), work));
  write(prepared.out + "/engine/rank0", "compiled");
  EXPECT_EQ(workspace().damage(stage), "");
  fs::remove_all(prepared.out);
  EXPECT_EQ(workspace().damage(stage), prepared.out + " is gone");
}

TEST_F(Outputs, WhoseFolderWasReplacedByALinkAreRefused) {
  const Prepared prepared = ended("o1");
  fs::rename(prepared.out, folder.file("elsewhere"));
  fs::create_directory_symlink(folder.file("elsewhere"), prepared.out);
  EXPECT_EQ(refusal(prepared),
            prepared.out + " was replaced by a link; write into the original folder");
}

}  // namespace workspace_test
}  // namespace orch::attempt

// The unchanged runner of TensorRT-LLM, on a stand-in installation whose tools and engine do no
// work (tests/runners/triton_trtllm/standin): every stage up to real tritonservers under a real
// mpirun, which are measured and lose a rank. The GPUs are those of a fake driver library.
#include "e2e/ranks.hpp"

namespace orch::e2e {
namespace trtllm_test {

constexpr const char* k_matrix = R"(name: trtllm
runner: triton-trtllm
models: {tiny: {source: "local:FOLDER/model"}}
axes: {model: [tiny], engine: ENGINES}
defaults: {app_dir: FOLDER/app, triton_backend: python, isl: 16, osl: 4, batch_size: 4, concurrency: 4, num_prompts: 24}
measure: {warmup: 2, limits: {wake_lag_ms: 1000, client_cpu_share: 1000}}
)";

void prepare(Sweep& sweep, const std::string& engines) {
  const std::string sources = ORCH_SOURCE_DIR, folder = sweep.folder();
  const Finished made =
      sweep.run({"/usr/bin/python3", sources + "/tests/runners/triton_trtllm/standin/make.py",
                 folder, environment()});
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* name : {"runners", "templates"})
    std::filesystem::create_directory_symlink(sources + "/" + name, folder + "/" + name);
  std::filesystem::create_directory(folder + "/lib");
  std::filesystem::create_symlink(ORCH_FAKE_NVML, folder + "/lib/libnvidia-ml.so.1");
  std::string matrix = k_matrix;
  for (const auto& [pattern, value] :
       {std::pair<std::string, std::string>{"FOLDER", folder}, {"ENGINES", engines}})
    for (std::size_t at = 0; (at = matrix.find(pattern, at)) != std::string::npos;
         at += value.size())
      matrix.replace(at, pattern.size(), value);
  sweep.write("trtllm.yaml", matrix);
}

// A sweep with the installation first on PATH.
Ranks servers_of(const std::string& engines,
                 const std::string& gpus = "NVIDIA H100;NVIDIA H100;NVIDIA H100;NVIDIA H100") {
  return Ranks([&](Sweep& sweep) { prepare(sweep, engines); },
               [&](const Sweep& sweep) {
                 const std::string folder = sweep.folder();
                 return std::vector<std::string>{"/usr/bin/env",
                                                 "PATH=" + folder + "/bin:/usr/bin:/bin",
                                                 "LD_LIBRARY_PATH=" + folder + "/lib",
                                                 "ORCH_FAKE_GPUS=" + gpus,
                                                 ORCH_BINARY,
                                                 "run",
                                                 "trtllm.yaml"};
               });
}

// The GPUs that each server could see, sorted.
std::set<std::string> devices_of(const Sweep& sweep) {
  std::istringstream lines(Sweep::read(sweep.folder() + "/devices"));
  std::set<std::string> devices;
  for (std::string line; std::getline(lines, line);) devices.insert(line);
  return devices;
}

const std::vector<std::string> k_nothing;

TEST(TensorRtLlm, ServersOfTwoAndFourRanksAreMeasured) {
  Ranks ranks = servers_of("[{tp: 2}, {tp: 2, pp: 2}]");
  const Finished done = ranks.run();
  ASSERT_EQ(done.code, 0) << done.err;
  Sweep& sweep = ranks.sweep();
  EXPECT_EQ(sweep.value("select count(*) from results where error_rate = 0 and osl_counted = 4"),
            2);
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'repository'"), 1);
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name in ('convert', 'build')"), 4);
  EXPECT_EQ(
      sweep.value(
          "select max(json_array_length(gpus)) from attempt where argv like '%tritonserver%'"),
      4);
  EXPECT_EQ(ranks.left(), k_nothing);
}

// Its ranks end with it, and its failure class is that of a server that died.
TEST(TensorRtLlm, AServerWithAnAbortedRankFailsAndLeavesNothing) {
  Ranks ranks = servers_of("[{tp: 2}]");
  ranks.close_gate();
  const auto run = ranks.start();
  if (ranks.wait_for_prompt(run)) ranks.kill_server_and_wait("1", SIGABRT);
  ranks.open_gate();
  const Finished done = ranks.sweep().finish(run);
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_NE(done.err.find("server_crash: ended with exit status 134"), std::string::npos)
      << done.err;
  EXPECT_EQ(ranks.sweep().query("select class from failures where kind = 'service'"),
            Json::parse(R"([{"class":"server_crash"}])"));
  EXPECT_EQ(ranks.left(), k_nothing);
}

TEST(TensorRtLlm, TwoServersShareTheLoadAndTheGpus) {
  Ranks ranks = servers_of("[{tp: 2, instances: 2}]");
  const Finished done = ranks.run();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(
      ranks.sweep().value("select count(*) from results where error_rate = 0 and osl_counted = 4"),
      1);
  std::istringstream diary(Sweep::read(ranks.sweep().folder() + "/diary"));
  std::map<std::string, int> prompts;  // by server
  for (std::string server; std::getline(diary, server);) ++prompts[server];
  ASSERT_EQ(prompts.size(), 2u);
  for (const auto& [server, count] : prompts)
    EXPECT_GE(count, 10) << server;  // of 26, and one smoke request each
  EXPECT_EQ(devices_of(ranks.sweep()), (std::set<std::string>{"0,1", "2,3"}));
  EXPECT_EQ(ranks.left(), k_nothing);
}

// One GPU in two MIG devices. CUDA lets a process use only one of them, so two ranks are refused.
TEST(TensorRtLlm, ServersOnASplitGpuSeeOneMigDeviceEachByItsUuid) {
  Ranks ranks = servers_of("[{tp: 1, instances: 2}, {tp: 2}]", "NVIDIA H100+++");
  const Finished done = ranks.run();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(ranks.sweep().value("select count(*) from results where error_rate = 0"), 1);
  EXPECT_EQ(devices_of(ranks.sweep()), (std::set<std::string>{"MIG-0-5", "MIG-0-6"}));
  EXPECT_NE(done.err.find("rejected 1 of 2 points: mig-ranks: "), std::string::npos) << done.err;
}

// The remaining server cannot continue alone: the measurement needs both.
TEST(TensorRtLlm, WhenOneOfTwoServersDiesTheOtherIsEnded) {
  Ranks ranks = servers_of("[{tp: 1, instances: 2}]");
  ranks.close_gate();
  const auto run = ranks.start();
  if (ranks.wait_for_prompt(run)) ranks.kill_server_and_wait("0", SIGABRT);
  ranks.open_gate();
  const Finished done = ranks.sweep().finish(run);
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_EQ(ranks.sweep().query("select class from failures where kind = 'service'"),
            Json::parse(R"([{"class":"server_crash"}])"));
  EXPECT_EQ(ranks.left(), k_nothing);
}

}  // namespace trtllm_test
}  // namespace orch::e2e

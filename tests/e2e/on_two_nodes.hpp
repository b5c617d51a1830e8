// Sweeps over servers of four ranks, tp 2 x pp 2, on the two nodes of a real Slurm.
#pragma once

#include "crash/local_slurm.hpp"
#include "e2e/ranks.hpp"

namespace orch::e2e {

// The processes whose command and environment are those that IS wants, by their pids.
inline std::vector<int> pids_with(
    const std::function<bool(const std::string&, const std::string&)>& is) {
  std::vector<int> pids;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    std::string command = Sweep::read(entry.path().string() + "/cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    if (!command.empty() && is(command, Sweep::read(entry.path().string() + "/environ")))
      pids.push_back(std::atoi(entry.path().filename().c_str()));
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

class OnTwoNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
    if (slurm.ask("srun --mpi=pmix --ntasks=1 true") == "?")
      GTEST_SKIP() << "libpmix-dev is not installed (scripts/install-packages.sh test)";
  }
  // A sweep over servers with these AXES, beside tp and pp. SITE and SERVE: see Ranks.
  std::unique_ptr<Ranks> sweep_of(const std::string& axes, const std::string& site = "",
                                  const std::string& serve = "") const {
    auto ranks = std::make_unique<Ranks>(environment(), "machine: {nodes: 2, gpus: 2}\n" + site,
                                         axes, "resources: {gpus: ranks}" + serve);
    ranks->run_on(slurm.variables());
    return ranks;
  }
  // The jobs of a sweep that has ended leave the queue a little later.
  void wait_for_empty_queue(Ranks& ranks) const {
    ranks.sweep().wait_until([&] { return slurm.live_jobs().empty(); });
  }
  // COUNT rows were measured by servers on both nodes.
  void expect_measured(Ranks& ranks, int count) const {
    EXPECT_EQ(ranks.sweep().value(
                  "select count(*) from results where error_rate = 0 and osl_counted = 4"),
              count);
    EXPECT_EQ(ranks.sweep().query("select distinct node from provenance where kind = 'service'"),
              Json::parse(R"([{"node":"n[1-2]"}])"));
  }
  // The nodes of the servers that run, by rank.
  static std::map<std::string, std::string> nodes_of(const Ranks& ranks) {
    std::map<std::string, std::string> nodes;
    for (const Part& part : ranks.parts())
      if (part.program == "tritonserver") nodes[part.rank] = part.node;
    return nodes;
  }

  crash::Slurm slurm;
};

inline const std::map<std::string, std::string> k_two_on_each = {
    {"0", "n1"}, {"1", "n1"}, {"2", "n2"}, {"3", "n2"}};

}  // namespace orch::e2e

// A store on a disk of a few MiB: what fits is measured, what does not is the machine's failure,
// and the same command completes the sweep once there is space.
#include "e2e/toy.hpp"
#include "fakes/small_disk.hpp"

namespace orch::e2e {
namespace full_disk_test {

// The model has 8 MiB for the flavour `large` and 1 MiB for any other.
constexpr const char* k_make = R"(import json, sys
flavour, delay, out = sys.argv[1:]
open(out + "/model.txt", "w").write(flavour)
with open(out + "/prompts.jsonl", "w") as prompts:
    for block in range(3):
        for i in range(7):
            print(json.dumps({"text_input": f"prompt {block} {i}", "isl": 3, "warmup": i == 0, "block": block}), file=prompts)
with open(out + "/weights", "wb", buffering=0) as weights:
    for _ in range(8 if flavour == "large" else 1):
        if weights.write(bytes(1 << 20)) != 1 << 20:
            sys.exit("the weights are incomplete")
)";

// What is left of outputs in the folders of attempts.
std::size_t outputs_left(const std::string& store) {
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(store + "/attempts"))
    if (std::filesystem::exists(entry.path() / "artifact")) ++left;
  return left;
}

TEST(FullDisk, FailsWhatDoesNotFitAndWedgesNothing) {
  fakes::SmallDisk disk("5m");
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [large, plain]}\n");
  sweep.write("runners/toy/make.py", k_make);
  const std::string store = disk.file("results");
  const auto run = [&] {
    return sweep.orchestrate({"run", "toy.yaml", "--store", store, "--jobs", "1"});
  };
  const auto value = [&](const std::string& sql) {
    const Finished done = sweep.orchestrate({"query", sql, "--store", store, "--format", "json"});
    EXPECT_EQ(done.code, 0) << done.err;
    const Json rows = Json::parse(done.out, nullptr, false);
    return rows.size() == 1 && rows[0].size() == 1 ? rows[0].begin().value() : Json(done.out);
  };
  // Twice: the first full disk leaves nothing that stops the second command.
  for (int time = 0; time < 2; ++time) {
    const Finished full = run();
    EXPECT_EQ(full.code, 1) << full.err;
    EXPECT_EQ(value("select count(*) from results where flavour = 'plain'"), 1);
    EXPECT_EQ(value("select count(*) from results"), 1);
    EXPECT_EQ(value("select group_concat(distinct class) from failures"), "disk_full") << full.err;
    EXPECT_EQ(outputs_left(store), 0u) << full.err;
  }
  disk.resize("50m");
  const Finished done = run();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(value("select count(*) from results"), 2);
  EXPECT_EQ(sweep.orchestrate({"verify", "--store", store}).code, 0);
}

}  // namespace full_disk_test
}  // namespace orch::e2e

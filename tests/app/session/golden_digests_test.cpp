// The digests of every preset and experiment, planned for eight GPUs, beside those on record in
// tests/golden/digests.txt. With ORCH_UPDATE_GOLDEN=1 the test writes that file instead.
#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cstdlib>

namespace orch::session {
namespace golden_digests_test {

namespace fs = std::filesystem;

const fs::path k_source = ORCH_SOURCE_DIR;

constexpr const char* k_heading =
    "# A line for each kind of stage of each preset and experiment: how many stages, a hash of "
    "what\n"
    "# they state themselves, and a hash that includes the stages they need. Where a hash "
    "changes,\n"
    "# stores of the release before make such stages again: CHANGELOG lists each change, with its\n"
    "# reason. ORCH_UPDATE_GOLDEN=1 writes this file "
    "(tests/app/session/golden_digests_test.cpp).\n";

struct Hashes {
  std::vector<std::string> own, whole;  // of the stages of one kind
};

std::string together(std::vector<std::string> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return sha256(join(hashes, "\n")).prefix(12);
}

// Hashes of the components of each stage, like those of its key, but without the programs of this
// machine: their content changes with each update of the distribution.
std::string lines_of(const plan::Plan& plan) {
  std::map<std::string, std::string> whole;  // of the key
  std::map<std::string, Hashes> kinds;
  for (const plan::Stage& stage : plan.stages) {
    Components own, all;
    for (const Component& one : stage.components.list()) {
      if (one.name.starts_with("executable.")) continue;
      const bool is_need = one.name.starts_with("needs.");
      if (!is_need) own.add(one.name, one.value);
      all.add(one.name, is_need ? whole.at(stage.needs.at(one.name.substr(6))) : one.value);
    }
    whole[stage.id] = all.digest().hex();
    kinds[stage.spec.name].own.push_back(own.digest().hex());
    kinds[stage.spec.name].whole.push_back(whole[stage.id]);
  }
  std::string text;
  for (const auto& [kind, of] : kinds)
    text += fmt::format("  {:<24} {:>4}  {}  {}\n", kind, of.own.size(), together(of.own),
                        together(of.whole));
  return text;
}

class GoldenDigests : public ::testing::Test {
 protected:
  // Experiments read a model and prompts beside their folder.
  GoldenDigests() {
    fs::copy(k_source / "experiments", project.path("experiments"), fs::copy_options::recursive);
    fs::create_directories(project.path("models"));
    fs::copy(k_source / "tests/golden/data/tiny", project.path("models/internlm-7b"));
    project.write("data/sharegpt.json", R"([{"conversations": [{"from": "human", "value": "Hi"},
        {"from": "gpt", "value": "Hello"}]}])");
  }

  std::string plan(const fs::path& matrix, const std::string& name) {
    ExperimentOptions options;
    options.matrix_file = matrix;
    options.site_file = project.path("site.yaml");
    options.machine_file = k_source / "tests/data/8xh100.yaml";
    options.near = k_source;
    Errors errors;
    const Experiment loaded = load_experiment(project.world, options, errors);
    Planning planning(project.world.files, loaded, project.path("results"), plan::Options{});
    if (errors.empty()) planning.plan(errors);
    EXPECT_EQ(text_of(errors), "");
    EXPECT_FALSE(planning.current().stages.empty()) << name << " has nothing to compare";
    return "\n" + name + "\n" + lines_of(planning.current());
  }

  ProjectOfFiles project;
};

std::vector<fs::path> matrices_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code no_such_folder;
  for (const auto& entry : fs::directory_iterator(folder, no_such_folder))
    if (const std::string name = entry.path().filename();
        name.ends_with(".yaml") && !name.ends_with(".times.yaml"))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

TEST_F(GoldenDigests, OfPresetsAndExperimentsAreThoseOnRecord) {
  std::string text = k_heading;
  std::vector<fs::path> presets;
  for (const auto& runner : fs::directory_iterator(k_source / "runners"))
    for (const fs::path& preset : matrices_in(runner.path() / "presets")) presets.push_back(preset);
  std::sort(presets.begin(), presets.end());
  for (const fs::path& preset : presets) text += plan(preset, preset.lexically_relative(k_source));
  for (const fs::path& experiment : matrices_in(project.path("experiments")))
    text += plan(experiment, experiment.lexically_relative(project.path("")));
  const fs::path golden = k_source / "tests/golden/digests.txt";
  if (std::getenv("ORCH_UPDATE_GOLDEN")) std::ofstream(golden) << text;
  std::ifstream file(golden);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace golden_digests_test
}  // namespace orch::session

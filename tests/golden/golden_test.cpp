// Compares the complete output of `orchestrate plan` for matrices/NAME.yaml with NAME.expected, and
// likewise for experiments/. With ORCH_UPDATE_GOLDEN=1 the tests write these files instead: review
// the difference before you commit it.
#include "fakes/temp_folder.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace orch {
namespace golden_test {

namespace fs = std::filesystem;

const fs::path k_matrices = fs::path(ORCH_SOURCE_DIR) / "tests/golden/matrices";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_of_a_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_.-~/", c);
}

// TEXT with NAME instead of PATH wherever PATH is a whole path or the beginning of one.
std::string with_path_named(std::string text, const std::string& path, const std::string& name) {
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
    const std::size_t end = at + path.size();
    const bool begins = at == 0 || !is_of_a_path(text[at - 1]);
    const bool ends = end == text.size() || text[end] == '/' || !is_of_a_path(text[end]);
    if (begins && ends) text.replace(at, path.size(), name);
    at += begins && ends ? name.size() : 1;
  }
  return text;
}

// Replaces what depends on the machine: the binary, the folder of the project and the free disk
// space.
std::string without_machine(std::string text) {
  text = with_path_named(std::move(text), ORCH_BINARY, "BINARY");
  text = with_path_named(std::move(text), ORCH_SOURCE_DIR, "PROJECT");
  text = std::regex_replace(text, std::regex("[0-9.]+ [KMGT]?i?B free at"), "ROOM free at");
  return std::regex_replace(text, std::regex("warning: there is not enough free space[^\n]*\n"),
                            "");
}

TEST(Normaliser, replaces_whole_paths_only) {
  EXPECT_EQ(with_path_named("RUN=/src/build/src/run '/src' /src-2/a /src.d ~/src x/src /src/src\n",
                            "/src", "PROJECT"),
            "RUN=PROJECT/build/src/run 'PROJECT' /src-2/a /src.d ~/src x/src PROJECT/src\n");
}

std::string plan_output(const fs::path& folder, const std::string& arguments) {
  const fakes::TempFolder temporary;
  const std::string out = temporary.path() / "out", err = temporary.path() / "err";
  const std::string command = "cd '" + folder.string() +
                              "' && XDG_CONFIG_HOME=/nowhere '" ORCH_BINARY "' plan " + arguments +
                              " --store /nowhere >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  // The note about the longest measurement names it by its id, in which programs of this machine
  // count.
  static const std::regex id("(longest measurement is [a-z_]+)-[0-9a-f]{12}");
  return "exit " + std::to_string(WEXITSTATUS(status)) + "\n--- stderr\n" +
         without_machine(read(err)) + "--- stdout\n" +
         std::regex_replace(without_machine(read(out)), id, "$1");
}

void expect_golden(const fs::path& expected, const std::string& actual) {
  if (std::getenv("ORCH_UPDATE_GOLDEN")) std::ofstream(expected) << actual;
  EXPECT_EQ(actual, read(expected));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(k_matrices))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, has_the_recorded_plan) {
  expect_golden(k_matrices / (GetParam() + ".expected"),
                plan_output(k_matrices, GetParam() + ".yaml --machine ../machine.yaml"));
}

INSTANTIATE_TEST_SUITE_P(Matrices, Golden, testing::ValuesIn(names()),
                         [](const auto& matrix) { return matrix.param; });

// An experiment of the project: planned for a stated machine, for an unknown machine, and as a
// script.
struct Experiment {
  std::string name;
  std::string where;  // selects the points of the script
};

void PrintTo(const Experiment& experiment, std::ostream* out) { *out << experiment.name; }

// Replaces the digest in each stage name by a number, because every change of a script changes
// digests. Variables such as "build_1a2b" have only as many digits as make them unique. One pass
// for all names: texts have hundreds of them.
std::string without_digests(const std::string& text) {
  std::vector<std::pair<std::string, std::string>>
      stages;  // name and digest, in the order of first occurrence
  const std::regex id("([a-z_]+)-([0-9a-f]{12})");
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at) {
    const std::pair<std::string, std::string> stage((*at)[1], (*at)[2]);
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
  }
  const std::regex reference("([a-z_]+)(-[0-9a-f]{12}|_[0-9a-f]{4,12}\\b)");
  std::string out;
  auto copied = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), reference), end; at != end; ++at) {
    const std::string name = (*at)[1], digest = std::string((*at)[2]).substr(1);
    const auto stage = std::find_if(stages.begin(), stages.end(), [&](const auto& one) {
      return (name == one.first || name.ends_with("_" + one.first)) &&
             one.second.starts_with(digest);
    });
    if (stage == stages.end()) continue;
    out.append(copied, (*at)[2].first + 1).append(std::to_string(stage - stages.begin() + 1));
    copied = (*at)[2].second;
  }
  return out.append(copied, text.end());
}

// Omits the functions that all scripts share. Other tests run them.
std::string without_functions(const std::string& text) {
  const std::size_t begin = text.find("\nsay() {");
  const std::size_t end = std::min(text.find("\n# environment-"), text.find("\nbegin_job() {"));
  return begin == std::string::npos || end == std::string::npos
             ? text
             : text.substr(0, begin) + "\n...\n" + text.substr(end);
}

class Experiments : public testing::TestWithParam<Experiment> {};

TEST_P(Experiments, have_the_recorded_plans_and_scripts) {
  const fs::path folder = fs::path(ORCH_SOURCE_DIR) / "tests/golden/experiments";
  const std::string matrix = "experiments/" + GetParam().name + ".yaml";
  const std::string where = GetParam().where.empty() ? "" : " --where \"" + GetParam().where + "\"";
  expect_golden(folder / (GetParam().name + ".8xh100"),
                plan_output(ORCH_SOURCE_DIR, matrix + " --machine tests/data/8xh100.yaml"));
  expect_golden(folder / (GetParam().name + ".undecided"),
                plan_output(ORCH_SOURCE_DIR, matrix + where));
  expect_golden(
      folder / (GetParam().name + ".sh"),
      without_functions(without_digests(plan_output(
          ORCH_SOURCE_DIR, matrix + " --script --machine tests/data/8xh100.yaml" + where))));
}

// An axis with closed and open loads, which no experiment has.
TEST(Loads, of_both_kinds_share_an_axis) {
  const fs::path folder = fs::path(ORCH_SOURCE_DIR) / "tests/golden/experiments";
  const std::string plan =
      "tests/golden/experiments/qwen2-precision.yaml --machine tests/data/8xh100.yaml";
  expect_golden(folder / "qwen2-precision.8xh100", plan_output(ORCH_SOURCE_DIR, plan));
  const std::string one =
      " --where \"model = 'qwen2-7b' AND precision = 'fp8' AND tp = 1 AND isl = 128 AND batch_size "
      "= 8 AND request_rate = 10\"";
  expect_golden(
      folder / "qwen2-precision.sh",
      without_functions(without_digests(plan_output(ORCH_SOURCE_DIR, plan + " --script" + one))));
}

// Two parallelisms in an image of a cluster: the files of a folder, and the one script.
class OnSlurm : public testing::Test {
 protected:
  static constexpr const char* k_plan =
      "tests/golden/experiments/slurm-tp4-pp2.yaml --machine tests/data/8xh100.yaml --site "
      "tests/golden/experiments/slurm-site.yaml --executor slurm --script ";
  static const fs::path& expected() {
    static const fs::path path = fs::path(ORCH_SOURCE_DIR) / "tests/golden/experiments";
    return path;
  }
  // What bash, and shellcheck where it is installed, say about FILES.
  std::string complaints(const std::string& files) const {
    const std::string said = folder.path() / "said";
    const int status = std::system(("{ for file in " + files +
                                    "; do bash -n \"$file\"; done; command -v shellcheck "
                                    ">/dev/null && shellcheck " +
                                    files + "; } >" + said + " 2>&1")
                                       .c_str());
    return WIFEXITED(status) ? read(said) : "bash died";
  }

  fakes::TempFolder folder;
};

TEST_F(OnSlurm, has_the_recorded_files) {
  const std::string scripts = folder.path() / "scripts";
  std::string text =
      with_path_named(plan_output(ORCH_SOURCE_DIR, k_plan + scripts), scripts, "DIR");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(scripts))
    if (entry.path().filename() != "SHA256SUMS") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    text += "\n=== " + file.filename().string() + "\n" + without_machine(read(file));
  expect_golden(expected() / "slurm-tp4-pp2.files", without_functions(without_digests(text)));
  EXPECT_EQ(complaints(scripts + "/*.s*"), "");
}

TEST_F(OnSlurm, has_the_recorded_script) {
  const std::string text = plan_output(ORCH_SOURCE_DIR, k_plan);
  expect_golden(expected() / "slurm-tp4-pp2.sh", without_functions(without_digests(text)));
  const std::string script = folder.path() / "plan.sh";
  std::ofstream(script) << text.substr(text.find("#!"));
  EXPECT_EQ(complaints(script), "");
}

// A point that one node cannot serve: accepted on two, and divided evenly in its jobs.
TEST_F(OnSlurm, has_servers_on_two_nodes) {
  const std::string matrix = "tests/golden/experiments/slurm-tp8-pp2.yaml --executor slurm";
  expect_golden(expected() / "slurm-tp8-pp2.two-nodes", plan_output(ORCH_SOURCE_DIR, matrix));
  expect_golden(expected() / "slurm-tp8-pp2.one-node",
                plan_output(ORCH_SOURCE_DIR, matrix + " --machine tests/data/8xh100.yaml"));
  const std::string scripts = folder.path() / "scripts";
  plan_output(ORCH_SOURCE_DIR,
              matrix + " --script " + scripts + " --site tests/golden/experiments/slurm-site.yaml");
  std::string text;
  for (const char* end : {".sub", ".sh"})
    for (const auto& entry : fs::directory_iterator(scripts))
      if (const std::string name = entry.path().filename();
          name.starts_with("serve-") && name.ends_with(end))
        text += read(entry.path());
  expect_golden(expected() / "slurm-tp8-pp2.serve",
                without_functions(without_digests(without_machine(text))));
  EXPECT_EQ(complaints(scripts + "/*.s*"), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Experiments,
    testing::Values(Experiment{"qwen2-deploy",
                               "isl = 2048 AND osl = 1024 AND batch_size = 8 AND concurrency = 8"},
                    Experiment{"qwen-14b-int4-build-flags", ""},
                    Experiment{"trtllm-backend-tour", ""}, Experiment{"llm-perf-cross-check", ""},
                    Experiment{"speculative-decoding", "concurrency = 4"}, Experiment{"lora", ""},
                    Experiment{"encoder-decoder", "concurrency = 8"}, Experiment{"multimodal", ""}),
    [](const auto& experiment) {
      std::string name = experiment.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace golden_test
}  // namespace orch

// The starting matrix of `orchestrate init` passes `check` for every runner.
#include "app/init/starting_matrix.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/expand.hpp"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace orch::session {
namespace starting_matrix_test {

namespace fs = std::filesystem;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

runner::Manifest manifest_of(const std::string& text, const std::string& file = "runner.yaml") {
  Errors errors;
  runner::Manifest manifest = runner::parse_manifest(
      text, file, errors,
      [](const std::string& path) -> Result<std::string> { return read(path); });
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return manifest;
}

system::Machine laptop() {
  system::Machine machine;
  machine.cpu_model = "Test CPU";
  machine.cpus = 2;
  machine.memory_gib = 7.75;
  return machine;
}

// The errors and warnings that `check` prints for TEXT, and its number of points.
std::string check_result(const std::string& text, const runner::Manifest& manifest) {
  Errors errors;
  const matrix::Matrix matrix = matrix::parse_matrix(text, "matrix.yaml", errors);
  std::size_t points = 0;
  std::string messages;
  if (errors.empty()) {
    const matrix::Expansion expansion = matrix::expand(matrix, manifest.vocabulary(), {}, errors);
    points = expansion.points.size();
    for (const std::string& warning : expansion.warnings) messages += "warning: " + warning + "\n";
  }
  for (const Error& error : errors) messages += error.text() + "\n";
  return messages + fmt::format("{} points", points);
}

constexpr const char* k_stages = R"(
stages:
  serve: {kind: service, reads: [READS], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], reads: [], argv: [/bin/x], outputs: [y]}
)";

std::string runner_of(const std::string& parameters, const std::string& reads) {
  return "runner: toy\ndescription: a toy\nparameters:\n" + parameters +
         std::regex_replace(k_stages, std::regex("READS"), reads);
}

const std::string k_parameters = R"yaml(
  model: {type: text, help: "a name under models:; source generate:tiny"}
  precision: {type: text, values: [f16, q8_0, q4_0], default: q8_0, help: how the matrices are stored}
  isl: {type: integer, min: 1, default: 32}
  osl: {type: integer, min: 1, default: 16}
  batch_size: {type: integer, min: 1, default: 8, help: "requests at a time: more wait"}
  concurrency: {type: integer, min: 1, default: 1, help: requests that are kept open}
  num_prompts: {type: integer, min: 1, sql: "max(20, 10 * concurrency)", help: requests that are measured}
  reuse: {type: boolean, default: false}
  lookback: {type: integer, min: 1, optional: true, help: tokens}
  unread: {type: text, values: [a, b], default: a}
)yaml";
const std::string k_reads =
    "model, precision, isl, osl, batch_size, concurrency, num_prompts, reuse, lookback";

TEST(StartingMatrix, ShowsParametersWithTheirHelpDefaultsAndValues) {
  EXPECT_EQ(starting_matrix(manifest_of(runner_of(k_parameters, k_reads)), laptop(), "first"),
            R"yaml(# A matrix to start from. Runner: a toy
# Machine: Test CPU, 2 CPUs, 7.8 GiB of memory, no GPU seen
name: first                                   # results are kept under this name
runner: toy                                   # a folder under runners/

models:
  tiny: {source: "generate:tiny"}             # a name under models:; source generate:tiny

axes:                                         # every combination is a point
  model: [tiny]                               # names under models:
  precision: [q8_0, f16]                      # how the matrices are stored; also q4_0
  length: [{isl: 32, osl: 16}]                # a map sets several parameters together
  load: [{concurrency: 1}, {concurrency: 4}]  # requests that are kept open

defaults:                                     # for parameters that no axis sets; these are the runner's own values
  # batch_size: 8                             # integer, at least 1: requests at a time: more wait
  # reuse: false                              # boolean
  # lookback: 1                               # not set; integer, at least 1: tokens
  # unread: a                                 # text, one of a, b

let:                                          # SQL over the point: values of parameters, or of names of your own
  # num_prompts: 'max(20, 10 * concurrency)'  # integer, at least 1: requests that are measured

# Further sections of a matrix:
# exclude: ["precision = 'f16' AND concurrency > 1"] # points for which this is true are dropped
# include: [{concurrency: 2}]                 # further points; an entry expands over the axes that it leaves out
# measure: {warmup: 2 * concurrency, repeats: {measure: 3}} # warm-up requests; repeats of each load
# zip: [precision, load]                      # axes that advance together instead of crossing
# base: other.yaml                            # another matrix that this one changes
)yaml");
}

TEST(StartingMatrix, PassesCheck) {
  const runner::Manifest manifest = manifest_of(runner_of(k_parameters, k_reads));
  EXPECT_EQ(check_result(starting_matrix(manifest, laptop(), "first"), manifest), "4 points");
}

TEST(StartingMatrix, PassesCheckWithAnyCommentedLineEnabled) {
  const runner::Manifest manifest = manifest_of(runner_of(k_parameters, k_reads));
  const std::string text = starting_matrix(manifest, laptop(), "first");
  const auto uncommented = [&](const std::string& line) {
    EXPECT_NE(text.find("# " + line), std::string::npos) << line;
    return check_result(std::regex_replace(text, std::regex("# (" + line + ")"), "$1"), manifest);
  };
  EXPECT_EQ(uncommented("batch_size: "), "4 points");
  EXPECT_EQ(uncommented("reuse: "), "4 points");
  EXPECT_EQ(uncommented("num_prompts: "), "4 points");
  EXPECT_EQ(uncommented("exclude: "), "3 points");
  EXPECT_EQ(uncommented("measure: "), "4 points");
  EXPECT_EQ(uncommented("include: "), "6 points");
  EXPECT_EQ(uncommented("zip: "), "2 points");
}

TEST(StartingMatrix, HasACommentedOpenLoadIfTheRunnerTakesARate) {
  const runner::Manifest manifest = manifest_of(runner_of(k_parameters + R"yaml(
  request_rate: {type: real, optional: true, help: requests each second}
  arrival: {type: text, values: [constant, poisson], optional: true, sql: "iif(request_rate IS NULL, NULL, 'poisson')"}
)yaml",
                                                          k_reads + ", request_rate, arrival"));
  const std::string text = starting_matrix(manifest, laptop(), "first");
  const std::string closed =
      "  load: [{concurrency: 1}, {concurrency: 4}]  # requests that are kept open\n";
  const std::string open =
      "  # load: [{request_rate: 10, arrival: poisson}] # requests each second\n";
  ASSERT_NE(text.find(closed + open), std::string::npos) << text;
  EXPECT_EQ(text.find("# request_rate: "),
            std::string::npos);  // under defaults every point would have two loads
  EXPECT_EQ(check_result(text, manifest), "4 points");
  EXPECT_EQ(check_result(std::regex_replace(text, std::regex("  load: .*\n  # load: "), "  load: "),
                         manifest),
            "2 points");
}

TEST(StartingMatrix, PassesCheckForAnyParameters) {
  const struct {
    const char* parameters;
    const char* reads;
  } k_runners[] = {
      {"  tp: {type: integer, default: 1}", "tp"},  // nothing but defaults
      {"  tp: {type: integer, min: 4}\n  share: {type: real}\n  enabled: {type: boolean}\n  v: "
       "{type: version}\n  t: {type: text}",
       "tp, share, enabled, v, t"},  // no parameter has a default
      {"  t: {type: text, values: ['yes', '0.10', 'a: b', \"it's\"]}",
       "t"},  // texts that YAML reads as another type
      {"  t: {type: text, values: [\"it's\", \"say \\\"no\\\"\"]}", "t"},
      {"  v: {type: version, values: [0.10, '0.9'], default: 0.10}", "v"},
      {"  t: {type: text, default: \"a # b: {c}\", help: \"two\\nlines: and # more\"}\n  u: {type: "
       "text, default: 'null'}",
       "t, u"},
      {"  isl: {type: integer, values: [1, 2]}\n  osl: {type: integer, default: 4}", "isl, osl"},
      {"  concurrency: {type: integer, min: 8}", "concurrency"},
      {"  concurrency: {type: integer, max: 3}\n  share: {type: real, min: 0.1, max: 0.5}\n  rate: "
       "{type: real, min: 1.5}",
       "concurrency, share, rate"},
      {"  model: {type: text}", "model"},
  };
  for (const auto& [parameters, reads] : k_runners) {
    const runner::Manifest manifest = manifest_of(runner_of(std::string(parameters) + "\n", reads));
    const std::string text = starting_matrix(manifest, laptop(), "first");
    EXPECT_EQ(check_result(text, manifest).find_first_not_of("0123456789"),
              check_result(text, manifest).find(" points"))
        << check_result(text, manifest) << "\n"
        << text;
  }
}

std::vector<runner::Manifest> runners_of_the_project() {
  std::vector<runner::Manifest> runners;
  for (const auto& folder : fs::directory_iterator(std::string(ORCH_SOURCE_DIR) + "/runners")) {
    const std::string file = folder.path() / "runner.yaml";
    if (fs::exists(file)) runners.push_back(manifest_of(read(file), file));
  }
  return runners;
}

TEST(StartingMatrix, PassesCheckForEveryRunnerOfTheProject) {
  const auto runners = runners_of_the_project();
  for (const runner::Manifest& manifest : runners) {
    // A runner may warn of every point, as tgi does.
    std::string result = check_result(starting_matrix(manifest, laptop(), "first"), manifest);
    while (result.starts_with("warning: ")) result.erase(0, result.find('\n') + 1);
    EXPECT_EQ(result, "4 points");
  }
  EXPECT_GE(runners.size(), 2u);
}

// The parameters that TEXT sets or could set: keys, commented or not, and members of its axes.
std::map<std::string, int> parameters_in(const std::string& text) {
  std::map<std::string, int> counts;
  std::istringstream lines(text.substr(0, text.find("\n# Further sections")));
  const std::regex key("^  (?:# )?([a-z0-9_]+): "), member("[{,] ?([a-z0-9_]+): ");
  for (std::string line; std::getline(lines, line);) {
    const std::string content = line.substr(0, line.find(" # ", 4));
    std::smatch match;
    if (!std::regex_search(content, match, key)) continue;
    const std::string name = match[1];
    if (name != "load" && name != "length") ++counts[name];
    const std::string values = match.suffix();
    for (std::sregex_iterator one(values.begin(), values.end(), member), end; one != end; ++one)
      if (name == "load" || name == "length") ++counts[(*one)[1]];
  }
  return counts;
}

TEST(StartingMatrix, HasEveryParameterOfEveryRunnerOfTheProject) {
  for (const runner::Manifest& manifest : runners_of_the_project()) {
    const auto counts = parameters_in(starting_matrix(manifest, laptop(), "first"));
    for (const matrix::Parameter& parameter : manifest.parameters)
      EXPECT_NE(counts.contains(parameter.name), parameter.is_compared)
          << manifest.name << ": " << parameter.name;
  }
}

// TEXT with the commented lines at PLACES (of their "\n  # ") enabled.
std::string enabled(std::string text, std::span<const std::size_t> places) {
  for (auto place = places.rbegin(); place != places.rend(); ++place) text.erase(*place + 3, 2);
  return text;
}

// Parameters are enabled together, because a runner has hundreds; those of a group with a mistake
// by themselves. A rule may reject the points (the runner's own version may lack the parameter);
// nothing else may be wrong.
void expect_pass_check(const runner::Manifest& manifest, const std::string& text,
                       std::span<const std::size_t> places) {
  static const std::regex k_passes("(warning: [^\n]*\n)*[0-9]+ points");
  const std::string result = check_result(enabled(text, places), manifest);
  if (std::regex_match(result, k_passes)) return;
  if (places.size() == 1) {
    const std::size_t name = places[0] + 5;
    ADD_FAILURE() << manifest.name << ", " << text.substr(name, text.find(':', name) - name) << ": "
                  << result;
    return;
  }
  const std::size_t half = places.size() / 2;
  expect_pass_check(manifest, text, places.first(half));
  expect_pass_check(manifest, text, places.subspan(half));
}

TEST(StartingMatrix, PassesCheckWithAnyParameterOfEveryRunnerEnabled) {
  static constexpr std::size_t k_group = 16;
  for (const runner::Manifest& manifest : runners_of_the_project()) {
    std::string text = starting_matrix(manifest, laptop(), "first");
    text = text.substr(0, text.find("\n# Further sections"));
    std::vector<std::size_t> places;
    for (std::size_t at = text.find("\n  # "); at != std::string::npos;
         at = text.find("\n  # ", at + 1))
      if (text.compare(at + 5, 5, "load:") != 0)
        places.push_back(at);  // replaces the line above it
    for (std::size_t first = 0; first < places.size(); first += k_group)
      expect_pass_check(manifest, text,
                        std::span(places).subspan(first, std::min(k_group, places.size() - first)));
    const auto settable = std::count_if(manifest.parameters.begin(), manifest.parameters.end(),
                                        [](const auto& one) { return !one.is_compared; });
    EXPECT_GE(places.size() + 8, static_cast<std::size_t>(settable)) << manifest.name;
  }
}

TEST(StartingMatrix, NamesTheMachineInItsHead) {
  system::Machine machine = laptop();
  machine.gpus = system::Gpus{
      .count = 8, .model = "NVIDIA H100 80GB HBM3", .memory_gib = 79.6, .mig = {}, .driver = {}};
  const std::string text =
      starting_matrix(manifest_of(runner_of(k_parameters, k_reads)), machine, "first");
  EXPECT_NE(text.find("\n# Machine: Test CPU, 2 CPUs, 7.8 GiB of memory, 8 x NVIDIA H100 80GB "
                      "HBM3, 80 GiB each\n"),
            std::string::npos)
      << text;
}

TEST(StartingMatrix, ChoosesTheRunnerThatFitsTheMachine) {
  std::vector<runner::Manifest> manifests(2);
  manifests[0].name = "gpu";
  manifests[0].stages.resize(1);
  manifests[0].stages[0].gpus = 0;
  manifests[1].name = "cpu";
  manifests[1].stages.resize(1);
  system::Machine server = laptop();
  server.gpus.emplace();
  EXPECT_EQ(choose_runner(manifests, server)->name, "gpu");
  EXPECT_EQ(choose_runner(manifests, laptop())->name, "cpu");
  EXPECT_EQ(choose_runner(std::span(manifests).first(1), laptop())->name, "gpu") << "the only one";
  EXPECT_EQ(choose_runner({}, laptop()), nullptr);
}

}  // namespace starting_matrix_test
}  // namespace orch::session

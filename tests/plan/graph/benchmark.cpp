// Measures the time and memory to plan about ten thousand stages of the runner triton-openvino (90
// servers, 108 loads on each), to explain them against as many earlier stages, and to plan many
// repeats of few points.
#include "fakes/plans.hpp"
#include "plan/graph/explanation/explain.hpp"

#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>

#include <malloc.h>

namespace {

using namespace orch;

// Every file, program and source exists.
class AnyFacts final : public plan::Facts {
 public:
  explicit AnyFacts(const std::string& folder) : folder_(folder) {}

  Result<Digest> runner_file(const std::string&, const std::string& relative) override {
    return sha256(relative);
  }
  std::string runner_path(const std::string&, const std::string& relative) override {
    return relative;
  }
  std::string project_path(const std::string&, const std::string& relative) override {
    return relative;
  }
  std::string local_path(const std::string&) override { return ""; }
  Result<std::string> template_text(const std::string&, const std::string& relative) override {
    std::ifstream file(folder_ + "/" + relative);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  Result<std::optional<std::string>> executable(const std::string& path) override {
    return std::optional(path);
  }
  Result<std::optional<std::string>> model_source(const std::string& source,
                                                  const std::string&) override {
    return std::optional(source);
  }
  std::optional<std::string> revision_to_get(const std::string&,
                                             const std::string& revision) override {
    return revision;
  }
  Result<std::string> dataset_source(const std::string& source) override { return source; }
  Result<Digest> provided(const std::string& path) override { return sha256(path); }
  Result<std::string> provided_text(const std::string&, const std::string&) override {
    return std::string("{}");
  }
  std::string machine_class() override { return "a CPU x 2"; }
  std::optional<std::string> gpu_model() override { return std::nullopt; }

 private:
  std::string folder_;
};

// As expand() makes them: all points share names and values.
plan::ChosenPoints points() {
  const auto table = std::make_shared<matrix::ParameterTable>();
  std::map<std::string, std::uint32_t> known;  // index of a value of the table
  plan::ChosenPoints expansion;
  for (const char* precision : {"f16", "q8_0", "q4_0"})
    for (int batch_size = 1; batch_size <= 30; ++batch_size)
      for (int load = 1; load <= 108; ++load) {
        const fakes::Parameters texts = {
            {"batch_size", std::to_string(batch_size)},
            {"concurrency", std::to_string(load)},
            {"enable_kv_cache_reuse", "false"},
            {"inference_threads", "1"},
            {"isl", "128"},
            {"max_num_tokens", "256"},
            {"max_queue_size", "0"},
            {"max_tokens_in_paged_kv_cache", std::to_string(4096 * batch_size)},
            {"model", "tiny"},
            {"num_prompts", std::to_string(10 * load)},
            {"osl", "64"},
            {"pp", "1"},
            {"precision", precision},
            {"tp", "1"}};
        std::size_t slot = 0;
        for (const auto& [name, text] : texts) {
          if (expansion.points.empty()) table->names.push_back(name);
          table->columns.resize(table->names.size());
          const auto [value, is_new] = known.try_emplace(text, table->values.size());
          if (is_new) table->values.push_back({matrix::Type::text, text});
          table->columns[slot++].push(value->second);
        }
        matrix::Point& point = expansion.points.emplace_back();
        point.parameters = matrix::Parameters(table, expansion.points.size() - 1);
        point.model = "tiny";
        point.model_source = "generate:tiny";
        point.name =
            fmt::format("tiny_{}_isl128_osl64_bs{}_c{}-3fa9c1", precision, batch_size, load);
      }
  return expansion;
}

double mib(std::size_t bytes) { return static_cast<double>(bytes) / (1024 * 1024); }

std::size_t held_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Peak resident memory of the process.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Explains PLAN against the same stages of another version of the load generator.
void print_explanation(const plan::Plan& plan, const plan::ChosenPoints& expansion,
                       const runner::Manifest& manifest) {
  AnyFacts facts(ORCH_SOURCE_DIR);
  Errors errors;
  const plan::Plan earlier =
      plan::make_plan({.matrix = {},
                       .chosen = expansion,
                       .manifest = manifest,
                       .facts = facts,
                       .done = {},
                       .options = {.generator_version = 0, .until = {}, .refresh = {}}},
                      errors);
  plan::Ancestors ancestors;
  for (const plan::Stage& stage : earlier.stages)
    ancestors[stage.spec.name].push_back({.run = 1, .components = stage.components, .made = true});
  const auto start = std::chrono::steady_clock::now();
  const std::string text = plan::explain_text(plan, ancestors);
  fmt::print("{} stages against {} earlier ones: {:.3f} s, {:.1f} MiB of text\n",
             plan.stages.size(), earlier.stages.size(), seconds_since(start), mib(text.size()));
}

void print_repeats(plan::ChosenPoints expansion, const runner::Manifest& manifest,
                   std::int64_t repeats) {
  AnyFacts facts(ORCH_SOURCE_DIR);
  Errors errors;
  expansion.points.resize(10);
  matrix::Matrix matrix;
  matrix.measure.repeats = repeats;
  const auto start = std::chrono::steady_clock::now();
  const plan::Plan plan = plan::make_plan(
      {.matrix = matrix, .chosen = expansion, .manifest = manifest, .facts = facts, .done = {}},
      errors);
  fmt::print("{} points with {} measurements each: {:.3f} s\n", plan.points.size(), repeats,
             seconds_since(start));
}

}  // namespace

int main() {
  std::ifstream file(ORCH_SOURCE_DIR "/runners/triton-openvino/runner.yaml");
  const std::string yaml(std::istreambuf_iterator<char>(file), {});
  Errors errors;
  const runner::Manifest manifest = runner::parse_manifest(yaml, "runner.yaml", errors);
  AnyFacts facts(ORCH_SOURCE_DIR);
  const plan::ChosenPoints expansion = points();
  const std::size_t held = held_bytes();
  const double peak = peak_mib();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  const plan::Plan plan = plan::make_plan(
      {.matrix = {}, .chosen = expansion, .manifest = manifest, .facts = facts, .done = {}},
      errors);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const double cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  for (const Error& error : errors) fmt::print(stderr, "{}\n", error.text());
  fmt::print(
      "{} points, {} stages: {:.3f} s ({:.3f} s of CPU), the plan holds {:.1f} MiB, the peak rose "
      "by {:.1f} MiB\n",
      plan.points.size(), plan.stages.size(), took.count(), cpu_s, mib(held_bytes() - held),
      peak_mib() - peak);
  print_explanation(plan, expansion, manifest);
  for (const std::int64_t repeats : {1'000, 10'000}) print_repeats(expansion, manifest, repeats);
  return errors.empty() ? 0 : 1;
}

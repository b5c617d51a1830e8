// `orchestrate llm-perf`: the command line and the output of llm_perf.py, a script of published
// instructions for TensorRT-LLM on Triton, with the load generator of `orchestrate bench`.
#include "app/cli/bench/bench_options.hpp"
#include "app/cli/bench/bench_output.hpp"
#include "app/cli/bench/measuring.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/say.hpp"
#include "results/tools/export_genai_perf.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {
namespace {

constexpr const char* k_as_script = "Same as in llm_perf.py";
constexpr const char* k_ours = "Further options";
constexpr const char* k_most_tokens = "1024";

struct LlmPerf {
  BenchCommand bench;
  std::string url;
  std::string protocol = "grpc";
};

// Prints each load as llm_perf.py does, and writes the profile.
class LlmPerfOutcome final : public Outcome {
 public:
  LlmPerfOutcome(const LlmPerf& command, const prompt::PromptSet& prompts)
      : Outcome("llm-perf"), command_(command), prompts_(prompts) {}

 private:
  void added() override {
    const record::Measurement& one = measurements().back();
    print_verdict(one);
    if (measurements().size() > 1)
      say(stderr,
          "{}: warning: all prompts were sent before, so a server that reuses its KV cache answers "
          "them faster\n",
          one.load.text());
    else
      print(record::llm_perf_title(command_.url, command_.protocol, command_.bench.options.model));
    print(record::llm_perf_block(one));
  }

  void completed() override {
    note_failure(write_profile(command_.bench, prompts_.measured, measurements()));
  }

  const LlmPerf& command_;
  const prompt::PromptSet& prompts_;
};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; }

// MESSAGE with the names that options of `bench` have in this command.
std::string in_its_words(std::string_view message) {
  static constexpr std::pair<std::string_view, std::string_view> k_names[] = {
      {"--url", "-u"},
      {"--protocol triton-grpc", "-i grpc"},
      {"--protocol triton-http", "-i http"},
      {"--model", "-m"},
      {"--tokenizer", "--tokenizer-path"},
      {"--prompts", "--input-data"}};
  std::string out(message);
  for (const auto& [theirs, ours] : k_names)
    for (std::size_t at = out.find(theirs); at != std::string::npos;
         at = out.find(theirs, at + ours.size())) {
      const std::size_t end = at + theirs.size();
      if (end < out.size() && is_in_word(out[end])) continue;
      out.replace(at, theirs.size(), ours);
    }
  return out;
}

void declare_script(CLI::App& app, LlmPerf& command) {
  app.option_defaults()->group(k_as_script);
  app.add_option("-u", command.url, "HOST:PORT of Triton (default: localhost:8001, http: 8000)")
      ->type_name("URL");
  app.add_option("-i", command.protocol, "Protocol: grpc or http")
      ->check(CLI::IsMember({"grpc", "http"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("-m", command.bench.options.model, "Model name")->type_name("NAME")->required();
  app.add_option("--concurrency", command.bench.concurrency,
                 "Requests kept open; each value is a measurement")
      ->type_name("N,..")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->take_all()
      ->default_str("1");
  app.add_option("--tokenizer-path", command.bench.prompts.options.tokenizer,
                 "Folder of tokenizer.json, which counts the tokens of prompts and answers")
      ->type_name("DIR")
      ->required();
  app.add_option("--input-data", command.bench.prompts.options.file,
                 "Prompts, in a file as for `bench --prompts`; each measurement sends all of them")
      ->type_name("FILE")
      ->required();
  app.add_option("--profile-export-file", command.bench.profile,
                 "Writes times and texts of all requests, as perf_analyzer does")
      ->type_name("FILE");
}

void declare_ours(CLI::App& app, LlmPerf& command) {
  app.option_defaults()->group(k_ours);
  BenchCommand& bench = command.bench;
  app.add_option("--osl", bench.prompts.osl,
                 "Maximum tokens of an answer, unless its row sets them")
      ->type_name("N")
      ->default_str(k_most_tokens);
  bench.options.eos = true;
  app.add_flag("--eos,!--no-eos", bench.options.eos,
               "Let an end token end an answer (default), or always generate --osl tokens");
  app.add_flag("--stream,!--no-stream", bench.options.stream,
               "Stream answers (default), or take each in one body, as for a model that is not "
               "decoupled");
  app.add_option("--python", bench.prompts.options.helper.python,
                 "Python that has the package tokenizers (default: $ORCHESTRATE_PYTHON, else "
                 "python3)")
      ->type_name("FILE");
  app.add_option("--prompt-cache", bench.prompts.options.helper.cache_folder,
                 "Cache of counted prompts (default: ~/.cache/orchestrate/prompts)")
      ->type_name("DIR");
  app.add_option("--timeout-s", bench.options.timeout_s,
                 "Time limit of a request; one that exceeds it fails")
      ->type_name("S")
      ->capture_default_str();
  declare_cpus(app, bench);
  declare_limits(app, bench);
}

// Sets the options of `bench` so that it does what the script does.
void fill_in(LlmPerf& command) {
  BenchCommand& bench = command.bench;
  const bool grpc = command.protocol == "grpc";
  if (command.url.empty()) command.url = grpc ? "localhost:8001" : "localhost:8000";
  const bool has_scheme = command.url.find("://") != std::string::npos;
  bench.options.urls = {has_scheme ? command.url
                                   : fmt::format("{}://{}", grpc ? "grpc" : "http", command.url)};
  bench.options.protocol = grpc ? "triton-grpc" : "triton-http";
  if (bench.concurrency.empty()) bench.concurrency = {1};
  if (bench.prompts.osl.empty()) bench.prompts.osl = k_most_tokens;
  bench.prompts.options.as_recorded = false;
  bench.options.requests = 1;  // until the prompts are counted
  bench.every_prompt = true;
  bench.options.tokens_per_event = 0;  // answers are retokenised
  bench.options.first_request = true;
  bench.options.statistics = true;
}

Exit execute(LlmPerf& command) {
  fill_in(command);
  return measure(command.bench, {.name = "llm-perf",
                                 .in_its_words = in_its_words,
                                 .outcome = [&command](const prompt::PromptSet& prompts) {
                                   return std::make_unique<LlmPerfOutcome>(command, prompts);
                                 }});
}

}  // namespace

void add_llm_perf(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand(
      "llm-perf", "Measure a Triton server with the command line and output of llm_perf.py");
  const auto command = std::make_shared<LlmPerf>();
  declare_script(*sub, *command);
  declare_ours(*sub, *command);
  check_kinds(*sub);
  sub->callback([command, &exit_code] { exit_code = status_of(execute(*command)); });
}

}  // namespace orch::cli

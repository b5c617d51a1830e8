// The options of `orchestrate bench` and the benchmark that they describe. Opens only the files of
// the token and of --lora.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/prompt/prompt_source.hpp"
#include "core/base/result.hpp"
#include "core/secret/redact.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace CLI {
class FormatterBase;
}

namespace orch::cli {

// The options of `orchestrate bench` about prompts, with the paths of the helper that makes prompts
// and of its cache.

// The options as typed.
struct PromptFlags {
  prompt::PromptOptions options;
  std::string isl;
  std::string osl;
};

// Adds --prompts, --isl, --osl and --tokenizer to the current default group of APP, and --block,
// --shared-prefix, --ids, --python and --prompt-cache under the heading RARE of the help.
void add_prompt_options(CLI::App& app, PromptFlags& flags, const std::string& rare);

// The options according to FLAGS. The caller has to set the seed, the counts and the protocol,
// which depend on the benchmark.
Result<prompt::PromptOptions> prompt_options(const PromptFlags& flags);

// Reads the adapter of --lora.

struct BenchCommand;

// If COMMAND has --lora, reads weights and configuration into its options. Errors name the file
// that is missing or faulty.
Status read_adapter(BenchCommand& command);

inline constexpr std::string_view k_all_cpus = "all";

struct BenchCommand {
  load::BenchOptions options;

  // The options as typed; make_options() converts them into `options`.
  std::vector<std::int64_t> concurrency;
  std::vector<double> request_rate;
  std::string arrival = "poisson";
  double burstiness = 1;
  bool max = false;
  std::int64_t max_in_flight = 0;
  std::string until;                // METRIC:PERCENT
  std::vector<std::string> inputs;  // NAME=VALUE
  std::string lora;                 // folder or file of an adapter's weights; "" for none
  std::string token_file;
  std::string token_env;
  std::vector<std::string> headers;         // "NAME: VALUE", as written
  std::vector<std::string> header_secrets;  // the values of the variables that headers name
  std::string stop_by = "close";
  bool no_answers = false;
  std::string cpus;  // a list, or "all"; "": those that the servers leave free

  // The token, and the values of environment variables with a secret's name.
  std::shared_ptr<const secret::JsonSecrets> secrets;

  PromptFlags prompts;
  std::string out;
  std::string db;
  std::string format = "table";
  std::string exported;  // also write this tool's files: "genai-perf"; "" for none
  std::string profile;   // file for perf_analyzer's export of all loads; "" for none
  // Each load sends every prompt of the file once; `requests` is then the number of prompts.
  bool every_prompt = false;
};

// Declares all options. COMMAND must outlive APP.
void declare_bench(CLI::App& app, BenchCommand& command);
// Parts of declare_bench(): --cpus, and the limits beyond which the client spoils a measurement, in
// the current default group of APP.
void declare_cpus(CLI::App& app, BenchCommand& command);
void declare_limits(CLI::App& app, BenchCommand& command);
// Adds a check to each option that takes a number, by the type that --help shows. Its error names
// the values that are accepted.
void check_kinds(CLI::App& app);

// Completes `options`. Errors name the option, its value and the remedy.
Status make_options(BenchCommand& command);

// The layout of `orchestrate bench --help`: one line for each common option, only the names of rare
// ones.

// The group of options of which one_screen_help() lists only the names.
inline constexpr const char* k_rare = "Rarely needed (--help-all describes them)";

std::shared_ptr<CLI::FormatterBase> one_screen_help();
std::shared_ptr<CLI::FormatterBase> full_help();

}  // namespace orch::cli

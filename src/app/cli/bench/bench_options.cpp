#include "app/cli/bench/bench_options.hpp"

#include "app/cli/help.hpp"
#include "app/cli/real_world.hpp"
#include "app/session/project.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"
#include "os/system/files.hpp"

#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr const char* k_script = "runners/common/scripts/make_prompts.py";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string default_cache() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/orchestrate/prompts";
  return home.empty() ? "" : home + "/.cache/orchestrate/prompts";
}

Status set_helper(prompt::PromptHelper& helper) {
  if (helper.cache_folder.empty()) helper.cache_folder = default_cache();
  if (helper.cache_folder.empty())
    return invalid(
        "prompts need a cache folder, and neither XDG_CACHE_HOME nor HOME is set; give "
        "--prompt-cache DIR");
  if (helper.python.empty()) helper.python = variable("ORCHESTRATE_PYTHON");
  if (helper.python.empty()) helper.python = "python3";
  // Absolute, because the helper runs in a different folder.
  if (helper.python.find('/') != std::string::npos)
    helper.python = std::filesystem::absolute(helper.python).string();
  helper.script = session::project_file(k_script);
  if (const std::string built = session::build_project(); helper.script.empty())
    return not_found(
        fmt::format("{}, which counts tokens, was not found in this folder or its parents, in "
                    "../share/orchestrate beside the binary, or in the binary's folder or its "
                    "parents{}; change to the project's folder",
                    k_script, built.empty() ? "" : ", or in " + built + ", where it was built"));
  return {};
}

constexpr std::string_view k_weights = "lora_weights", k_config = "lora_config";
constexpr std::string_view k_older_config = "lora_keys";  // in releases before 0.9
// The limit of a gRPC message.
constexpr std::uint64_t k_most_message_bytes = std::uint64_t{2} << 30;

struct AdapterFiles {
  std::string weights, config = {};
};

// NAME with WORD in place of the word for weights; "" if NAME does not have that word.
std::string beside(const std::string& name, std::string_view word) {
  const std::size_t at = name.rfind(k_weights);
  if (at == std::string::npos) return "";
  return name.substr(0, at) + std::string(word) + name.substr(at + k_weights.size());
}

Result<AdapterFiles> find_files(const std::string& given, system::Files& files) {
  const bool is_folder = std::filesystem::is_directory(given);
  AdapterFiles out{.weights = is_folder ? given + "/model.lora_weights.npy" : given};
  const std::filesystem::path path = out.weights;
  for (const std::string_view word : {k_config, k_older_config}) {
    const std::string name = beside(path.filename().string(), word);
    const std::string config = (path.parent_path() / name).string();
    if (out.config.empty() && !name.empty() && files.exists(config)) out.config = config;
  }
  if (!files.exists(out.weights))
    return invalid(
        fmt::format("--lora {}: {} does not exist; give the folder that hf_lora_convert.py wrote",
                    given, out.weights));
  if (out.config.empty())
    return invalid(
        fmt::format("--lora {}: there is no {} beside {}; give the folder that "
                    "hf_lora_convert.py wrote",
                    given, "model.lora_config.npy", out.weights));
  return out;
}

Result<std::shared_ptr<const protocol::NpyArray>> read_array(const std::string& file,
                                                             const std::string& text) {
  ORCH_ASSIGN(protocol::NpyArray array, protocol::read_npy(text, "--lora: " + file));
  return std::make_shared<const protocol::NpyArray>(std::move(array));
}

// Checks that each row of CONFIG belongs to one row of WEIGHTS. The last dimension of a
// configuration has module, layer and rank.
Status check_pair(const protocol::NpyArray& weights, const protocol::NpyArray& config) {
  const auto rows = [](const protocol::NpyArray& array) {
    return array.shape.size() < 2 ? 0 : array.shape[array.shape.size() - 2];
  };
  if (config.shape.size() >= 2 && config.shape.back() == 3 && rows(config) == rows(weights))
    return {};
  return invalid(fmt::format(
      "{} has the shape [{}] and {} [{}]; an adapter has one row of [module, "
      "layer, rank] for each row of weights",
      config.file, fmt::join(config.shape, ", "), weights.file, fmt::join(weights.shape, ", ")));
}

bool is_grpc(const std::string& url) {
  return url.starts_with("grpc://") || url.starts_with("grpcs://");
}

Status read_protocol(BenchCommand& command) {
  std::string& protocol = command.options.protocol;
  const auto grpc = std::ranges::find_if(command.options.urls, is_grpc);
  const bool any = grpc != command.options.urls.end();
  if (protocol.empty()) protocol = any ? "triton-grpc" : "triton-http";
  if (any && protocol != "triton-grpc")
    return invalid(fmt::format(
        "{} is a gRPC URL, which {} does not support; use http://, or --protocol triton-grpc",
        *grpc, protocol));
  return {};
}

Status read_loads(BenchCommand& command) {
  std::vector<record::Load>& loads = command.options.loads;
  for (const std::int64_t concurrency : command.concurrency)
    loads.push_back({.kind = record::Load::Kind::closed, .concurrency = concurrency});
  ORCH_ASSIGN(const record::Arrival arrival, record::parse_arrival(command.arrival));
  for (const double rate : command.request_rate)
    loads.push_back({.kind = record::Load::Kind::open,
                     .concurrency = command.max_in_flight,
                     .request_rate = rate,
                     .arrival = arrival,
                     .burstiness = command.burstiness});
  if (arrival == record::Arrival::trace) {
    if (!command.request_rate.empty())
      return invalid("--arrival trace has its own times; leave out --request-rate");
    loads.push_back({.kind = record::Load::Kind::open,
                     .concurrency = command.max_in_flight,
                     .request_rate = 0,
                     .arrival = arrival});
  }
  if (command.max_in_flight < 0)
    return invalid(
        fmt::format("--max-in-flight must not be negative, but it is {}", command.max_in_flight));
  constexpr std::int64_t k_default_in_flight = 512;
  if (command.max)
    loads.push_back(
        {.kind = record::Load::Kind::max,
         .concurrency = command.max_in_flight > 0 ? command.max_in_flight : k_default_in_flight});
  if (command.burstiness != 1 && arrival != record::Arrival::gamma)
    return invalid(fmt::format("--burstiness {:g} needs --arrival gamma, but --arrival is {}",
                               command.burstiness, command.arrival));
  return {};
}

Status read_inputs(BenchCommand& command) {
  for (const std::string& input : command.inputs) {
    const std::size_t equals = input.find('=');
    if (equals == 0 || equals == std::string::npos)
      return invalid(fmt::format("--input {} is not NAME=VALUE", input));
    command.options.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 1));
  }
  return {};
}

Status read_until(BenchCommand& command) {
  if (command.until.empty()) return {};
  const std::size_t colon = command.until.rfind(':');
  const auto percent = colon == std::string::npos
                           ? std::nullopt
                           : to_real(std::string_view(command.until).substr(colon + 1));
  if (!percent)
    return invalid(
        fmt::format("--until {} is not METRIC:PERCENT, such as ttft_ms:5", command.until));
  command.options.until =
      record::PrecisionTarget{.metric = command.until.substr(0, colon), .percent = *percent};
  return {};
}

// Reads the token from a file or variable; not from the command line, which every user of the
// machine can read.
Status read_token(BenchCommand& command) {
  std::string token;
  if (!command.token_file.empty()) {
    ORCH_ASSIGN(token, system::RealFiles().read(command.token_file));
  } else if (!command.token_env.empty()) {
    const char* value = std::getenv(command.token_env.c_str());
    if (value == nullptr)
      return invalid(
          fmt::format("--token-env {}: the environment variable is not set", command.token_env));
    token = value;
  } else {
    return {};
  }
  token = trim(token);
  const bool plain = std::ranges::all_of(token, [](unsigned char c) { return c > ' ' && c < 127; });
  if (token.empty() || !plain)
    return invalid(
        fmt::format("{} holds no token; write one line of visible characters",
                    command.token_file.empty() ? command.token_env : command.token_file));
  command.options.authorization = "Bearer " + token;
  return {};
}

Status read_headers(BenchCommand& command) {
  for (const std::string& header : command.headers) {
    const std::size_t colon = std::min(header.find(':'), header.size());
    const std::string name = header.substr(0, colon);
    const std::string_view value =
        trim(std::string_view(header).substr(std::min(colon + 1, header.size())));
    const auto environment = real_environment();
    Result<std::string> line = header_line(name, value, environment);
    if (!line) return invalid("--header: " + line.error().message);
    command.options.headers.push_back(std::move(*line));
    ORCH_ASSIGN(const std::vector<std::string> variables, header_variables(name, value));
    for (const std::string& variable : variables)
      command.header_secrets.push_back(environment.at(variable));
  }
  return {};
}

void find_secrets(BenchCommand& command) {
  std::vector<std::string> values;
  values.insert(values.end(), command.header_secrets.begin(), command.header_secrets.end());
  for (const auto& [name, value] : real_environment())
    if (secret::names_a_secret(name)) values.push_back(value);
  const std::string& authorization = command.options.authorization;
  values.push_back(authorization.substr(authorization.rfind(' ') + 1));
  command.secrets = std::make_shared<const secret::JsonSecrets>(values);
  command.options.secrets = command.secrets->outside;
}

Status read_cpus(BenchCommand& command) {
  if (command.cpus.empty() || command.cpus == k_all_cpus) return {};
  Result<system::CpuSet> cpus = system::parse_cpu_list(command.cpus);
  if (!cpus.ok()) return invalid(fmt::format("--cpus {}, or all", cpus.error().message));
  command.options.cpus = std::move(*cpus);
  return {};
}

Status check_limits(const load::BenchOptions& options) {
  const measure::ValidityLimits& limits = options.limits;
  for (const auto& [name, value] : {std::pair{"--wake-lag-ms-limit", limits.wake_lag_ms},
                                    {"--send-lag-ms-limit", limits.send_lag_ms},
                                    {"--client-cpu-limit", limits.client_cpu_share}})
    if (!(value >= 0))
      return invalid(fmt::format("{} must not be negative, but it is {:g}", name, value));
  const protocol::Sampling& sampling = options.sampling;
  for (const auto& [name, value] : {std::pair{"--temperature", sampling.temperature},
                                    {"--top-p", sampling.top_p},
                                    {"--repetition-penalty", sampling.repetition_penalty}})
    if (value && !std::isfinite(*value))
      return invalid(fmt::format("{} must be a finite number, not {:g}", name, *value));
  return {};
}

Status read_export(BenchCommand& command) {
  command.options.keep_text_ends = !command.profile.empty();
  if (command.exported.empty()) return {};
  if (command.no_answers)
    return invalid(
        fmt::format("--export {} writes the answers; leave out --no-answers", command.exported));
  if (command.options.batch > 1)
    return invalid(fmt::format(
        "--export {} needs one prompt per request, but --batch is {}; leave out one of them",
        command.exported, command.options.batch));
  command.options.keep_text_ends = true;
  return {};
}

class OneScreen final : public CLI::Formatter {
 public:
  explicit OneScreen(bool all) : all_(all) {}

  std::string make_option(const CLI::Option* option, bool positional) const override {
    return help_entry(make_option_name(option, positional) + make_option_opts(option),
                      make_option_desc(option), 34);
  }
  std::string make_group(std::string group, bool,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = group + ":\n";
    if (all_ || group != k_rare)
      for (const CLI::Option* option : options) out += make_option(option, false);
    else out += names_of(options);
    return out;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string out = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (option->get_required()) out += " (required)";
    if (!option->get_default_str().empty()) out += " [" + option->get_default_str() + "]";
    return out;
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: orchestrate bench --url URL -m NAME -c 1,8 --requests N --isl N --osl N \\\n"
           "    --tokenizer DIR [OPTIONS]\n\n";
  }

 private:
  static std::string names_of(const std::vector<const CLI::Option*>& options) {
    std::string out, line = " ";
    for (const CLI::Option* option : options) {
      const std::string name = " " + option->get_name(false, true);
      if (line.size() + name.size() > help_columns()) out += std::exchange(line, " ") + "\n";
      line += name;
    }
    return out + line + "\n";
  }

  bool all_;
};

}  // namespace

void add_prompt_options(CLI::App& app, PromptFlags& flags, const std::string& rare) {
  prompt::PromptOptions& options = flags.options;
  app.add_option("--isl", flags.isl, "Tokens in each prompt, exactly; MEAN:SD draws lengths")
      ->type_name("N[:SD]");
  app.add_option("--osl", flags.osl, "Output tokens to request, unless the prompt sets them")
      ->type_name("N[:SD]");
  app.add_option("--tokenizer", options.tokenizer,
                 "Folder of tokenizer.json, for --isl or to count --prompts")
      ->type_name("DIR");
  app.add_option("--prompts", options.file,
                 "Instead of --isl: JSONL, JSON, perf_analyzer's input, or a trace")
      ->type_name("FILE");
  app.add_option("--block", options.block, "Block of the prompt file")
      ->type_name("N")
      ->capture_default_str()
      ->group(rare);
  app.add_option("--shared-prefix", options.shared_prefix,
                 "Share of each synthetic prompt that all prompts have in common, 0 to 1")
      ->type_name("SHARE")
      ->capture_default_str()
      ->group(rare);
  app.add_flag(
         "--ids", options.ids,
         "Send prompts as token ids (openai-completions, Triton models that take ids); always "
         "for a model named tensorrt_llm")
      ->group(rare);
  app.add_option("--python", options.helper.python,
                 "Python that has the package tokenizers, for --tokenizer (default: "
                 "$ORCHESTRATE_PYTHON, else python3)")
      ->type_name("FILE")
      ->group(rare);
  app.add_option("--prompt-cache", options.helper.cache_folder,
                 "Cache of prompts made with --tokenizer (default: ~/.cache/orchestrate/prompts)")
      ->type_name("DIR")
      ->group(rare);
}

Result<prompt::PromptOptions> prompt_options(const PromptFlags& flags) {
  prompt::PromptOptions options = flags.options;
  if (!flags.isl.empty()) {
    ORCH_ASSIGN(options.isl, prompt::parse_length("--isl", flags.isl));
  }
  if (!flags.osl.empty()) {
    ORCH_ASSIGN(options.osl, prompt::parse_length("--osl", flags.osl));
  }
  if (!options.tokenizer.empty()) ORCH_TRY(set_helper(options.helper));
  return options;
}

Status read_adapter(BenchCommand& command) {
  if (command.lora.empty()) return {};
  system::RealFiles files;
  ORCH_ASSIGN(const AdapterFiles found, find_files(command.lora, files));
  ORCH_ASSIGN(const std::string weights_text, files.read_text(found.weights, k_most_message_bytes));
  ORCH_ASSIGN(const std::string config_text, files.read_text(found.config, k_most_message_bytes));
  ORCH_ASSIGN(const auto weights, read_array(found.weights, weights_text));
  ORCH_ASSIGN(const auto config, read_array(found.config, config_text));
  ORCH_TRY(check_pair(*weights, *config));
  command.options.adapter = {{"lora_weights", weights}, {"lora_config", config}};
  command.options.sampling.lora_weights_sha256 = sha256(weights_text + config_text).hex();
  return {};
}

Status make_options(BenchCommand& command) {
  for (const auto* urls : {&command.options.urls, &command.options.metrics_urls})
    for (const std::string& url : *urls) ORCH_TRY(wire::parse_url(url));
  ORCH_TRY(read_protocol(command));
  ORCH_TRY(read_loads(command));
  ORCH_TRY(read_inputs(command));
  ORCH_TRY(read_until(command));
  ORCH_TRY(read_token(command));
  ORCH_TRY(read_headers(command));
  find_secrets(command);
  ORCH_TRY(read_adapter(command));
  ORCH_TRY(read_cpus(command));
  ORCH_TRY(check_limits(command.options));
  if (command.options.keep_values && command.out.empty())
    return invalid("--keep-values writes a file beside the record; add --out DIR");
  const bool has_use = !command.out.empty() || !command.db.empty() || !command.exported.empty() ||
                       !command.profile.empty() || !command.prompts.options.tokenizer.empty();
  command.options.keep_answers = !command.no_answers && has_use;
  command.options.stop_by_request = command.stop_by == "request";
  ORCH_TRY(read_export(command));
  return {};
}

std::shared_ptr<CLI::FormatterBase> one_screen_help() { return std::make_shared<OneScreen>(false); }

std::shared_ptr<CLI::FormatterBase> full_help() { return std::make_shared<OneScreen>(true); }

}  // namespace orch::cli

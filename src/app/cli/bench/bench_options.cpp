#include "app/cli/bench/bench_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.hpp"
#include "app/cli/bench/bench_adapter.hpp"
#include "app/cli/real_world.hpp"
#include "core/base/header.hpp"
#include "core/secret/secret_forms.hpp"
#include "os/system/files.hpp"

namespace orch::cli {
namespace {

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
        fmt::format("--max-in-flight must not be negative, it is {}", command.max_in_flight));
  constexpr std::int64_t k_default_in_flight = 512;
  if (command.max)
    loads.push_back(
        {.kind = record::Load::Kind::max,
         .concurrency = command.max_in_flight > 0 ? command.max_in_flight : k_default_in_flight});
  if (command.burstiness != 1 && arrival != record::Arrival::gamma)
    return invalid(fmt::format("--burstiness {:g} needs --arrival gamma, and --arrival is {}",
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

// Not taken from the command line, which every user of the machine can read.
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
      return invalid(fmt::format("{} must not be negative, it is {:g}", name, value));
  const protocol::Sampling& sampling = options.sampling;
  for (const auto& [name, value] : {std::pair{"--temperature", sampling.temperature},
                                    {"--top-p", sampling.top_p},
                                    {"--repetition-penalty", sampling.repetition_penalty}})
    if (value && !std::isfinite(*value))
      return invalid(fmt::format("{} must be a finite number, it is {:g}", name, *value));
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
        "--export {} needs one prompt per request, and --batch is {}; leave out one of them",
        command.exported, command.options.batch));
  command.options.keep_text_ends = true;
  return {};
}

}  // namespace

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

}  // namespace orch::cli

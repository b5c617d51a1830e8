#include "app/session/identities/tool_versions.hpp"

#include "core/base/text.hpp"
#include "core/secret/redact.hpp"
#include "os/system/run_to_end.hpp"
#include "run/attempt/stage_environment.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <nlohmann/json.hpp>

namespace orch::session {

namespace {

constexpr double k_version_timeout_s = 120;  // a large Python package takes half a minute to load
constexpr double k_version_stop_s = 2;
constexpr std::size_t k_longest_version = 1000;
constexpr std::string_view k_version_remedy =
    "correct the path of the program, or 'version' of the stage, so that it prints its version "
    "alone";

// The non-empty lines of TEXT, joined into one.
std::string in_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string part = printable(trim(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  }
  return line;
}

std::string spelled(const VersionQuestion& question) {
  return fmt::format("`{}`", shell_quote(question.argv));
}

// The answer of a command that has ended: its standard output or, if that is empty, its standard
// error.
Result<std::string> answer_of(system::CommandResult result, const secret::Secrets& secrets) {
  if (result.code != 0) {
    for (std::string* text : {&result.output, &result.errors})
      *text = secret::redacted(secrets, *text);
    const std::string reason = result.reason();
    return unavailable(fmt::format("it ended with {} {}{}", result.signal ? "signal" : "status",
                                   result.signal ? result.signal : result.code,
                                   reason.empty() ? "" : ": " + printable(reason)));
  }
  const std::string_view said =
      trim(result.output).empty() ? trim(result.errors) : trim(result.output);
  if (said.empty()) return unavailable("it prints nothing");
  if (said.size() > k_longest_version)
    return unavailable(fmt::format("it prints more than {} characters", k_longest_version));
  if (!secret::find_secrets(secrets, said).empty())
    return unavailable("it prints a secret, which would be stored");
  return in_one_line(said);
}

// Large, because the index of a checkpoint names every tensor.
constexpr std::uint64_t k_most_index_bytes = 256ULL << 20U;
// The largest plausible size: 1 PiB.
constexpr double k_most_weights = 1125899906842624.0;

std::optional<std::int64_t> total_of_index(const std::string& text) {
  const nlohmann::json index = nlohmann::json::parse(
      text,
      [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        return depth != 1 || event != nlohmann::json::parse_event_t::key || parsed == "metadata";
      },
      false);
  if (!index.is_object()) return std::nullopt;
  const auto metadata = index.find("metadata");
  if (metadata == index.end() || !metadata->is_object()) return std::nullopt;
  const auto total = metadata->find("total_size");
  if (total == metadata->end() || !total->is_number()) return std::nullopt;
  const double bytes = total->get<double>();
  if (!(bytes >= 1) || bytes > k_most_weights) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

// The size of the weights according to the first of NAMES in FOLDER.
std::optional<std::int64_t> weights_in(system::Files& files, const std::string& folder,
                                       const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto facts = files.stat(path);
    if (!facts || facts->is_folder) continue;
    if (!name.ends_with(".json")) return static_cast<std::int64_t>(facts->bytes);
    const auto text = files.read_text(path, k_most_index_bytes);
    return text ? total_of_index(*text) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> ToolVersions::answer(const VersionQuestion& question,
                                         system::Processes& processes,
                                         const std::function<bool()>& is_cancelled) const {
  const auto& environment = context_.world.environment;
  const auto result = system::run_to_end(
      processes, context_.world.clock,
      {.argv = question.argv,
       .env = attempt::stage_environment(environment, question.inherit, question.env),
       .work = context_.planning.layout().store,
       .timeout_s = k_version_timeout_s,
       .stop_s = k_version_stop_s,
       .most_output_bytes = 2 * k_longest_version,
       .is_cancelled = is_cancelled});
  if (!result) return unavailable(result.error().message);
  switch (result->end) {
    case system::CommandResult::End::cancelled:
      return Error{ErrorKind::interrupted, "ended on request"};
    case system::CommandResult::End::timed_out:
      return unavailable(fmt::format("it gave no answer within {} s", k_version_timeout_s));
    case system::CommandResult::End::exited: break;
  }
  return answer_of(*result, secret::Secrets(attempt::secrets_of(
                                environment, secret_names(context_.experiment()))));
}

// Asks twice before it accepts a new answer: a program whose answers differ between calls would
// invalidate all results in every run.
Result<std::string> ToolVersions::ask_now(const VersionQuestion& question,
                                          const std::optional<std::string>& known) const {
  const auto is_cancelled = [this] { return context_.interrupts.count() > 0; };
  ORCH_ASSIGN(const std::string first, answer(question, context_.world.processes, is_cancelled));
  if (known == first) return first;
  ORCH_ASSIGN(const std::string second, answer(question, context_.world.processes, is_cancelled));
  if (first == second) return first;
  return unavailable(fmt::format("its answers differ from call to call: {}, then {}", quoted(first),
                                 quoted(second)));
}

Result<std::optional<std::string>> ToolVersions::ask(const VersionQuestion& question) {
  if (const auto asked = asked_.find(question.key); asked != asked_.end()) return asked->second;
  std::optional<std::string>& result = asked_[question.key];
  ORCH_ASSIGN(const auto known, store_.resolution(k_version_resolution, question.key));
  const auto now = ask_now(question, known);
  if (!now) {
    if (now.error().kind != ErrorKind::interrupted)
      failures_.push_back(
          {now.error().kind,
           fmt::format("the version of stage '{}' is unknown: {}: {}; {}", question.stage,
                       spelled(question), now.error().message, k_version_remedy),
           question.where});
    return result;
  }
  result = *now;
  if (known == result) return result;
  ORCH_TRY(store_.put_resolution(k_version_resolution, question.key, *now,
                                 context_.world.clock.wall_s()));
  context_.reporter.report(Severity::info,
                           fmt::format("version of {} for stage '{}': {}{}", question.argv.front(),
                                       question.stage, known ? *known + " -> " : "", *now));
  return result;
}

Status ToolVersions::check(const VersionQuestion& question, const std::string& planned,
                           const system::LongWork& work) const {
  const auto processes = context_.world.open_processes();
  const auto now = answer(question, *processes, [&] { return work.is_stopped(); });
  if (now && *now == planned) return {};
  if (!now && now.error().kind == ErrorKind::interrupted) return now.error();
  return unavailable(fmt::format("it was planned with {}, but now {} {}; run again to plan it anew",
                                 quoted(planned), spelled(question),
                                 now ? "says " + quoted(*now) : "fails: " + now.error().message));
}

Result<std::string> fact_text(system::Files& files, const std::string& file,
                              const runner::FactSource& source) {
  ORCH_ASSIGN(std::string text, files.read_text(file, YamlLimits{}.bytes));
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const auto weights = weights_in(files, folder.empty() ? "." : folder, source.weights);
  return weights ? matrix::with_member(text, k_weights_key, *weights) : text;
}

}  // namespace orch::session

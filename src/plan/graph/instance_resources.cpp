#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/render/template.hpp"

#include <cmath>

namespace orch::plan {

namespace {

// An attempt's resources, output size and minimum time, from the manifest; and errors about what a
// stage refers to but its point lacks.

constexpr double k_most_held = 1e6;  // cores, CPUs or tokens
constexpr double k_patience = 10;    // a measurement may take this many times its lower bound
constexpr double k_gib = 1024.0 * 1024 * 1024;

std::shared_ptr<const Share> share_of(const Instance& from) {
  const runner::StageKind& kind = from.kind;
  if (!kind.cores && !kind.cpus && !kind.memory_gib && kind.tokens.empty()) return nullptr;
  const auto asked = [&](std::size_t question) {
    const double number = answer(from.point, question);
    return number > 0 ? std::min(std::ceil(number), k_most_held) : 0;
  };
  auto share = std::make_shared<Share>();
  if (kind.cores)
    if (const double cores = asked(*kind.cores); cores > 0) share->cores = static_cast<int>(cores);
  if (kind.cpus) share->cpus = static_cast<int>(asked(*kind.cpus));
  if (kind.memory_gib)
    if (const double gib = answer(from.point, *kind.memory_gib); gib > 0) share->memory_gib = gib;
  for (const auto& [name, count] : kind.tokens)
    if (const double number = asked(count); number > 0)
      share->tokens[name] = static_cast<int>(number);
  return share;
}

// Refuses symbols of OF's counted ports, which start with BEGIN, with a number above the count.
// Refuses nothing while the count waits for a fact.
void refuse_ports_beyond(RunnerContext& context, const StageDraft& draft,
                         const runner::StageKind& of, const std::string& begin) {
  for (const auto& entry : of.port_counts) {
    const std::string& port = entry.first;
    const double count = answer(draft.from.point, entry.second);
    if (std::isnan(count) || count > k_most_ports) continue;
    const std::string numbered = begin + port + ".";
    for_each_text(draft.stage.spec, [&](const std::string& text) {
      for (const std::string& symbol : render::symbols_of(text)) {
        const auto number = symbol.starts_with(numbered)
                                ? to_integer(std::string_view(symbol).substr(numbered.size()))
                                : std::nullopt;
        if (number && (*number < 1 || static_cast<double>(*number) > count))
          context.complaints.add(
              draft.from.kind.name + " uses " + symbol,
              invalid(fmt::format("stage '{}' uses {{{}}}, but the last such port of point {} "
                                  "is {}.{:g}; write it in a part of argv with 'times'",
                                  draft.from.kind.name, symbol, draft.from.point.name, port, count),
                      draft.from.kind.where));
      }
    });
  }
}

}  // namespace

void estimate(const RunnerContext& context, StageDraft& draft) {
  const Instance& from = draft.from;
  if (from.kind.gpus)
    if (const double gpus = answer(from.point, *from.kind.gpus); gpus > 0) draft.stage.gpus = gpus;
  draft.stage.driver = from.kind.driver && answer(from.point, *from.kind.driver) > 0;
  draft.stage.passing = !from.kind.shared && context.matrix.keep > from.kind.keep;
  draft.stage.share = share_of(from);
  if (from.kind.disk_gib)
    if (const double gib = answer(from.point, *from.kind.disk_gib); gib >= 0)
      draft.stage.estimate.bytes = draft.stage.estimate.needed_bytes =
          static_cast<std::uint64_t>(std::min(gib, 1e9) * k_gib);
  Estimate& estimate = draft.stage.estimate;
  for (const std::size_t bound : from.kind.seconds)
    if (const double seconds = answer(from.point, bound); seconds > estimate.least_seconds)
      estimate.least_seconds = seconds;
  if (from.kind.kind == runner::Kind::measure)
    draft.stage.spec.timeout_s =
        std::max(draft.stage.spec.timeout_s, k_patience * estimate.least_seconds);
  if (from.kind.expected_seconds.empty()) return;
  const double begin = answer(from.point, from.kind.expected_seconds.front()),
               end = answer(from.point, from.kind.expected_seconds.back());
  if (std::isnan(begin) || std::isnan(end)) return;
  estimate.from_seconds = std::max(begin, estimate.least_seconds);
  estimate.to_seconds = std::max(end, estimate.from_seconds);
}

// A symbol of a stage that the point lacks would reach the process unreplaced.
void refuse_absent(RunnerContext& context, const StageDraft& draft) {
  const Instance& from = draft.from;
  for (std::size_t i = 0; i < from.needs.size(); ++i) {
    if (from.needs[i]) continue;
    const std::string& absent = from.kind.needs[i];
    const std::string port = fmt::format("{{port:{}.", absent);
    std::string found;
    auto look = [&](const std::string& text) {
      for (const char* of : {"stage", "id"})
        if (const std::string symbol = fmt::format("{{{}:{}}}", of, absent);
            text.find(symbol) != std::string::npos)
          found = symbol;
      if (const std::size_t at = text.find(port); at != std::string::npos)
        found = text.substr(at, text.find('}', at) - at + 1);
    };
    for_each_text(draft.stage.spec, look);
    for (const auto& [to, text] : draft.stage.rendered) look(text);
    if (draft.stage.spec.tools) look(draft.stage.spec.tools->from);
    if (draft.stage.spec.smoke) look(draft.stage.spec.smoke->body);
    if (found.empty()) continue;
    context.complaints.add(
        from.kind.name + " uses " + found,
        invalid(fmt::format("stage '{0}' uses {1}, but point {2} has no stage '{3}'; put the "
                            "words into a fragment with the same `when` as "
                            "stage '{3}', or give stage '{0}' that `when`",
                            from.kind.name, found, from.point.name, absent),
                from.kind.where));
  }
}

// A port number that the point lacks would also reach the process unreplaced.
void refuse_ports(RunnerContext& context, const StageDraft& draft) {
  const Instance& from = draft.from;
  refuse_ports_beyond(context, draft, from.kind, "port:");
  for (std::size_t i = 0; i < from.needs.size(); ++i)
    if (from.needs[i])
      refuse_ports_beyond(context, draft, *context.manifest.find(from.kind.needs[i]),
                          "port:" + from.kind.needs[i] + ".");
}

// A measurement needs exactly one of the servers that its stage names. A fact may decide which one.
void refuse_servers(RunnerContext& context, const StageDraft& draft) {
  const Instance& from = draft.from;
  if (from.kind.kind != runner::Kind::measure) return;
  std::vector<std::string> there, absent;
  for (std::size_t i = 0; i < from.needs.size(); ++i) {
    const runner::StageKind& needed = *context.manifest.find(from.kind.needs[i]);
    if (needed.kind != runner::Kind::service) continue;
    if (from.needs[i] && needed.when && std::isnan(answer(from.point, *needed.when))) return;
    (from.needs[i] ? there : absent).push_back(fmt::format("'{}'", needed.name));
  }
  if (there.size() == 1) return;
  const std::string what = there.empty() ? fmt::format("lacks {}", join(absent, " and "))
                                         : fmt::format("has {}", join(there, " and "));
  context.complaints.add(
      from.kind.name + (there.empty() ? " has no server" : " has several servers"),
      invalid(fmt::format("stage '{}' measures exactly one service, but point {} {}; change their "
                          "'when' so that one of them remains, or give stage '{}' a 'when'",
                          from.kind.name, from.point.name, what, from.kind.name),
              from.kind.where));
}

}  // namespace orch::plan

#include "cli/resolve.hpp"

#include "base/text.hpp"
#include "cli/facts.hpp"
#include "cli/say.hpp"
#include "attempt/workspace.hpp"
#include "render/symbols.hpp"
#include "system/run_to_end.hpp"

namespace orch::cli {

namespace {

constexpr std::size_t k_longest_answer = 200;
constexpr std::size_t k_tail_bytes = 64 << 10;
constexpr double k_stop_s = 2;

class Resolving {
 public:
  Resolving(const attempt::Layout& layout, ResolveWorld& world) : layout_(layout), world_(world) {}

  // What RESOLVER says that SOURCE at REVISION means.
  Result<std::string> ask(const runner::Resolver& resolver, const std::string& source,
                          const std::string& revision) {
    system::Command command{
        .argv = {},
        .env = attempt::stage_environment(world_.environment, resolver.inherit, {}),
        .work = layout_.store,
        .timeout_s = resolver.timeout_s,
        .stop_s = k_stop_s,
        .most_output_bytes = k_tail_bytes,
        .is_cancelled = [this] { return world_.interrupts.count() > 0; }};
    for (const std::string& word : resolver.argv)
      command.argv.push_back(fill(word, source, revision));
    ORCH_ASSIGN(const system::CommandResult result,
                system::run_to_end(world_.processes, world_.clock, command));
    switch (result.end) {
      case system::CommandResult::End::exited: return answer(result);
      case system::CommandResult::End::cancelled:
        return Error{ErrorKind::interrupted, "it was interrupted", {}};
      case system::CommandResult::End::timed_out: break;
    }
    return Error{ErrorKind::unavailable,
                 fmt::format("it gave no answer within {} s", resolver.timeout_s),
                 {}};
  }

 private:
  std::string fill(const std::string& word, const std::string& source,
                   const std::string& revision) const {
    return render::replace_symbols(word,
                                   [&](std::string_view symbol) -> std::optional<std::string> {
                                     if (symbol == "model.source") return source;
                                     if (symbol == "model.revision") return revision;
                                     if (symbol.starts_with("file:"))
                                       return layout_.runner_file(symbol.substr(5));
                                     return std::nullopt;
                                   });
  }

  static Result<std::string> answer(const system::CommandResult& result) {
    if (result.code != 0) {
      const std::string reason = result.reason();
      return Error{
          ErrorKind::unavailable,
          reason.empty() ? fmt::format("it ended with status {}", result.code) : printable(reason),
          {}};
    }
    const std::string last = system::last_line(result.output);
    const bool plain =
        std::all_of(last.begin(), last.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (last.empty() || last.size() > k_longest_answer || !plain)
      return Error{
          ErrorKind::unavailable, "its last line is no identity: one word of plain characters", {}};
    return last;
  }

  const attempt::Layout& layout_;
  ResolveWorld& world_;
};

}  // namespace

namespace {

// True: the meaning of MODEL on record has changed.
Result<bool> resolve(const std::string& name, const matrix::Model& model,
                     const Experiment& experiment, Resolving& resolving, store::Store& store,
                     const ResolveWorld& world, bool update) {
  if (needs_no_resolving(model.source, model.revision)) return false;
  const std::string moving = moving_name(model.source, model.revision);
  ORCH_ASSIGN(const auto known, store.resolution(k_model_resolution, moving));
  if (known && !update) return false;
  const runner::Resolver* resolver = experiment.manifest->resolver_of(model.source);
  if (!resolver) return false;  // whatever needs it was refused with the plan
  auto value = resolving.ask(*resolver, model.source, moving.substr(model.source.size() + 1));
  if (!value)
    return value.error().within(fmt::format("model '{}': {} cannot be resolved", name, moving));
  ORCH_TRY(store.put_resolution(k_model_resolution, moving, *value, world.clock.wall_s()));
  if (known == *value) return false;
  say(stderr, "resolved {}: {}{}\n", moving, known ? *known + " -> " : "", *value);
  return true;
}

}  // namespace

Resolved resolve_models(const Experiment& experiment, const std::set<std::string>& models,
                        const attempt::Layout& layout, store::Store& store, ResolveWorld world,
                        bool update) {
  Resolving resolving(layout, world);
  Resolved resolved;
  for (const std::string& name : models) {
    const auto model = experiment.matrix.models.find(name);
    if (model == experiment.matrix.models.end()) continue;
    const auto changed = resolve(name, model->second, experiment, resolving, store, world, update);
    if (changed) resolved.any = *changed || resolved.any;
    else resolved.failures.push_back(changed.error());
    if (world.interrupts.count() > 0) break;
  }
  return resolved;
}

}  // namespace orch::cli

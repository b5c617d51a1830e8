#include "cli/resolve.hpp"

#include "base/text.hpp"
#include "cli/facts.hpp"
#include "cli/say.hpp"
#include "attempt/workspace.hpp"
#include "render/symbols.hpp"

#include <csignal>

namespace orch::cli {

namespace {

constexpr std::size_t k_longest_answer = 200;
constexpr std::uint64_t k_tail_bytes = 64 << 10;
constexpr double k_end_s = 2;  // between TERM and KILL

class Resolving {
 public:
  Resolving(const attempt::Layout& layout, ResolveWorld& world) : layout_(layout), world_(world) {}

  // What RESOLVER says that SOURCE at REVISION means.
  Result<std::string> ask(const runner::Resolver& resolver, const std::string& source,
                          const std::string& revision) {
    const std::string token = system::new_token();
    const std::string log = fmt::format("{}/logs/{}.log", layout_.store, token);
    system::Spawn spawn{.argv = {},
                        .env = attempt::stage_environment(world_.environment, resolver.inherit, {}),
                        .work = layout_.store,
                        .token = token};
    for (const std::string& word : resolver.argv)
      spawn.argv.push_back(fill(word, source, revision));
    const auto exit = run(spawn, log, resolver.timeout_s);
    const std::string text = world_.files.read_tail(log, k_tail_bytes).value_or("");
    static_cast<void>(world_.files.remove_tree(log).ok());
    if (!exit) return exit.error();
    return answer(*exit, text);
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

  // The whole tree is gone when this returns.
  Result<system::Exit> run(system::Spawn spawn, const std::string& log, double timeout_s) {
    ORCH_ASSIGN(const system::Descriptor open_log, system::open_for_appending(log));
    spawn.log = open_log.get();
    ORCH_ASSIGN(const system::Tree tree, world_.processes.spawn(spawn));
    const double until = world_.clock.now_s() + timeout_s;
    std::optional<system::Exit> exit;
    std::optional<Error> why;
    while (!exit && !why) {
      for (const system::Exit& one : world_.processes.wait(0.1))
        if (one.process == tree.leader) exit = one;
      if (world_.interrupts.count() > 0)
        why = Error{ErrorKind::interrupted, "it was interrupted", {}};
      else if (world_.clock.now_s() > until)
        why = Error{
            ErrorKind::unavailable, fmt::format("it gave no answer within {} s", timeout_s), {}};
    }
    end_tree(tree);
    if (!exit) return *why;
    return *exit;
  }

  void end_tree(const system::Tree& tree) {
    const double kill_at = world_.clock.now_s() + k_end_s;
    if (world_.processes.alive(tree)) world_.processes.signal(tree, SIGTERM);
    while (world_.processes.alive(tree) && world_.clock.now_s() < kill_at)
      static_cast<void>(world_.processes.wait(0.05));
    while (!world_.processes.end(tree, k_end_s)) {
    }
  }

  static Result<std::string> answer(const system::Exit& exit, const std::string& text) {
    const std::string_view all = trim(text);
    const auto line = all.rfind('\n');
    const std::string last(trim(line == std::string_view::npos ? all : all.substr(line + 1)));
    if (exit.code != 0)
      return Error{
          ErrorKind::unavailable,
          last.empty() ? fmt::format("it ended with status {}", exit.code) : printable(last),
          {}};
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

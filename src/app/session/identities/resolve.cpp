#include "app/session/identities/resolve.hpp"

#include "app/session/file_facts.hpp"
#include "core/base/text.hpp"
#include "core/secret/redact.hpp"
#include "os/system/run_to_end.hpp"
#include "run/attempt/stage_environment.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::session {

namespace {

constexpr std::size_t k_longest_answer = 200;
constexpr std::size_t k_tail_bytes = 64 << 10;
constexpr double k_stop_s = 2;

// Runs resolvers, one at a time.
class ResolverCommand {
 public:
  explicit ResolverCommand(const Context& context)
      : context_(context),
        secrets_(
            attempt::secrets_of(context.world.environment, secret_names(context.experiment()))) {}

  // The commit that the resolver BY prints for SOURCE at REVISION.
  Result<std::string> ask(const RunnerResolver& by, const std::string& source,
                          const std::string& revision) {
    const runner::Resolver& resolver = *by.resolver;
    system::Command command{
        .argv = {},
        .env = attempt::stage_environment(context_.world.environment, resolver.inherit, {}),
        .work = context_.planning.layout().store,
        .timeout_s = resolver.timeout_s,
        .stop_s = k_stop_s,
        .most_output_bytes = k_tail_bytes,
        .is_cancelled = [this] { return context_.interrupts.count() > 0; }};
    for (const std::string& word : resolver.argv)
      command.argv.push_back(
          attempt::with_files(context_.planning.layout(), by.runner, word,
                              {{"model.source", source}, {"model.revision", revision}}));
    ORCH_ASSIGN(const system::CommandResult result,
                system::run_to_end(context_.world.processes, context_.world.clock, command));
    switch (result.end) {
      case system::CommandResult::End::exited: return answer(result);
      case system::CommandResult::End::cancelled:
        return Error{ErrorKind::interrupted, "it was interrupted"};
      case system::CommandResult::End::timed_out: break;
    }
    return unavailable(fmt::format("it gave no answer within {} s", resolver.timeout_s));
  }

 private:
  Result<std::string> answer(system::CommandResult result) const {
    if (result.code != 0) {
      for (std::string* text : {&result.output, &result.errors})
        *text = secret::redacted(secrets_, *text);
      const std::string reason = result.reason();
      return unavailable(reason.empty() ? fmt::format("it ended with status {}", result.code)
                                        : printable(reason));
    }
    const std::string last = system::last_line(result.output);
    const bool plain = std::ranges::all_of(last, [](char c) { return c > ' ' && c < '\x7f'; });
    if (last.empty() || last.size() > k_longest_answer || !plain)
      return unavailable("its last line is not one word of printable ASCII characters");
    // A secret is an error and is not redacted: the line is the identity of a model, which
    // redaction would falsify.
    if (!secret::find_secrets(secrets_, last).empty())
      return unavailable(
          "its last line holds a secret, which would be stored; print only the revision");
    return last;
  }

  const Context& context_;
  const secret::Secrets secrets_;
};

// Resolves ORIGIN, which NAME describes. Returns whether the stored resolution is new or has
// changed.
Result<bool> resolve(const Context& context, store::Store& store, const std::string& name,
                     const Origin& origin) {
  const auto& [source, revision, where] = origin;
  if (!matrix::needs_resolving(source, revision)) return false;
  const std::string full = matrix::mutable_revision(source, revision);
  ORCH_ASSIGN(const auto known, store.resolution(k_model_resolution, full));
  if (known && !context.options.update) return false;
  const RunnerResolver by = resolver_of(context.experiment(), source);
  if (!by.resolver) return false;  // planning has reported this
  const auto value = ResolverCommand(context).ask(by, source, full.substr(source.size() + 1));
  if (!value) return value.error().within(fmt::format("{}: {} cannot be resolved", name, full));
  ORCH_TRY(store.put_resolution(k_model_resolution, full, *value, context.world.clock.wall_s()));
  if (known == *value) return false;
  context.reporter.report(
      Severity::info, fmt::format("resolved {}: {}{}", full, known ? *known + " -> " : "", *value));
  return true;
}

Result<std::string> ask(const Context& context, const plan::RunningService& service) {
  const std::string& variable = service.server.token_env;
  if (!variable.empty() && !context.world.environment.contains(variable))
    return invalid(
        fmt::format("service: token_env names {0}, which is not set; export {0}, or take it out",
                    variable),
        service.server.where);
  for (const auto& [name, value] : service.server.headers)
    if (auto line = header_line(name, value, context.world.environment); !line)
      return invalid("service: " + line.error().message, service.server.where);
  attempt::IdentityQuestion question =
      attempt::identity_question(service, context.world.environment);
  const secret::Secrets secrets(
      attempt::secrets_of(context.world.environment, secret_names(context.experiment())));
  question.redact = [&secrets](std::string_view text) { return secret::redacted(secrets, text); };
  auto says = attempt::ask_identity(context.world.http, question);
  if (says) return says;
  Error error = says.error();
  error.message =
      fmt::format("service: {}{}", error.message,
                  error.kind == ErrorKind::invalid ? "" : "; correct url, or start that server");
  error.where = service.server.where;
  return error;
}

}  // namespace

Resolved resolve_origins(const Context& context, store::Store& store, const Origins& origins) {
  Resolved resolved;
  for (const auto& [name, origin] : origins) {
    const auto changed = resolve(context, store, name, origin);
    if (changed) resolved.any = *changed || resolved.any;
    else resolved.failures.push_back(changed.error());
    if (context.interrupts.count() > 0) break;
  }
  return resolved;
}

RunningServices services_to_ask(const plan::Plan& plan) {
  RunningServices services;
  std::set<std::string> known;
  for (const plan::Stage& stage : plan.stages) {
    const bool wanted = std::ranges::any_of(
        stage.points, [&](std::size_t p) { return plan.points[p].status != plan::Status::reject; });
    if (wanted && stage.spec.server && known.insert(stage.spec.server->question).second)
      services.push_back(stage.spec.server);
  }
  return services;
}

AskedServers ask_servers(const Context& context, store::Store& store,
                         const RunningServices& services) {
  AskedServers asked;
  for (const auto& service : services) {
    if (context.interrupts.count() > 0) break;
    auto says = ask(context, *service);
    if (says)
      if (const Status listed =
              attempt::refuse_unlisted_model(context.planning.current(), *service, *says);
          !listed)
        says = listed.error();
    const Status kept = says ? store.put_resolution(k_server_resolution, service->question, *says,
                                                    context.world.clock.wall_s())
                             : Status(says.error());
    if (kept) continue;
    asked.silent.insert(service->question);
    asked.failures.push_back(kept.error());
  }
  return asked;
}

}  // namespace orch::session

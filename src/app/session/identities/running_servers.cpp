#include "app/session/identities/running_servers.hpp"

#include "run/attempt/workspace.hpp"
#include "app/session/file_facts.hpp"
#include "core/base/header.hpp"
#include "core/secret/redact.hpp"

#include <algorithm>

namespace orch::session {

namespace {

Result<std::string> ask(const Resolving& with, const plan::RunningService& service) {
  const std::string& variable = service.server.token_env;
  if (!variable.empty() && !with.world.environment.contains(variable))
    return invalid(
        fmt::format("service: token_env names {0}, which is not set; export {0}, or take it out",
                    variable),
        service.server.where);
  for (const auto& [name, value] : service.server.headers)
    if (auto line = header_line(name, value, with.world.environment); !line)
      return invalid("service: " + line.error().message, service.server.where);
  attempt::IdentityQuestion question = attempt::identity_question(service, with.world.environment);
  const secret::Secrets secrets(
      attempt::secrets_of(with.world.environment, secret_names(with.experiment)));
  question.redact = [&secrets](std::string_view text) { return secret::redacted(secrets, text); };
  auto says = attempt::ask_identity(with.world.http, question);
  if (says) return says;
  Error error = says.error();
  error.message =
      fmt::format("service: {}{}", error.message,
                  error.kind == ErrorKind::invalid ? "" : "; correct url, or start that server");
  error.where = service.server.where;
  return error;
}

}  // namespace

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

AskedServers ask_servers(const Resolving& with, const RunningServices& services,
                         const plan::Plan& plan) {
  AskedServers asked;
  for (const auto& service : services) {
    if (with.interrupts.count() > 0) break;
    auto says = ask(with, *service);
    if (says)
      if (const Status listed = attempt::refuse_unlisted_model(plan, *service, *says); !listed)
        says = listed.error();
    const Status kept = says ? with.store.put_resolution(k_server_resolution, service->question,
                                                         *says, with.world.clock.wall_s())
                             : Status(says.error());
    if (kept) continue;
    asked.silent.insert(service->question);
    asked.failures.push_back(kept.error());
  }
  return asked;
}

}  // namespace orch::session

#include "schedule/publisher.hpp"

#include "system/kill_point.hpp"

namespace orch::schedule {

std::optional<AttemptFailure> Publisher::publish(const ActiveProcess::Member& member) {
  const Tools& tools = run_.tools;
  if (!tools.journal.is_current(member.key, member.prepared.attempt.token))
    return AttemptFailure{
        "lost",
        "a newer attempt of this stage is on record, so the outputs of this one are not published"};
  const auto files = tools.workspace.check(member.prepared);
  if (!files) return AttemptFailure{"output_missing", files.error().message};
  if (const Status published = tools.workspace.publish(member.prepared, *files); !published)
    return AttemptFailure{"cannot_publish", published.error().text()};
  system::kill_point("published");
  run_.log.note(ArtifactPublished{.attempt = member.key,
                                  .path = attempt::Layout::artifact(member.prepared.artifact),
                                  .in_place = run_.stage(member.stage).spec.in_place,
                                  .not_cacheable = why_not_cacheable(member.stage),
                                  .files = *files,
                                  .at = run_.wall()});
  return std::nullopt;
}

std::string Publisher::why_not_cacheable(Index stage) {
  std::string why = run_.tools.changed_input(run_.stage(stage));
  for (const Index need : run_.graph.needs[stage]) {
    if (!why.empty()) break;
    why = run_.kind(need) == runner::Kind::service ? why_not_cacheable(need)
                                                   : run_.stages[need].not_cacheable;
  }
  if (!why.empty()) run_.stages[stage].not_cacheable = why;
  return why;
}

}  // namespace orch::schedule

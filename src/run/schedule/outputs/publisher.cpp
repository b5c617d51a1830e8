#include "run/schedule/outputs/publisher.hpp"

#include "run/schedule/verdicts.hpp"
#include "os/system/kill_point.hpp"

namespace orch::schedule {

namespace {

AttemptFailure unpublished(const Error& error) {
  if (error.kind == ErrorKind::interrupted) return {"interrupted", error.message};
  return failure_to("cannot_publish", error);
}

AttemptFailure unusable(const Error& error) {
  if (error.kind == ErrorKind::invalid) return {"output_missing", error.message};
  if (error.kind == ErrorKind::not_found)
    return {"lost", "its outputs were removed before they were published: " + error.message};
  return unpublished(error);
}

}  // namespace

void Publisher::publish(const ActiveProcess& process,
                        std::function<void(const std::vector<Made>& made)> next) {
  std::vector<const attempt::Prepared*> current;  // null for an attempt that may not publish
  for (const ActiveProcess::Member& member : process.members)
    current.push_back(run_.tools.journal.is_current(member.key, member.prepared.attempt.token)
                          ? &member.prepared
                          : nullptr);
  run_.file_work.start(
      process.token,
      [current = std::move(current), &workspace = run_.tools.workspace,
       next = std::move(next)](system::LongWork& work) -> FileWork::Next {
        std::vector<Made> made;
        for (const attempt::Prepared* one : current)
          made.push_back(
              one ? make(workspace, *one, work)
                  : Made{.failure = AttemptFailure{"lost",
                                                   "a newer attempt of this stage is on record, so "
                                                   "the outputs of this one are not published"},
                         .files = {}});
        return [next, made = std::move(made)] { next(made); };
      });
}

Publisher::Made Publisher::make(attempt::AttemptFolders& workspace,
                                const attempt::Prepared& prepared, system::LongWork& work) {
  auto files = workspace.check(prepared, work);
  if (!files) return {.failure = unusable(files.error()), .files = {}};
  if (const Status published = workspace.publish(prepared, *files, work); !published)
    return {.failure = unpublished(published.error()), .files = {}};
  system::kill_point("published");
  return {.failure = std::nullopt, .files = std::move(*files)};
}

void Publisher::record(const ActiveProcess::Member& member,
                       const std::vector<PublishedFile>& files) {
  run_.log.note(ArtifactPublished{.attempt = member.key,
                                  .path = attempt::Layout::artifact(member.prepared.artifact),
                                  .in_place = run_.stage(member.stage).spec.in_place,
                                  .not_cacheable = why_not_cacheable(member.stage),
                                  .files = files,
                                  .at = run_.wall()});
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

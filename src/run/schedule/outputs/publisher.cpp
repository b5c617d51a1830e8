#include "run/schedule/outputs/publisher.hpp"

#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "run/schedule/retries.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

AttemptFailure unpublished(const Error& error) {
  if (error.kind == ErrorKind::interrupted) return {FailureClass::interrupted, error.message};
  return failure_to(FailureClass::cannot_publish, error);
}

AttemptFailure unusable(const Error& error) {
  if (error.kind == ErrorKind::invalid) return {FailureClass::output_missing, error.message};
  if (error.kind == ErrorKind::not_found)
    return {FailureClass::lost,
            "its outputs were removed before they were published: " + error.message};
  return unpublished(error);
}

constexpr std::uint64_t k_spare_bytes = 16 << 20;
// On a small file system, the reserve is a twentieth of its size.
constexpr std::uint64_t k_spare_share = 20;
constexpr std::uint64_t k_spare_inodes = 64;

std::uint64_t spare_in(const system::FreeSpace& free) {
  return free.total_bytes ? std::min(k_spare_bytes, free.total_bytes / k_spare_share)
                          : k_spare_bytes;
}

}  // namespace

void Publisher::publish(const ActiveProcess& process,
                        std::function<void(std::vector<Made> made)> next) {
  std::vector<const attempt::Prepared*> current;  // null for a member that may not publish
  for (const ActiveProcess::Member& member : process.members)
    current.push_back(
        run_.tools.journal.is_current(member.key, member.prepared.attempt.token).value_or(false)
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
                  : Made{.failure = AttemptFailure{FailureClass::lost,
                                                   "a newer attempt of this stage is on record, so "
                                                   "the outputs of this one are not published"}});
        return [next, made = std::move(made)]() mutable { next(std::move(made)); };
      });
}

Publisher::Made Publisher::make(attempt::AttemptFolders& workspace,
                                const attempt::Prepared& prepared, system::LongWork& work) {
  auto files = workspace.check(prepared, work);
  if (!files) return {.failure = unusable(files.error())};
  if (const Status published = workspace.publish(prepared, *files, work); !published)
    return {.failure = unpublished(published.error())};
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
  std::string why = run_.tools.environment.changed_input(run_.stage(stage));
  for (const Index need : run_.graph.needs[stage]) {
    if (!why.empty()) break;
    why = run_.kind(need) == runner::Kind::service ? why_not_cacheable(need)
                                                   : run_.stages[need].not_cacheable;
  }
  if (!why.empty()) run_.stages[stage].not_cacheable = why;
  return why;
}

std::uint64_t room_in(const system::FreeSpace& free) {
  return free.bytes - std::min(free.bytes, spare_in(free));
}

std::string why_no_room(const system::FreeSpace& free, std::uint64_t needed,
                        const std::string& store) {
  const std::uint64_t spare = spare_in(free);
  if (free.bytes < spare || room_in(free) < needed)
    return fmt::format(
        "{} of the disk of {} are free, and the stage needs {}{}; free some space and run the "
        "same command again",
        human_bytes(free.bytes), store, needed ? human_bytes(needed) + " beside " : "",
        human_bytes(spare) + " of reserve");
  if (free.inodes < k_spare_inodes)
    return fmt::format(
        "{} files can be made on the disk of {}, and the stage needs {}; remove some files and run "
        "the same command again",
        free.inodes, store, k_spare_inodes);
  return "";
}

}  // namespace orch::schedule

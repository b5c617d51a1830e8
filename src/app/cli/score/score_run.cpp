#include "app/cli/score/score_run.hpp"

#include "app/cli/say.hpp"
#include "app/cli/score/scorers.hpp"
#include "spec/matrix/source.hpp"
#include "results/score/score_targets.hpp"
#include "results/score/write_scores.hpp"

namespace orch::cli {

namespace {

bool fail_scores(const Error& error) {
  print_errors({error.within("score")});
  return false;
}

std::string reference_file(const matrix::Matrix& matrix) {
  const auto found = matrix.datasets.find(matrix.score->references);
  if (found == matrix.datasets.end()) return "";
  return matrix::local_source_path(found->second.source).value_or(found->second.source);
}

Result<score::ScoreReport> report_of(session::World& world, store::Store& store,
                                     const matrix::Matrix& matrix,
                                     std::vector<score::Target> targets,
                                     const std::function<bool()>& is_cancelled) {
  const score::ProgramHost host{.processes = world.processes,
                                .clock = world.clock,
                                .environment = real_environment(),
                                .folder = std::filesystem::current_path().string(),
                                .wall_s = world.clock.wall_s(),
                                .is_cancelled = is_cancelled};
  ScorerOptions options{
      .names = matrix.score->scorers, .program = matrix.score->program, .program_name = {}};
  if (matrix.score->tolerance) options.tolerance = *matrix.score->tolerance;
  ORCH_ASSIGN(const auto scorers, find_scorers(options, host));
  return score::score_targets(store.database(), host, world.files, store.layout(),
                              {.targets = std::move(targets),
                               .scorers = scorers,
                               .references = reference_file(matrix),
                               .without_references = matrix.score->scorers.empty()});
}

}  // namespace

bool score_run(session::World& world, store::Store& store, const matrix::Matrix& matrix,
               std::int64_t run, const std::function<bool()>& is_cancelled) {
  if (!matrix.score || is_cancelled()) return true;
  auto targets = score::find_targets(store.database(), {.run = run, .where = {}});
  if (!targets)  // a run of which nothing is valid has said so
    return targets.error().kind == ErrorKind::not_found || fail_scores(targets.error());
  const auto report = report_of(world, store, matrix, std::move(*targets), is_cancelled);
  if (!report) return fail_scores(report.error());
  std::vector<tables::Scored> fresh;
  for (const score::ScoreLine& line : report->lines)
    if (line.is_new) fresh.push_back(line.scored);
  if (const Status written = score::write_scores(store, fresh); !written)
    return fail_scores(written.error());
  say(
      stderr, "scored: {} measurements by {} scorers, {} of them before\n",
      [&] {
        std::set<std::int64_t> ids;
        for (const score::ScoreLine& line : report->lines) ids.insert(line.measurement);
        return ids.size();
      }(),
      matrix.score->scorers.size() + (matrix.score->program.empty() ? 0 : 1),
      report->lines.size() - fresh.size());
  for (const Error& error : report->errors) fail_scores(error);
  return report->errors.empty();
}

}  // namespace orch::cli

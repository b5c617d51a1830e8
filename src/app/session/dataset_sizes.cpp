#include "app/session/dataset_sizes.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/source.hpp"
#include "bench/prompt/prompt_jobs.hpp"
#include "bench/prompt/prompt_rows.hpp"

#include <algorithm>

namespace orch::session {

namespace {

// The stage that needs the most rows of a dataset.
struct Largest {
  prompt::RowsNeeded need;
  std::size_t point = 0;
  std::size_t too_many = 0;  // stages that need more than there are
};

std::string text_of(const std::map<std::string, std::string>& job, const char* name) {
  const auto found = job.find(name);
  return found == job.end() ? "" : found->second;
}

bool samples(const plan::Stage& stage, const std::string& source) {
  return text_of(stage.spec.job, "dataset") == source && stage.spec.job.contains("requests") &&
         stage.status != plan::Status::reject && !stage.points.empty();
}

Largest largest_need(const plan::Plan& plan, const std::string& source, std::int64_t rows) {
  Largest largest;
  for (const plan::Stage& stage : plan.stages) {
    if (!samples(stage, source)) continue;
    const prompt::RowsNeeded need = prompt::rows_needed(stage.spec.job, rows);
    largest.too_many += need.all() > rows;
    if (need.all() <= largest.need.all()) continue;
    largest.need = need;
    largest.point = stage.points.front();
  }
  return largest;
}

std::string remedy(const prompt::RowsNeeded& need, std::int64_t rows) {
  const std::int64_t fits = rows / need.blocks - need.warmup;
  const std::string fewer =
      fits > 0 ? fmt::format("set num_prompts to {} at most, ", fits) : "lower num_prompts, ";
  return fewer +
         "add rows, or send the same prompts in every measurement: measure: "
         "{reuse_prompts: true}";
}

}  // namespace

void refuse_small_datasets(system::Files& files, const matrix::Matrix& matrix,
                           const plan::Plan& plan, Errors& errors) {
  for (const auto& [name, dataset] : matrix.datasets) {
    const auto path = matrix::local_source_path(dataset.source);
    if (!path || std::ranges::none_of(plan.stages, [&](const auto& stage) {
          return samples(stage, dataset.source);
        }))
      continue;
    const auto text = files.read_text(*path, prompt::k_largest_prompt_file);
    const auto plain = text ? prompt::plain_rows(*text, *path) : Result<std::string>(text.error());
    if (!plain) {
      errors.push_back(plain.error());
      continue;
    }
    const std::int64_t rows = std::ranges::count(*plain, '\n');
    const Largest largest = largest_need(plan, dataset.source, rows);
    const prompt::RowsNeeded& need = largest.need;
    if (need.all() <= rows) continue;
    errors.push_back(invalid(
        fmt::format("dataset {} has {} prompts, and {} set{} of prompts need{} more; the largest, "
                    "of point {}, needs {}: {} blocks of {} measured and {} warm-up prompts, none "
                    "of which is sent twice; {}",
                    quoted(name), rows, largest.too_many, largest.too_many == 1 ? "" : "s",
                    largest.too_many == 1 ? "s" : "", plan.points[largest.point].point.name,
                    need.all(), need.blocks, need.measured, need.warmup, remedy(need, rows)),
        dataset.where));
  }
}

}  // namespace orch::session

#include "prompt/dataset_jobs.hpp"

#include "base/json_text.hpp"
#include "prompt/prompt_rows.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace orch::prompt {
namespace {

using Json = nlohmann::json;

constexpr int k_job_file_depth = 8;
constexpr std::string_view k_local = "local:";

struct Rows {
  std::string file;
  std::string refused;  // the reason when there is no file
};

class Datasets {
 public:
  Datasets(std::string folder, system::Files& files) : folder_(std::move(folder)), files_(files) {}

  // Error: the folder cannot be written. For an unreadable dataset, `refused` has the reason.
  Result<Rows> rows_of(const std::string& path) {
    const auto known = rows_.find(path);
    if (known != rows_.end()) return known->second;
    Rows rows = {.file = fmt::format("{}/rows-{}.jsonl", folder_, rows_.size()), .refused = {}};
    auto text = read(path);
    if (text) ORCH_TRY(files_.put(rows.file, *text));
    else rows.refused = text.error().text();
    return rows_.emplace(path, std::move(rows)).first->second;
  }

 private:
  Result<std::string> read(const std::string& path) const {
    ORCH_ASSIGN(const std::string text, files_.read_text(path, k_largest_prompt_file));
    return plain_rows(text, path);
  }

  std::string folder_;
  system::Files& files_;
  std::map<std::string, Rows> rows_;  // by path of the dataset
};

Error not_a_job_array(const std::string& file) {
  return invalid("this is not an array of jobs as a stage with 'batch' writes it", {.file = file});
}

}  // namespace

Status place_dataset_rows(const std::string& jobs_file, system::Files& files) {
  ORCH_ASSIGN(const std::string text, files.read(jobs_file));
  Json jobs = parse_shallow<Json>(text, k_job_file_depth).value;
  if (!jobs.is_array()) return not_a_job_array(jobs_file);
  Datasets datasets(std::filesystem::path(jobs_file).parent_path().string(), files);
  for (Json& job : jobs) {
    if (!job.is_object()) return not_a_job_array(jobs_file);
    const Json dataset = job.value("dataset", Json(""));
    if (!dataset.is_string()) return not_a_job_array(jobs_file);
    job.erase("dataset");
    std::string path = dataset.get<std::string>();
    if (path.empty()) continue;
    if (path.starts_with(k_local)) path.erase(0, k_local.size());
    ORCH_ASSIGN(const Rows rows, datasets.rows_of(path));
    if (rows.refused.empty()) job["rows"] = rows.file;
    else job["refused"] = rows.refused;
  }
  return files.replace(jobs_file, dump(jobs, 1) + "\n");
}

}  // namespace orch::prompt

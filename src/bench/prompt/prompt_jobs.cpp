#include "bench/prompt/prompt_jobs.hpp"

#include "core/base/digest.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "bench/prompt/lengths.hpp"
#include "bench/prompt/prompt_rows.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace orch::prompt {
namespace {

using Json = nlohmann::json;

constexpr int k_job_file_depth = 8;
constexpr std::string_view k_local = "local:";

struct Rows {
  std::string file;
  std::string refused;  // the reason when there is no file
  std::int64_t count = 0;
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
    if (text) {
      rows.count = std::ranges::count(*text, '\n');
      ORCH_TRY(files_.put(rows.file, *text));
    } else {
      rows.refused = text.error().text();
    }
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

// Takes the text NAME out of JOB; "" when it has none.
std::string take(Json& job, const char* name) {
  const auto found = job.find(name);
  const std::string text =
      found != job.end() && found->is_string() ? found->get<std::string>() : "";
  if (found != job.end()) job.erase(found);
  return text;
}

std::int64_t count_of(const Json& job, const char* name) {
  return to_integer(job.value(name, std::string())).value_or(0);
}

// Different for each seed, stream and KIND, and the same on every machine.
std::uint64_t seed_of(const Json& job, std::string_view kind) {
  const Digest digest = sha256(fmt::format("{}\n{}\n{}", job.value("seed", std::string()),
                                           job.value("stream", std::string()), kind));
  return std::stoull(digest.prefix(16), nullptr, 16);
}

// Lengths of synthetic prompts; the rows of a dataset have their own.
void draw(Json& job) {
  const std::string sd = take(job, "isl_sd"), most = take(job, "isl_max");
  if (sd.empty() || job.contains("rows") || job.contains("refused")) return;
  const auto length =
      parse_length("isl", fmt::format("{}:{}:{}", job.value("isl", std::string()), sd, most));
  if (!length) {
    job["refused"] = length.error().message;
    return;
  }
  for (const char* kind : {"warmup", "measured"}) {
    const std::int64_t count =
        count_of(job, kind == std::string_view("warmup") ? kind : "requests");
    job["lengths"][kind] = draw_lengths(*length, seed_of(job, kind),
                                        static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  }
  job["near"] = true;  // a length below the shortest possible prompt becomes that length
}

// A request takes as many prompts as its batch has.
void multiply(Json& job) {
  const std::int64_t batch = to_integer(take(job, "batch")).value_or(1);
  if (batch < 2) return;
  for (const char* count : {"requests", "warmup"}) {
    std::int64_t prompts = 0;
    if (!__builtin_mul_overflow(count_of(job, count), batch, &prompts))
      job[count] = std::to_string(prompts);
  }
}

void reuse(Json& job, std::int64_t rows) {
  if (take(job, "reuse") != "true") return;
  job["blocks"] = "1";
  job["warmup"] = "0";
  if (rows > 0 && count_of(job, "requests") > rows) job["requests"] = std::to_string(rows);
}

}  // namespace

Status prepare_prompt_jobs(const std::string& jobs_file, system::Files& files) {
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
    if (path.starts_with(k_local)) path.erase(0, k_local.size());
    Rows rows;
    if (!path.empty()) {
      ORCH_ASSIGN(rows, datasets.rows_of(path));
      if (rows.refused.empty()) job["rows"] = rows.file;
      else job["refused"] = rows.refused;
    }
    multiply(job);
    reuse(job, rows.count);
    draw(job);
  }
  return files.replace(jobs_file, dump(jobs, 1) + "\n");
}

RowsNeeded rows_needed(const std::map<std::string, std::string>& job, std::int64_t rows) {
  Json prepared = job;
  multiply(prepared);
  reuse(prepared, rows);
  return {.blocks = std::max<std::int64_t>(count_of(prepared, "blocks"), 1),
          .measured = count_of(prepared, "requests"),
          .warmup = count_of(prepared, "warmup")};
}

}  // namespace orch::prompt

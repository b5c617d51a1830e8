#include "bench/prompt/prompt_cache.hpp"

#include "bench/prompt/prompt_forms.hpp"
#include "bench/prompt/prompts.hpp"
#include "core/base/digest.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/run_to_end.hpp"
#include "os/system/work/long_work.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace orch::prompt {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view k_prompts = "/prompts.jsonl";
constexpr std::string_view k_sum = "/sha256";  // of the prompts; written when they are complete
constexpr double k_longest_s = 3600;
constexpr std::chrono::hours k_abandoned(24);  // unpublished folders of this age are removed

// The job in the form of make_prompts.py, without the paths "out" and "rows".
Json job_json(const PromptJob& job) {
  Json json = {
      {"seed", std::to_string(job.seed)}, {"stream", "bench"}, {"near", true}, {"ids", job.ids}};
  if (!job.rows.empty()) return json;
  json["lengths"] = {{"warmup", job.warmup}, {"measured", job.measured}};
  json["requests"] = std::to_string(job.measured.size());
  json["warmup"] = std::to_string(job.warmup.size());
  json["blocks"] = "1";
  json["shared_prefix"] = job.shared_prefix;
  return json;
}

// A tokenizer has tens of megabytes and rarely changes, so the cache keeps its digest by its file
// stamp.
Result<Digest> digest_of_tokenizer(const PromptHelper& helper, const std::string& path,
                                   const system::Host& host) {
  ORCH_ASSIGN(const system::FileStamp stamp, system::FileStamp::of(path));
  const std::string name = fmt::format("{} {} {} {} {}", stamp.path, stamp.size, stamp.mtime_ns,
                                       stamp.ctime_ns, stamp.inode);
  const std::string note = fmt::format("{}/stamp-{}", helper.cache_folder, sha256(name).hex());
  Digest digest;
  if (const auto known = host.files.read(note); known && Digest::parse(trim(*known), digest))
    return digest;
  system::LongWork work;
  ORCH_ASSIGN(digest, host.files.sha256(path, work));
  // Failures are ignored: the note only saves time, and an unusable cache folder is reported later.
  if (stamp.is_settled(host.clock.wall_s()) && host.files.make_folder(helper.cache_folder).ok())
    static_cast<void>(host.files.write(note, digest.hex() + "\n"));
  return digest;
}

// Covers everything that determines the prompts, including the helper's files.
Result<Digest> digest_of(const PromptHelper& helper, const PromptJob& job,
                         const system::Host& host) {
  system::Files& files = host.files;
  Components list;
  ORCH_ASSIGN(const Digest tokenizer, digest_of_tokenizer(helper, job.tokenizer, host));
  list.add("tokenizer", tokenizer);
  list.add("special_tokens", job.special_tokens ? "true" : "false");
  Json json = job_json(job);
  if (!job.rows.empty()) json["rows"] = sha256(job.rows).hex();
  list.add("job", dump(json));
  const std::string folder = fs::path(helper.script).parent_path().string();
  ORCH_ASSIGN(const std::vector<std::string> names, files.names(folder));
  system::LongWork work;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (!fs::is_regular_file(path)) continue;
    ORCH_ASSIGN(const Digest digest, files.sha256(path, work));
    list.add("helper/" + name, digest);
  }
  return list.digest();
}

std::map<std::string, std::string> own_environment(const std::string& withheld) {
  std::map<std::string, std::string> out;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && !secret::names_a_secret(text.substr(0, equals)))
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  out.erase(withheld);
  out["PYTHONDONTWRITEBYTECODE"] = "1";  // the digest of the script's folder must not change
  return out;
}

class HelperRun {
 public:
  HelperRun(const PromptHelper& helper, const PromptJob& job, const PromptContext& context)
      : helper_(helper), job_(job), context_(context), files_(context.host.files) {}

  // Runs the helper in FOLDER, which no other process uses, and returns its output.
  Result<std::string> make(const std::string& folder) {
    Json json = job_json(job_);
    json["out"] = folder;
    const std::string rows = folder + "/rows.jsonl", jobs = folder + "/jobs.json";
    if (!job_.rows.empty()) {
      json["rows"] = rows;
      ORCH_TRY(files_.put(rows, job_.rows));
    }
    ORCH_TRY(files_.put(jobs, dump(Json::array({json}))));
    ORCH_ASSIGN(const system::CommandResult result, run(folder, jobs));
    if (result.code != 0) return failure(result);
    ORCH_ASSIGN(std::string text, files_.read(folder + std::string(k_prompts)));
    for (const std::string& input : {rows, jobs}) ORCH_TRY(files_.remove_tree(input));
    return text;
  }

 private:
  Result<system::CommandResult> run(const std::string& folder, const std::string& jobs) {
    system::Command command{.argv = {helper_.python, helper_.script, "--tokenizer",
                                     fs::absolute(job_.tokenizer).string(), "--jobs", jobs},
                            .env = own_environment(helper_.withheld),
                            .work = folder,
                            .timeout_s = k_longest_s,
                            .is_cancelled = [this] { return context_.stopped.load(); }};
    if (!job_.special_tokens) command.argv.push_back("--no-special-tokens");
    auto result = system::run_to_end(context_.host.processes, context_.host.clock, command);
    if (!result)
      return invalid(fmt::format("{}; give --python a Python that has the package 'tokenizers'",
                                 result.error().message));
    switch (result->end) {
      case system::CommandResult::End::exited: return result;
      case system::CommandResult::End::cancelled:
        return Error{ErrorKind::interrupted, "interrupted while making prompts"};
      case system::CommandResult::End::timed_out: break;
    }
    return Error{ErrorKind::timeout,
                 fmt::format("making prompts took longer than {}; request fewer",
                             human_duration(k_longest_s))};
  }

  Error failure(const system::CommandResult& result) const {
    const std::string reason = result.reason();
    std::string_view last = reason;
    const std::string name = fs::path(helper_.script).filename().string() + ": ";
    if (last.starts_with(name)) last.remove_prefix(name.size());
    if (last.empty())
      return invalid(fmt::format("prompts could not be made: {} ended with status {}",
                                 helper_.script, result.code));
    return invalid(fmt::format("prompts could not be made: {}", printable(last)));
  }

  const PromptHelper& helper_;
  const PromptJob& job_;
  const PromptContext& context_;
  system::Files& files_;
};

// nullopt if the set does not exist or was changed since it was published.
std::optional<std::string> read_published(const std::string& folder, system::Files& files) {
  auto text = files.read(folder + std::string(k_prompts));
  const auto sum = files.read(folder + std::string(k_sum));
  if (!text || !sum || trim(*sum) != sha256(*text).hex()) return {};
  return std::move(*text);
}

// Whether NAME is "DIGEST.TOKEN" or "texts.TOKEN", an unpublished folder. The cache also contains
// published folders ("DIGEST") and may contain files of the user.
bool is_unpublished(std::string_view name) {
  const std::size_t dot = name.find('.');
  Digest digest;
  return dot != std::string_view::npos && system::is_token(name.substr(dot + 1)) &&
         (name.substr(0, dot) == "texts" || Digest::parse(name.substr(0, dot), digest));
}

// Removes unpublished folders of runs that died.
void remove_abandoned(const std::string& cache, system::Files& files) {
  for (const std::string& name : files.names(cache).value_or({})) {
    if (!is_unpublished(name)) continue;
    std::error_code code;
    const auto written = fs::last_write_time(cache + "/" + name, code);
    if (!code && fs::file_time_type::clock::now() - written > k_abandoned)
      static_cast<void>(files.remove_tree(cache + "/" + name));
  }
}

// Error: tokenizer or helper changed since DIGEST was computed.
Status check_unchanged(const PromptHelper& helper, const PromptJob& job, const Digest& digest,
                       const system::Host& host) {
  ORCH_ASSIGN(const Digest now, digest_of(helper, job, host));
  if (now == digest) return {};
  return invalid(
      fmt::format("{} or {} changed while tokens were counted; run this again once both are stable",
                  job.tokenizer, helper.script));
}

Result<std::string> make_and_keep(const PromptHelper& helper, const PromptJob& job,
                                  const Digest& digest, const std::string& folder,
                                  const PromptContext& context) {
  system::Files& files = context.host.files;
  const std::string work = folder + "." + system::new_token();
  if (const Status made = files.make_folder(helper.cache_folder); !made.ok())
    return invalid(
        fmt::format("{}; give a folder for prompts with --prompt-cache", made.error().message));
  ORCH_TRY(files.make_folder(work));
  remove_abandoned(helper.cache_folder, files);
  auto text = HelperRun(helper, job, context).make(work);
  if (text)
    if (const Status same = check_unchanged(helper, job, digest, context.host); !same.ok())
      text = same.error();
  Status published;
  if (text) published = files.put(work + std::string(k_sum), sha256(*text).hex() + "\n");
  if (text && published.ok()) {
    static_cast<void>(files.remove_tree(folder));  // damaged, or absent
    published = files.rename(work, folder);
    if (published.ok()) return text;
  }
  // If the rename failed, another process may have published the same set.
  static_cast<void>(files.remove_tree(work));
  return text;
}

constexpr int k_job_file_depth = 8;
constexpr std::string_view k_local = "local:";

struct Rows {
  std::string file;
  std::string refused = {};  // the reason if there is no file
  std::int64_t count = 0;
};

class Datasets {
 public:
  Datasets(std::string folder, system::Files& files) : folder_(std::move(folder)), files_(files) {}

  // Error: the folder cannot be written. For an unreadable dataset, `refused` has the reason.
  Result<Rows> rows_of(const std::string& path) {
    const auto known = rows_.find(path);
    if (known != rows_.end()) return known->second;
    Rows rows = {.file = fmt::format("{}/rows-{}.jsonl", folder_, rows_.size())};
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
  std::map<std::string, Rows> rows_;  // by dataset path
};

Error not_a_job_array(const std::string& file) {
  return invalid("this is not an array of jobs as written for a stage with 'batch'",
                 {.file = file});
}

// Removes the text NAME from JOB and returns it; "" if there is none.
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

// Depends on seed, stream and KIND, but not on the machine.
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
  job["near"] = true;  // a length below the shortest possible prompt is raised to it
}

// A request takes one prompt per element of its batch.
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

Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const PromptContext& context) {
  ORCH_ASSIGN(const Digest digest, digest_of(helper, job, context.host));
  const std::string folder = fs::absolute(helper.cache_folder).string() + "/" + digest.hex();
  if (auto text = read_published(folder, context.host.files)) return std::move(*text);
  context.progress(
      job.rows.empty()
          ? fmt::format("making {}", plural(job.warmup.size() + job.measured.size(), "prompt"))
          : fmt::format("counting the tokens of {}", job.file));
  return make_and_keep(helper, job, digest, folder, context);
}

Status prepare_prompt_jobs(const std::string& jobs_file, system::Files& files) {
  ORCH_ASSIGN(const std::string text, files.read(jobs_file));
  Json jobs = parse_shallow<Json>(text, k_job_file_depth).value;
  if (!jobs.is_array()) return not_a_job_array(jobs_file);
  Datasets datasets(fs::path(jobs_file).parent_path().string(), files);
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

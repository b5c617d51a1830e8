#include "bench/prompt/prompt_cache.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/digest.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/secret/secret_forms.hpp"
#include "os/system/file_stamp.hpp"
#include "os/system/work/long_work.hpp"
#include "os/system/run_to_end.hpp"
#include "os/system/work/long_work.hpp"

namespace orch::prompt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view k_prompts = "/prompts.jsonl";
constexpr std::string_view k_sum = "/sha256";  // of the prompts; written when they are complete
constexpr double k_longest_s = 3600;
constexpr std::chrono::hours k_abandoned(24);  // the age from which unpublished folders are removed

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

// A tokenizer has tens of megabytes and hardly ever changes, so the cache keeps its digest by its
// file stamp.
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

// Over everything that determines the prompts, including the files of the helper.
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
  out["PYTHONDONTWRITEBYTECODE"] = "1";  // must not change the script's folder, which has a digest
  return out;
}

class HelperRun {
 public:
  HelperRun(const PromptHelper& helper, const PromptJob& job, const PromptContext& context)
      : helper_(helper), job_(job), context_(context), files_(context.host.files) {}

  // Runs the helper in FOLDER, which no other process uses, and returns the text it made.
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
      return invalid(
          fmt::format("{}; name a Python that has the package 'tokenizers' with --python",
                      result.error().message));
    switch (result->end) {
      case system::CommandResult::End::exited: return result;
      case system::CommandResult::End::cancelled:
        return Error{ErrorKind::interrupted, "interrupted while making prompts", {}};
      case system::CommandResult::End::timed_out: break;
    }
    return Error{ErrorKind::timeout,
                 fmt::format("making prompts took longer than {}; request fewer",
                             human_duration(k_longest_s)),
                 {}};
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

// Empty when the set does not exist or was changed since it was published.
std::optional<std::string> read_published(const std::string& folder, system::Files& files) {
  auto text = files.read(folder + std::string(k_prompts));
  const auto sum = files.read(folder + std::string(k_sum));
  if (!text || !sum || trim(*sum) != sha256(*text).hex()) return {};
  return std::move(*text);
}

// "DIGEST.TOKEN" or "texts.TOKEN", the names of our unpublished folders. Other files there belong
// to the user.
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
  // When the rename failed, another process may have published the same set.
  static_cast<void>(files.remove_tree(work));
  return text;
}

}  // namespace

Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const PromptContext& context) {
  ORCH_ASSIGN(const Digest digest, digest_of(helper, job, context.host));
  const std::string folder = fs::absolute(helper.cache_folder).string() + "/" + digest.hex();
  if (auto text = read_published(folder, context.host.files)) return std::move(*text);
  context.progress(job.rows.empty()
                       ? fmt::format("making {} prompts", job.warmup.size() + job.measured.size())
                       : fmt::format("counting the tokens of {}", job.file));
  return make_and_keep(helper, job, digest, folder, context);
}

}  // namespace orch::prompt

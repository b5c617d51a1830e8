#include "results/score/scoring.hpp"

#include "bench/prompt/prompt_forms.hpp"
#include "core/base/digest.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/score/score_targets.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using nlohmann::json;

constexpr int k_row_depth = 8;

// The first line that is not empty.
std::string_view first_row(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// Whether ROW identifies a request by index and has no prompt.
bool is_indexed(std::string_view row) {
  const json object = parse_shallow<json>(row, k_row_depth).value;
  return object.is_object() && object.contains("idx") && object.contains("output") &&
         object.size() == 2;
}

std::vector<std::string> texts_of(const json& output) {
  std::vector<std::string> texts;
  for (const json& one : output.is_array() ? output : json::array({output})) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
    else if (one.is_number()) texts.push_back(one.dump());
  }
  return texts;
}

}  // namespace

std::string prompt_key(const prompt::Prompt& prompt) {
  if (!prompt.text_input.empty()) return "text " + prompt.text_input;
  return fmt::format("ids {}", fmt::join(prompt.ids, " "));
}

Result<References> References::read(std::string_view text, std::string_view name) {
  References out;
  if (is_indexed(first_row(text))) {
    ORCH_TRY(out.read_indexed(text, name));
    return out;
  }
  const auto take = [&](prompt::PromptRow row, int) {
    if (row.references.empty()) return static_cast<void>(++out.rows_without_);
    auto& all = out.by_prompt_[prompt_key(row.prompt)];
    for (std::string& one : row.references)
      if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  };
  ORCH_ASSIGN(const std::int64_t left_out, prompt::read_rows(text, name, take));
  static_cast<void>(left_out);
  if (out.by_prompt_.empty())
    return invalid(
        R"(no row has a reference; write the right answer as {"input": "...", "output": "..."})",
        {.file = std::string(name)});
  return out;
}

Status References::read_indexed(std::string_view text, std::string_view name) {
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const json row = parse_shallow<json>(line, k_row_depth).value;
    const auto idx = row.is_object() ? row.find("idx") : row.end();
    const auto output = row.is_object() ? row.find("output") : row.end();
    const Location here{.file = std::string(name), .line = number};
    if (idx == row.end() || !idx->is_number_integer() || output == row.end())
      return invalid(fmt::format(R"({} is not {{"idx": N, "output": "..."}})", quoted(line)), here);
    std::vector<std::string> texts = texts_of(*output);
    if (texts.empty()) {
      ++rows_without_;
      continue;
    }
    if (!by_index_.emplace(idx->get<std::int64_t>(), std::move(texts)).second)
      return invalid(
          fmt::format("idx {} occurs twice; remove one of the rows", idx->get<std::int64_t>()),
          here);
  }
  return {};
}

const std::vector<std::string>* References::find(const std::string& prompt_key,
                                                 std::int64_t idx) const {
  if (by_index()) {
    const auto found = by_index_.find(idx);
    return found == by_index_.end() ? nullptr : &found->second;
  }
  const auto found = by_prompt_.find(prompt_key);
  return found == by_prompt_.end() ? nullptr : &found->second;
}

Paper::Paper(const Target& target, const KeptAnswers& answers, const ReferenceFile* file)
    : target_(target), answers_(answers), file_(file) {
  Components components;
  for (const KeptAnswer& one : answers.answers) {
    const auto* references = file ? file->references.find(one.prompt, one.idx) : nullptr;
    if (file && !references) {
      ++without_reference_;
      continue;
    }
    questions_.push_back({.id = one.line,
                          .prompt = one.text,
                          .answer = one.answer,
                          .references = references,
                          .point = target.point,
                          .idx = one.idx});
    components.add("prompt", one.prompt);
    components.add("answer", one.answer);
    for (const std::string& text : references ? *references : std::vector<std::string>())
      components.add("reference", text);
  }
  digest_ = components.digest().hex();
}

std::optional<tables::Scored> Paper::scored(
    const Scorer& scorer, const std::map<std::int64_t, std::optional<double>>& scores,
    double at) const {
  tables::Scored out{.token = target_.token,
                     .ordinal = target_.ordinal,
                     .scorer = scorer.name,
                     .version = scorer.version,
                     .digest = scorer.digest,
                     .answers_sha256 = digest_,
                     .references = file_ ? file_->path : "",
                     .references_sha256 = file_ ? file_->sha256 : "",
                     .without_reference = without_reference_,
                     .unanswered = answers_.unanswered,
                     .at = at};
  std::map<std::string, std::vector<double>> by_prompt;
  for (const KeptAnswer& one : answers_.answers) {
    const auto found = scores.find(one.line);
    if (found == scores.end()) continue;
    if (!found->second) {
      ++out.without_score;
      continue;
    }
    out.scores.emplace_back(one.line, *found->second);
    // If prompts are unknown, each request counts separately.
    by_prompt[one.prompt.empty() ? "idx " + std::to_string(one.idx) : one.prompt].push_back(
        *found->second);
  }
  if (out.scores.empty()) return std::nullopt;
  out.prompts = static_cast<std::int64_t>(by_prompt.size());
  out.metric = summary(std::string(tables::k_score_prefix) + scorer.name, by_prompt);
  return out;
}

Result<std::optional<tables::Scored>> known_scores(sql::Database& database, const Target& target,
                                                   const Scorer& scorer, const Paper& paper) {
  tables::Statements statements(database);
  std::optional<tables::Scored> known;
  ORCH_TRY(statements.rows(
      "SELECT s.without_reference, s.without_score, s.unanswered, s.prompts, m.mean, "
      "m.interval_low, m.interval_high FROM score s JOIN metric m ON m.measurement_id = "
      "s.measurement_id AND m.name = ? WHERE s.measurement_id = ? AND s.scorer = ? AND s.digest = "
      "? AND s.answers_sha256 = ?",
      std::string(tables::k_score_prefix) + scorer.name, target.id, scorer.name, scorer.digest,
      paper.digest(), [&](sql::Statement& row) {
        tables::Scored& one = known.emplace();
        one.scorer = scorer.name;
        one.without_reference = row.column_int(0);
        one.without_score = row.column_int(1);
        one.unanswered = row.column_int(2);
        one.prompts = row.column_int(3);
        one.metric.mean = row.column_optional_real(4);
        one.metric.statistics[Statistic::n] = static_cast<double>(one.prompts);
        one.metric.statistics[Statistic::interval_low] = row.column_optional_real(5);
        one.metric.statistics[Statistic::interval_high] = row.column_optional_real(6);
      }));
  return known;
}

Result<const ReferenceFile*> ReferenceFiles::of(const Target& target) {
  if (!named_.empty()) return read(named_, "");
  if (target.dataset_sha256.empty())
    return invalid(fmt::format(
        "{}: its prompts are not from a dataset, so right answers are unknown; give --references "
        "FILE, such as the answers of another engine, which --write-references writes",
        target.point));
  return of_dataset(target);
}

Result<const ReferenceFile*> ReferenceFiles::of_dataset(const Target& target) {
  tables::Statements statements(database_);
  ORCH_ASSIGN(const auto paths,
              statements.texts("SELECT path FROM file_identity WHERE sha256 = ? ORDER BY path",
                               target.dataset_sha256));
  for (const std::string& path : paths) {
    const auto found = read(path, target.dataset_sha256);
    if (found || found.error().kind == ErrorKind::invalid) return found;
  }
  return not_found(
      fmt::format("{}: the dataset that its prompts come from (sha256 {}) is no longer {}; name "
                  "a copy of it with --references FILE",
                  target.point, target.dataset_sha256.substr(0, 12),
                  paths.empty() ? "known to this store" : "in " + paths.front()));
}

// SHA256 is the digest that the file must have; "": any.
Result<const ReferenceFile*> ReferenceFiles::read(const std::string& path,
                                                  const std::string& sha256) {
  const auto known = read_.find(path);
  if (known != read_.end()) return &known->second;
  ORCH_ASSIGN(const std::string text, files_.read_text(path, prompt::k_largest_prompt_file));
  const std::string digest = orch::sha256(text).hex();
  if (!sha256.empty() && digest != sha256) return not_found(path + " was changed");
  ORCH_ASSIGN(References references, References::read(text, path));
  return &read_
              .emplace(path,
                       ReferenceFile{
                           .path = path, .sha256 = digest, .references = std::move(references)})
              .first->second;
}

}  // namespace orch::score

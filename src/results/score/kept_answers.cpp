#include "results/score/kept_answers.hpp"

#include "bench/prompt/prompt_forms.hpp"
#include "core/base/digest.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/query/query.hpp"
#include "results/score/scoring.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using nlohmann::json;

constexpr int k_load_depth = 16;
constexpr std::size_t k_most_answer_bytes = std::size_t{1} << 30;

constexpr std::string_view k_of_run = R"(
SELECT DISTINCT m.id FROM point p JOIN point_stage ps ON ps.point_id = p.id
  JOIN measurement m ON m.stage_id = ps.stage_id
WHERE p.run_id = ? AND m.valid = 1 AND m.superseded = 0 AND m.tool = 'native'
  AND m.definition = 'native' AND p.status <> 'reject')";

constexpr std::string_view k_target = R"(
SELECT m.id, a.token, m.ordinal, r.uid, coalesce((SELECT mp.point FROM measurement_point mp
    WHERE mp.measurement = m.id ORDER BY mp.run DESC LIMIT 1), ''), m.path, m.load, m.stage_id
FROM measurement m JOIN attempt a ON a.id = m.attempt_id JOIN run r ON r.id = a.run_id
WHERE m.id = ?)";

// The prompts that a measurement needs; the name of their stage does not matter.
constexpr std::string_view k_prompts = R"(
SELECT f.path, af.sha256, s.components FROM stage_need n JOIN artifact f ON f.stage_id = n.needs_id
  JOIN artifact_file af ON af.artifact_id = f.id JOIN stage s ON s.id = n.needs_id
WHERE n.stage_id = ? AND af.path = 'prompts.jsonl'
ORDER BY f.removed_at IS NULL, f.id)";

// The digest in the component "dataset" of COMPONENTS, a JSON list of pairs.
std::string dataset_of(const std::string& components) {
  static constexpr std::string_view k_kind = "sha256:";
  for (const auto& [name, value] : store::components_in(components))
    if (name == "dataset" && value.starts_with(k_kind)) return value.substr(k_kind.size());
  return "";
}

void read_load(const std::string& text, Target& out) {
  const json load = parse_shallow<json>(text, k_load_depth).value;
  if (!load.is_object()) return;
  const auto whole = [](const json& in, const char* name) -> std::optional<std::int64_t> {
    const auto found = in.find(name);
    return found != in.end() && found->is_number_integer()
               ? std::optional(found->get<std::int64_t>())
               : std::nullopt;
  };
  out.block = whole(load, "block").value_or(0);
  out.batch = whole(load, "batch").value_or(1);
  out.concurrency = whole(load, "concurrency");
  if (const auto prompts = load.find("prompts"); prompts != load.end() && prompts->is_object())
    out.reuses_prompts = prompts->value("reuse", json()) == true;
  const auto sampling = load.find("sampling");
  if (sampling == load.end() || !sampling->is_object()) return;
  out.seed = whole(*sampling, "random_seed");
  if (const auto found = sampling->find("temperature");
      found != sampling->end() && found->is_number())
    out.temperature = found->get<double>();
}

Result<Target> target_of(tables::Statements& statements, std::int64_t id) {
  Target out;
  std::string load;
  std::int64_t stage = 0;
  ORCH_TRY(statements.rows(k_target, id, [&](sql::Statement& row) {
    out.id = row.column_int(0);
    out.token = row.column_text(1);
    out.ordinal = row.column_int(2);
    out.run_uid = row.column_text(3);
    out.point = row.column_text(4);
    out.path = row.column_text(5);
    load = row.column_text(6);
    stage = row.column_int(7);
  }));
  read_load(load, out);
  ORCH_TRY(statements.rows(k_prompts, stage, [&](sql::Statement& row) {
    out.prompts_file = row.column_text(0) + "/out/prompts.jsonl";
    out.prompts_sha256 = row.column_text(1);
    out.dataset_sha256 = dataset_of(row.column_text(2));
  }));
  return out;
}

Result<std::vector<std::int64_t>> ids_of_run(tables::Statements& statements, std::int64_t run) {
  ORCH_ASSIGN(const auto there, statements.integer("SELECT 1 FROM run WHERE id = ?", run));
  if (!there)
    return not_found(
        fmt::format("the store has no run {}; `orchestrate query \"SELECT "
                    "DISTINCT run FROM results_all\"` lists them",
                    run));
  return statements.integers(k_of_run, run);
}

Result<std::vector<std::int64_t>> ids_where(sql::Database& database, const std::string& where) {
  // The conditions on validity and tool are in a subquery, so that no parentheses in WHERE can
  // select other measurements.
  const auto found = report::select(
      database,
      fmt::format("SELECT DISTINCT measurement FROM (SELECT * FROM results_all WHERE valid AND "
                  "tool = 'native' AND definition = 'native') WHERE ({}\n)",
                  where));
  if (!found)
    return invalid(fmt::format("{} is not a condition over results_all: {}", quoted(where),
                               found.error().message));
  std::vector<std::int64_t> ids;
  for (const auto& row : found->rows)
    if (const auto* id = std::get_if<std::int64_t>(&row.at(0))) ids.push_back(*id);
  return ids;
}

}  // namespace

Result<std::vector<Target>> find_targets(sql::Database& database, Selection selection) {
  tables::Statements statements(database);
  if (!selection.run && selection.where.empty()) {
    ORCH_ASSIGN(selection.run, statements.integer("SELECT max(p.run_id) FROM point p"));
    if (!selection.run) return not_found("the store has no run");
  }
  ORCH_ASSIGN(std::vector<std::int64_t> ids, selection.run ? ids_of_run(statements, *selection.run)
                                                           : ids_where(database, selection.where));
  std::ranges::sort(ids);
  if (ids.empty())
    return not_found(selection.run ? fmt::format("run {} has no valid measurement", *selection.run)
                                   : fmt::format("{} is true for no valid measurement",
                                                 quoted(selection.where)));
  std::vector<Target> targets;
  for (const std::int64_t id : ids) {
    ORCH_ASSIGN(Target one, target_of(statements, id));
    targets.push_back(std::move(one));
  }
  return targets;
}

Result<KeptAnswers> AnswerReader::read(const Target& target, bool needs_prompts) {
  KeptAnswers out;
  if (target.batch > 1)
    return invalid(fmt::format(
        "{}: a request had {} prompts, whose answers are kept as one text; measure with batch 1",
        target.point, target.batch));
  ORCH_TRY(read_answers(target, out));
  if (!target.prompts_file.empty()) ORCH_TRY(add_prompts(target, out));
  else if (needs_prompts)
    return invalid(fmt::format(
        "{}: the store does not know which prompts were sent, because `bench` was called without "
        "a matrix; give references by the index of the request, {{\"idx\": 0, \"output\": "
        "\"...\"}}",
        target.point));
  return out;
}

namespace {

// Whether no answer was lost or left out, so that a request that succeeded without an answer got an
// empty one.
Result<bool> keeps_every_answer(tables::Statements& statements, const Target& target) {
  ORCH_ASSIGN(const auto lost,
              statements.integer("SELECT 1 FROM measurement WHERE id = ? AND (warnings LIKE '%left "
                                 "out: %larger than%' OR warnings LIKE '%only the answers of%')",
                                 target.id));
  return !lost;
}

void add_empty_answers(const std::map<std::int64_t, std::int64_t>& idx_of, KeptAnswers& out) {
  std::set<std::int64_t> answered;
  for (const KeptAnswer& one : out.answers) answered.insert(one.line);
  for (const auto& [line, idx] : idx_of)
    if (!answered.contains(line)) out.answers.push_back({.line = line, .idx = idx});
}

}  // namespace

Status AnswerReader::read_answers(const Target& target, KeptAnswers& out) {
  tables::Statements statements(database_);
  std::map<std::int64_t, std::int64_t> idx_of;  // by line
  std::int64_t sequences = 1, requests = 0;
  bool is_all_empty = true;
  ORCH_TRY(statements.rows(
      "SELECT line, idx, coalesce(error, '') = '', coalesce(sequences, 1), "
      "coalesce(osl_counted, 1) = 0 FROM request WHERE measurement_id = ? AND warmup = 0",
      target.id, [&](sql::Statement& row) {
        ++requests;
        sequences = std::max(sequences, row.column_int(3));
        if (row.column_int(2) == 0) return;
        idx_of[row.column_int(0)] = row.column_int(1);
        is_all_empty = is_all_empty && row.column_int(4) != 0;
      }));
  if (sequences > 1)
    return invalid(fmt::format(
        "{}: a request asked for {} answers, which are kept as one text; measure with beam_width 1",
        target.point, sequences));
  std::size_t bytes = 0;
  ORCH_TRY(
      statements.rows("SELECT CAST(t.key AS INTEGER), t.value FROM answer_block b CROSS JOIN "
                      "json_each(packed_text(b.texts)) t WHERE b.measurement_id = ?",
                      target.id, [&](sql::Statement& row) {
                        const auto idx = idx_of.find(row.column_int(0));
                        if (idx == idx_of.end() || bytes > k_most_answer_bytes) return;
                        out.answers.push_back(
                            {.line = idx->first, .idx = idx->second, .answer = row.column_text(1)});
                        bytes += out.answers.back().answer.size();
                      }));
  if (bytes > k_most_answer_bytes)
    return invalid(fmt::format("{}: its answers exceed {}, which is too much to score at once",
                               target.point, human_bytes(k_most_answer_bytes)));
  if (out.answers.empty() && !is_all_empty)
    return invalid(
        fmt::format("{}: no answer of measurement {} is kept: it was made by `bench --no-answers` "
                    "or by another program; measure it again without --no-answers",
                    target.point, target.id));
  ORCH_ASSIGN(const bool all_kept, keeps_every_answer(statements, target));
  if (all_kept) add_empty_answers(idx_of, out);
  out.unanswered = requests - static_cast<std::int64_t>(out.answers.size());
  std::ranges::sort(out.answers, {}, &KeptAnswer::idx);
  return {};
}

Status AnswerReader::add_prompts(const Target& target, KeptAnswers& out) {
  const std::string path = layout_.at(target.prompts_file).string();
  const auto text = files_.read_own(path, prompt::k_largest_prompt_file);
  if (!text || sha256(*text).hex() != target.prompts_sha256)
    return invalid(fmt::format(
        "{}: the prompts that were sent are no longer in the store ({}); `orchestrate run` with "
        "its matrix makes the same ones again",
        target.point, text ? path + " was changed" : text.error().message));
  ORCH_ASSIGN(const prompt::PromptSet prompts,
              prompt::parse_prompts(*text, path, static_cast<int>(target.block)));
  const auto count = static_cast<std::int64_t>(prompts.measured.size());
  for (KeptAnswer& one : out.answers) {
    if (count == 0 || one.idx < 0 || (one.idx >= count && !target.reuses_prompts))
      return invalid(fmt::format("{}: request {} has no prompt among the {} of block {} in {}",
                                 target.point, one.idx, count, target.block, path));
    const prompt::Prompt& sent = prompts.measured[static_cast<std::size_t>(one.idx % count)];
    one.prompt = prompt_key(sent);
    one.text = sent.text_input;
  }
  return {};
}

}  // namespace orch::score

#include "spec/matrix/points/row_answers.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/parameter.hpp"

namespace orch::matrix {

namespace {

// How to keep an expression from being NULL where EMPTY, which it reads, is NULL.
std::string remedy(const Column& column, const std::string& empty) {
  switch (column.role) {
    case Role::rule:
      return fmt::format("; give it when: {} IS NOT NULL",
                         column.when ? fmt::format("... AND {}", empty) : empty);
    case Role::when:
    case Role::provide: return fmt::format("; write {} IS NOT NULL AND ...", empty);
    case Role::question:
      return column.question->answer == Question::Answer::truth
                 ? fmt::format("; write {} IS NOT NULL AND ...", empty)
                 : fmt::format("; write coalesce({}, 0)", empty);
    case Role::warmup: return fmt::format("; write coalesce({}, 0)", empty);
    case Role::let:
    case Role::parameter:
    case Role::exclude:
    case Role::where:
    case Role::again: break;
  }
  return "";
}

}  // namespace

bool RowAnswers::waits(std::vector<Wait>& waiting, std::size_t column) const {
  for (const std::string& fact : row_.waits(column))
    waiting.push_back({&columns_.all()[column].what, &fact});
  return !row_.waits(column).empty();
}

std::optional<bool> RowAnswers::truth(std::size_t column) {
  const sql::Cell& cell = row_.result(column);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer != 0;
  if (const auto* real = std::get_if<double>(&cell)) return *real != 0;
  if (const auto* text = std::get_if<std::string>(&cell))
    found(columns_.all()[column], "text",
          fmt::format("it gives the text {}, not true or false; compare it with something",
                      quoted(*text)));
  return std::nullopt;
}

void RowAnswers::find_null(std::size_t column) {
  if (const ModelFact* fact = missing_fact(column)) {
    const std::string why = way_out(*fact);
    return found(columns_.all()[column], why, why);
  }
  std::string why = "it is NULL", first;
  for (std::optional<std::size_t> at = column; at;) {
    const auto& reads = columns_.reads(*at);
    const auto empty =
        std::ranges::find_if(reads, [&](const std::string& name) { return !row_.text(name); });
    if (empty == reads.end()) {
      why +=
          ", though everything that it reads has a value (a division by zero, or a CASE without "
          "ELSE)";
      break;
    }
    if (first.empty()) first = *empty;
    at = columns_.index_of(*empty);
    const Column* computed = at ? &columns_.all()[*at] : nullptr;
    const bool left_out = computed && computed->role == Role::parameter && !computed->by_matrix &&
                          computed->parameter->optional;
    why += fmt::format(", because '{}' {}", *empty,
                       left_out   ? "has no value here"
                       : computed ? "is NULL"
                                  : "has no value");
    if (left_out) break;
  }
  const Column& asked = columns_.all()[column];
  found(asked, why, why + (first.empty() ? "" : remedy(asked, first)));
}

// A fact without a value on which COLUMN, whose result is NULL, depends; null if there is none.
const ModelFact* RowAnswers::missing_fact(std::size_t column) const {
  std::vector<std::size_t> open = {column};
  std::set<std::size_t> seen;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    for (const std::string& name : columns_.reads(at)) {
      if (row_.text(name)) continue;
      if (const auto computed = columns_.index_of(name)) open.push_back(*computed);
      for (const ModelFact& fact : vocabulary_.model_facts)
        if (fact.column.name == name) return &fact;
    }
  }
  return nullptr;
}

std::string RowAnswers::way_out(const ModelFact& fact) const {
  const Value* named = vocabulary_.find("model") ? row_.value("model") : nullptr;
  const std::string model = named ? named->text : "NAME";
  const std::string_view name =
      std::string_view(fact.column.name).substr(std::string_view("model_").size());
  return fmt::format(
      "it is NULL, because '{}' has no value; the files of model {} have no {}, so state it: "
      "models: {}: facts: {{{}: VALUE}}",
      fact.column.name, quoted(model), join(fact.keys, " or "), model, name);
}

void RowAnswers::found(const Column& column, std::string_view cause, const std::string& message) {
  add(fmt::format("{} {}: {}", to_string(column.where.first()), column.what, cause),
      invalid(fmt::format("{}: {}", column.what, message), column.where.first()));
}

void RowAnswers::add(const std::string& cause, Error error) {
  const std::size_t order = findings_.size();
  const auto [finding, fresh] = findings_.try_emplace(
      cause, Finding{.error = std::move(error), .row = row_.index(), .more = 0, .order = order});
  if (!fresh) ++finding->second.more;
}

void RowAnswers::report(Errors& errors, const Rows& rows) const {
  std::vector<const Finding*> ordered(findings_.size());
  for (const auto& [cause, finding] : findings_) ordered[finding.order] = &finding;
  for (const Finding* finding : ordered) {
    Error error = finding->error;
    error.message += fmt::format(" (point {}{})", rows.label(finding->row),
                                 finding->more ? fmt::format(" and {} more", finding->more) : "");
    errors.push_back(std::move(error));
  }
}

}  // namespace orch::matrix

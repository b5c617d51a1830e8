#include "spec/matrix/points/point_maker.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/assignment.hpp"
#include "spec/matrix/parameter.hpp"

namespace orch::matrix {

namespace {

constexpr std::int64_t k_most_warmup = 100'000'000;  // `orchestrate bench` accepts no more

bool same_value(const Value* a, const Value* b) {
  if (!a || !b || a == b) return a == b;
  return a->text == b->text ||
         (a->type == Type::real && b->type == Type::real && to_real(a->text) == to_real(b->text));
}

}  // namespace

// --- ComputedValues

ComputedValues::ComputedValues(const RowInputs& inputs, Row& row, RowAnswers& answers)
    : columns_(inputs.columns), row_(row), answers_(answers), values_(columns_.all().size()) {
  for (const Column& column : columns_.all())
    is_read_.push_back(inputs.vocabulary.is_read(column.name));
  for (const std::size_t column : columns_.of(Role::let))
    values_[column].unknown = row_.keep({Type::text, "{" + columns_.all()[column].name + "}"});
  for (const std::size_t column : columns_.of(Role::parameter))
    values_[column].unknown = row_.keep(
        {columns_.all()[column].parameter->type, "{" + columns_.all()[column].name + "}"});
}

void ComputedValues::take(std::vector<Wait>& waiting, std::vector<const std::string*>& unknown) {
  const auto set = [&](std::size_t column, std::uint32_t value) {
    const std::string& name = columns_.all()[column].name;
    const bool open = !row_.waits(column).empty();
    if (open) unknown.push_back(&name);
    if (open && is_read_[column]) answers_.waits(waiting, column);
    row_.set(row_.slot(column), open ? values_[column].unknown : value);
  };
  for (const std::size_t column : columns_.of(Role::let))
    set(column, free_value_of(row_.result_id(column)));
  for (const std::size_t column : columns_.of(Role::parameter))
    if (!row_.is_given(column))
      set(column,
          row_.waits(column).empty() ? declared_value_of(column, row_.result_id(column)) : 0);
}

void ComputedValues::refuse_nulls() {
  for (const std::size_t column : columns_.of(Role::parameter)) {
    const Column& computed = columns_.all()[column];
    if (row_.is_given(column) || !row_.waits(column).empty() || !sql::is_null(row_.result(column)))
      continue;
    if (is_read_[column] && !computed.parameter->optional) answers_.find_null(column);
  }
}

std::uint32_t ComputedValues::free_value_of(sql::ValueId id) {
  if (id == sql::k_null) return 0;
  if (id >= free_values_.size())
    free_values_.resize(std::max<std::size_t>(id + 1, free_values_.size() * 2));
  std::uint32_t& value = free_values_[id];
  if (value == 0) value = row_.keep(free_value(columns_.table().cell(id)));
  return value;
}

std::uint32_t ComputedValues::declared_value_of(std::size_t column, sql::ValueId id) {
  if (id == sql::k_null) return 0;
  auto& by_id = values_[column].by_id;
  if (id >= by_id.size()) by_id.resize(std::max<std::size_t>(id + 1, by_id.size() * 2));
  if (by_id[id] != 0) return by_id[id];
  const Column& computed = columns_.all()[column];
  auto value = declared_value(*computed.parameter, columns_.table().cell(id));
  if (!value) {
    answers_.found(computed, "type", value.error().message);
    return 0;
  }
  return by_id[id] = row_.keep(std::move(*value));
}

// --- Origins

Origins::Origins(const RowInputs& inputs, const Row& row, RowAnswers& answers, PointBlock& block)
    : matrix_(inputs.matrix),
      vocabulary_(inputs.vocabulary),
      columns_(inputs.columns),
      row_(row),
      answers_(answers),
      block_(block) {
  for (const Parameter& parameter : vocabulary_.parameters)
    if (parameter.is_dataset) of_datasets_.push_back(&parameter);
}

std::uint32_t Origins::take() {
  const auto* const prompts = dataset();
  const auto* const of = model();
  const auto [known, fresh] = origins_.try_emplace({of, prompts}, 0);
  if (fresh) {
    PointOrigin origin;
    if (of) {
      origin.model = of->first;
      origin.source = of->second.source;
      origin.written = of->second.written;
      origin.revision = of->second.revision;
    }
    if (prompts)
      origin.dataset = prompts->second.is_fetched() ? prompts->first : prompts->second.source;
    known->second = block_.add(std::move(origin));
  }
  return known->second;
}

// The entry of `datasets:` with the row's prompts; null if they are synthetic. A parameter of type
// dataset that names one replaces measure.prompts.
const std::pair<const std::string, Dataset>* Origins::dataset() const {
  auto dataset = matrix_.datasets.find(matrix_.measure.prompts);
  for (const Parameter* one : of_datasets_)
    if (const Value* name = row_.value(one->name); name && names_dataset(*one, name->text))
      dataset = matrix_.datasets.find(name->text);
  return dataset == matrix_.datasets.end() ? nullptr : &*dataset;
}

// The entry of `models:` with the row's model; null if it has none, or an unknown one.
const std::pair<const std::string, Model>* Origins::model() {
  refuse_unknown_models();
  if (const auto column = columns_.index_of("model"); column && !row_.waits(*column).empty()) {
    answers_.found(
        columns_.all()[*column], "waits",
        fmt::format("it waits for '{}', and a point cannot be planned without its model; "
                    "state the fact under 'machine'",
                    row_.waits(*column).front()));
    return nullptr;
  }
  const Value* name = vocabulary_.find("model") ? row_.value("model") : nullptr;
  if (!name) return nullptr;
  const auto model = matrix_.models.find(name->text);
  if (model != matrix_.models.end()) return &*model;
  // Literal values have been checked before; this one was computed.
  if (const auto column = columns_.index_of("model"))
    answers_.found(columns_.all()[*column], name->text, *refuse_model(matrix_, name->text));
  return nullptr;
}

// Literal names have been checked before; these are computed, by parameters other than `model`.
void Origins::refuse_unknown_models() {
  for (const std::size_t column : columns_.of(Role::parameter)) {
    const Column& computed = columns_.all()[column];
    const Value* name = computed.parameter->is_model ? row_.value(computed.name) : nullptr;
    if (!name || computed.name == "model" || !row_.waits(column).empty()) continue;
    if (const auto why = refuse_model(matrix_, name->text))
      answers_.found(computed, name->text, *why);
  }
}

// --- KnownPoints

KnownPoints::KnownPoints(const RowInputs& inputs, const Row& row, const PointBlock& block)
    : row_(row), block_(block) {
  const std::vector<Axis>& axes = inputs.matrix.axes;
  may_repeat_ = !inputs.matrix.include.empty() || std::ranges::any_of(axes, [](const Axis& axis) {
    return std::ranges::any_of(
        set_by(axis), [&](const SetByAxis& set) { return set.values < axis.values.size(); });
  });
  for (const Parameter& parameter : inputs.vocabulary.parameters)
    declared_slots_.push_back(row_.slot_of(parameter.name));
}

bool KnownPoints::has(std::uint32_t origin) {
  if (!may_repeat_) return false;
  std::size_t hash = origin;
  for (const std::size_t slot : declared_slots_) {
    const Value* value = row_.value_at(slot);
    std::size_t part = 0;
    if (value)
      part = value->type == Type::real ? std::hash<double>()(to_real(value->text).value_or(0))
                                       : std::hash<std::string>()(value->text);
    hash = hash * 1099511628211u + part;
  }
  const auto [begin, end] = same_.equal_range(hash);
  const auto is_same = [&](std::size_t other) {
    return std::ranges::all_of(declared_slots_, [&](std::size_t slot) {
      return same_value(row_.value_at(slot), row_.table()->find(other, slot));
    });
  };
  for (auto one = begin; one != end; ++one)
    if (is_same(one->second) && block_.is_from(one->second, origin)) return true;
  same_.emplace(hash, block_.size());
  return false;
}

// --- PointMaker

PointMaker::PointMaker(const RowInputs& inputs)
    : matrix_(inputs.matrix),
      vocabulary_(inputs.vocabulary),
      columns_(inputs.columns),
      row_(inputs),
      answers_(vocabulary_, columns_, row_),
      block_(std::make_shared<PointBlock>(Rows(matrix_, inputs.assignment), row_.table(),
                                          PointNames(vocabulary_, matrix_, *row_.table()),
                                          columns_.of(Role::question).size())),
      values_(inputs, row_, answers_),
      origins_(inputs, row_, answers_, *block_),
      known_points_(inputs, row_, *block_) {}

void PointMaker::make(Expansion& out, Errors& errors) {
  const Rows& rows = block_->rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (const Status computed = row_.load(rows, row); computed) take_row(out);
    else answers_.add(computed.error().text(), computed.error());
  }
  answers_.report(errors, rows);
  for (const sql::Division& division : columns_.table().divisions())
    out.warnings.push_back(
        fmt::format("{}: {}: an integer division changes the result: it gives {} and not {}; write "
                    "1.0 * before it for a real division (point {})",
                    to_string(division.where), columns_.all()[division.expression].what,
                    to_text(division.as_written), to_text(division.as_real),
                    rows.label(division.row / row_.passes())));
  block_->tell_names_apart();
  out.points = Points(block_);
  if (out.points.empty() && out.left_out == 0)
    out.warnings.push_back(fmt::format("{}: every point is excluded", matrix_.file));
}

void PointMaker::take_row(Expansion& out) {
  own_.clear();
  waiting_.keys.clear();
  unknown_.keys.clear();
  if (is_dropped(out)) return;
  values_.take(waiting_.keys, unknown_.keys);
  own_.origin = origins_.take();
  values_.refuse_nulls();
  if (known_points_.has(own_.origin)) return;
  take_rules();
  take_warmup();
  take_provided();
  take_answers();
  take_fleeting();
  for (const std::size_t column : columns_.of(Role::again))
    own_.treatment.again =
        !answers_.waits(waiting_.keys, column) && answers_.truth(column).value_or(false);
  own_.open.waiting = waiting_.list(
      [](const Wait& wait) { return Point::Waiting{.reader = *wait.reader, .fact = *wait.fact}; });
  own_.open.unknown = unknown_.list([](const std::string* name) { return *name; });
  block_->push(row_, own_);
}

// Whether `exclude`, which does not apply to points of `include`, or --where drops the row. A row
// that waits for facts stays.
bool PointMaker::is_dropped(Expansion& out) {
  if (!block_->rows().is_included(row_.index())) {
    for (const std::size_t column : columns_.of(Role::exclude))
      if (row_.waits(column).empty() && answers_.truth(column).value_or(false)) {
        ++out.excluded;
        return true;
      }
    for (const std::size_t column : columns_.of(Role::exclude))
      answers_.waits(waiting_.keys, column);
  }
  for (const std::size_t column : columns_.of(Role::where))
    if (!answers_.waits(waiting_.keys, column) && !answers_.truth(column).value_or(false)) {
      ++out.left_out;
      return true;
    }
  return false;
}

// Every rule that is known to be violated rejects the point, even while others wait for facts. A
// rule that only warns does not make a point wait. Once a point is rejected, NULL in another rule
// is not an error in the matrix: the point's numbers no longer need to make sense.
void PointMaker::take_rules() {
  std::vector<Wait> unheard;
  for (const std::size_t column : columns_.of(Role::rule)) {
    const Column& rule = columns_.all()[column];
    const bool warns = rule.rule->level != Rule::Level::reject;
    std::vector<Wait>& waiting = warns || own_.is_rejected() ? unheard : waiting_.keys;
    if (!is_asked(waiting, rule) || answers_.waits(waiting, column)) continue;
    if (sql::is_null(row_.result(column))) {
      if (!own_.is_rejected()) answers_.find_null(column);
    } else if (!answers_.truth(column).value_or(true)) {
      Point::Broken broken{.rule = rule.rule->name, .why = fill(*rule.rule)};
      if (rule.rule->level == Rule::Level::note) own_.notes.push_back(std::move(broken.why));
      else (warns ? own_.warnings : own_.rejections).push_back(std::move(broken));
      if (rule.rule->ends) break;
    }
  }
  if (own_.is_rejected()) own_.warnings.clear();
}

bool PointMaker::is_asked(std::vector<Wait>& waiting, const Column& rule) {
  if (!rule.when) return true;
  if (!row_.waits(*rule.when).empty()) {
    for (const std::string& fact : row_.waits(*rule.when)) waiting.push_back({&rule.what, &fact});
    return false;
  }
  if (sql::is_null(row_.result(*rule.when)) && !own_.is_rejected()) answers_.find_null(*rule.when);
  return answers_.truth(*rule.when).value_or(false);
}

void PointMaker::take_warmup() {
  for (const std::size_t column : columns_.of(Role::warmup)) {
    if (answers_.waits(waiting_.keys, column)) continue;
    const sql::Cell& cell = row_.result(column);
    if (sql::is_null(cell)) answers_.find_null(column);
    else if (const auto* requests = std::get_if<std::int64_t>(&cell);
             requests && *requests >= 0 && *requests <= k_most_warmup)
      own_.warmup = *requests;
    else
      answers_.found(
          columns_.all()[column], "count",
          fmt::format("it gives {}, not a number of requests; it must be whole, at least 0 "
                      "and at most {}",
                      to_text(cell), k_most_warmup));
  }
}

void PointMaker::take_provided() {
  std::map<std::size_t, std::size_t> whens;
  for (const std::size_t column : columns_.of(Role::provide))
    whens.emplace(columns_.all()[column].provision, column);
  for (std::size_t i = 0; i < matrix_.provide.size(); ++i) {
    if (const auto when = whens.find(i); when != whens.end()) {
      if (answers_.waits(waiting_.keys, when->second)) continue;
      if (sql::is_null(row_.result(when->second))) answers_.find_null(when->second);
      if (!answers_.truth(when->second).value_or(false)) continue;
    }
    const Provision& own = matrix_.provide[i];
    const auto other = std::ranges::find_if(own_.treatment.provided, [&](std::size_t one) {
      return matrix_.provide[one].stage == own.stage;
    });
    if (other == own_.treatment.provided.end()) own_.treatment.provided.push_back(i);
    else
      answers_.add(
          "provide " + to_string(own.where),
          invalid(fmt::format("provide {}: the path at {} applies to the same points; give "
                              "one of them a 'when' that is false there",
                              quoted(own.stage), to_string(matrix_.provide[*other].where)),
                  own.where));
  }
}

void PointMaker::take_answers() {
  const auto& questions = columns_.of(Role::question);
  for (const std::size_t column : questions) own_.answers.push_back(answer(column));
  for (const std::size_t column : questions)
    if (!columns_.all()[column].question->estimates) answers_.waits(waiting_.keys, column);
}

double PointMaker::answer(std::size_t index) {
  const Column& column = columns_.all()[index];
  if (!row_.waits(index).empty()) return k_no_answer;
  const sql::Cell& cell = row_.result(index);
  if (sql::is_null(cell)) {
    if (column.question->estimates) return k_no_answer;
    if (!own_.is_rejected()) answers_.find_null(index);  // a rejected point needs no answer
    return 0;
  }
  if (column.question->answer == Question::Answer::truth)
    return answers_.truth(index).value_or(false) ? 1 : 0;
  const auto* integer = std::get_if<std::int64_t>(&cell);
  const auto* real = std::get_if<double>(&cell);
  const double number = integer ? static_cast<double>(*integer) : real ? *real : -1;
  constexpr double k_most = 1e9;
  if (number >= 0 && number <= k_most) return number;
  if (column.question->estimates) return k_no_answer;
  answers_.found(
      column, "number",
      fmt::format("it gives {}; it must be a number from 0 to 1000000000", to_text(cell)));
  return 0;
}

void PointMaker::take_fleeting() {
  for (const std::size_t column : columns_.of(Role::parameter))
    if (row_.depends_on_facts(column)) own_.open.fleeting.push_back(row_.slot(column));
}

bool PointMaker::is_known(const std::string& name) const {
  const auto named = [&](const Parameter& one) { return one.name == name; };
  const auto& facts = vocabulary_.model_facts;
  return vocabulary_.find(name) ||
         std::ranges::any_of(facts, [&](const ModelFact& fact) { return named(fact.column); }) ||
         std::any_of(host_facts().begin(), host_facts().end(), named);
}

// Replaces "{name}" by the value of a parameter or fact, or by a phrase if it has none, and
// "{instead of NAME}" by the remedy for an unknown version. Other braces stay.
std::string PointMaker::fill(const Rule& rule) const {
  std::string text =
      rule.because.empty() ? fmt::format("{} does not hold", rule.require) : rule.because;
  for (std::size_t open = text.find('{'); open != std::string::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    auto value = row_.text(name);
    if (!value && is_known(name)) value = "no value";
    if (vocabulary_.versions && name == "instead of " + vocabulary_.versions->parameter)
      value = instead_of(*vocabulary_.versions,
                         row_.text(vocabulary_.versions->parameter).value_or(""));
    if (value) text.replace(open, close - open + 1, *value);
    open = text.find('{', open + (value ? value->size() : 1));
  }
  return text;
}

}  // namespace orch::matrix

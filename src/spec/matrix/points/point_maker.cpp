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

PointMaker::PointMaker(const RowInputs& inputs, Errors& errors)
    : matrix_(inputs.matrix),
      vocabulary_(inputs.vocabulary),
      columns_(inputs.columns),
      errors_(errors),
      rows_(inputs.matrix, inputs.assignment),
      row_(inputs),
      block_(std::make_shared<PointBlock>(
          rows_, row_.table(), PointNames(inputs.vocabulary, inputs.matrix, *row_.table()),
          inputs.matrix.name, inputs.columns.of(Role::question).size())) {
  may_repeat_ = !matrix_.include.empty() || std::ranges::any_of(matrix_.axes, [](const Axis& axis) {
    const auto sets = set_by(axis);
    return std::ranges::any_of(
        sets, [&](const SetByAxis& set) { return set.values < axis.values.size(); });
  });
  for (const Parameter& parameter : vocabulary_.parameters) {
    if (parameter.is_dataset) of_datasets_.push_back(&parameter);
    declared_slots_.push_back(row_.slot_of(parameter.name));
  }
  values_.resize(columns_.all().size());
  for (const Column& column : columns_.all()) is_read_.push_back(vocabulary_.is_read(column.name));
  for (const std::size_t column : columns_.of(Role::let))
    values_[column].unknown = row_.keep({Type::text, "{" + columns_.all()[column].name + "}"});
  for (const std::size_t column : columns_.of(Role::parameter))
    values_[column].unknown = row_.keep(
        {columns_.all()[column].parameter->type, "{" + columns_.all()[column].name + "}"});
}

void PointMaker::make(Expansion& out) {
  out_ = &out;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (const Status computed = row_.load(rows_, row); computed) take_row();
    else findings_.add(computed.error().text(), computed.error(), row);
  }
  findings_.report(errors_, [this](std::size_t row) { return block_->label(row); });
  warn_of_divisions();
  block_->tell_names_apart();
  out.points = Points(block_);
  if (out.points.empty() && out.left_out == 0)
    out.warnings.push_back(fmt::format("{}: every point is excluded", matrix_.file));
}

namespace {

// LATEST's list if it was made from the same KEYS, else a new one.
template <class Key, class Latest, class Make>
auto shared(const std::vector<Key>& keys, Latest& latest, const Make& make) {
  if (keys == latest.keys) return latest.list;
  std::vector<std::decay_t<decltype(make(keys.front()))>> list;
  for (const Key& key : keys) list.push_back(make(key));
  latest.keys = keys;
  return latest.list = std::move(list);
}

}  // namespace

void PointMaker::take_row() {
  own_.clear();
  waiting_.clear();
  unknown_.clear();
  if (is_dropped()) return;
  take_computed();
  take_origin();
  refuse_nulls();
  if (may_repeat_ && is_known_point()) return;
  take_rules();
  take_warmup();
  take_provided();
  take_answers();
  take_fleeting();
  for (const std::size_t column : columns_.of(Role::again))
    own_.again = !waits(waiting_, column) && truth(column).value_or(false);
  own_.waiting = shared(waiting_, latest_waiting_, [](const Wait& wait) {
    return Point::Waiting{.reader = *wait.reader, .fact = *wait.fact};
  });
  own_.unknown = shared(unknown_, latest_unknown_, [](const std::string* name) { return *name; });
  block_->push(row_, own_);
}

// Whether `exclude`, which does not apply to points of `include`, or --where drops the row. A row
// that waits for facts stays.
bool PointMaker::is_dropped() {
  if (!rows_.is_included(row_.index())) {
    for (const std::size_t column : columns_.of(Role::exclude))
      if (row_.waits(column).empty() && truth(column).value_or(false)) {
        ++out_->excluded;
        return true;
      }
    for (const std::size_t column : columns_.of(Role::exclude)) waits(waiting_, column);
  }
  for (const std::size_t column : columns_.of(Role::where))
    if (!waits(waiting_, column) && !truth(column).value_or(false)) {
      ++out_->left_out;
      return true;
    }
  return false;
}

void PointMaker::take_computed() {
  auto take = [&](std::size_t column, std::uint32_t value) {
    const std::string& name = columns_.all()[column].name;
    const bool open = !row_.waits(column).empty();
    if (open) unknown_.push_back(&name);
    if (open && is_read_[column]) waits(waiting_, column);
    row_.set(row_.slot(column), open ? values_[column].unknown : value);
  };
  for (const std::size_t column : columns_.of(Role::let))
    take(column, free_value_of(row_.result_id(column)));
  for (const std::size_t column : columns_.of(Role::parameter))
    if (!row_.is_given(column))
      take(column,
           row_.waits(column).empty() ? declared_value_of(column, row_.result_id(column)) : 0);
}

void PointMaker::refuse_nulls() {
  for (const std::size_t column : columns_.of(Role::parameter)) {
    const Column& computed = columns_.all()[column];
    if (row_.is_given(column) || !row_.waits(column).empty() || !sql::is_null(row_.result(column)))
      continue;
    if (is_read_[column] && !computed.parameter->optional) find_null(column);
  }
}

void PointMaker::take_origin() {
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
    known->second = block_->add(std::move(origin));
  }
  own_.origin = known->second;
}

// The entry of `datasets:` with the row's prompts; null if they are synthetic. A parameter of type
// dataset that names one replaces measure.prompts.
const std::pair<const std::string, Dataset>* PointMaker::dataset() const {
  auto dataset = matrix_.datasets.find(matrix_.measure.prompts);
  for (const Parameter* one : of_datasets_)
    if (const Value* name = row_.value(one->name); name && names_dataset(*one, name->text))
      dataset = matrix_.datasets.find(name->text);
  return dataset == matrix_.datasets.end() ? nullptr : &*dataset;
}

// The entry of `models:` with the row's model; null if it has none, or an unknown one.
const std::pair<const std::string, Model>* PointMaker::model() {
  refuse_unknown_models();
  if (const auto column = columns_.index_of("model"); column && !row_.waits(*column).empty()) {
    found(columns_.all()[*column], "waits",
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
    found(columns_.all()[*column], name->text, *refuse_model(matrix_, name->text));
  return nullptr;
}

// Literal names have been checked before; these are computed, by parameters other than `model`.
void PointMaker::refuse_unknown_models() {
  for (const std::size_t column : columns_.of(Role::parameter)) {
    const Column& computed = columns_.all()[column];
    const Value* name = computed.parameter->is_model ? row_.value(computed.name) : nullptr;
    if (!name || computed.name == "model" || !row_.waits(column).empty()) continue;
    if (const auto why = refuse_model(matrix_, name->text)) found(computed, name->text, *why);
  }
}

// Every rule that is known to be violated rejects the point, even while others wait for facts. A
// rule that only warns does not make a point wait. Once a point is rejected, NULL in another rule
// is not an error in the matrix: the point's numbers no longer need to make sense.
void PointMaker::take_rules() {
  std::vector<Wait> unheard;
  for (const std::size_t column : columns_.of(Role::rule)) {
    const Column& rule = columns_.all()[column];
    const bool warns = rule.rule->level != Rule::Level::reject;
    std::vector<Wait>& waiting = warns || own_.is_rejected() ? unheard : waiting_;
    if (!is_asked(waiting, rule, own_.is_rejected()) || waits(waiting, column)) continue;
    if (sql::is_null(row_.result(column))) {
      if (!own_.is_rejected()) find_null(column);
    } else if (!truth(column).value_or(true)) {
      Point::Broken broken{.rule = rule.rule->name, .why = fill(*rule.rule)};
      if (rule.rule->level == Rule::Level::note) own_.notes.push_back(std::move(broken.why));
      else (warns ? own_.warnings : own_.rejections).push_back(std::move(broken));
      if (rule.rule->ends) break;
    }
  }
  if (own_.is_rejected()) own_.warnings.clear();
}

bool PointMaker::is_asked(std::vector<Wait>& waiting, const Column& rule, bool rejected) {
  if (!rule.when) return true;
  if (!row_.waits(*rule.when).empty()) {
    for (const std::string& fact : row_.waits(*rule.when)) waiting.push_back({&rule.what, &fact});
    return false;
  }
  if (sql::is_null(row_.result(*rule.when)) && !rejected) find_null(*rule.when);
  return truth(*rule.when).value_or(false);
}

void PointMaker::take_warmup() {
  for (const std::size_t column : columns_.of(Role::warmup)) {
    if (waits(waiting_, column)) continue;
    const sql::Cell& cell = row_.result(column);
    if (sql::is_null(cell)) find_null(column);
    else if (const auto* requests = std::get_if<std::int64_t>(&cell);
             requests && *requests >= 0 && *requests <= k_most_warmup)
      own_.warmup = *requests;
    else
      found(columns_.all()[column], "count",
            fmt::format("it gives {}, which is no number of requests; it must be whole, at least 0 "
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
      if (waits(waiting_, when->second)) continue;
      if (sql::is_null(row_.result(when->second))) find_null(when->second);
      if (!truth(when->second).value_or(false)) continue;
    }
    const Provision& own = matrix_.provide[i];
    const auto other = std::ranges::find_if(
        own_.provided, [&](std::size_t one) { return matrix_.provide[one].stage == own.stage; });
    if (other == own_.provided.end()) own_.provided.push_back(i);
    else
      findings_.add(
          "provide " + to_string(own.where),
          invalid(fmt::format("provide {}: the path at {} is for the same points; give "
                              "one of them a 'when' that is false there",
                              quoted(own.stage), to_string(matrix_.provide[*other].where)),
                  own.where),
          row_.index());
  }
}

void PointMaker::take_answers() {
  const auto& questions = columns_.of(Role::question);
  for (const std::size_t column : questions) own_.answers.push_back(answer(column));
  for (const std::size_t column : questions)
    if (!columns_.all()[column].question->estimates) waits(waiting_, column);
}

double PointMaker::answer(std::size_t index) {
  const Column& column = columns_.all()[index];
  if (!row_.waits(index).empty()) return k_no_answer;
  const sql::Cell& cell = row_.result(index);
  if (sql::is_null(cell)) {
    if (column.question->estimates) return k_no_answer;
    if (!own_.is_rejected()) find_null(index);  // a rejected point needs no answer
    return 0;
  }
  if (column.question->answer == Question::Answer::truth)
    return truth(index).value_or(false) ? 1 : 0;
  const auto* integer = std::get_if<std::int64_t>(&cell);
  const auto* real = std::get_if<double>(&cell);
  const double number = integer ? static_cast<double>(*integer) : real ? *real : -1;
  constexpr double k_most = 1e9;
  if (number >= 0 && number <= k_most) return number;
  if (column.question->estimates) return k_no_answer;
  found(column, "number",
        fmt::format("it gives {}; it must be a number from 0 to 1000000000", to_text(cell)));
  return 0;
}

void PointMaker::take_fleeting() {
  for (const std::size_t column : columns_.of(Role::parameter))
    if (row_.depends_on_facts(column)) own_.fleeting.push_back(row_.slot(column));
}

bool PointMaker::is_known_point() {
  std::size_t hash = own_.origin;
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
    if (is_same(one->second) && block_->is_from(one->second, own_.origin)) return true;
  same_.emplace(hash, block_->size());
  return false;
}

void PointMaker::warn_of_divisions() {
  for (const sql::Division& division : columns_.table().divisions())
    out_->warnings.push_back(
        fmt::format("{}: {}: an integer division changes the result: it gives {} and not {}; write "
                    "1.0 * before it for a real division (point {})",
                    to_string(division.where), columns_.all()[division.expression].what,
                    to_text(division.as_written), to_text(division.as_real),
                    block_->label(division.row / row_.passes())));
}

// --- of one row

bool PointMaker::waits(std::vector<Wait>& waiting, std::size_t column) const {
  for (const std::string& fact : row_.waits(column))
    waiting.push_back({&columns_.all()[column].what, &fact});
  return !row_.waits(column).empty();
}

// nullopt for NULL and text.
std::optional<bool> PointMaker::truth(std::size_t column) {
  const sql::Cell& cell = row_.result(column);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer != 0;
  if (const auto* real = std::get_if<double>(&cell)) return *real != 0;
  if (const auto* text = std::get_if<std::string>(&cell))
    found(columns_.all()[column], "text",
          fmt::format("it gives the text {}, not true or false; compare it with something",
                      quoted(*text)));
  return std::nullopt;
}

std::uint32_t PointMaker::free_value_of(sql::ValueId id) {
  if (id == sql::k_null) return 0;
  if (id >= free_values_.size())
    free_values_.resize(std::max<std::size_t>(id + 1, free_values_.size() * 2));
  std::uint32_t& value = free_values_[id];
  if (value == 0) value = row_.keep(free_value(columns_.table().cell(id)));
  return value;
}

std::uint32_t PointMaker::declared_value_of(std::size_t column, sql::ValueId id) {
  if (id == sql::k_null) return 0;
  auto& by_id = values_[column].by_id;
  if (id >= by_id.size()) by_id.resize(std::max<std::size_t>(id + 1, by_id.size() * 2));
  if (by_id[id] != 0) return by_id[id];
  const Column& computed = columns_.all()[column];
  auto value = declared_value(*computed.parameter, columns_.table().cell(id));
  if (!value) {
    found(computed, "type", value.error().message);
    return 0;
  }
  return by_id[id] = row_.keep(std::move(*value));
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

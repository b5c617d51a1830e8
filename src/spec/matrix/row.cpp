#include "spec/matrix/row.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/assignment.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/points/point_name.hpp"

namespace orch::matrix {

namespace {

std::string label_of(const std::vector<Setting>& settings) {
  std::vector<std::string> parts;
  for (const Setting& setting : settings) parts.push_back(label(*setting.parameter, setting.value));
  return join(parts, "_");
}

void append(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += '_';
  text += part;
}

std::map<std::string, std::size_t> axes_by_parameter(const Matrix& matrix) {
  std::map<std::string, std::size_t> axis_of;
  for (std::size_t axis = 0; axis < matrix.axes.size(); ++axis)
    for (const SetByAxis& set : set_by(matrix.axes[axis])) axis_of.emplace(set.name, axis);
  return axis_of;
}

std::string written(double count) {
  return count < 1e15 ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}", count);
}

class Finder {
 public:
  Finder(const Columns& columns, const std::set<std::string>& unknown_facts,
         const std::vector<bool>& given)
      : columns_(columns), unknown_(unknown_facts), given_(given), found_(columns.all().size()) {}

  Waits find() {
    Waits out;
    for (std::size_t column = 0; column < found_.size(); ++column) {
      const auto& facts = behind(column);
      out.emplace_back(facts.begin(), facts.end());
    }
    return out;
  }

 private:
  const std::set<std::string>& behind(std::size_t column) {
    auto& facts = found_[column];
    if (facts) return *facts;
    facts.emplace();
    if (given_[column]) return *facts;
    std::set<std::string> all;
    for (const std::string& name : columns_.reads(column)) {
      if (unknown_.contains(name)) all.insert(name);
      if (const auto next = columns_.index_of(name))
        all.merge(std::set<std::string>(behind(*next)));
    }
    return found_[column].emplace(std::move(all));
  }

  const Columns& columns_;
  const std::set<std::string>& unknown_;
  const std::vector<bool>& given_;
  std::vector<std::optional<std::set<std::string>>> found_;
};

}  // namespace

Rows::Rows(const Matrix& matrix, const Assignment& assignment)
    : axis_of_(axes_by_parameter(matrix)) {
  for (const auto& axis : assignment.axes) {
    std::vector<std::string>& labels = labels_.emplace_back();
    for (const auto& settings : axis) labels.push_back(label_of(settings));
  }
  auto add = [&](std::size_t entry) {
    Block block{.entry = entry,
                .axes = {},
                .begin = blocks_.empty() ? 0 : blocks_.back().end,
                .end = 0,
                .labels = {}};
    std::size_t rows = 1;
    for (std::size_t axis = 0; axis < labels_.size(); ++axis) {
      if (entry != k_product && assignment.include[entry].replaces[axis]) continue;
      block.axes.push_back(axis);
      rows *= labels_[axis].size();
    }
    block.end = block.begin + rows;
    if (entry != k_product) label_entry(block, assignment.include[entry]);
    blocks_.push_back(std::move(block));
  };
  add(k_product);
  if (matrix.only_included) blocks_.front().end = 0;
  for (std::size_t entry = 0; entry < assignment.include.size(); ++entry) add(entry);
}

const Rows::Block& Rows::block_of(std::size_t row) const {
  return *std::upper_bound(
      blocks_.begin(), blocks_.end(), row,
      [](std::size_t wanted, const Block& block) { return wanted < block.end; });
}

void Rows::label_entry(Block& block, const Partial& entry) const {
  block.labels.resize(labels_.size() + 1);
  for (const Setting& setting : entry.settings) {
    const auto axis = axis_of_.find(setting.parameter->name);
    append(block.labels[axis == axis_of_.end() ? labels_.size() : axis->second],
           matrix::label(*setting.parameter, setting.value));
  }
}

std::string Rows::label(std::size_t row) const {
  const Block& block = block_of(row);
  std::string text;
  if (block.labels.empty()) {
    for_each_choice(row, [&](std::size_t axis, std::size_t value) {
      if (axis > 0) text += '_';
      text += labels_[axis][value];
    });
    return text;
  }
  std::vector<std::string> parts = block.labels;
  for_each_choice(row, [&](std::size_t axis, std::size_t value) {
    if (axis < labels_.size()) parts[axis] = labels_[axis][value];
  });
  for (const std::string& part : parts) append(text, part);
  return text;
}

RowCount count_rows(const Matrix& matrix) {
  const auto axis_of = axes_by_parameter(matrix);
  std::vector<std::string> factors;
  double product = 1;
  for (const Axis& axis : matrix.axes) {
    factors.push_back(std::to_string(axis.values.size()));
    product *= static_cast<double>(axis.values.size());
  }
  double included = 0;
  for (const Include& entry : matrix.include) {
    std::set<std::size_t> replaced;
    for (const auto& [name, scalar] : entry.sets)
      if (const auto axis = axis_of.find(name); axis != axis_of.end())
        replaced.insert(axis->second);
    double rows = product;
    for (const std::size_t axis : replaced)
      rows /= static_cast<double>(matrix.axes[axis].values.size());
    included += rows;
  }
  if (matrix.only_included) product = 0;
  std::string sum = factors.size() > 1
                        ? fmt::format("{} = {}", join(factors, " x "), written(product))
                        : written(product);
  if (included > 0)
    sum += fmt::format(" points and 'include' {} more, together {}", written(included),
                       written(product + included));
  return {.rows = product + included, .sum = std::move(sum)};
}

Waits find_waits(const Columns& columns, const std::set<std::string>& unknown_facts,
                 const std::vector<bool>& given) {
  return Finder(columns, unknown_facts, given).find();
}

Row::Row(const RowInputs& inputs)
    : known_(inputs.known), columns_(inputs.columns), table_(std::make_shared<ParameterTable>()) {
  const Vocabulary& vocabulary = inputs.vocabulary;
  const Assignment& assignment = inputs.assignment;
  std::set<std::string> names;
  for (const Parameter& parameter : vocabulary.parameters) names.insert(parameter.name);
  for (const Expression& let : inputs.matrix.let) names.insert(let.name);
  for (const std::string& name : names) slots_.emplace(name, slots_.size());
  table_->names.assign(names.begin(), names.end());
  if (vocabulary.find("model")) {
    model_slot_ = slots_.at("model");
    computed_model_ = columns_.index_of("model");
  }
  for (std::size_t column = 0; column < columns_.all().size(); ++column)
    facts_read_.insert(columns_.reads(column).begin(), columns_.reads(column).end());
  for (const Column& column : columns_.all())
    column_slots_.push_back(column.name.empty() ? 0 : slots_.at(column.name));
  std::erase_if(facts_read_, [&](const std::string& name) { return !known_.is_fact(name); });
  const auto& parameters = columns_.of(Role::parameter);
  const Waits behind = find_waits(columns_, facts_read_, std::vector<bool>(columns_.all().size()));
  may_depend_ =
      std::ranges::any_of(parameters, [&](std::size_t column) { return !behind[column].empty(); });

  for (const auto& axis : assignment.axes) {
    auto& values = axes_.emplace_back();
    for (const auto& settings : axis) values.push_back(compile(settings));
  }
  for (const Partial& entry : assignment.include) include_.push_back(compile(entry.settings));
  inputs_.resize(columns_.inputs());
  values_.resize(slots_.size());
  given_.resize(columns_.all().size());
  results_.resize(columns_.all().size());
  for (const auto& [name, setting] : assignment.fixed) write(compile(setting));
  no_inputs_ = inputs_;
  no_values_ = values_;
  fixed_given_ = given_;
}

Row::Written Row::compile(const Setting& setting) {
  const std::string& name = setting.parameter->name;
  return {.input = columns_.input(name),
          .slot = slots_.at(name),
          .id = columns_.table().intern(to_cell(setting.value)),
          .value = keep(setting.value),
          .column = columns_.index_of(name)};
}

std::vector<Row::Written> Row::compile(const std::vector<Setting>& settings) {
  std::vector<Written> out;
  for (const Setting& setting : settings) out.push_back(compile(setting));
  return out;
}

void Row::write(const Written& written) {
  inputs_[written.input] = written.id;
  values_[written.slot] = written.value;
  if (written.column) given_[*written.column] = written.id;
}

Status Row::load(const Rows& rows, std::size_t index) {
  index_ = index;
  inputs_ = no_inputs_;
  values_ = no_values_;
  given_ = fixed_given_;
  const std::vector<Written>* entry = nullptr;
  rows.for_each_choice(index, [&](std::size_t axis, std::size_t value) {
    if (axis == axes_.size()) entry = &include_[value];
    else
      for (const Written& written : axes_[axis][value]) write(written);
  });
  if (entry)
    for (const Written& written : *entry) write(written);
  const Value* model = model_slot_ ? value_at(*model_slot_) : nullptr;
  load_facts(model ? model->text : "");
  ORCH_TRY(columns_.table().evaluate(inputs_, results_));
  if (computed_model_) {
    load_facts(to_text(result(*computed_model_)));
    ORCH_TRY(columns_.table().evaluate(inputs_, results_));
  }
  load_waits();
  return {};
}

void Row::load_facts(const std::string& model) {
  if (!own_facts_ || model != model_) own_facts_ = &facts_of(model);
  model_ = model;
  for (const auto& [input, id] : own_facts_->inputs) inputs_[input] = id;
}

Row::Facts& Row::facts_of(const std::string& model) {
  const auto [found, fresh] = facts_.try_emplace(model);
  Facts& facts = found->second;
  if (!fresh) return facts;
  for (const std::string& name : facts_read_) {
    const Value* value = known_.find(model, name);
    facts.inputs.emplace_back(columns_.input(name),
                              value ? columns_.table().intern(to_cell(*value)) : sql::k_null);
    if (known_.is_unknown(model, name)) facts.unknown.insert(name);
  }
  return facts;
}

void Row::load_waits() {
  waits_ = nullptr;
  behind_ = nullptr;
  if (own_facts_->unknown.empty() && !may_depend_) return;
  std::vector<bool> given;
  for (const sql::ValueId id : given_) given.push_back(id != sql::k_null);
  auto find = [&](std::map<std::vector<bool>, Waits>& known, const std::set<std::string>& facts) {
    const auto [waits, fresh] = known.try_emplace(given);
    if (fresh) waits->second = find_waits(columns_, facts, given);
    return &waits->second;
  };
  if (!own_facts_->unknown.empty()) waits_ = find(own_facts_->waits, own_facts_->unknown);
  if (may_depend_) behind_ = find(depend_, facts_read_);
}

const Value* Row::value(const std::string& name) const {
  const auto slot = slots_.find(name);
  return slot == slots_.end() ? nullptr : value_at(slot->second);
}

std::uint32_t Row::keep(Value value) {
  table_->values.push_back(std::move(value));
  return static_cast<std::uint32_t>(table_->values.size() - 1);
}

std::optional<std::string> Row::text(const std::string& name) const {
  const Value* own = value(name);
  if (!own && known_.is_fact(name)) own = known_.find(model_, name);
  return own ? std::optional(own->text) : std::nullopt;
}

}  // namespace orch::matrix

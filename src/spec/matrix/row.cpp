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

}  // namespace

Rows::Rows(const Matrix& matrix, const Assignment& assignment)
    : of_matrix_(matrix.name), axis_of_(axes_by_parameter(matrix)) {
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
    return text.empty() ? of_matrix_ : text;
  }
  std::vector<std::string> parts = block.labels;
  for_each_choice(row, [&](std::size_t axis, std::size_t value) {
    if (axis < labels_.size()) parts[axis] = labels_[axis][value];
  });
  for (const std::string& part : parts) append(text, part);
  return text.empty() ? of_matrix_ : text;
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

Row::Row(const RowInputs& inputs)
    : columns_(inputs.columns),
      table_(std::make_shared<ParameterTable>()),
      facts_(inputs.known, inputs.columns) {
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
  for (const Column& column : columns_.all())
    column_slots_.push_back(column.name.empty() ? 0 : slots_.at(column.name));
  for (const auto& axis : assignment.axes) {
    auto& values = choices_.emplace_back();
    for (const auto& settings : axis) values.push_back(compile(settings));
  }
  auto& entries = choices_.emplace_back();
  for (const Partial& entry : assignment.include) entries.push_back(compile(entry.settings));
  own_.inputs.resize(columns_.inputs());
  own_.values.resize(slots_.size());
  own_.given.resize(columns_.all().size());
  results_.resize(columns_.all().size());
  for (const auto& [name, setting] : assignment.fixed) write(compile(setting));
  initial_ = own_;
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
  own_.inputs[written.input] = written.id;
  own_.values[written.slot] = written.value;
  if (written.column) own_.given[*written.column] = written.id;
}

Status Row::load(const Rows& rows, std::size_t index) {
  index_ = index;
  own_ = initial_;
  const std::vector<Written>* entry = nullptr;
  rows.for_each_choice(index, [&](std::size_t axis, std::size_t value) {
    const std::vector<Written>& chosen = choices_[axis][value];
    if (axis + 1 == choices_.size()) entry = &chosen;
    else
      for (const Written& written : chosen) write(written);
  });
  if (entry)
    for (const Written& written : *entry) write(written);
  const Value* model = model_slot_ ? value_at(*model_slot_) : nullptr;
  facts_.load(model ? model->text : "", own_.inputs);
  ORCH_TRY(columns_.table().evaluate(own_.inputs, results_));
  if (computed_model_) {
    facts_.load(to_text(result(*computed_model_)), own_.inputs);
    ORCH_TRY(columns_.table().evaluate(own_.inputs, results_));
  }
  facts_.load_waits(own_.given);
  return {};
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
  if (!own) own = facts_.find(name);
  return own ? std::optional(own->text) : std::nullopt;
}

}  // namespace orch::matrix

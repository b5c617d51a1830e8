#include "spec/matrix/rows.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/axes.hpp"
#include "spec/matrix/point_name.hpp"

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
    : assignment_(assignment), axis_of_(axes_by_parameter(matrix)) {
  for (const auto& axis : assignment_.axes) {
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
    for (std::size_t axis = 0; axis < assignment_.axes.size(); ++axis) {
      if (entry != k_product && assignment_.include[entry].replaces[axis]) continue;
      block.axes.push_back(axis);
      rows *= assignment_.axes[axis].size();
    }
    block.end = block.begin + rows;
    if (entry != k_product) label_entry(block);
    blocks_.push_back(std::move(block));
  };
  add(k_product);
  if (matrix.only_included) blocks_.front().end = 0;
  for (std::size_t entry = 0; entry < assignment_.include.size(); ++entry) add(entry);
}

const Rows::Block& Rows::block_of(std::size_t row) const {
  return *std::upper_bound(
      blocks_.begin(), blocks_.end(), row,
      [](std::size_t wanted, const Block& block) { return wanted < block.end; });
}

void Rows::label_entry(Block& block) const {
  block.labels.resize(assignment_.axes.size() + 1);
  for (const Setting& setting : assignment_.include[block.entry].settings) {
    const auto axis = axis_of_.find(setting.parameter->name);
    append(block.labels[axis == axis_of_.end() ? assignment_.axes.size() : axis->second],
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

}  // namespace orch::matrix

#include "spec/matrix/points/points.hpp"

#include "spec/matrix/points/point_block.hpp"

#include <bit>
#include <set>
#include <stdexcept>

namespace orch::matrix {

namespace {

constexpr std::size_t k_fewest_hex_digits = 6;
constexpr std::size_t k_most_hex_digits = 60;

}  // namespace

std::string rejections_text(const Point& point) {
  std::string text;
  for (const Point::Broken& broken : point.rejections)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", broken.rule, broken.why);
  return text;
}

Points::Points(std::shared_ptr<const PointBlock> block) {
  const std::size_t points = block->size();
  if (points > 0) parts_.push_back({.block = std::move(block), .end = points});
}

void Points::append(Points more) {
  const std::size_t before = size();
  for (Part& part : more.parts_)
    parts_.push_back({.block = std::move(part.block), .end = before + part.end});
}

std::size_t Points::size() const { return parts_.empty() ? 0 : parts_.back().end; }

std::pair<const PointBlock*, std::size_t> Points::place_of(std::size_t index) const {
  const auto part = std::ranges::upper_bound(parts_, index, {}, &Part::end);
  const std::size_t begin = part == parts_.begin() ? 0 : std::prev(part)->end;
  return {part->block.get(), index - begin};
}

Point Points::operator[](std::size_t index) const {
  const auto [block, at] = place_of(index);
  return block->point(at);
}

Point Points::at(std::size_t index) const {
  if (index >= size()) throw std::out_of_range(fmt::format("point {} of {}", index, size()));
  return (*this)[index];
}

std::vector<Point> Points::all() const {
  std::vector<Point> points;
  points.reserve(size());
  for (Point point : *this) points.push_back(std::move(point));
  return points;
}

std::string Points::name(std::size_t index) const {
  const auto [block, at] = place_of(index);
  return block->name(at);
}

Parameters Points::parameters(std::size_t index) const {
  const auto [block, at] = place_of(index);
  return block->parameters(at);
}

const Verdict& Points::verdict(std::size_t index) const {
  const auto [block, at] = place_of(index);
  return block->verdict(at);
}

const SharedList<Point::Waiting>& Points::waiting(std::size_t index) const {
  const auto [block, at] = place_of(index);
  return block->waiting(at);
}

void PointRow::clear() {
  rejections.clear();
  warnings.clear();
  notes.clear();
  open.fleeting.clear();
  treatment.provided.clear();
  treatment.again = false;
  answers.clear();
  warmup = 0;
}

PointBlock::PointBlock(Rows rows, std::shared_ptr<ParameterTable> table, PointNames names,
                       std::size_t questions)
    : all_rows_(std::move(rows)),
      table_(std::move(table)),
      names_(std::move(names)),
      answers_(questions) {
  table_->columns.resize(table_->names.size());
}

std::uint32_t PointBlock::add(PointOrigin origin) {
  origins_.push_back(std::move(origin));
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

void PointBlock::push(const Row& row, const PointRow& own) {
  rows_.push_back(static_cast<std::uint32_t>(row.index()));
  for (std::size_t slot = 0; slot < table_->columns.size(); ++slot)
    table_->columns[slot].push(row.values()[slot]);
  origin_.push(own.origin);
  warmup_.push(own.warmup);
  verdicts_.push({.rejections = own.rejections, .warnings = own.warnings, .notes = own.notes});
  open_.push(own.open);
  treatments_.push(own.treatment);
  for (std::size_t question = 0; question < answers_.size(); ++question)
    answers_[question].push(std::bit_cast<std::uint64_t>(own.answers[question]));
}

// Names with different stems differ, so only points with the same stem are compared.
void PointBlock::tell_names_apart() {
  std::vector<std::pair<std::size_t, std::size_t>> stems;  // hash of the stem, point
  stems.reserve(size());
  for (std::size_t i = 0; i < size(); ++i)
    stems.emplace_back(std::hash<std::string>()(PointNames::stem(all_rows_.label(rows_[i]))), i);
  std::ranges::sort(stems);
  for (auto begin = stems.begin(); begin != stems.end();) {
    const auto end = std::ranges::find_if(
        begin, stems.end(), [&](const auto& stem) { return stem.first != begin->first; });
    std::set<std::string> taken;
    for (auto one = begin; end - begin > 1 && one != end; ++one) {
      std::size_t digits = k_fewest_hex_digits;
      while (digits < k_most_hex_digits && taken.contains(name(one->second, digits)))
        digits += k_fewest_hex_digits;
      taken.insert(name(one->second, digits));
      if (digits > k_fewest_hex_digits) hex_digits_.emplace(one->second, digits);
    }
    begin = end;
  }
}

std::string PointBlock::name(std::size_t index, std::size_t hex_digits) const {
  const PointOrigin& from = origin(index);
  return names_.name(all_rows_.label(rows_[index]), index, open_[index].fleeting,
                     {.written = from.written, .revision = from.revision}, hex_digits);
}

std::string PointBlock::name(std::size_t index) const {
  const auto digits = hex_digits_.find(index);
  return name(index, digits == hex_digits_.end() ? k_fewest_hex_digits : digits->second);
}

Point PointBlock::point(std::size_t index) const {
  const PointOrigin& from = origin(index);
  Point point{.name = name(index),
              .parameters = parameters(index),
              .model = from.model,
              .model_source = from.source,
              .model_revision = from.revision,
              .dataset_source = from.dataset,
              .warmup = warmup_[index],
              .rejections = {verdict(index).rejections.begin(), verdict(index).rejections.end()},
              .warnings = {verdict(index).warnings.begin(), verdict(index).warnings.end()},
              .notes = {verdict(index).notes.begin(), verdict(index).notes.end()},
              .waiting = open_[index].waiting,
              .unknown = open_[index].unknown,
              .provided = treatments_[index].provided,
              .again = treatments_[index].again,
              .answers = {}};
  for (const auto& answers : answers_)
    point.answers.push_back(std::bit_cast<double>(answers[index]));
  return point;
}

}  // namespace orch::matrix

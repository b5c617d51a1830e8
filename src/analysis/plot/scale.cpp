#include "analysis/plot/scale.hpp"

#include <algorithm>
#include <cmath>

namespace orch::plot {

namespace {

constexpr double k_multiples[] = {1, 2, 5};

double placed(ScaleKind kind, double value) {
  switch (kind) {
    case ScaleKind::linear: return value;
    case ScaleKind::log: return std::log10(value);
    case ScaleKind::nines: return -std::log10(1 - value);
  }
  return value;
}

bool can_place(ScaleKind kind, double value) {
  if (!std::isfinite(value)) return false;
  if (kind == ScaleKind::log) return value > 0;
  return kind == ScaleKind::linear || (value >= 0 && value < 1);
}

std::vector<double> linear_ticks(Range range, std::size_t most) {
  const double span = range.high - range.low;
  if (span <= 0) return {range.low};
  double power = std::pow(10, std::floor(std::log10(span)) - 1);
  for (;; power *= 10)
    for (const double multiple : k_multiples) {
      const double step = multiple * power;
      const double first = std::ceil(range.low / step - 1e-9),
                   last = std::floor(range.high / step + 1e-9);
      if (last - first + 1 > static_cast<double>(most)) continue;
      std::vector<double> ticks;
      for (double i = first; i <= last; ++i) ticks.push_back(i * step);
      return ticks;
    }
}

std::vector<double> log_ticks(Range range, std::size_t most) {
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  std::vector<double> fine, decades;
  for (int exponent = first; exponent <= last; ++exponent)
    for (const double multiple : k_multiples) {
      const double value = multiple * std::pow(10, exponent);
      if (value < range.low * (1 - 1e-9) || value > range.high * (1 + 1e-9)) continue;
      fine.push_back(value);
      if (multiple == 1) decades.push_back(value);
    }
  if (fine.size() < 3) return linear_ticks(range, std::min<std::size_t>(most, 5));
  if (fine.size() <= most) return fine;
  std::vector<double> sparse;  // every n-th decade
  const std::size_t every = (decades.size() + most - 1) / most;
  for (std::size_t i = 0; i < decades.size(); i += std::max<std::size_t>(every, 1))
    sparse.push_back(decades[i]);
  return sparse;
}

std::string percentile_name(double fraction) {
  return "p" + number(std::round(fraction * 1e6) / 1e4, 6);
}

}  // namespace

Range range_of(std::span<const double> values, ScaleKind kind) {
  constexpr double k_room = 0.06;
  std::vector<double> shown;
  for (const double value : values)
    if (can_place(kind, value)) shown.push_back(value);
  if (shown.empty())
    return {kind == ScaleKind::linear ? 0.0 : 0.5, kind == ScaleKind::nines ? 0.9 : 2.0};
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  if (kind == ScaleKind::nines) return {0, std::max(*most, 0.99)};
  if (kind == ScaleKind::log) {
    const double room = std::max(std::log10(*most / *least) * k_room, 0.04);
    return {*least / std::pow(10, room), *most * std::pow(10, room)};
  }
  Range range{std::min(*least, 0.0), std::max(*most, 0.0)};
  const double room = (range.high - range.low) * k_room;
  if (room == 0) return {0, 1};
  if (range.low < 0) range.low -= room;
  if (range.high > 0) range.high += room;
  return range;
}

Scale::Scale(ScaleKind kind, Range range, Range pixels)
    : kind_(kind), range_(range), pixels_(pixels) {}

bool Scale::shows(double value) const { return can_place(kind_, value); }

double Scale::operator()(double value) const {
  const double low = placed(kind_, range_.low), high = placed(kind_, range_.high);
  const double share = high == low ? 0.5 : (placed(kind_, value) - low) / (high - low);
  return pixels_.low + share * (pixels_.high - pixels_.low);
}

std::vector<Tick> Scale::ticks(std::size_t most) const {
  std::vector<Tick> out;
  if (kind_ == ScaleKind::nines) {
    for (const double value : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999})
      if (value <= range_.high + 1e-9) out.push_back({value, percentile_name(value)});
    return out;
  }
  const auto values =
      kind_ == ScaleKind::log ? log_ticks(range_, most) : linear_ticks(range_, most);
  for (const double value : values) out.push_back({value, number(value)});
  return out;
}

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude >= 15 || magnitude < -5) return fmt::format("{:.{}g}", value, digits);
  const int decimals = std::max(0, digits - 1 - magnitude);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > begin + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace orch::plot

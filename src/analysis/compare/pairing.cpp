#include "analysis/compare/pairing.hpp"

#include "core/base/text.hpp"

namespace orch::compare {

namespace {

using Texts = std::set<std::string>;

std::string value_of(const Selected& selected, const Measured& row, const std::string& parameter) {
  const auto at = std::ranges::find(selected.parameters, parameter);
  if (at == selected.parameters.end()) return "";
  return row.parameters[static_cast<std::size_t>(at - selected.parameters.begin())];
}

Texts values_of(const Selected& selected, const std::string& parameter) {
  Texts values;
  for (const Measured& row : selected.rows) values.insert(value_of(selected, row, parameter));
  return values;
}

// Sorts numbers by size, before texts.
std::vector<std::string> in_order(const Texts& values) {
  std::vector<std::string> out(values.begin(), values.end());
  std::ranges::stable_sort(out, [](const std::string& a, const std::string& b) {
    const auto left = to_real(a), right = to_real(b);
    if (left && right) return *left < *right;
    return left.has_value() && !right.has_value();
  });
  return out;
}

// Orders names by the size of the numbers in them: "isl 32" before "isl 128".
bool is_before(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view& text) {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = to_real(text.substr(0, end)).value_or(0);
    text.remove_prefix(end);
    return value;
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const double left = number(a), right = number(b);
      if (left != right) return left < right;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// The rows of both sides, divided into classes that agree in all parameters so far.
class Classes {
 public:
  Classes(const Selected& a, const Selected& b)
      : a_(a), b_(b), of_(a.rows.size() + b.rows.size()) {}

  // Splits each class by the values of PARAMETER. False if none is split, because PARAMETER follows
  // from the others.
  bool split(const std::string& parameter) {
    std::map<std::pair<std::size_t, std::string>, std::size_t> known;
    std::vector<std::size_t> split(of_.size());
    std::size_t at = 0;
    for (const Selected* side : {&a_, &b_})
      for (const Measured& row : side->rows) {
        const auto key = std::pair(of_[at], value_of(*side, row, parameter));
        split[at++] = known.emplace(key, known.size()).first->second;
      }
    if (known.size() == count_) return false;
    count_ = known.size();
    of_ = std::move(split);
    return true;
  }

 private:
  const Selected& a_;
  const Selected& b_;
  std::vector<std::size_t> of_;
  std::size_t count_ = 1;
};

Texts pairs_on(const Pairing& pairing, const Selected& selected) {
  Texts pairs;
  for (const Measured& row : selected.rows) pairs.insert(pairing.pair_of(selected, row));
  return pairs;
}

}  // namespace

std::string Pairing::pair_of(const Selected& selected, const Measured& row) const {
  std::vector<std::string> parts;
  for (const std::string& parameter : paired_by)
    if (const std::string value = value_of(selected, row, parameter); !value.empty())
      parts.push_back(parameter + " " + value);
  return parts.empty() ? "all" : join(parts, ", ");
}

Pairing pairing_of(const Selected& a, const Selected& b) {
  Pairing out;
  std::vector<std::string> parameters = a.parameters;
  for (const std::string& parameter : b.parameters)
    if (std::ranges::find(parameters, parameter) == parameters.end())
      parameters.push_back(parameter);
  Classes classes(a, b);
  for (const std::string& parameter : parameters) {
    const Texts in_a = values_of(a, parameter), in_b = values_of(b, parameter);
    Texts both = in_a;
    both.insert(in_b.begin(), in_b.end());
    if (both.size() < 2) continue;
    const bool shared =
        std::ranges::any_of(in_a, [&](const std::string& value) { return in_b.contains(value); });
    if (shared && classes.split(parameter)) out.paired_by.push_back(parameter);
    else if (!shared && !in_a.empty() && !in_b.empty())
      out.differing.push_back({parameter, in_order(in_a), in_order(in_b)});
  }
  const Texts on_a = pairs_on(out, a), on_b = pairs_on(out, b);
  for (const std::string& pair : on_a)
    (on_b.contains(pair) ? out.pairs : out.only_a).push_back(pair);
  for (const std::string& pair : on_b)
    if (!on_a.contains(pair)) out.only_b.push_back(pair);
  for (auto* names : {&out.pairs, &out.only_a, &out.only_b})
    std::ranges::stable_sort(*names, is_before);
  return out;
}

}  // namespace orch::compare

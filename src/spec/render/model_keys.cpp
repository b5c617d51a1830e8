#include "spec/render/model_keys.hpp"

#include "core/base/text.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace orch::render {

namespace {

constexpr std::string_view k_config_flags = "true True t 1 false False f 0";
constexpr std::string_view k_flags = "true True TRUE 1 false False FALSE 0";

Release release_of(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  return {std::atoi(parts[0].c_str()), std::atoi(parts[1].c_str())};
}

// The valid words for ROW in templates of RELEASES.
std::vector<std::string> choices_of(const ModelKey& row, const Releases& releases) {
  const std::string_view words = row.kind == ValueKind::config_flag ? k_config_flags
                                 : row.kind == ValueKind::flag      ? k_flags
                                                                    : row.choices;
  std::vector<std::string> choices;
  for (const std::string& word : split(words, ' ')) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos || release_of(word.substr(slash + 1)) < releases.end)
      choices.push_back(word.substr(0, slash));
  }
  return choices;
}

// The numeric prefix that the C++ backend parses, regardless of what follows; "" if there is none
// or it is out of range.
std::string read_number(std::string_view text, bool real) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  real ? static_cast<void>(std::strtof(copy.c_str(), &end))
       : static_cast<void>(std::strtoll(copy.c_str(), &end, 10));
  return errno == 0 ? std::string(trim(std::string_view(
                          copy.c_str(), static_cast<std::size_t>(end - copy.c_str()))))
                    : "";
}

// -12, 12; no leading zeros, which protobuf text reads as octal.
bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
         (text.size() == 1 || text[0] != '0');
}

bool is_real(std::string_view text) {
  return text.find_first_not_of("0123456789.eE+-") == text.npos && to_real(text).has_value();
}

enum class Fit { good, below, above, unreadable };

Fit fit_of_number(const ModelKey& row, std::string_view text) {
  if (row.kind == ValueKind::real ? !is_real(text) : !is_integer(text)) return Fit::unreadable;
  const long double number = std::strtold(std::string(text).c_str(), nullptr);
  return number < row.least ? Fit::below : number > row.most ? Fit::above : Fit::good;
}

// The worst result over the numbers of a list.
Fit fit_of_list(const ModelKey& row, std::string_view text) {
  Fit worst = Fit::good;
  for (const std::string& item : split(text, ','))
    worst = std::max(worst, fit_of_number(row, trim(item)));
  return worst;
}

Fit fit_of_lists(const ModelKey& row, std::string_view text) {
  Fit worst = Fit::good;
  for (const std::string& list : split(text, ';')) worst = std::max(worst, fit_of_list(row, list));
  return worst;
}

Fit fit_of_tree(const ModelKey& row, std::string_view text) {
  Fit worst = Fit::good;
  for (text = trim(text); worst == Fit::good;) {
    const std::size_t close = text.find('}');
    if (!text.starts_with('{') || close == text.npos) return Fit::unreadable;
    worst = fit_of_list(row, text.substr(1, close - 1));
    text = trim(text.substr(close + 1));
    if (text.empty()) return worst;
    if (!text.starts_with(',')) return Fit::unreadable;
    text = trim(text.substr(1));
  }
  return worst;
}

Fit fit_of(const ModelKey& row, std::string_view value, const Releases& releases) {
  const auto among = [&](std::string_view word) {
    const std::vector<std::string> choices = choices_of(row, releases);
    return contains(choices, word) ? Fit::good : Fit::unreadable;
  };
  switch (row.kind) {
    case ValueKind::text: return Fit::good;
    case ValueKind::integer:
    case ValueKind::real: return fit_of_number(row, value);
    case ValueKind::config_flag:
    case ValueKind::flag:
    case ValueKind::word: return among(value);
    case ValueKind::python_flag: return among(lower(value));
    case ValueKind::integers: return fit_of_list(row, value);
    case ValueKind::id_lists: return fit_of_lists(row, value);
    case ValueKind::tree: return fit_of_tree(row, value);
  }
  return Fit::good;
}

std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words, "");
  return join(std::span(words).first(words.size() - 1), ", ") + " or " + words.back();
}

std::string number_range(const ModelKey& row) {
  if (row.kind == ValueKind::real)
    return fmt::format("{}{}", row.least > 0 ? "above 0" : "from 0",
                       row.most < 1 ? " and below 1" : " to 1");
  return row.most > 4e9 ? fmt::format("from {:.0f} on", row.least)
                        : fmt::format("from {:.0f} to {:.0f}", row.least, row.most);
}

// How the backend treats a value that it cannot parse completely.
std::string taken(const ModelKey& row, std::string_view value, Fit fit) {
  const bool number = row.kind == ValueKind::integer || row.kind == ValueKind::real;
  const std::string begin =
      number && fit == Fit::unreadable ? read_number(value, row.kind == ValueKind::real) : "";
  return begin.empty() ? fmt::format("would silently become the default: {}", row.fallback)
                       : fmt::format("would silently be read as {}", begin);
}

}  // namespace

std::string to_string(Release release) {
  return fmt::format("{}.{}", release.major, release.minor);
}

bool has_model(const ModelKey& row, std::string_view model) { return lists(row.models, model); }

const ModelKey* find_model_key(std::string_view key, std::string_view model) {
  const ModelKey* found = nullptr;
  for (const ModelKey& row : model_keys()) {
    if (row.key != key) continue;
    if (has_model(row, model)) return &row;
    if (!found) found = &row;
  }
  return found;
}

Releases releases_with(std::string_view model, std::span<const std::string> keys) {
  const auto present = [&](const ModelKey& row) { return contains(keys, row.key); };
  Releases releases;
  for (const ModelKey& row : model_keys()) {
    if (!has_model(row, model) || !present(row)) continue;
    releases.first = std::max(releases.first, row.since);
    releases.end = std::min(releases.end, row.until);
  }
  // A newer release would have added its placeholders; older ones may have been removed by hand.
  for (const ModelKey& row : model_keys())
    if (has_model(row, model) && !present(row) && row.since > releases.first)
      releases.end = std::min(releases.end, row.since);
  return releases;
}

bool is_idle(const ModelKey& row, const Releases& releases) {
  return releases.first >= row.idle_since && releases.end <= row.idle_until;
}

std::string expected(const ModelKey& row, const Releases& releases) {
  switch (row.kind) {
    case ValueKind::text: return "a text";
    case ValueKind::integer: return "an integer " + number_range(row);
    case ValueKind::real: return "a number " + number_range(row);
    case ValueKind::integers:
      return fmt::format("integers {} with commas between them", number_range(row));
    case ValueKind::id_lists:
      return "ids with commas between them, such as 0,1, and ';' between instances";
    case ValueKind::tree: return "branches such as {0},{0,0},{1}";
    default: return listed(choices_of(row, releases));
  }
}

std::optional<ValueFinding> check_value(const ModelKey& row, std::string_view value,
                                        const Releases& releases) {
  const Fit fit = fit_of(row, value, releases);
  if (fit == Fit::good) return std::nullopt;
  // A value that parses but is out of bounds prevents the model from loading; a value too large for
  // its type does not parse.
  const bool refused = row.fallback.empty() || fit == Fit::below ||
                       (fit == Fit::above && row.kind == ValueKind::real);
  const std::string write = "; write " + expected(row, releases);
  const std::string remedy =
      row.kind == ValueKind::word ? did_you_mean(value, choices_of(row, releases), write) : write;
  return ValueFinding{
      .loads = !refused,
      .message =
          fmt::format("{} {}{}", quoted(value),
                      refused ? "keeps the model from loading" : taken(row, value, fit), remedy)};
}

// An optional third part may end in rcN; an optional fourth is .postN.
Result<Release> read_release(std::string_view tag) {
  const Error refusal = invalid(fmt::format(
      "{} is not a release of TensorRT-LLM; write it as 0.14, 0.14.0 or v0.14.0", quoted(tag)));
  const std::vector<std::string> parts = split(tag.starts_with('v') ? tag.substr(1) : tag, '.');
  const auto number = [](std::string_view text) {
    return text.size() < 5 && text.find_first_not_of("0123456789") == text.npos ? to_integer(text)
                                                                                : std::nullopt;
  };
  if (parts.size() < 2 || parts.size() > 4) return refusal;
  const auto major = number(parts[0]), minor = number(parts[1]);
  if (!major || !minor) return refusal;
  if (parts.size() > 2) {
    const std::string_view patch = parts[2];
    const std::size_t candidate = patch.find("rc");
    if (!number(patch.substr(0, candidate))) return refusal;
    if (candidate != patch.npos && !number(patch.substr(candidate + 2))) return refusal;
  }
  if (parts.size() > 3 &&
      !(parts[3].starts_with("post") && number(std::string_view(parts[3]).substr(4))))
    return refusal;
  return Release{static_cast<int>(*major), static_cast<int>(*minor)};
}

}  // namespace orch::render

#include "spec/matrix/parse/section_reader.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_errors_with_suggestion = 200;
constexpr std::size_t k_compared = 1000;

}  // namespace

void SectionReader::fail(const Location& where, std::string message) {
  errors_.push_back(invalid(std::move(message), where));
}

std::string SectionReader::suggest(std::string_view word,
                                   const std::vector<std::string>& known) const {
  return errors_.size() < k_errors_with_suggestion && known.size() < k_compared
             ? did_you_mean(word, known)
             : "";
}

bool SectionReader::is_map(const Yaml& node, std::string_view key, std::string_view example) {
  if (node.is_map()) return true;
  if (node.is_null()) return false;
  fail(node.where,
       fmt::format("'{}' must be a map, not {}; write {}", key, node.describe(), example));
  matrix_.incomplete = true;
  return false;
}

void SectionReader::check_column_name(const Yaml& key, std::string_view what) {
  const auto why = refuse_column_name(key.text);
  if (!why) return;
  fail(key.where, fmt::format("{} {}: {}", what, quoted(key.text), *why));
  break_name(key.text);
}

void SectionReader::check_parameter(const Yaml& key, const Yaml& value) {
  if (key.text != k_runner_key) return check_column_name(key, "parameter");
  if (std::string name; read_name(&value, k_runner_key, name)) return;
  break_name(key.text);
}

void SectionReader::check_free_name(const Yaml& key, std::string_view what) {
  if (auto why = refuse_free_name(key.text))
    fail(key.where, fmt::format("{} {}: {}", what, quoted(key.text), *why));
}

bool SectionReader::read_name(const Yaml* node, std::string_view what, std::string& name) {
  if (!node) return false;
  if (!node->is_scalar()) {
    fail(node->where, fmt::format("'{}' must be one word, not {}", what, node->describe()));
    return false;
  }
  name = node->text;
  check_free_name(*node, what);
  return true;
}

std::optional<Expression> SectionReader::expression(std::string name, std::string_view what,
                                                    const Yaml& node) {
  if (node.is_scalar())
    return Expression{.name = std::move(name), .sql = node.text, .where = node.places};
  fail(node.where,
       fmt::format(
           "{} must be an SQL expression, not {}; put it in quotes if it has a ':', '{{' or '['",
           what, node.describe()));
  return std::nullopt;
}

std::optional<std::int64_t> SectionReader::count(YamlMap& map, const Yaml& node,
                                                 const Count& count) {
  const auto number = map.take_integer(count.key, 1);
  if (!number || *number <= count.most) return number;
  fail(node.find(count.key)->where, fmt::format("'{}.{}' is {}; at most {} are {}", count.section,
                                                count.key, *number, count.most, count.counted));
  return std::nullopt;
}

}  // namespace orch::matrix

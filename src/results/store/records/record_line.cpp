#include "results/store/records/record_line.hpp"

#include "core/base/digest.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

constexpr std::size_t k_sum_digits = 16;

std::string sum_of(std::string_view before, std::string_view facts) {
  return sha256(fmt::format("{}\n{}", before, facts)).hex().substr(0, k_sum_digits);
}

// The checksum at the end of LINE, and in FACTS what it covers. Empty: LINE has none.
std::string_view split_sum(std::string_view line, std::string_view& facts) {
  constexpr std::size_t k_end = k_sum_digits + 4;  // ,"..."]
  if (line.size() < k_end + 1 || !line.ends_with("\"]")) return {};
  const std::string_view end = line.substr(line.size() - k_end);
  if (!end.starts_with(",\"")) return {};
  facts = line.substr(1, line.size() - k_end - 1);
  return end.substr(2, k_sum_digits);
}

}  // namespace

std::string record_line(const std::vector<std::string>& facts, std::string& sum) {
  const std::string joined = fmt::format("{}", fmt::join(facts, ","));
  sum = sum_of(sum, joined);
  return fmt::format("[{},\"{}\"]\n", joined, sum);
}

Result<std::string> RecordLines::facts(std::string_view line) {
  const std::string before = std::exchange(sum_, {});
  const nlohmann::json list = nlohmann::json::parse(line, nullptr, false);
  if (!list.is_array()) return invalid("not a JSON list");
  if (list.empty() || !list.back().is_string()) return std::string(line);
  std::string_view covered;
  sum_ = split_sum(line, covered);
  // The next line is compared with what this one claims, so that one fault is reported once.
  if (sum_.empty() || sum_ != sum_of(before, covered))
    return invalid("its checksum differs: it was changed, or a line before it is missing");
  return fmt::format("[{}]", covered);
}

int first_damaged_line(std::string_view text, std::string& why) {
  RecordLines lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const auto facts = lines.facts(text.substr(0, end));
    if (!facts) why = facts.error().message;
    else if (end == std::string_view::npos) why = "it has no end";
    if (!facts || end == std::string_view::npos) return number;
    text.remove_prefix(end + 1);
  }
  return 0;
}

bool ends_with_sum(std::string_view text, const std::string& sum) {
  if (!text.ends_with('\n')) return false;
  if (sum.empty()) return true;  // written by an older version
  RecordLines lines;
  for (bool is_first = true; !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
    const std::string_view line = text.substr(0, text.find('\n'));
    std::string_view covered;
    if (!is_first && !lines.facts(line)) return false;
    // Of the first line, perhaps not even the checksum is whole.
    if (is_first) lines = RecordLines(std::string(split_sum(line, covered)));
    is_first = is_first && lines.sum().empty();
  }
  return lines.sum() == sum;
}

}  // namespace orch::store

#include "core/secret/redact_json.hpp"

#include <algorithm>

namespace orch::secret {

namespace {

bool may_be_a_number(const std::string& value) {
  return value.find_first_not_of("0123456789+-.eE") == std::string::npos;
}

std::vector<std::string> without_numbers(std::vector<std::string> values) {
  std::erase_if(values, may_be_a_number);
  return values;
}

}  // namespace

JsonSecrets::JsonSecrets(const std::vector<std::string>& values)
    : in_strings(std::make_shared<const Secrets>(values)),
      outside(std::make_shared<const Secrets>(without_numbers(values))) {}

// The size of what belongs to the present string, or lies before the next.
std::size_t JsonRedactor::end_of_part(std::string_view rest) {
  if (!is_inside_) return std::min(rest.find('"'), rest.size());
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] == '\n') {
      is_escaped_ = false;
      return at;
    }
    if (is_escaped_) is_escaped_ = false;
    else if (rest[at] == '"') return at;
    else is_escaped_ = rest[at] == '\\';
  }
  return rest.size();
}

std::string JsonRedactor::feed(std::string_view chunk) {
  std::string out;
  while (!chunk.empty()) {
    Redactor& redactor = is_inside_ ? inside_ : outside_;
    const std::size_t size = end_of_part(chunk);
    out += redactor.feed(chunk.substr(0, size));
    if (size == chunk.size()) break;
    out += redactor.finish();
    out += chunk[size];
    chunk.remove_prefix(size + 1);
    is_inside_ = !is_inside_;
  }
  return out;
}

std::string JsonRedactor::finish() {
  is_escaped_ = false;
  return (std::exchange(is_inside_, false) ? inside_ : outside_).finish();
}

std::string redacted_json(const JsonSecrets& secrets, std::string_view text) {
  JsonRedactor redactor(secrets);
  std::string out = redactor.feed(text);
  return out += redactor.finish();
}

}  // namespace orch::secret

#include "spec/render/substitutions.hpp"

#include "core/base/text.hpp"
#include "spec/render/string_template.hpp"

namespace orch::render {

namespace {

// The size of a name and its colon at the beginning of TEXT; 0 without one.
std::size_t key_size(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != text.npos && is_placeholder_name(text.substr(0, colon)) ? colon + 1 : 0;
}

// The size of the substitution at the beginning of TEXT, up to the comma that ends it.
std::size_t substitution_size(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == ',' && key_size(text.substr(i + 1))) return i;
  }
  return text.size();
}

std::string without_backslashes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

bool ends_in(std::string_view value, char c) {
  std::size_t backslashes = 0;
  while (backslashes + 1 < value.size() && value[value.size() - 2 - backslashes] == '\\')
    ++backslashes;
  return value.ends_with(c) && backslashes % 2 == 0;
}

// A comma, spaces, a name and a colon are most likely meant as the next substitution.
std::string_view key_after_space(std::string_view value) {
  for (std::size_t comma = value.find(", "); comma != value.npos;
       comma = value.find(", ", comma + 1)) {
    const std::string_view rest = trim(value.substr(comma + 1));
    const std::size_t size = key_size(rest);
    if (size && ends_in(value.substr(0, comma + 1), ',')) return rest.substr(0, size);
  }
  return {};
}

class Reader {
 public:
  Reader(std::map<std::string, std::string>& values, Errors& errors)
      : values_(values), errors_(errors) {}

  void read(std::string_view argument) {
    if (argument.empty()) return wrong(argument, "is empty; write KEY:VALUE,KEY:VALUE");
    for (;;) {
      const std::size_t size = substitution_size(argument);
      add(argument.substr(0, size));
      if (size == argument.size()) return;
      argument.remove_prefix(size + 1);
    }
  }

 private:
  void add(std::string_view substitution) {
    const std::size_t colon = substitution.find(':');
    if (colon == substitution.npos) return wrong(substitution, "has no colon; write KEY:VALUE");
    const std::string key(substitution.substr(0, colon));
    if (!is_placeholder_name(key))
      return wrong(
          substitution,
          fmt::format(
              "begins with {}, which is not the name of a placeholder; use letters, digits and '_'",
              quoted(key)));
    const std::string_view value = substitution.substr(colon + 1);
    if (ends_in(value, ','))
      return wrong(substitution,
                   "ends in a comma; remove it, or write \\, if it belongs to the value");
    if (ends_in(value, '\\'))
      return wrong(substitution,
                   "ends in a backslash, which escapes the next character; write \\\\ for a "
                   "backslash");
    if (const std::string_view next = key_after_space(value); !next.empty())
      return wrong(
          substitution,
          fmt::format(
              "has a space before {}; remove it, or write '\\,' if the comma belongs to the value",
              quoted(next)));
    const auto [known, added] = values_.emplace(key, without_backslashes(value));
    if (!added && known->second != without_backslashes(value))
      wrong(substitution,
            fmt::format("is not the first value of {}, which has {} already; keep one of them", key,
                        quoted(known->second)));
  }

  void wrong(std::string_view what, std::string_view why) {
    errors_.push_back(invalid(fmt::format("the substitution {} {}", quoted(what), why)));
  }

  std::map<std::string, std::string>& values_;
  Errors& errors_;
};

}  // namespace

std::map<std::string, std::string> read_substitutions(std::span<const std::string> arguments,
                                                      Errors& errors) {
  std::map<std::string, std::string> values;
  Reader reader(values, errors);
  for (const std::string& argument : arguments) reader.read(argument);
  return values;
}

}  // namespace orch::render

// Takes values out of the maps of a manifest. A value of the wrong form is an error at its own
// place, with what to write instead. Knows no key of a manifest.
#pragma once

#include "core/base/result.hpp"
#include "core/base/yaml.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::runner {

using Nodes = std::vector<const Yaml*>;

// A list or map that a person wrote is shorter than that.
inline constexpr std::size_t k_most_entries = 500;
// Errors of one manifest that are kept.
inline constexpr std::size_t k_most_errors = 200;

std::vector<std::string> texts_of(const Nodes& nodes);

// Returns nodes of the map itself. Faulty ones are reported and left out.
class ManifestReader {
 public:
  // ERRORS must outlive this.
  explicit ManifestReader(Errors& errors) : errors_(errors), most_(errors.size() + k_most_errors) {}

  Errors& errors() { return errors_; }
  // Drops errors beyond a limit.
  template <class... Values>
  void fail(const Location& where, fmt::format_string<Values...> message, Values&&... values) {
    add(invalid(fmt::format(message, std::forward<Values>(values)...), where));
  }
  void add(Error error);
  bool is_full() const { return errors_.size() >= most_; }
  // "; did you mean 'X'?", or "" when further errors are dropped.
  std::string suggest(std::string_view word, const std::vector<std::string>& known) const;
  // Reports one error when NODE has implausibly many entries or items.
  bool has_too_many(const Yaml& node, std::string_view what);

  // One value; nullptr when the key is not there.
  const Yaml* text(YamlMap& map, std::string_view key);
  // The value of KEY, or null with an error when it is missing or empty.
  const Yaml* required(YamlMap& map, std::string_view key);
  // The same for a key that may be left out.
  const Yaml* filled(YamlMap& map, std::string_view key);
  // The text of required(); "" when it is faulty.
  std::string required_text(YamlMap& map, std::string_view key);

  // Single values of a list, none empty and none twice.
  Nodes list(YamlMap& map, std::string_view key);
  // The words of a command: single values and, where FRAGMENTS, maps; values may come twice.
  Nodes words(YamlMap& map, std::string_view key, bool fragments);
  // The items of a list of maps.
  Nodes maps(YamlMap& map, std::string_view key);
  // Names and their single values.
  std::vector<std::pair<const Yaml*, const Yaml*>> pairs(YamlMap& map, std::string_view key);

  // Texts of the manifest's own `container`: their symbols are checked where a stage uses them.
  Nodes container_texts;

 private:
  const Yaml* take_list(YamlMap& map, std::string_view key, bool of_words);
  bool is_good(const Yaml& item, std::string_view key);

  Errors& errors_;
  std::size_t most_;
};

}  // namespace orch::runner

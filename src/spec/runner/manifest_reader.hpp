// Takes lists and maps out of the maps of a manifest, and limits its errors. Knows no key of a
// manifest.
#pragma once

#include "core/base/result.hpp"
#include "core/base/yaml/yaml.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::runner {

using Nodes = std::vector<const Yaml*>;
// Why a word is refused and what to write instead, or nothing when it is accepted.
using Refusal = std::optional<std::string>;

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

  // Single values of a list, none empty and none twice.
  Nodes list(YamlMap& map, std::string_view key);
  // The same without those that REFUSE refuses. WHAT is one, for messages: "key 'a' is ...".
  std::vector<std::string> texts(YamlMap& map, std::string_view key, std::string_view what,
                                 Refusal (*refuse)(std::string_view));
  // The items of a list in the forms of its row, no word empty; values may come twice.
  Nodes items(YamlMap& map, std::string_view key);
  // Names and their values.
  std::vector<const Yaml::Entry*> entries(YamlMap& map, std::string_view key);

  // Texts of the manifest's own `container`: their symbols are checked where a stage uses them.
  Nodes container_texts;

 private:
  Errors& errors_;
  std::size_t most_;
};

// The forms that words of a manifest may have: paths, programs, names. Knows no place.

// A path below the folder that the runners of a place share.
inline constexpr std::string_view k_common_folder = "common/";
inline bool is_common(std::string_view path) { return path.starts_with(k_common_folder); }

// Where PATH of the manifest FILE is: below its folder, or below the shared one.
std::string beside(const std::string& file, const std::string& path);

// A path that stays inside the folder it is relative to.
Refusal refuse_inner_path(std::string_view path);
// An absolute path of this machine.
Refusal refuse_absolute_path(std::string_view path);
// The first word of a command: an absolute path, or something of ours that becomes one.
Refusal refuse_program(std::string_view word);
// The part of a URL after its port.
Refusal refuse_url_path(std::string_view path);
// "text_config.num_heads": names of nested objects of JSON, with a dot between.
Refusal refuse_dotted_path(std::string_view path);
Refusal refuse_environment_name(std::string_view name);
// A name of the environment, or PREFIX_*.
Refusal refuse_inherited(std::string_view name);
Refusal refuse_stage_name(std::string_view name);
Refusal refuse_port_name(std::string_view name);
// The name of the count in a counted part of argv.
Refusal refuse_index(std::string_view name);
Refusal refuse_rule_name(std::string_view name);

}  // namespace orch::runner

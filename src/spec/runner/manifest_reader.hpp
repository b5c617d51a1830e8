// Extracts lists and maps from the maps of a manifest, and limits its errors.
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
// Why a word is refused and what to write instead; nullopt if it is accepted.
using Refusal = std::optional<std::string>;

// Limit for a list or map; real ones are shorter.
inline constexpr std::size_t k_most_entries = 500;
// Limit for the errors kept for one manifest.
inline constexpr std::size_t k_most_errors = 200;

// Returns nodes of the map itself. Reports faulty ones and leaves them out.
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
  // "; did you mean 'X'?"; OTHERWISE if no known word is similar or more errors would be dropped.
  std::string suggest(std::string_view word, const std::vector<std::string>& known,
                      std::string_view otherwise = "") const;
  // Reports one error if NODE has implausibly many entries or items.
  bool has_too_many(const Yaml& node, std::string_view what);

  // Single values of a list; none may be empty or repeated.
  Nodes list(YamlMap& map, std::string_view key);
  // The texts of such a list that REFUSE accepts. WHAT names one in messages: "key 'a' is ...".
  std::vector<std::string> texts(YamlMap& map, std::string_view key, std::string_view what,
                                 Refusal (*refuse)(std::string_view));
  // The items of a list in the forms of its row; no word may be empty, but values may be repeated.
  Nodes items(YamlMap& map, std::string_view key);
  // Names and their values.
  std::vector<const Yaml::Entry*> entries(YamlMap& map, std::string_view key);

  // Texts of the manifest's own `container`: their symbols are checked where a stage uses them.
  Nodes container_texts;

 private:
  Errors& errors_;
  std::size_t most_;
};

// The allowed forms of words in a manifest: paths, programs, names.

// The prefix of paths in the folder that runners beside each other share.
inline constexpr std::string_view k_common_folder = "common/";
inline bool is_common(std::string_view path) { return path.starts_with(k_common_folder); }

// The path of the file PATH that manifest FILE names: below its folder, or below the shared one.
std::string beside(const std::string& file, const std::string& path);

// A path that stays inside the folder it is relative to.
Refusal refuse_inner_path(std::string_view path);
// An absolute path on this machine.
Refusal refuse_absolute_path(std::string_view path);
// The first word of a command: an absolute path, or a symbol that becomes one.
Refusal refuse_program(std::string_view word);
// The part of a URL after its port.
Refusal refuse_url_path(std::string_view path);
// "text_config.num_heads": names of nested JSON objects, separated by dots.
Refusal refuse_dotted_path(std::string_view path);
Refusal refuse_environment_name(std::string_view name);
// The name of an environment variable, or PREFIX_*.
Refusal refuse_inherited(std::string_view name);
Refusal refuse_stage_name(std::string_view name);
Refusal refuse_port_name(std::string_view name);
// The name of the counter in a repeated part of argv.
Refusal refuse_index(std::string_view name);
Refusal refuse_rule_name(std::string_view name);

}  // namespace orch::runner

// One entry of `stages:` while it is read: the data that the readers of its keys share. Depends
// only on the stages above it.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::runner {

// A text in which symbols are replaced.
struct FilledText {
  const Yaml* text;
  std::vector<std::string> counts = {};  // indices of the repeated parts of argv around it
};

// All that it refers to must outlive it. The stages above are in MANIFEST, to which the questions
// of this stage are added.
struct StageEntry {
  template <class... Values>
  void fail(const Location& where, fmt::format_string<Values...> message, Values&&... values) {
    reader.fail(where, message, std::forward<Values>(values)...);
  }
  // Whether NAME is present in a stage of kind KIND; in a stage of another kind it is an error.
  bool has(std::string_view name, Kind kind);
  const Yaml* key_node(std::string_view name) const;
  // Adds a question to those of the manifest; returns its index. "WHAT of stage 'a'" names it in
  // messages.
  std::size_t ask(std::string_view what, const Yaml& sql, matrix::Question::Answer answer,
                  bool reads_all = true);

  const Yaml& key;
  const Yaml& node;
  Manifest& manifest;
  ManifestReader& reader;
  YamlMap map;
  StageKind stage{};  // as far as it has been read
  bool kind_known = false;
  std::vector<FilledText> filled{};
};

// Reads the items of one command: of `launch` and `argv`, or of `version`.
class ArgvReader {
 public:
  // ENTRY must outlive this.
  explicit ArgvReader(StageEntry& entry) : entry_(entry) {}

  // Appends the words and parts in ITEMS to INTO.
  void read(const Nodes& items, std::vector<Fragment>& into);
  // The words of all parts, in order. Some of the nodes are generated, and this object owns them.
  const std::vector<FilledText>& words() const { return words_; }

 private:
  bool refuse_symbol(const Yaml& item);
  void read_part(const Yaml& item, std::string_view key, matrix::Question::Answer answer,
                 std::vector<Fragment>& into);
  std::string read_index(YamlMap& map, const Location& where);
  void read_options(const Yaml& item, std::string_view key, std::vector<Fragment>& into);
  void read_cut(const Yaml& item, std::vector<Fragment>& into);
  // The parameter NAME if the stage reads it, else null and an error. AS describes the use of NAME
  // in the message.
  const matrix::Parameter* read_here(const Yaml& name, std::string_view as);
  // A part that applies if PARAMETER has a value or, for a TRUTH, if that value is true.
  Fragment where_it_has_a_value(const matrix::Parameter& parameter, const Yaml& name, bool truth);
  void add_word(const Yaml& word, const Fragment& part, std::vector<Fragment>& into);
  void add_generated(const Yaml& name, std::string text, const Fragment& part,
                     std::vector<Fragment>& into);

  StageEntry& entry_;
  std::vector<FilledText> words_;
  std::vector<std::string> indices_;  // of the parts being read, outermost first
  std::deque<Yaml> generated_;
};

// The keys of a stage by subject, in the order in which they are read.

// `launch` and `argv`.
void read_argv(StageEntry& entry, ArgvReader& argv);
void read_version(StageEntry& entry);
// `tools`, `outputs`, `render`, `copy`, `place` and `agree`.
void read_files(StageEntry& entry);
// `batch` and `job`. ARGV has been read.
void read_batch(StageEntry& entry, const ArgvReader& argv);
// Returns the texts that may contain symbols, for check_container(). ARGV has been read.
Nodes read_container(StageEntry& entry, const ArgvReader& argv);
// The keys that only a service has.
void read_service(StageEntry& entry);
// The symbols in TEXTS of the container. Every other key has been read.
void check_container(const StageEntry& entry, const Nodes& texts);

}  // namespace orch::runner

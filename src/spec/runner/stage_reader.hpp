// One entry of `stages:`, read key by key. Depends only on the stages above it.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::runner {

class StageReader {
 public:
  // All must outlive this. STAGES: the map of all stages, including later ones. The stages above
  // are in MANIFEST, to which this stage's questions are added.
  StageReader(const Yaml& key, const Yaml& node, const Yaml& stages, Manifest& manifest,
              ManifestReader& reader);

  StageKind read();

 private:
  void read_needs();
  void refuse_need(const Yaml& need);
  void read_reads();
  void read_digest_files();
  void read_argv();
  void read_version();
  void read_items(const Nodes& items, std::vector<Fragment>& into);
  void read_fragment(const Yaml& item, std::vector<Fragment>& into);
  void read_part(const Yaml& item, std::string_view key, matrix::Question::Answer answer,
                 std::vector<Fragment>& into);
  std::string read_index(YamlMap& map, const Location& where);
  void read_options(const Yaml& item, std::string_view key, std::vector<Fragment>& into);
  void add_option(const Yaml& name, const std::string& option, bool bare_truth,
                  std::vector<Fragment>& into);
  void read_cut(const Yaml& item, std::vector<Fragment>& into);
  // The parameter NAME if this stage reads it, else null and an error. AS describes the use of NAME
  // in the message.
  const matrix::Parameter* read_here(const Yaml& name, std::string_view as);
  // A part that applies if PARAMETER has a value or, for a TRUTH, if that value is true.
  Fragment where_it_has_a_value(const matrix::Parameter& parameter, const Yaml& name, bool truth);
  void add_word(const Yaml& word, const Fragment& part, std::vector<Fragment>& into);
  void check_program(const Yaml& argv);
  bool check_first_words(const std::vector<Fragment>& fragments, std::size_t& word);
  void read_environment();
  void read_tools();
  void read_outputs();
  void read_rendered();
  void read_copied();
  void read_placed();
  void read_batch();
  void read_conditions();
  void read_resources();
  std::vector<std::size_t> read_times(YamlMap& map, std::string_view key);
  void read_container();
  void check_container();
  static bool is_token_name(std::string_view name);
  void read_tokens(YamlMap& map);
  void read_agree();
  void read_compared(YamlMap& map, std::string_view key, std::map<std::string, std::string>& into);
  void read_ports();
  void read_port(const Yaml& item);
  void read_ready();
  void read_smoke();
  void read_one_smoke(const Yaml& node);
  void read_identity();
  void read_shared_memory();
  void check_service_need(const Yaml& need, const StageKind& needed,
                          std::vector<std::pair<const Yaml*, const StageKind*>>& services);
  void check_work();
  void check_symbols();

  template <class... Values>
  void fail(const Location& where, fmt::format_string<Values...> message, Values&&... values) {
    reader_.fail(where, message, std::forward<Values>(values)...);
  }
  // Whether KEY is present in a stage of kind KIND; in a stage of another kind it is an error.
  bool has(std::string_view key, Kind kind);
  const Yaml* key_node(std::string_view key) const;
  std::string inner_path(YamlMap& map, std::string_view key);
  std::string port(YamlMap& map);
  void check_url_path(const Yaml& path, std::string_view what);
  void check_upstream(const Yaml& text, std::string_view what);
  bool writes(const std::string& to, const Location& where);
  std::optional<std::size_t> question(const std::string& what, const Yaml& sql,
                                      matrix::Question::Answer answer, bool reads_all);

  const Yaml& key_;
  const Yaml& node_;
  const Yaml& stages_;
  Manifest& manifest_;
  ManifestReader& reader_;
  YamlMap map_;
  StageKind stage_;
  bool kind_known_ = false;
  bool needs_known_ = true;
  Nodes container_texts_;
  Nodes filled_;  // texts in which symbols are replaced
  const Yaml* argv_ = nullptr;
  bool is_in_version_ = false;  // the items being read are those of `version`
  Nodes version_words_;
  std::vector<const Yaml*> argv_words_;
  std::vector<std::string> indices_;  // of the parts being read, outermost first
  std::map<const Yaml*, std::vector<std::string>> counts_;  // text -> indices that it may use
  std::deque<Yaml> made_;             // generated arguments; argv_words_ points to them, too
  std::vector<std::string> written_;  // paths below {out} that `render` and `copy` write
};

}  // namespace orch::runner

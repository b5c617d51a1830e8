// Shared by the sections of a matrix while they are read: the matrix, the errors and common forms.
// Knows no key.
#pragma once

#include "core/base/yaml.hpp"
#include "spec/matrix/matrix.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

class SectionReader {
 public:
  // Both must outlive this.
  SectionReader(Matrix& matrix, Errors& errors) : matrix_(matrix), errors_(errors) {}

  Matrix& matrix() { return matrix_; }
  Errors& errors() { return errors_; }

  void fail(const Location& where, std::string message);
  // "; did you mean 'X'?", or "" when there are too many errors already.
  std::string suggest(std::string_view word, const std::vector<std::string>& known) const;
  // The setting of NAME has a reported error.
  void break_name(const std::string& name) { matrix_.broken.insert(name); }

  // A missing value reads as an empty map. Any other value that is not a map is an error and makes
  // the matrix incomplete.
  bool is_map(const Yaml& node, std::string_view key, std::string_view example);
  // The key is broken when it cannot be a column.
  void check_column_name(const Yaml& key, std::string_view what);
  // The same for a key of a map of parameters, where `runner` is possible with a name as VALUE.
  void check_parameter(const Yaml& key, const Yaml& value);
  void check_free_name(const Yaml& key, std::string_view what);
  bool read_name(const Yaml* node, std::string_view what, std::string& name);

  // WHAT is for messages: "let 'total'".
  std::optional<Expression> expression(std::string name, std::string_view what, const Yaml& node);
  // The integer under a key of a section, from 1 to `most`. MAP reads NODE.
  struct Count {
    std::string_view section;
    const char* key;
    std::int64_t most;
    std::string_view counted;  // for messages: "at most 9 are made"
  };
  std::optional<std::int64_t> count(YamlMap& map, const Yaml& node, const Count& count);

 private:
  Matrix& matrix_;
  Errors& errors_;
};

}  // namespace orch::matrix

// Shared by the sections of a matrix while they are read: the matrix, the errors and common forms.
// Knows no key.
#pragma once

#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/matrix.hpp"

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
  // Whether NODE has FORM; reports what it has not. NAME is for messages: "port 'http'".
  bool fits(const Yaml& node, const Form& form, const std::string& name);

 private:
  Matrix& matrix_;
  Errors& errors_;
};

// The sections of a matrix, each read into the matrix of a SectionReader. NODE is the value of the
// section's key.

void read_defaults(SectionReader& reader, const Yaml& node);
void read_axes(SectionReader& reader, const Yaml& node);
void read_let(SectionReader& reader, const Yaml& node);
void read_exclude(SectionReader& reader, const Yaml& node);
void read_include(SectionReader& reader, const Yaml& node);
// Reports a name that two places set. Call it after axes and let.
void refuse_clashes(SectionReader& reader);
// Reports a map under `defaults` that is of no runner of the matrix. Call it after include.
void refuse_strange_defaults(SectionReader& reader);
// Makes one axis of axes that advance together. Call it after refuse_clashes.
void read_zip(SectionReader& reader, const Yaml& node);

void read_models(SectionReader& reader, const Yaml& node);
void read_datasets(SectionReader& reader, const Yaml& node);
void read_provide(SectionReader& reader, const Yaml& node);
void read_ports(SectionReader& reader, const Yaml& node);
// After include: it may name the runners of all points.
void read_service(SectionReader& reader, const Yaml& node);

// After datasets.
void read_measure(SectionReader& reader, const Yaml& node);
// The keys of `measure.until_difference` in MAP, the map of `measure:`. After axes and include.
void read_until_difference(SectionReader& reader, YamlMap& map);
// After datasets and measure.
void read_score(SectionReader& reader, const Yaml& node);
void read_limits(SectionReader& reader, const Yaml& node);
void read_keep(SectionReader& reader, const Yaml& node);

}  // namespace orch::matrix

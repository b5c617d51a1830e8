// Shared by the section readers of a matrix: the matrix, the errors and common forms.
#pragma once

#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/matrix.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::matrix {

class SectionReader {
 public:
  // Both must outlive this.
  SectionReader(Matrix& matrix, Errors& errors) : matrix_(matrix), errors_(errors) {}

  Matrix& matrix() { return matrix_; }
  Errors& errors() { return errors_; }

  template <class... Values>
  void fail(const Location& where, fmt::format_string<Values...> message, Values&&... values) {
    errors_.push_back(invalid(fmt::format(message, std::forward<Values>(values)...), where));
  }
  // "; did you mean 'X'?"; OTHERWISE if no known word is similar or there are too many errors.
  std::string suggest(std::string_view word, const std::vector<std::string>& known,
                      std::string_view otherwise = "") const;
  // Notes that the setting of NAME has a reported error.
  void break_name(const std::string& name) { matrix_.broken.insert(name); }

  // A missing value reads as an empty map. Any other value that is not a map is an error and makes
  // the matrix incomplete.
  bool is_map(const Yaml& node, std::string_view key, std::string_view example);
  // Reports KEY if it cannot be a column, and notes that as an error in its setting.
  void check_column_name(const Yaml& key, std::string_view what);
  // The same for a key in a map of parameters, where `runner` with a name as VALUE is also allowed.
  void check_parameter(const Yaml& key, const Yaml& value);
  void check_free_name(const Yaml& key, std::string_view what);
  bool read_name(const Yaml* node, std::string_view what, std::string& name);

  // WHAT is for messages: "let 'total'".
  std::optional<Expression> expression(std::string name, std::string_view what, const Yaml& node);
  // Whether NODE has FORM; reports its faults. NAME is for messages: "port 'http'".
  bool fits(const Yaml& node, const Form& form, const std::string& name);

 private:
  Matrix& matrix_;
  Errors& errors_;
};

// The sections of a matrix, each read into the matrix of a SectionReader. NODE: the value of the
// section's key.

void read_defaults(SectionReader& reader, const Yaml& node);
void read_axes(SectionReader& reader, const Yaml& node);
void read_let(SectionReader& reader, const Yaml& node);
void read_exclude(SectionReader& reader, const Yaml& node);
void read_include(SectionReader& reader, const Yaml& node);
// Reports a name that is set in two places. Call after axes and let.
void refuse_clashes(SectionReader& reader);
// Reports a map under `defaults` for a runner that the matrix does not use. Call after include.
void refuse_strange_defaults(SectionReader& reader);
// Combines axes that advance together into one axis. Call after refuse_clashes.
void read_zip(SectionReader& reader, const Yaml& node);

void read_models(SectionReader& reader, const Yaml& node);
void read_datasets(SectionReader& reader, const Yaml& node);
void read_provide(SectionReader& reader, const Yaml& node);
void read_ports(SectionReader& reader, const Yaml& node);
// Call after include, which may name the runners of all points.
void read_service(SectionReader& reader, const Yaml& node);

// Call after datasets.
void read_measure(SectionReader& reader, const Yaml& node);
// The keys of `measure.until_difference` in MAP, the map of `measure:`. Call after axes and
// include.
void read_until_difference(SectionReader& reader, YamlMap& map);
// Call after datasets and measure.
void read_score(SectionReader& reader, const Yaml& node);
void read_limits(SectionReader& reader, const Yaml& node);
void read_keep(SectionReader& reader, const Yaml& node);

}  // namespace orch::matrix

// matrix.yaml -> Matrix: the structure of the file and its names. expand() checks types and
// meanings.
#include "core/base/text.hpp"
#include "spec/keys/key_forms.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/bases/merge.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/matrix/parse/section_reader.hpp"
#include "spec/matrix/vocabulary.hpp"

namespace orch::matrix {

namespace {

// Sections in reading order.
struct Section {
  const char* key;
  void (*read)(SectionReader&, const Yaml&);
};
constexpr Section k_before_clashes[] = {
    {"defaults", read_defaults}, {"axes", read_axes}, {"let", read_let}};
constexpr Section k_after_clashes[] = {
    {"zip", read_zip},       {"exclude", read_exclude},   {"include", read_include},
    {"models", read_models}, {"datasets", read_datasets}, {"provide", read_provide},
    {"ports", read_ports},   {"service", read_service},   {"measure", read_measure},
    {"score", read_score},   {"limits", read_limits},     {"keep", read_keep}};
constexpr std::size_t k_slips = 20;

class Parser {
 public:
  Parser(const Yaml& root, Matrix& matrix, Errors& errors)
      : root_(root),
        // A missing key may be in a base that could not be read.
        map_(root, keys::k_matrix, "the matrix", errors, matrix.incomplete),
        reader_(matrix, errors) {
    find_slips();
  }

  void parse() {
    Matrix& matrix = reader_.matrix();
    matrix.runner_where = root_.where;
    reader_.read_name(map_.take("name"), "name", matrix.name);
    if (const Yaml* runner = map_.take("runner");
        reader_.read_name(runner, "runner", matrix.runner))
      matrix.runner_where = runner->where;
    for (const Section& section : k_before_clashes) read(section);
    refuse_clashes(reader_);
    for (const Section& section : k_after_clashes) read(section);
    refuse_strange_defaults(reader_);
    if (const Yaml* machine = map_.take("machine"))
      matrix.machine = read_machine(*machine, reader_.errors());
  }

 private:
  void read(const Section& section) {
    const Yaml* node = map_.take(section.key);
    if (const auto slip = slips_.find(section.key); !node && slip != slips_.end())
      node = slip->second;
    if (node) section.read(reader_, *node);
  }

  // Also reads sections under misspelled keys, so that their own errors are reported.
  void find_slips() {
    const std::vector<std::string> known = members_of(keys::k_matrix.keys, &Key::name);
    std::size_t looked_at = 0;
    for (const auto& [key, value] : root_.entries) {
      if (contains(known, key.text)) continue;
      if (++looked_at > k_slips) return;
      if (const auto near = nearest(key.text, known)) slips_.emplace(*near, &value);
    }
  }

  const Yaml& root_;
  YamlMap map_;
  SectionReader reader_;
  std::map<std::string, const Yaml*> slips_;  // intended key -> its value
};

constexpr std::size_t k_errors_with_suggestion = 200;
constexpr std::size_t k_compared = 1000;

}  // namespace

StatedMachine read_machine(const Yaml& node, Errors& errors) {
  constexpr std::size_t k_prefix = std::string_view("host_").size();
  StatedMachine machine;
  std::vector<std::string> names;
  for (const Parameter& fact : host_facts()) names.push_back(fact.name.substr(k_prefix));
  YamlMap map(node, names, "'machine'", errors);
  for (const Parameter& fact : host_facts()) {
    Parameter declared = fact;
    declared.name.erase(0, k_prefix);
    const Yaml* value = map.take(declared.name);
    if (!value) continue;
    if (const auto read = read_value(declared, *value)) machine.emplace_back(declared.name, *value);
    else errors.push_back(read.error());
  }
  return machine;
}

Matrix parse_matrix(std::string_view text, const std::string& file, Errors& errors,
                    const ReadBase& read_base, const FindPreset& find_preset) {
  const std::size_t before = errors.size();
  Matrix matrix;
  matrix.file = file;
  if (auto merged = merge_bases(text, file, {read_base, find_preset}, errors)) {
    matrix.bases = std::move(merged->bases);
    matrix.incomplete = !merged->complete || !(merged->root.is_map() || merged->root.is_null());
    Parser(merged->root, matrix, errors).parse();
  } else {
    matrix.incomplete = true;
  }
  sort_by_place(errors, before);
  if (keep_readable(errors, before)) matrix.incomplete = true;
  return matrix;
}

std::string SectionReader::suggest(std::string_view word, const std::vector<std::string>& known,
                                   std::string_view otherwise) const {
  const bool compares = errors_.size() < k_errors_with_suggestion && known.size() < k_compared;
  return compares ? did_you_mean(word, known, otherwise) : std::string(otherwise);
}

bool SectionReader::is_map(const Yaml& node, std::string_view key, std::string_view example) {
  if (node.is_map()) return true;
  if (node.is_null()) return false;
  fail(node.where, "'{}' must be a map, not {}; write {}", key, node.describe(), example);
  matrix_.incomplete = true;
  return false;
}

void SectionReader::check_column_name(const Yaml& key, std::string_view what) {
  const auto why = refuse_column_name(key.text);
  if (!why) return;
  fail(key.where, "{} {}: {}", what, quoted(key.text), *why);
  break_name(key.text);
}

void SectionReader::check_parameter(const Yaml& key, const Yaml& value) {
  if (key.text != k_runner_key) return check_column_name(key, "parameter");
  if (std::string name; read_name(&value, k_runner_key, name)) return;
  break_name(key.text);
}

void SectionReader::check_free_name(const Yaml& key, std::string_view what) {
  if (auto why = refuse_free_name(key.text))
    fail(key.where, "{} {}: {}", what, quoted(key.text), *why);
}

bool SectionReader::read_name(const Yaml* node, std::string_view what, std::string& name) {
  if (!node) return false;
  if (!node->is_scalar()) {
    fail(node->where, "'{}' must be one word, not {}", what, node->describe());
    return false;
  }
  name = node->text;
  check_free_name(*node, what);
  return true;
}

std::optional<Expression> SectionReader::expression(std::string name, std::string_view what,
                                                    const Yaml& node) {
  if (!fits(node, keys::k_sql, std::string(what))) return std::nullopt;
  return Expression{.name = std::move(name), .sql = node.text, .where = node.places};
}

bool SectionReader::fits(const Yaml& node, const Form& form, const std::string& name) {
  const Errors faults = faults_of(node, form, name);
  errors_.insert(errors_.end(), faults.begin(), faults.end());
  return faults.empty();
}

}  // namespace orch::matrix

#include "results/imports/sheet.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::imports {

namespace {

std::string figure_name(const Sheet& sheet, std::string_view figure) {
  return figure.starts_with('_') ? snake_case(sheet.tool) + std::string(figure)
                                 : std::string(figure);
}

void expect(const Sheet& sheet, Reading& reading) {
  const auto add = [&](std::string_view figure) {
    const std::string name = figure_name(sheet, figure);
    if (std::ranges::find(reading.expected, name) == reading.expected.end())
      reading.expected.push_back(name);
  };
  for (const FigureKey& key : sheet.figures)
    if (key.as_a_rule && !key.figure.starts_with('_')) add(key.figure);
  for (const SeriesKey& key : sheet.series) add(key.figure);
}

// COLUMN as the name of a parameter, with the tool's name as a prefix if it is not valid by itself.
std::string parameter_name(std::string_view tool, std::string_view column) {
  const std::string name = snake_case(column);
  return matrix::refuse_column_name(name) ? fmt::format("{}_{}", snake_case(tool), name) : name;
}

matrix::Type type_of(std::string_view name, std::string_view text) {
  if (name.ends_with("version")) return matrix::Type::version;
  if (to_integer(text)) return matrix::Type::integer;
  if (to_real(text)) return matrix::Type::real;
  return matrix::Type::text;
}

// "median" -> "p50", "p99.9" -> "p999", "mean" -> ""; nullopt for a word that is not a statistic.
std::optional<std::string> statistic_of_word(std::string_view word) {
  if (word == "mean" || word == "avg") return "";
  if (word == "median") return "p50";
  if (word == "std") return "sd";
  if (word == "min" || word == "max") return std::string(word);
  std::string percentile(word);
  std::erase(percentile, '.');
  if (percentile.size() < 2 || percentile[0] != 'p' ||
      !std::all_of(percentile.begin() + 1, percentile.end(), is_digit))
    return std::nullopt;
  return percentile;
}

// The meaning of a column or key.
struct Meaning {
  std::optional<FigureKey> figure = {};
  std::optional<ParameterKey> parameter = {};
  bool by_value = false;  // its type follows from the value
  bool passed_over = false;
  std::string statistic = {};  // of the figure
};

template <class Key> const Key* find_key(std::span<const Key> keys, std::string_view theirs) {
  const auto found = std::ranges::find(keys, theirs, &Key::theirs);
  return found == keys.end() ? nullptr : &*found;
}

bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Meaning meaning_of(const Sheet& sheet, std::string_view column) {
  if (const auto* figure = find_key(sheet.figures, column))
    return {.figure = *figure, .statistic = std::string(figure->statistic)};
  if (const auto* parameter = find_key(sheet.parameters, column)) return {.parameter = *parameter};
  if (has_name(sheet.own_parameters, column))
    return {.parameter = ParameterKey{column, column}, .by_value = true};
  if (has_name(sheet.passed_over, column)) return {.passed_over = true};
  const auto cut = column.find('_');
  if (cut == std::string_view::npos) return {};
  const auto* series = find_key(sheet.series, column.substr(cut + 1));
  const auto statistic = statistic_of_word(column.substr(0, cut));
  if (series == nullptr || !statistic) return {};
  return {.figure = FigureKey{column, series->figure, "", series->factor}, .statistic = *statistic};
}

// Collects the values that a sheet does not list, for one warning.
class Others {
 public:
  explicit Others(const Sheet& sheet) : sheet_(sheet) {}
  void add_number(std::string_view theirs, double value, Figures& figures) {
    const std::string name = name_of_theirs(sheet_.tool, theirs, "");
    if (snake_case(theirs).empty() || !figures.set(name, "", value, true))
      return add_text(theirs, fmt::format("{}", value));
    words_.push_back(fmt::format("{} is kept as {}", printable_line(theirs), name));
  }
  void add_text(std::string_view theirs, std::string_view value) {
    words_.push_back(fmt::format("{} is {}", printable_line(theirs), quoted(value)));
  }
  void add_words(std::string words) { words_.push_back(std::move(words)); }
  void warn(Reading& reading) {
    constexpr std::size_t k_longest = 2000;
    if (!words_.empty())
      reading.warnings.push_back(
          ("fields of no known meaning: " + join(words_, ", ")).substr(0, k_longest));
  }

 private:
  const Sheet& sheet_;
  std::vector<std::string> words_;
};

bool is_not_finite(std::string_view cell) {
  const std::string word = lower(cell);
  return word == "nan" || word == "inf" || word == "-inf" || word == "infinity" ||
         word == "-infinity";
}

Status set_parameter(const CsvTable& table, std::size_t row, const ParameterKey& key,
                     Reading& reading) {
  const std::string_view text = table.text(row, key.theirs);
  if (text.empty()) return {};
  if (key.parameter == "request_rate" && lower(text).starts_with("inf")) {
    set_flag(reading, "max", true);
    return Status();
  }
  if (is_not_finite(text)) {
    reading.warnings.push_back(fmt::format("{} is {}: left out", key.theirs, text));
  } else if (key.type == matrix::Type::integer) {
    ORCH_ASSIGN(const auto value, table.integer(row, key.theirs));
    if (value && *value < 0)
      return table.refuse(row, key.theirs, "a number of at least 0 is needed here");
    set_integer(reading, key.parameter, value);
  } else if (key.type == matrix::Type::real) {
    ORCH_ASSIGN(const auto value, table.number(row, key.theirs));
    set_real(reading, key.parameter, value);
  } else {
    reading.parameters.insert_or_assign(std::string(key.parameter),
                                        matrix::Value{key.type, std::string(text)});
  }
  return {};
}

void add_other(const CsvTable& table, std::size_t row, std::string_view column, Figures& figures,
               Others& others) {
  const std::string_view cell = table.text(row, column);
  const auto value = table.number(row, column);
  if (!value) others.add_text(column, cell);
  else if (*value) others.add_number(column, **value, figures);
}

void set_parameter(const ParameterKey& key, const Node& node, Reading& reading) {
  if (key.parameter == "request_rate") set_request_rate(reading, node);
  else if (key.type == matrix::Type::integer)
    set_integer(reading, key.parameter, node.integer(0, k_most_of_anything));
  else if (key.type == matrix::Type::real && !node.is_text())
    set_real(reading, key.parameter, node.number());
  else set_node(reading, key.parameter, node);
}

void add_other(const Node& node, Figures& figures, Others& others) {
  if (node.is_list()) return others.add_words(printable_line(node.key()) + " is a list");
  if (node.is_object()) return others.add_words(printable_line(node.key()) + " is an object");
  if (node.is_text() || node.is_flag()) return others.add_text(node.key(), node.shown());
  if (const auto value = node.number()) others.add_number(node.key(), *value, figures);
}

}  // namespace

Result<std::vector<Reading>> read_rows(
    const Source& source, std::string_view tool,
    const std::function<Status(const CsvTable& table, std::size_t row, Reading& reading)>& read) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row)
    ORCH_TRY(read(table, row, readings.emplace_back(Reading{.tool = std::string(tool)})));
  return readings;
}

Status read_row(const Sheet& sheet, const CsvTable& table, std::size_t row, Reading& reading) {
  Figures figures;
  Others others(sheet);
  for (const std::string& column : table.columns()) {
    const Meaning meaning = meaning_of(sheet, column);
    const std::string_view cell = table.text(row, column);
    if (meaning.passed_over || cell.empty()) continue;
    if (meaning.parameter) {
      ParameterKey key = *meaning.parameter;
      const std::string name = parameter_name(sheet.tool, key.parameter);
      if (meaning.by_value) key = {column, name, type_of(name, cell)};
      ORCH_TRY(set_parameter(table, row, key, reading));
    } else if (is_not_finite(cell)) {
      reading.warnings.push_back(fmt::format("{} is {}: left out", column, cell));
    } else if (!meaning.figure) {
      add_other(table, row, column, figures, others);
    } else {
      ORCH_ASSIGN(const auto value, table.number(row, column));
      if (!value) continue;
      const FigureKey& key = *meaning.figure;
      const Status set =
          figures.set(figure_name(sheet, key.figure), meaning.statistic, *value * key.factor);
      if (!set) return table.refuse(row, column, set.error().message);
    }
  }
  reading.figures = figures.take();
  others.warn(reading);
  expect(sheet, reading);
  return {};
}

void read_object(const Sheet& sheet, const Node& object, Reading& reading) {
  Figures figures;
  Others others(sheet);
  for (const Node& node : object.members()) {
    const Meaning meaning = meaning_of(sheet, node.key());
    if (meaning.passed_over) continue;
    if (meaning.by_value) {
      set_node(reading, parameter_name(sheet.tool, node.key()), node);
    } else if (meaning.parameter) {
      set_parameter(*meaning.parameter, node, reading);
    } else if (!meaning.figure) {
      add_other(node, figures, others);
    } else if (const auto value = node.number()) {
      const FigureKey& key = *meaning.figure;
      const Status set =
          figures.set(figure_name(sheet, key.figure), meaning.statistic, *value * key.factor);
      if (!set) node.refuse(set.error().message + "; correct it, or remove the field");
    }
  }
  reading.figures = figures.take();
  others.warn(reading);
  expect(sheet, reading);
}

}  // namespace orch::imports

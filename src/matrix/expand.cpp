// Matrix x vocabulary -> points. Expressions are columns of one table in SQLite; points go through it in batches.
#include "base/text.hpp"
#include "matrix/assignment.hpp"
#include "matrix/cells.hpp"
#include "matrix/findings.hpp"
#include "matrix/expand.hpp"
#include "matrix/point_name.hpp"
#include "sql/expression_table.hpp"

#include <unordered_set>

namespace orch::matrix {

namespace {

constexpr std::size_t k_batch = 4096;

class Expander {
 public:
  Expander(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors) : matrix_(matrix), vocabulary_(vocabulary), errors_(errors) {
    for (const Expression& let : matrix_.let) lets_.emplace(let.name, &let);
  }

  Expansion expand(const ExpandOptions& options) {
    const std::size_t before = errors_.size();
    if (!within(options)) return {};
    assignment_ = assign(matrix_, vocabulary_, errors_, out_.warnings);
    require_values();
    add_columns();
    add_expressions();
    // Also after other errors, so that those of expressions are told with them.
    if (table_.create(errors_)) look_for_unread();
    if (errors_.size() == before) run();
    return errors_.size() == before ? std::move(out_) : Expansion{};
  }

 private:
  enum class Role { let, parameter, exclude, rule, warmup };
  struct Entry {
    Role role;
    sql::TableExpression expression;
    const Parameter* parameter = nullptr;
    const Rule* rule = nullptr;
  };

  // --- before the first row

  bool within(const ExpandOptions& limits) {
    std::vector<std::string> factors;
    double product = 1;
    for (const Axis& axis : matrix_.axes) {
      factors.push_back(std::to_string(axis.values.size()));
      product *= static_cast<double>(axis.values.size());
    }
    if (product <= static_cast<double>(limits.points)) return true;
    const std::string points = product < 1e15 ? fmt::format("{:.0f}", product) : fmt::format("{:.3g}", product);
    const std::string sum = factors.size() > 1 ? fmt::format("{} = {}", join(factors, " x "), points) : points;
    errors_.push_back(invalid(fmt::format("the axes give {} points, and at most {} are planned; shorten an axis", sum, limits.points),
                              matrix_.axes.front().where));
    return false;
  }

  const Expression* let_of(const std::string& name) const {
    const auto let = lets_.find(name);
    return let == lets_.end() ? nullptr : let->second;
  }

  bool stage_reads(const std::string& name) const {
    return name == "model" || std::find(vocabulary_.read.begin(), vocabulary_.read.end(), name) != vocabulary_.read.end();
  }

  void require_values() {
    std::set<std::string> set;
    for (const Axis& axis : matrix_.axes)
      for (const AxisValue& value : axis.values)
        for (const auto& [name, scalar] : value.sets) set.insert(name);
    for (const auto& [name, scalar] : matrix_.defaults) set.insert(name);
    for (const Expression& let : matrix_.let) set.insert(let.name);
    for (const Parameter& parameter : vocabulary_.parameters) {
      const std::string& name = parameter.name;
      if (set.contains(name) || parameter.fallback || parameter.fallback_sql || !stage_reads(name)) continue;
      errors_.push_back(invalid(fmt::format("parameter '{0}' has no value, and runner '{1}' has no default for it; write {0}: [VALUE, ...] under "
                                            "'axes' or {0}: VALUE under 'defaults'",
                                            name, vocabulary_.runner),
                                matrix_.runner_where));
    }
  }

  // Every parameter is a column, in the order of the vocabulary; those that have an expression come after, as its input.
  void add_columns() {
    for (const Parameter& parameter : vocabulary_.parameters)
      if (!is_computed(parameter)) inputs_.emplace(parameter.name, table_.add_column(parameter.name, column_type(parameter.type)));
    for (const std::string& name : assignment_.unknown)
      if (!let_of(name)) table_.add_column(name, sql::ColumnType::any);
  }

  bool is_computed(const Parameter& parameter) const { return parameter.fallback_sql || let_of(parameter.name); }

  void add_expressions() {
    for (const Parameter& parameter : vocabulary_.parameters)
      if (is_computed(parameter)) add_computed(parameter);
    for (const Expression& let : matrix_.let)
      if (!vocabulary_.find(let.name))
        add({.role = Role::let, .expression = {.name = let.name, .what = fmt::format("let '{}'", let.name), .sql = let.sql, .where = let.where}});
    for (const Expression& exclude : matrix_.exclude)
      add({.role = Role::exclude, .expression = {.name = {}, .what = "exclude", .sql = exclude.sql, .where = exclude.where}});
    for (const Rule& rule : vocabulary_.rules)
      add({.role = Role::rule,
           .expression = {.name = {}, .what = fmt::format("rule '{}'", rule.name), .sql = rule.require, .where = rule.where},
           .rule = &rule});
    if (const auto& warmup = matrix_.measure.warmup)
      add({.role = Role::warmup,
           .expression = {.name = {}, .what = "measure.warmup", .sql = warmup->sql, .where = warmup->where, .type = sql::ColumnType::integer}});
  }

  // A `let` with the name of a parameter computes that parameter; without one, the runner's own expression does.
  void add_computed(const Parameter& parameter) {
    const Expression* let = let_of(parameter.name);
    inputs_.emplace(parameter.name, inputs_.size());
    add({.role = Role::parameter,
         .expression = {.name = parameter.name,
                        .what = let ? fmt::format("let '{}'", parameter.name) : fmt::format("default of parameter '{}'", parameter.name),
                        .sql = let ? let->sql : *parameter.fallback_sql,
                        .where = let ? let->where : parameter.where,
                        .type = column_type(parameter.type),
                        .overridable = true},
         .parameter = &parameter});
  }

  void add(Entry entry) {
    table_.add(entry.expression);
    entries_.push_back(std::move(entry));
  }

  void warn(const Places& place, const std::string& message) { out_.warnings.push_back(fmt::format("{}: {}", to_string(place.first()), message)); }

  void look_for_unread() {
    std::set<std::string> read(vocabulary_.read.begin(), vocabulary_.read.end());
    read.insert("model");
    read.insert(assignment_.unknown.begin(), assignment_.unknown.end());  // told already
    for (std::size_t i = 0; i < entries_.size(); ++i) read.insert(table_.reads(i).begin(), table_.reads(i).end());
    for (const Axis& axis : matrix_.axes) look_at_axis(axis, read);
    for (const auto& [name, scalar] : matrix_.defaults)
      if (!read.contains(name)) warn(scalar.where, fmt::format("default '{}' is read by no stage and no expression", name));
    for (const Expression& let : matrix_.let)
      if (!read.contains(let.name)) warn(let.where, fmt::format("let '{}' is read by no stage and no expression", let.name));
  }

  void look_at_axis(const Axis& axis, const std::set<std::string>& read) {
    std::vector<std::string> unread;
    const auto& sets = axis.values.front().sets;
    for (const auto& [name, scalar] : sets)
      if (!read.contains(name)) unread.push_back(name);
    if (unread.size() == sets.size())
      errors_.push_back(invalid(fmt::format("axis '{}': no stage, rule, let or exclude reads {}, so its values would only repeat the same points; take it out",
                                            axis.name, join(unread, ", ")),
                                axis.where));
    else if (!unread.empty()) warn(axis.where, fmt::format("axis '{}' sets {}, which no stage and no expression reads", axis.name, join(unread, ", ")));
  }

  // --- rows

  void run() {
    cells_.resize(inputs_.size());
    for (const auto& [name, setting] : assignment_.fixed) {
      cells_[inputs_.at(name)] = to_cell(setting.value);
      fixed_.set(name, setting.value);
    }
    label_axes();
    std::size_t total = 1;
    for (const auto& axis : assignment_.axes) total *= axis.size();
    for (first_row_ = 0; first_row_ < total && batch(std::min(k_batch, total - first_row_)); first_row_ += k_batch) {}
    findings_.tell(errors_, [this](std::size_t row) { return row_label(row); });
    if (out_.points.empty()) out_.warnings.push_back(fmt::format("{}: every point is excluded", matrix_.file));
  }

  void label_axes() {
    for (const auto& axis : assignment_.axes) {
      std::vector<std::string>& labels = labels_.emplace_back();
      for (const auto& settings : axis) {
        std::vector<std::string> parts;
        for (const Setting& setting : settings) parts.push_back(label(*setting.parameter, setting.value));
        labels.push_back(join(parts, "_"));
      }
    }
  }

  bool batch(std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      for_each_choice(first_row_ + row, [&](std::size_t axis, std::size_t value) {
        for (const Setting& setting : assignment_.axes[axis][value]) cells_[inputs_.at(setting.parameter->name)] = to_cell(setting.value);
      });
      if (Status status = table_.insert(cells_); !status) return errors_.push_back(status.error()), false;
    }
    const Status status = table_.read([&](std::size_t row, std::span<const sql::Cell> results) { take_row(first_row_ + row, results); });
    if (!status) errors_.push_back(status.error());
    return status.ok();
  }

  // Which value of each axis row INDEX has; the last axis is fastest.
  template <class Visit>
  void for_each_choice(std::size_t index, const Visit& visit) const {
    std::size_t stride = 1;
    for (const auto& axis : assignment_.axes) stride *= axis.size();
    for (std::size_t axis = 0; axis < assignment_.axes.size(); ++axis) {
      stride /= assignment_.axes[axis].size();
      visit(axis, index / stride % assignment_.axes[axis].size());
    }
  }

  std::string row_label(std::size_t index) const {
    std::string text;
    for_each_choice(index, [&](std::size_t axis, std::size_t value) { text += (axis ? "_" : "") + labels_[axis][value]; });
    return text.empty() ? matrix_.name : text;
  }

  void take_row(std::size_t index, std::span<const sql::Cell> results) {
    row_ = index;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].role != Role::exclude) continue;
      if (is_true(entries_[i], results[i]).value_or(false)) {
        ++out_.excluded;
        return;
      }
    }
    Point point;
    point.parameters = fixed_;
    for_each_choice(index, [&](std::size_t axis, std::size_t value) {
      for (const Setting& setting : assignment_.axes[axis][value]) point.parameters.set(setting.parameter->name, setting.value);
    });
    take_computed(point, results);
    take_model(point);
    take_rules(point, results);
    take_warmup(point, results);
    take_name(point);
    out_.points.push_back(std::move(point));
  }

  void take_computed(Point& point, std::span<const sql::Cell> results) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const std::string& name = entry.expression.name;
      if (entry.role == Role::let && !sql::is_null(results[i])) point.parameters.set(name, free_value(results[i]));
      if (entry.role != Role::parameter || point.parameters.contains(name)) continue;
      if (sql::is_null(results[i])) {
        if (stage_reads(name)) find_null(point, i);
        continue;
      }
      auto value = declared_value(*entry.parameter, results[i]);
      if (value) point.parameters.set(name, std::move(*value));
      else found(entry, "type", value.error().message);
    }
  }

  void take_model(Point& point) {
    if (!vocabulary_.find("model")) return;
    const Value* name = point.parameters.find("model");
    if (!name) return;
    const auto model = matrix_.models.find(name->text);
    if (model == matrix_.models.end()) {
      // Values that were written have been checked before; this one was computed.
      if (const auto entry = entry_of("model")) found(entries_[*entry], name->text, *refuse_model(matrix_, name->text));
      return;
    }
    point.model = name->text;
    point.model_source = model->second.source;
    point.model_revision = model->second.revision;
  }

  // The first rule that does not hold rejects the point; the ones after it have nothing to add.
  void take_rules(Point& point, std::span<const sql::Cell> results) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].role != Role::rule) continue;
      if (sql::is_null(results[i])) {
        find_null(point, i);
      } else if (!is_true(entries_[i], results[i]).value_or(true)) {
        point.rejected = Point::Rejection{.rule = entries_[i].rule->name, .why = fill(*entries_[i].rule, point)};
        return;
      }
    }
  }

  void take_warmup(Point& point, std::span<const sql::Cell> results) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].role != Role::warmup) continue;
      if (sql::is_null(results[i])) find_null(point, i);
      else if (const auto* requests = std::get_if<std::int64_t>(&results[i]); requests && *requests >= 0) point.warmup = *requests;
      else found(entries_[i], "count", fmt::format("it gives {}, which is no number of requests; it must be whole and at least 0", to_text(results[i])));
    }
  }

  void take_name(Point& point) {
    for (std::size_t digits = 6; digits <= 64; digits += 6) {
      point.name = point_name(row_label(row_), point, vocabulary_, digits);
      if (names_.insert(point.name).second) return;
    }
  }

  // "{param}" becomes the point's value; other braces stay.
  std::string fill(const Rule& rule, const Point& point) const {
    std::string text = rule.because.empty() ? fmt::format("{} does not hold", rule.require) : rule.because;
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) break;
      const Value* value = point.parameters.find(text.substr(open + 1, close - open - 1));
      if (value) text.replace(open, close - open + 1, value->text);
    }
    return text;
  }

  // NULL and text are neither.
  std::optional<bool> is_true(const Entry& entry, const sql::Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer != 0;
    if (const auto* real = std::get_if<double>(&cell)) return *real != 0;
    if (const auto* text = std::get_if<std::string>(&cell)) found(entry, "text", fmt::format("it gives the text '{}', not true or false; compare it with something", *text));
    return std::nullopt;
  }

  void find_null(const Point& point, std::size_t index) {
    std::string why = "it is NULL";
    for (std::optional<std::size_t> at = index; at;) {
      const auto& reads = table_.reads(*at);
      const auto empty = std::find_if(reads.begin(), reads.end(), [&](const std::string& name) { return !point.parameters.contains(name); });
      if (empty == reads.end()) {
        why += ", though everything that it reads has a value (a division by zero, or a CASE without ELSE)";
        break;
      }
      at = entry_of(*empty);
      why += fmt::format(", because '{}' {}", *empty, at ? "is NULL" : "has no value");
    }
    found(entries_[index], why, why);
  }

  // The expression that computes NAME.
  std::optional<std::size_t> entry_of(const std::string& name) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].expression.name == name) return i;
    return std::nullopt;
  }

  void found(const Entry& entry, std::string_view cause, const std::string& message) {
    findings_.add(fmt::format("{} {}: {}", to_string(entry.expression.where.first()), entry.expression.what, cause),
                  invalid(fmt::format("{}: {}", entry.expression.what, message), entry.expression.where.first()), row_);
  }

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Errors& errors_;
  std::map<std::string, const Expression*> lets_;
  Expansion out_;
  Assignment assignment_;
  sql::ExpressionTable table_;
  std::vector<Entry> entries_;                  // as the table's expressions
  std::map<std::string, std::size_t> inputs_;   // parameter -> its input of the table
  std::vector<std::vector<std::string>> labels_;  // [axis][value]
  Parameters fixed_;
  std::vector<sql::Cell> cells_;
  std::size_t first_row_ = 0;
  std::size_t row_ = 0;
  std::unordered_set<std::string> names_;
  Findings findings_;
};

}  // namespace

Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts&, Errors& errors, const ExpandOptions& options) {
  const std::size_t before = errors.size();
  Expansion expansion = Expander(matrix, vocabulary, errors).expand(options);
  sort_by_place(errors, before);
  return expansion;
}

}  // namespace orch::matrix

#include "spec/matrix/expand.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/assignment.hpp"
#include "spec/matrix/columns.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/matrix/points/point_maker.hpp"
#include "spec/matrix/row.hpp"

namespace orch::matrix {

namespace {

constexpr std::string_view k_model = "model_";
constexpr std::string_view k_host = "host_";

const Value* value_in(const std::map<std::string, Value>& values, const std::string& column) {
  const auto found = values.find(column);
  return found == values.end() ? nullptr : &found->second;
}

// The end of a message about WORD, which is not in KNOWN.
std::string near_or_all(std::string_view word, const std::vector<std::string>& known) {
  return did_you_mean(word, known,
                      fmt::format("; it has: {}", known.empty() ? "none" : join(known, ", ")));
}

// Matrix x vocabulary -> points. Expressions are columns of one table in SQLite, which evaluates
// rows one by one.

// One line for each rule of level warn that some point violates.
std::vector<std::string> warnings_of(const std::vector<Rule>& rules, const Points& points) {
  struct Broken {
    std::size_t count = 0;
    std::size_t first = 0;  // index of a point
    std::string why;
  };
  std::map<std::string_view, Broken> by_rule;
  for (std::size_t point = 0; point < points.size(); ++point)
    for (const Point::Broken& broken : points.verdict(point).warnings)
      if (Broken& all = by_rule[broken.rule]; ++all.count == 1) {
        all.first = point;
        all.why = broken.why;
      }
  std::vector<std::string> warnings;
  for (const Rule& rule : rules)
    if (const auto found = by_rule.find(rule.name); found != by_rule.end())
      warnings.push_back(fmt::format("{}: {}: {} ({})", rule.name,
                                     plural(found->second.count, "point"), found->second.why,
                                     points.name(found->second.first)));
  return warnings;
}

// One line for each text from rules of level note.
std::vector<std::string> notes_of(const Points& points) {
  std::map<std::string_view, std::size_t> counts;
  for (std::size_t point = 0; point < points.size(); ++point)
    for (const std::string& note : points.verdict(point).notes) ++counts[note];
  std::vector<std::string> notes;
  for (const auto& [text, count] : counts)
    notes.push_back(fmt::format("{} ({})", text, plural(count, "point")));
  return notes;
}

class Expander {
 public:
  Expander(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& facts,
           Errors& errors)
      : matrix_(matrix),
        vocabulary_(vocabulary),
        errors_(errors),
        known_(matrix, vocabulary, facts, errors),
        columns_(matrix, vocabulary, known_) {}

  // FINE: there was no error before, so points may be made.
  Expansion expand(const ExpandOptions& options, bool fine) {
    if (!within(options)) return {};
    assignment_ = assign(matrix_, vocabulary_, errors_, out_.warnings);
    check_stages();
    check_shapes();
    // Checked even after other errors, so that errors in expressions are reported with them.
    std::set<std::string> columns = assignment_.unknown;
    columns.insert(matrix_.broken.begin(), matrix_.broken.end());
    if (columns_.create(columns, options, errors_)) look_for_unread();
    if (matrix_.measure.goodput) check_goodput(*matrix_.measure.goodput, errors_);
    if (fine && errors_.empty())
      PointMaker({.matrix = matrix_,
                  .vocabulary = vocabulary_,
                  .known = known_,
                  .assignment = assignment_,
                  .columns = columns_})
          .make(out_, errors_);
    if (vocabulary_.versions)
      for (std::string& warning : warnings_of(*vocabulary_.versions, out_.points))
        out_.warnings.push_back(std::move(warning));
    for (std::string& warning : warnings_of(vocabulary_.rules, out_.points))
      out_.warnings.push_back(std::move(warning));
    out_.notes = notes_of(out_.points);
    return fine && errors_.empty() ? std::move(out_) : Expansion{};
  }

 private:
  bool within(const ExpandOptions& options) {
    const double most = static_cast<double>(
        matrix_.most_points.value_or(static_cast<std::int64_t>(options.points)));
    const RowCount count = count_rows(matrix_);
    if (count.rows <= most) return true;
    const Location where =
        matrix_.axes.empty() ? matrix_.include.front().where : matrix_.axes.front().where;
    const std::string raise =
        count.rows <= 1e8 ? fmt::format(" or write limits: {{points: {:.0f}}}", count.rows) : "";
    errors_.push_back(invalid(
        fmt::format("the axes give {} points, but at most {:.0f} are planned; shorten an axis{}",
                    count.sum, most, raise),
        where));
    return false;
  }

  void warn(const Places& place, const std::string& message) {
    out_.warnings.push_back(fmt::format("{}: {}", to_string(place.first()), message));
  }

  void check_stages() {
    for (const Provision& provision : matrix_.provide) {
      const auto& stages = vocabulary_.stages;
      if (contains(stages, provision.stage)) continue;
      errors_.push_back(
          invalid(fmt::format("provide: runner '{}' has no stage {}{}", vocabulary_.runner,
                              quoted(provision.stage), near_or_all(provision.stage, stages)),
                  provision.stage_where));
    }
  }

  // A runner that generates models lists their shapes in the help of `model`.
  void check_shapes() {
    const Parameter* parameter = vocabulary_.find("model");
    const auto shapes = generated_shapes(parameter ? parameter->help : "");
    for (const auto& [name, model] : matrix_.models) {
      if (shapes.empty() || !model.source.starts_with(k_generated_scheme)) continue;
      const std::string shape = model.source.substr(k_generated_scheme.size());
      if (contains(shapes, shape)) continue;
      errors_.push_back(
          invalid(fmt::format("model {}: runner '{}' does not generate {}{}; it generates {}",
                              quoted(name), vocabulary_.runner, quoted(shape),
                              did_you_mean(shape, shapes), one_of(shapes)),
                  model.where));
    }
  }

  // Reports nothing if an expression is broken, because it might read any name.
  void look_for_unread() {
    if (!matrix_.broken.empty()) return;
    std::set<std::string> read(vocabulary_.read.begin(), vocabulary_.read.end());
    read.insert("model");
    read.insert(assignment_.unknown.begin(), assignment_.unknown.end());  // already reported
    for (std::size_t i = 0; i < columns_.all().size(); ++i)
      if (columns_.all()[i].role != Role::where && columns_.all()[i].role != Role::again)
        read.insert(columns_.reads(i).begin(), columns_.reads(i).end());
    for (const Axis& axis : matrix_.axes) look_at_axis(axis, read);
    for (const auto& [name, scalar] : matrix_.defaults)
      if (!read.contains(name))
        warn(scalar.where, fmt::format("default '{}' is read by no stage and no expression", name));
    for (const Expression& let : matrix_.let)
      if (!read.contains(let.name))
        warn(let.where, fmt::format("let '{}' is read by no stage and no expression", let.name));
  }

  void look_at_axis(const Axis& axis, const std::set<std::string>& read) {
    std::vector<std::string> unread;
    const std::vector<SetByAxis> sets = set_by(axis);
    for (const SetByAxis& set : sets)
      if (!read.contains(set.name)) unread.push_back(set.name);
    const bool several = vocabulary_.find(k_runner_key) != nullptr;
    if (unread.size() == sets.size())
      errors_.push_back(invalid(
          fmt::format("axis '{}': no stage, rule, let or exclude{} reads {}, so its values would "
                      "only repeat the same points; {}",
                      axis.name, several ? fmt::format(" of runner '{}'", vocabulary_.runner) : "",
                      join(unread, ", "),
                      several ? "write it in maps beside the runners that read it" : "take it out"),
          axis.where));
    else if (!unread.empty())
      warn(axis.where, fmt::format("axis '{}' sets {}, which no stage and no expression reads",
                                   axis.name, join(unread, ", ")));
  }

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Errors& errors_;
  Known known_;
  Columns columns_;
  Assignment assignment_;
  Expansion out_;
};

}  // namespace

Known::Known(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& found,
             Errors& errors)
    : vocabulary_(vocabulary), found_(found) {
  for (const Parameter& fact : host_facts()) columns_.push_back(&fact);
  for (const ModelFact& fact : vocabulary_.model_facts) columns_.push_back(&fact.column);
  for (const ModelFact& fact : vocabulary_.model_facts)
    if (fact.absent) absent_.emplace(fact.column.name, *fact.absent);
  for (const auto& [name, model] : matrix.models) read_stated(name, model, errors);
}

void Known::read_stated(const std::string& name, const Model& model, Errors& errors) {
  for (const auto& [key, scalar] : model.facts) {
    const std::string column = key.starts_with(k_model) ? key : std::string(k_model) + key;
    const auto fact = std::ranges::find_if(
        vocabulary_.model_facts, [&](const ModelFact& one) { return one.column.name == column; });
    if (fact == vocabulary_.model_facts.end()) {
      std::vector<std::string> known;
      for (const ModelFact& one : vocabulary_.model_facts)
        known.push_back(one.column.name.substr(k_model.size()));
      errors.push_back(
          invalid(fmt::format("model {}: runner '{}' declares no fact {} of models{}", quoted(name),
                              vocabulary_.runner, quoted(key), near_or_all(key, known)),
                  scalar.where));
      continue;
    }
    if (scalar.idle) continue;
    Parameter declared = fact->column;
    declared.name = key;
    auto value = read_value(declared, scalar);
    const auto files = found_.models.find(name);
    const Value* found =
        files == found_.models.end() ? nullptr : value_in(files->second.values, column);
    if (value && found && found->text != value->text)
      errors.push_back(invalid(
          fmt::format(
              "model {}: 'facts' states {} {}, but its own files have {}; correct it or remove it",
              quoted(name), key, value->text, found->text),
          scalar.where));
    if (value) stated_[name].insert_or_assign(column, std::move(*value));
    else errors.push_back(value.error().within(fmt::format("model {}", quoted(name))));
  }
}

bool Known::is_fact(std::string_view column) const {
  return std::ranges::any_of(columns_, [&](const Parameter* fact) { return fact->name == column; });
}

const Value* Known::find(const std::string& model, const std::string& column) const {
  if (column.starts_with(k_host)) return value_in(found_.host, column);
  const auto stated = stated_.find(model);
  const auto found = found_.models.find(model);
  const bool is_stated = stated != stated_.end(), is_found = found != found_.models.end();
  if (is_stated)
    if (const Value* value = value_in(stated->second, column)) return value;
  if (is_found)
    if (const Value* value = value_in(found->second.values, column)) return value;
  const auto known = found_.catalogue.find(model);
  const bool is_complete = is_found && found->second.complete,
             is_known = !is_complete && known != found_.catalogue.end();
  if (is_known)
    if (const Value* value = value_in(known->second, column)) return value;
  return is_stated || is_complete || is_known ? value_in(absent_, column) : nullptr;
}

bool Known::is_unknown(const std::string& model, const std::string& column) const {
  if (find(model, column)) return false;
  if (column.starts_with(k_host)) return true;
  const auto found = found_.models.find(model);
  return !model.empty() && (found == found_.models.end() || !found->second.complete);
}

const Dataset* fetched_dataset(const Matrix& matrix, const Point& point) {
  const auto dataset = matrix.datasets.find(point.dataset_source);
  return dataset == matrix.datasets.end() ? nullptr : &dataset->second;
}

Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& facts,
                 Errors& errors, const ExpandOptions& options) {
  if (matrix.incomplete) return {};
  Errors own;
  Expansion expansion = Expander(matrix, vocabulary, facts, own).expand(options, errors.empty());
  errors.insert(errors.end(), std::make_move_iterator(own.begin()),
                std::make_move_iterator(own.end()));
  sort_by_place(errors);
  keep_readable(errors);
  return expansion;
}

}  // namespace orch::matrix

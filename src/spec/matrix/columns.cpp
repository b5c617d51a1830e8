#include "spec/matrix/columns.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "spec/matrix/parameter.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_unknown_names = 100;

// The position of the word NAME in the expression, or else that of the expression.
Location place_of(const std::string& sql, const Places& where, std::string_view name) {
  const std::string text = lower(sql);
  auto is_word = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return where.at(at);
  }
  return where.first();
}

}  // namespace

Columns::Columns(const Matrix& matrix, const Vocabulary& vocabulary, const Known& known)
    : matrix_(matrix), vocabulary_(vocabulary), known_(known) {
  for (const Expression& let : matrix_.let) lets_.emplace(let.name, &let);
}

bool Columns::create(const std::set<std::string>& unknown, const ExpandOptions& options,
                     Errors& errors) {
  refuse_reserved_names(errors);
  add_inputs(unknown);
  add_expressions(options);
  const bool created = table_.create(errors);
  check_questions(errors);
  check_model(errors);
  return created;
}

const std::vector<std::size_t>& Columns::of(Role role) const {
  static const std::vector<std::size_t> k_none;
  const auto found = by_role_.find(role);
  return found == by_role_.end() ? k_none : found->second;
}

std::optional<std::size_t> Columns::index_of(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

const Expression* Columns::let_of(const std::string& name) const {
  const auto let = lets_.find(name);
  return let == lets_.end() ? nullptr : let->second;
}

// Inputs of a row are parameters and facts, then parameters that have an expression. Unknown names
// that were reported are columns as well, so that no expression reports them again.
void Columns::add_inputs(const std::set<std::string>& unknown) {
  for (const Parameter& parameter : vocabulary_.parameters)
    if (!parameter.fallback_sql && !let_of(parameter.name))
      inputs_.emplace(parameter.name,
                      table_.add_column(parameter.name, column_type(parameter.type)));
  for (const Parameter* fact : known_.columns())
    if (!let_of(fact->name))
      inputs_.emplace(fact->name, table_.add_column(fact->name, column_type(fact->type)));
  for (const std::string& name : unknown) {
    if (unknown_ == k_unknown_names) return;
    if (!is_column_name(name)) continue;
    if (let_of(name) || inputs_.contains(name) || vocabulary_.find(name)) continue;
    table_.add_column(name, sql::ColumnType::any);
    ++unknown_;
  }
}

void Columns::add_expressions(const ExpandOptions& options) {
  for (const Parameter& parameter : vocabulary_.parameters)
    if (parameter.fallback_sql || let_of(parameter.name)) add_computed(parameter);
  for (const Expression& let : matrix_.let)
    if (!vocabulary_.find(let.name))
      add({.role = Role::let,
           .name = let.name,
           .what = fmt::format("let '{}'", let.name),
           .where = let.where},
          let.sql);
  for (const Expression& exclude : matrix_.exclude)
    add({.role = Role::exclude, .what = "exclude", .where = exclude.where}, exclude.sql);
  if (!options.where.empty())
    add({.role = Role::where, .what = "--where", .where = Places("--where", 1, 1)}, options.where);
  if (!options.again.empty())
    add({.role = Role::again, .what = "--again", .where = Places("--again", 1, 1)}, options.again);
  for (const Rule& rule : vocabulary_.rules) add_rule(rule);
  if (const auto& warmup = matrix_.measure.warmup)
    add({.role = Role::warmup, .what = "measure.warmup", .where = warmup->where}, warmup->sql,
        sql::ColumnType::integer);
  for (std::size_t i = 0; i < matrix_.provide.size(); ++i)
    if (const auto& when = matrix_.provide[i].when)
      add({.role = Role::provide,
           .what = fmt::format("'when' of provide {}", quoted(matrix_.provide[i].stage)),
           .where = when->where,
           .provision = i},
          when->sql);
  for (const Question& question : vocabulary_.questions)
    add({.role = Role::question,
         .what = question.what,
         .where = question.where,
         .question = &question},
        question.sql);
}

// A `let` with a parameter's name computes that parameter; otherwise the runner's own expression
// does.
void Columns::add_computed(const Parameter& parameter) {
  const Expression* let = let_of(parameter.name);
  inputs_.emplace(parameter.name, inputs_.size() + unknown_);
  const bool located = !parameter.fallback_where.first().file.empty();
  add({.role = Role::parameter,
       .name = parameter.name,
       .what = let ? fmt::format("let '{}'", parameter.name)
                   : fmt::format("default of parameter '{}'", parameter.name),
       .where = let       ? let->where
                : located ? parameter.fallback_where
                          : Places(parameter.where),
       .parameter = &parameter,
       .by_matrix = let != nullptr},
      let ? let->sql : *parameter.fallback_sql, column_type(parameter.type));
}

void Columns::add_rule(const Rule& rule) {
  const std::string what = fmt::format("rule '{}'", rule.name);
  std::optional<std::size_t> when;
  if (!rule.when.empty()) {
    when = columns_.size();
    add({.role = Role::when,
         .what = fmt::format("'when' of {}", what),
         .where = rule.when_where,
         .rule = &rule},
        rule.when);
  }
  add({.role = Role::rule, .what = what, .where = rule.where, .rule = &rule, .when = when},
      rule.require);
}

void Columns::add(Column column, const std::string& sql, sql::ColumnType type) {
  by_role_[column.role].push_back(columns_.size());
  if (!column.name.empty()) by_name_.emplace(column.name, columns_.size());
  table_.add({.name = column.name,
              .what = column.what,
              .sql = sql,
              .where = column.where,
              .type = type,
              .overridable = column.role == Role::parameter});
  columns_.push_back(std::move(column));
}

// --- checks beyond those of SQL

void Columns::refuse_reserved_names(Errors& errors) const {
  for (const Expression& let : matrix_.let)
    if (known_.is_fact(let.name))
      errors.push_back(invalid(
          fmt::format("let '{}': this is the name of a fact; choose another name", let.name),
          let.where.first()));
    else if (const Parameter* own = vocabulary_.find(let.name); own && own->is_compared)
      errors.push_back(invalid(
          fmt::format("let '{}': points are compared by the parameter of this name, and runner "
                      "'{}' computes it; choose another name",
                      let.name, vocabulary_.runner),
          let.where.first()));
}

void Columns::check_questions(Errors& errors) const {
  for (const std::size_t index : of(Role::question)) {
    const Question& question = *columns_[index].question;
    if (question.may_read_all) continue;
    for (const std::string& name : table_.reads(index)) {
      if (contains(question.may_read, name)) continue;
      errors.push_back(invalid(fmt::format("{} reads '{}', which the stage does not list under "
                                           "'reads'; add it there",
                                           question.what, name),
                               place_of(question.sql, question.where, name)));
    }
  }
}

// The facts of a model are looked up by its name, so its name cannot depend on them.
void Columns::check_model(Errors& errors) const {
  const auto model = index_of("model");
  if (!model) return;
  std::set<std::size_t> seen;
  std::vector<std::size_t> open = {*model};
  while (!open.empty()) {
    const std::size_t index = open.back();
    open.pop_back();
    if (!seen.insert(index).second) continue;
    for (const std::string& name : table_.reads(index)) {
      if (const auto next = index_of(name)) open.push_back(*next);
      if (!known_.is_fact(name) || !name.starts_with("model_")) continue;
      errors.push_back(invalid(fmt::format("{}: it names the model, so it cannot depend on '{}', a "
                                           "fact of that model; write it without facts of models",
                                           columns_[*model].what, name),
                               columns_[*model].where.first()));
      return;
    }
  }
}

void check_goodput(const Expression& goodput, Errors& errors) {
  sql::ExpressionTable table;
  for (const measure::MetricRow& row : measure::metric_table())
    if (row.each) table.add_column(std::string(row.name), sql::ColumnType::real);
  table.add({.what = "measure.goodput", .sql = goodput.sql, .where = goodput.where});
  table.create(errors);
}

}  // namespace orch::matrix

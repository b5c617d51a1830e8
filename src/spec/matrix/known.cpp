#include "spec/matrix/known.hpp"

#include "core/base/text.hpp"

namespace orch::matrix {

namespace {

constexpr std::string_view k_model = "model_";
constexpr std::string_view k_host = "host_";

const Value* value_in(const std::map<std::string, Value>& values, const std::string& column) {
  const auto found = values.find(column);
  return found == values.end() ? nullptr : &found->second;
}

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
      const std::string near = did_you_mean(key, known);
      errors.push_back(invalid(
          fmt::format("model {}: runner '{}' declares no fact {} of models{}", quoted(name),
                      vocabulary_.runner, quoted(key),
                      near.empty()
                          ? fmt::format("; it has: {}", known.empty() ? "none" : join(known, ", "))
                          : near),
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
              "model {}: 'facts' states {} {}, and its own files have {}; correct it or remove it",
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

}  // namespace orch::matrix

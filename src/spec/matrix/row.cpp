#include "spec/matrix/row.hpp"

#include "spec/matrix/cells.hpp"

namespace orch::matrix {

Row::Row(const RowInputs& inputs)
    : known_(inputs.known), columns_(inputs.columns), table_(std::make_shared<ParameterTable>()) {
  const Vocabulary& vocabulary = inputs.vocabulary;
  const Assignment& assignment = inputs.assignment;
  std::set<std::string> names;
  for (const Parameter& parameter : vocabulary.parameters) names.insert(parameter.name);
  for (const Expression& let : inputs.matrix.let) names.insert(let.name);
  for (const std::string& name : names) slots_.emplace(name, slots_.size());
  table_->names.assign(names.begin(), names.end());
  if (vocabulary.find("model")) {
    model_slot_ = slots_.at("model");
    computed_model_ = columns_.index_of("model");
  }
  for (std::size_t column = 0; column < columns_.all().size(); ++column)
    facts_read_.insert(columns_.reads(column).begin(), columns_.reads(column).end());
  for (const Column& column : columns_.all())
    column_slots_.push_back(column.name.empty() ? 0 : slots_.at(column.name));
  std::erase_if(facts_read_, [&](const std::string& name) { return !known_.is_fact(name); });
  const auto& parameters = columns_.of(Role::parameter);
  const Waits behind = find_waits(columns_, facts_read_, std::vector<bool>(columns_.all().size()));
  may_depend_ =
      std::ranges::any_of(parameters, [&](std::size_t column) { return !behind[column].empty(); });

  for (const auto& axis : assignment.axes) {
    auto& values = axes_.emplace_back();
    for (const auto& settings : axis) values.push_back(compile(settings));
  }
  for (const Partial& entry : assignment.include) include_.push_back(compile(entry.settings));
  inputs_.resize(columns_.inputs());
  values_.resize(slots_.size());
  given_.resize(columns_.all().size());
  results_.resize(columns_.all().size());
  for (const auto& [name, setting] : assignment.fixed) write(compile(setting));
  no_inputs_ = inputs_;
  no_values_ = values_;
  fixed_given_ = given_;
}

Row::Written Row::compile(const Setting& setting) {
  const std::string& name = setting.parameter->name;
  table_->values.push_back(setting.value);
  return {.input = columns_.input(name),
          .slot = slots_.at(name),
          .id = columns_.table().intern(to_cell(setting.value)),
          .value = &table_->values.back(),
          .column = columns_.index_of(name)};
}

std::vector<Row::Written> Row::compile(const std::vector<Setting>& settings) {
  std::vector<Written> out;
  for (const Setting& setting : settings) out.push_back(compile(setting));
  return out;
}

void Row::write(const Written& written) {
  inputs_[written.input] = written.id;
  values_[written.slot] = written.value;
  if (written.column) given_[*written.column] = written.id;
}

Status Row::load(const Rows& rows, std::size_t index) {
  index_ = index;
  inputs_ = no_inputs_;
  values_ = no_values_;
  given_ = fixed_given_;
  const std::vector<Written>* entry = nullptr;
  rows.for_each_choice(index, [&](std::size_t axis, std::size_t value) {
    if (axis == axes_.size()) entry = &include_[value];
    else
      for (const Written& written : axes_[axis][value]) write(written);
  });
  if (entry)
    for (const Written& written : *entry) write(written);
  const Value* model = model_slot_ ? values_[*model_slot_] : nullptr;
  load_facts(model ? model->text : "");
  ORCH_TRY(columns_.table().evaluate(inputs_, results_));
  if (computed_model_) {
    load_facts(to_text(result(*computed_model_)));
    ORCH_TRY(columns_.table().evaluate(inputs_, results_));
  }
  load_waits();
  return {};
}

void Row::load_facts(const std::string& model) {
  if (!own_facts_ || model != model_) own_facts_ = &facts_of(model);
  model_ = model;
  for (const auto& [input, id] : own_facts_->inputs) inputs_[input] = id;
}

Row::Facts& Row::facts_of(const std::string& model) {
  const auto [found, fresh] = facts_.try_emplace(model);
  Facts& facts = found->second;
  if (!fresh) return facts;
  for (const std::string& name : facts_read_) {
    const Value* value = known_.find(model, name);
    facts.inputs.emplace_back(columns_.input(name),
                              value ? columns_.table().intern(to_cell(*value)) : sql::k_null);
    if (known_.is_unknown(model, name)) facts.unknown.insert(name);
  }
  return facts;
}

void Row::load_waits() {
  waits_ = nullptr;
  behind_ = nullptr;
  if (own_facts_->unknown.empty() && !may_depend_) return;
  std::vector<bool> given;
  for (const sql::ValueId id : given_) given.push_back(id != sql::k_null);
  auto find = [&](std::map<std::vector<bool>, Waits>& known, const std::set<std::string>& facts) {
    const auto [waits, fresh] = known.try_emplace(given);
    if (fresh) waits->second = find_waits(columns_, facts, given);
    return &waits->second;
  };
  if (!own_facts_->unknown.empty()) waits_ = find(own_facts_->waits, own_facts_->unknown);
  if (may_depend_) behind_ = find(depend_, facts_read_);
}

const Value* Row::value(const std::string& name) const {
  const auto slot = slots_.find(name);
  return slot == slots_.end() ? nullptr : values_[slot->second];
}

std::optional<std::string> Row::text(const std::string& name) const {
  const Value* own = value(name);
  if (!own && known_.is_fact(name)) own = known_.find(model_, name);
  return own ? std::optional(own->text) : std::nullopt;
}

}  // namespace orch::matrix

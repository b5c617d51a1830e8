#include "spec/matrix/row_facts.hpp"

#include "spec/matrix/parameter.hpp"

namespace orch::matrix {

namespace {

// Finds those of FACTS that each column depends on.
class Finder {
 public:
  Finder(const Columns& columns, const std::set<std::string>& facts, const std::vector<bool>& given)
      : columns_(columns), facts_(facts), given_(given), found_(columns.all().size()) {}

  std::vector<std::vector<std::string>> find() {
    std::vector<std::vector<std::string>> out;
    for (std::size_t column = 0; column < found_.size(); ++column) {
      const auto& facts = behind(column);
      out.emplace_back(facts.begin(), facts.end());
    }
    return out;
  }

 private:
  const std::set<std::string>& behind(std::size_t column) {
    auto& facts = found_[column];
    if (facts) return *facts;
    facts.emplace();
    if (given_[column]) return *facts;
    std::set<std::string> all;
    for (const std::string& name : columns_.reads(column)) {
      if (facts_.contains(name)) all.insert(name);
      if (const auto next = columns_.index_of(name))
        all.merge(std::set<std::string>(behind(*next)));
    }
    return found_[column].emplace(std::move(all));
  }

  const Columns& columns_;
  const std::set<std::string>& facts_;
  const std::vector<bool>& given_;
  std::vector<std::optional<std::set<std::string>>> found_;
};

}  // namespace

RowFacts::RowFacts(const Known& known, Columns& columns) : known_(known), columns_(columns) {
  for (std::size_t column = 0; column < columns_.all().size(); ++column)
    read_.insert(columns_.reads(column).begin(), columns_.reads(column).end());
  std::erase_if(read_, [&](const std::string& name) { return !known_.is_fact(name); });
  const Waits behind = find_waits(read_, std::vector<bool>(columns_.all().size()));
  may_depend_ = std::ranges::any_of(columns_.of(Role::parameter),
                                    [&](std::size_t column) { return !behind[column].empty(); });
}

void RowFacts::load(const std::string& model, std::vector<sql::ValueId>& inputs) {
  if (!own_ || model != model_) own_ = &facts_of(model);
  model_ = model;
  for (const auto& [input, id] : own_->inputs) inputs[input] = id;
}

RowFacts::Facts& RowFacts::facts_of(const std::string& model) {
  const auto [found, fresh] = facts_.try_emplace(model);
  Facts& facts = found->second;
  if (!fresh) return facts;
  for (const std::string& name : read_) {
    const Value* value = known_.find(model, name);
    facts.inputs.emplace_back(columns_.input(name),
                              value ? columns_.table().intern(to_cell(*value)) : sql::k_null);
    if (known_.is_unknown(model, name)) facts.unknown.insert(name);
  }
  return facts;
}

void RowFacts::load_waits(std::span<const sql::ValueId> given_ids) {
  waits_ = nullptr;
  behind_ = nullptr;
  if (own_->unknown.empty() && !may_depend_) return;
  std::vector<bool> given;
  for (const sql::ValueId id : given_ids) given.push_back(id != sql::k_null);
  auto find = [&](std::map<std::vector<bool>, Waits>& known, const std::set<std::string>& facts) {
    const auto [waits, fresh] = known.try_emplace(given);
    if (fresh) waits->second = find_waits(facts, given);
    return &waits->second;
  };
  if (!own_->unknown.empty()) waits_ = find(own_->waits, own_->unknown);
  if (may_depend_) behind_ = find(depend_, read_);
}

RowFacts::Waits RowFacts::find_waits(const std::set<std::string>& facts,
                                     const std::vector<bool>& given) const {
  return Finder(columns_, facts, given).find();
}

}  // namespace orch::matrix

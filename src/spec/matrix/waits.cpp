#include "spec/matrix/waits.hpp"

namespace orch::matrix {

namespace {

class Finder {
 public:
  Finder(const Columns& columns, const std::set<std::string>& unknown_facts,
         const std::vector<bool>& given)
      : columns_(columns), unknown_(unknown_facts), given_(given), found_(columns.all().size()) {}

  Waits find() {
    Waits out;
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
      if (unknown_.contains(name)) all.insert(name);
      if (const auto next = columns_.index_of(name))
        all.merge(std::set<std::string>(behind(*next)));
    }
    return found_[column].emplace(std::move(all));
  }

  const Columns& columns_;
  const std::set<std::string>& unknown_;
  const std::vector<bool>& given_;
  std::vector<std::optional<std::set<std::string>>> found_;
};

}  // namespace

Waits find_waits(const Columns& columns, const std::set<std::string>& unknown_facts,
                 const std::vector<bool>& given) {
  return Finder(columns, unknown_facts, given).find();
}

}  // namespace orch::matrix

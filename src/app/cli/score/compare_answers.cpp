#include "app/cli/score/compare_answers.hpp"

#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "analysis/compare/side.hpp"
#include "results/score/answer_text.hpp"
#include "results/score/read_side.hpp"
#include "results/store/store.hpp"

namespace orch::cli {

namespace {

constexpr int k_answers_unreadable = 2;

Result<score::Side> read_answers_of(const std::string& folder, const std::string& text) {
  ORCH_ASSIGN(store::Store store, store::Store::open(real_host(), folder, store::Mode::read));
  ORCH_ASSIGN(const compare::Side meant, compare::side_of(store.database(), text));
  const std::string everything = "1";
  ORCH_ASSIGN(
      const auto targets,
      score::find_targets(store.database(),
                          {.run = {}, .where = meant.where.empty() ? everything : meant.where}));
  score::AnswerReader reader(store.database(), real_host().files, store.layout());
  return score::read_side(store.database(), reader, targets);
}

}  // namespace

int compare_answers(const AnswersCommand& command) {
  Errors errors;
  const auto side = [&](char name, const std::string& store, const std::string& text) {
    auto read = read_answers_of(store, text);
    if (!read) errors.push_back(read.error().within(fmt::format("side {}", name)));
    return read ? std::move(*read) : score::Side();
  };
  const score::Side a = side('A', command.store_a, command.a);
  const score::Side b = side('B', command.store_b, command.b);
  print_errors(errors);
  if (!errors.empty()) return k_answers_unreadable;
  const score::AnswerDifference difference = score::answer_difference(a, b, command.examples);
  const bool printed = print_out(command.json ? score::answer_json(difference, a, b)
                                              : score::answer_text(difference, a, b));
  return printed ? 0 : k_answers_unreadable;
}

}  // namespace orch::cli

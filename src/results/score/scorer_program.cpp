#include "results/score/scorer_program.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using nlohmann::json;
using Scores = std::map<std::int64_t, std::optional<double>>;

constexpr std::size_t k_most_scorer_output = 64 << 20;
constexpr int k_score_depth = 4;
constexpr std::string_view k_a_line = R"({"id": N, "score": NUMBER or null})";

std::string input_of(const std::vector<Question>& questions) {
  std::string input;
  for (const Question& one : questions)
    input += dump(json{{"id", one.id},
                       {"prompt", one.prompt},
                       {"answer", one.answer},
                       {"references", one.references ? json(*one.references) : json::array()}}) +
             "\n";
  return input;
}

// A key that occurs twice in the object TEXT, which is an error because readers may take either
// value; "": none.
std::string key_twice(std::string_view text) {
  std::set<std::string> known;
  std::string twice;
  static_cast<void>(json::parse(
      text,
      [&](int depth, json::parse_event_t event, json& key) {
        if (event == json::parse_event_t::key && depth == 1 && twice.empty() &&
            !known.insert(key.get<std::string>()).second)
          twice = key.get<std::string>();
        return true;
      },
      false));
  return twice;
}

// Reads the lines that a program wrote.
class ScoreReader {
 public:
  ScoreReader(const Scorer& scorer, const std::vector<Question>& questions) : scorer_(scorer) {
    for (const Question& one : questions) waiting_[one.id] = &one;
  }

  Result<Scores> read(std::string_view output) {
    const std::size_t asked = waiting_.size();
    while (!output.empty()) {
      ++line_;
      const std::size_t end = std::min(output.find('\n'), output.size());
      const std::string_view text = trim(output.substr(0, end));
      output.remove_prefix(std::min(end + 1, output.size()));
      if (!text.empty()) ORCH_TRY(read_line(text));
    }
    if (waiting_.empty()) return std::move(scores_);
    const Question& missing = *waiting_.begin()->second;
    return invalid(
        fmt::format("the scorer {} scored {} of {} answers: the one with id {} (request {} of {}) "
                    "is missing; it must write {} for each line that it reads",
                    quoted(scorer_.program), scores_.size(), asked, missing.id, missing.idx,
                    missing.point, k_a_line));
  }

 private:
  Error at_line(std::string_view text, std::string_view what) const {
    return invalid(fmt::format("output line {} of the scorer {} is {}: {}; a line must be {}",
                               line_, quoted(scorer_.program), quoted(text), what, k_a_line));
  }

  Status read_line(std::string_view text) {
    const json row = parse_shallow<json>(text, k_score_depth).value;
    if (!row.is_object()) return at_line(text, "not a JSON object");
    if (const std::string twice = key_twice(text); !twice.empty())
      return at_line(text, fmt::format("it answers twice: the key {} occurs twice", quoted(twice)));
    const auto id = row.find("id"), score = row.find("score");
    if (id == row.end() || !id->is_number_integer()) return at_line(text, "it has no integer 'id'");
    if (score == row.end() || !(score->is_number() || score->is_null()))
      return at_line(text, "it has no number 'score'");
    const auto number = id->get<std::int64_t>();
    if (scores_.contains(number)) return at_line(text, "this id has a score already");
    if (waiting_.erase(number) == 0) return at_line(text, "no answer has this id");
    std::optional<double>& value = scores_[number];
    if (score->is_number()) value = score->get<double>();
    if (value && !std::isfinite(*value)) return at_line(text, "its score is not finite");
    return {};
  }

  const Scorer& scorer_;
  std::map<std::int64_t, const Question*> waiting_;
  Scores scores_;
  int line_ = 0;
};

Error failed(const Scorer& scorer, const system::CommandResult& result) {
  const std::string how = result.signal != 0 ? fmt::format("was ended by signal {}", result.signal)
                                             : fmt::format("ended with status {}", result.code);
  const std::string why = result.reason();
  return invalid(fmt::format("the scorer {} {}{}; correct it: no score was stored",
                             quoted(scorer.program), how,
                             why.empty() ? "" : ": " + printable_line(why)));
}

}  // namespace

Result<Scores> run_scorer(const ProgramHost& host, const Scorer& scorer,
                          const std::vector<Question>& questions) {
  if (questions.empty()) return Scores();
  const system::Command command{.argv = scorer.argv,
                                .env = host.environment,
                                .work = host.folder,
                                .input = input_of(questions),
                                .timeout_s = host.timeout_s,
                                .most_output_bytes = k_most_scorer_output,
                                .dies_with_caller = true,
                                .is_cancelled = host.is_cancelled};
  const auto result = system::run_to_end(host.processes, host.clock, command);
  if (!result)
    return result.error().within(fmt::format(
        "the scorer {} could not be started (is it executable? chmod +x)", quoted(scorer.program)));
  switch (result->end) {
    case system::CommandResult::End::exited: break;
    case system::CommandResult::End::cancelled:
      return Error{ErrorKind::interrupted, "interrupted while scoring"};
    case system::CommandResult::End::timed_out:
      return Error{ErrorKind::timeout,
                   fmt::format("the scorer {} took longer than {} for {} and was ended; "
                               "correct it, or allow more with --timeout",
                               quoted(scorer.program), human_duration(host.timeout_s),
                               plural(questions.size(), "answer"))};
  }
  if (result->code != 0) return failed(scorer, *result);
  if (result->output.size() >= k_most_scorer_output)
    return invalid(fmt::format("the scorer {} wrote {} or more; it must write {} for each line",
                               quoted(scorer.program), human_bytes(k_most_scorer_output),
                               k_a_line));
  return ScoreReader(scorer, questions).read(result->output);
}

}  // namespace orch::score

#include "results/score/score_targets.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "core/statistics/student.hpp"
#include "os/system/kill_point.hpp"
#include "results/query/query.hpp"
#include "results/store/core.hpp"

#include <cmath>
#include <deque>
#include <numeric>

#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

constexpr double k_upper_tail = 0.975;  // of a 95 % interval

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// E. B. Wilson, Journal of the American Statistical Association 22, 1927.
statistics::Limits wilson(double share, double n) {
  const double z = statistics::normal_quantile(k_upper_tail), z2 = z * z;
  const double center = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  // At shares of 0 and 1 the formula gives these limits except for rounding.
  return {.low = share == 0 ? 0 : center - half, .high = share == 1 ? 1 : center + half};
}

constexpr std::size_t k_bytes_at_once = 64 << 20;

// A measurement that has been read. Must not move, because its paper refers to it.
struct Prepared {
  Prepared(const Target& of, KeptAnswers kept, const ReferenceFile* file)
      : target(of), answers(std::move(kept)), paper(of, answers, file) {}

  const Target& target;
  const KeptAnswers answers;
  const Paper paper;
};

// The paper and the line to which a question belongs; found by the question's id.
struct Place {
  const Prepared* of;
  std::int64_t line;
};

class ManyScores {
 public:
  ManyScores(sql::Database& database, const ProgramHost& host, const ScoreRequest& request,
             AnswerReader& answers, ReferenceFiles& references)
      : database_(database),
        host_(host),
        request_(request),
        answers_(answers),
        references_(references) {}

  ScoreReport run() {
    for (const Target& target : request_.targets) {
      if (const Status read = prepare(target); !read) note(target, read.error());
      if (questions_ >= k_answers_at_once || bytes_ >= k_bytes_at_once) score_prepared();
      if (report_.interrupted) break;
    }
    score_prepared();
    for (const auto& [what, fault] : faults_) {
      Error error = fault.first;
      if (fault.others > 0)
        error.message += fmt::format(" (and {})", plural(fault.others, "other measurement"));
      report_.errors.push_back(std::move(error));
    }
    return std::move(report_);
  }

 private:
  struct Fault {
    Error first;
    std::size_t others = 0;
  };

  Status prepare(const Target& target) {
    auto found = references_.of(target);
    const bool has_none = !found && request_.without_references && request_.references.empty();
    if (!found && !has_none) return found.error();
    const ReferenceFile* file = has_none ? nullptr : *found;
    ORCH_ASSIGN(KeptAnswers kept, answers_.read(target, file && !file->references.by_index()));
    const Prepared& one = prepared_.emplace_back(target, std::move(kept), file);
    if (one.paper.questions().empty()) {
      const std::size_t count = one.answers.answers.size();
      prepared_.pop_back();
      return invalid(fmt::format("{}: of its {}, none has a reference in {}", target.point,
                                 plural(count, "answer"), file ? file->path : "any file"));
    }
    questions_ += one.paper.questions().size();
    for (const Question& question : one.paper.questions())
      bytes_ += question.answer.size() + question.prompt.size();
    return {};
  }

  // Adds an error; the same fault of many measurements becomes one error.
  void note(const Target& target, const Error& error) {
    std::string what = error.message;
    if (what.starts_with(target.point)) what.erase(0, target.point.size());
    const auto [fault, is_new] = faults_.emplace(what, Fault{.first = error});
    if (!is_new) ++fault->second.others;
  }

  void score_prepared() {
    for (const Scorer& scorer : request_.scorers)
      if (!report_.interrupted && !broken_.contains(scorer.name))
        if (const Status done = score_by(scorer); !done) fail(scorer, done.error());
    prepared_.clear();
    questions_ = bytes_ = 0;
  }

  void fail(const Scorer& scorer, const Error& error) {
    broken_.insert(scorer.name);
    if (error.kind == ErrorKind::interrupted) report_.interrupted = true;
    else report_.errors.push_back(error);
  }

  Status score_by(const Scorer& scorer) {
    std::vector<Question> all;
    std::vector<Place> places;
    std::vector<const Prepared*> asked;
    for (const Prepared& one : prepared_) {
      ORCH_ASSIGN(auto known, known_scores(database_, one.target, scorer, one.paper));
      if (known) {
        add_line(one, std::move(*known), false);
        continue;
      }
      asked.push_back(&one);
      for (Question question : one.paper.questions()) {
        places.push_back({&one, question.id});
        question.id = static_cast<std::int64_t>(places.size());
        all.push_back(question);
      }
    }
    ORCH_ASSIGN(const auto scores, run_scorer(host_, scorer, all));
    std::map<const Prepared*, std::map<std::int64_t, std::optional<double>>> by_paper;
    for (const auto& [id, score] : scores) {
      const Place& place = places[static_cast<std::size_t>(id) - 1];
      by_paper[place.of][place.line] = score;
    }
    for (const Prepared* one : asked) put(*one, scorer, by_paper[one]);
    return {};
  }

  void put(const Prepared& one, const Scorer& scorer,
           const std::map<std::int64_t, std::optional<double>>& scores) {
    auto scored = one.paper.scored(scorer, scores, host_.wall_s);
    if (scored) add_line(one, std::move(*scored), true);
    else
      note(one.target, invalid(fmt::format("{}: the scorer {} scored none of the answers",
                                           one.target.point, quoted(scorer.name))));
  }

  void add_line(const Prepared& one, tables::Scored scored, bool is_new) {
    report_.lines.push_back({.point = one.target.point,
                             .measurement = one.target.id,
                             .is_new = is_new,
                             .scored = std::move(scored)});
  }

  sql::Database& database_;
  const ProgramHost& host_;
  const ScoreRequest& request_;
  AnswerReader& answers_;
  ReferenceFiles& references_;
  std::deque<Prepared> prepared_;
  std::size_t questions_ = 0, bytes_ = 0;
  std::set<std::string> broken_;  // scorers that failed once
  std::map<std::string, Fault> faults_;
  ScoreReport report_;
};

// "3 answers: 1 from failed requests or not kept, 2 without a reference"; "" if every request has a
// score.
std::string unscored(const tables::Scored& scored) {
  const std::int64_t missing = scored.without_reference + scored.without_score + scored.unanswered;
  if (missing == 0) return "";
  std::vector<std::string> why;
  for (const auto& [count, words] :
       {std::pair(scored.unanswered, "from failed requests or not kept"),
        std::pair(scored.without_reference, "without a reference"),
        std::pair(scored.without_score, "that the scorer did not score")})
    if (count > 0) why.push_back(fmt::format("{} {}", count, words));
  return fmt::format("{}: {}", plural(missing, "answer"), join(why, ", "));
}

std::optional<double> statistic(const ScoreLine& line, Statistic at) {
  return line.scored.metric.statistics[at];
}

}  // namespace

statistics::Limits limits_of_mean(std::span<const double> values) {
  if (values.size() < 2) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  if (std::ranges::all_of(values, [](double x) { return x == 0 || x == 1; }))
    return wilson(mean, n);
  const double squares = squares_of(values, mean);
  if (squares == 0) return {};
  const double half =
      statistics::student_quantile(k_upper_tail, n - 1) * std::sqrt(squares / (n - 1) / n);
  statistics::Limits limits{.low = mean - half, .high = mean + half};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least >= 0 && *most <= 1)
    limits = {.low = std::max(0.0, *limits.low), .high = std::min(1.0, *limits.high)};
  return limits;
}

record::NamedMetric summary(std::string name,
                            const std::map<std::string, std::vector<double>>& by_prompt) {
  std::vector<double> values;
  values.reserve(by_prompt.size());
  for (const auto& [prompt, scores] : by_prompt) values.push_back(mean_of(scores));
  record::NamedMetric out{.name = std::move(name)};
  if (values.empty()) return out;
  out.mean = mean_of(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  out.statistics[Statistic::sd] =
      std::sqrt(squares_of(values, *out.mean) / static_cast<double>(values.size()));
  out.statistics[Statistic::min] = *least;
  out.statistics[Statistic::max] = *most;
  out.statistics[Statistic::n] = static_cast<double>(values.size());
  const statistics::Limits limits = limits_of_mean(values);
  out.statistics[Statistic::interval_low] = limits.low;
  out.statistics[Statistic::interval_high] = limits.high;
  return out;
}

ScoreReport score_targets(sql::Database& database, const ProgramHost& host, system::Files& files,
                          const store::Layout& layout, const ScoreRequest& request) {
  AnswerReader answers(database, files, layout);
  ReferenceFiles references(database, files, request.references);
  return ManyScores(database, host, request, answers, references).run();
}

std::string text_of(const std::vector<ScoreLine>& lines) {
  TextTable table(
      {"point", "measurement", "scorer", "mean", "95 % interval", "prompts", "not scored", ""});
  for (const ScoreLine& one : lines) {
    const auto low = statistic(one, Statistic::interval_low);
    const auto high = statistic(one, Statistic::interval_high);
    const tables::Scored& scored = one.scored;
    table.add(
        {one.point, std::to_string(one.measurement), scored.scorer,
         scored.metric.mean ? report::rounded(*scored.metric.mean) : "-",
         low && high ? fmt::format("{}..{}", report::rounded(*low), report::rounded(*high)) : "-",
         std::to_string(scored.prompts),
         std::to_string(scored.without_reference + scored.without_score + scored.unanswered),
         one.is_new ? "" : "was scored before"});
  }
  std::string text = table.text();
  for (const ScoreLine& one : lines)
    if (const std::string said = unscored(one.scored); !said.empty())
      text += fmt::format("warning: {} by {} leaves out {}\n", one.point, one.scored.scorer, said);
  return text;
}

std::string json_of(const std::vector<ScoreLine>& lines) {
  nlohmann::json all = nlohmann::json::array();
  for (const ScoreLine& one : lines) {
    const auto number = [](const std::optional<double>& value) {
      return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    };
    all.push_back({{"point", one.point},
                   {"measurement", one.measurement},
                   {"scorer", one.scored.scorer},
                   {"mean", number(one.scored.metric.mean)},
                   {"interval_low", number(statistic(one, Statistic::interval_low))},
                   {"interval_high", number(statistic(one, Statistic::interval_high))},
                   {"prompts", one.scored.prompts},
                   {"without_reference", one.scored.without_reference},
                   {"without_score", one.scored.without_score},
                   {"unanswered", one.scored.unanswered},
                   {"new", one.is_new}});
  }
  return dump(all, 1) + "\n";
}

Status write_scores(store::Store& store, const std::vector<tables::Scored>& scores) {
  store::Core& core = store.core();
  const Status written = store::in_transaction(core, [&]() -> Status {
    for (const tables::Scored& one : scores) {
      ORCH_ASSIGN(const auto uid,
                  core.statements.text("SELECT r.uid FROM attempt a JOIN run r ON r.id = a.run_id "
                                       "WHERE a.token = ?",
                                       one.token));
      if (!uid) continue;  // the measurement was removed since it was read
      core.records.add(*uid + ".jsonl", tables::to_fact(one));
      ORCH_TRY(tables::write_scored(core.statements, core.wide, one));
    }
    return {};
  });
  if (written) system::kill_point("scores-committed");
  return written;
}

Result<std::string> answers_as_references(AnswerReader& reader,
                                          const std::vector<Target>& targets) {
  std::map<std::string, std::vector<std::string>> answers;  // by prompt
  for (const Target& target : targets) {
    ORCH_ASSIGN(const KeptAnswers kept, reader.read(target, true));
    for (const KeptAnswer& one : kept.answers) {
      if (one.text.empty()) continue;
      auto& all = answers[one.text];
      if (std::ranges::find(all, one.answer) == all.end()) all.push_back(one.answer);
    }
  }
  if (answers.empty()) return invalid("the prompts were sent as token ids, and have no text");
  std::string text;
  for (const auto& [prompt, all] : answers)
    text += dump(nlohmann::json{{"text_input", prompt}, {"output", all}}) + "\n";
  return text;
}

}  // namespace orch::score

#include "results/score/score_targets.hpp"

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "results/query/query.hpp"

#include <nlohmann/json.hpp>

#include <deque>
#include <set>

namespace orch::score {

namespace {

constexpr std::size_t k_bytes_at_once = 64 << 20;

// A measurement that is read. Its addresses stay.
struct Prepared {
  Prepared(const Target& of, KeptAnswers kept, const ReferenceFile* file)
      : target(of), answers(std::move(kept)), paper(of, answers, file) {}

  const Target& target;
  const KeptAnswers answers;
  const Paper paper;
};

// Which line of which paper a question stands for, by its id.
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
        error.message += fmt::format(" (and {} other measurements)", fault.others);
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
      return invalid(fmt::format("{}: none of its {} answers has a reference in {}", target.point,
                                 count, file ? file->path : "any file"));
    }
    questions_ += one.paper.questions().size();
    for (const Question& question : one.paper.questions())
      bytes_ += question.answer.size() + question.prompt.size();
    return {};
  }

  // The same fault of many measurements is one error.
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
      note(one.target, invalid(fmt::format("{}: the scorer {} gave no answer a score",
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

// "3 answers: 1 failed, 2 without a reference"; "" where every request has a score.
std::string unscored(const tables::Scored& scored) {
  const std::int64_t missing = scored.without_reference + scored.without_score + scored.unanswered;
  if (missing == 0) return "";
  std::vector<std::string> why;
  for (const auto& [count, words] :
       {std::pair(scored.unanswered, "of requests that failed, or not kept"),
        std::pair(scored.without_reference, "without a reference"),
        std::pair(scored.without_score, "to which the scorer gave none")})
    if (count > 0) why.push_back(fmt::format("{} {}", count, words));
  return fmt::format("{} answer{}: {}", missing, missing == 1 ? "" : "s", join(why, ", "));
}

std::optional<double> statistic(const ScoreLine& line, std::size_t at) {
  return line.scored.metric.statistics[at];
}

}  // namespace

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
    const auto low = statistic(one, k_statistic_interval);
    const auto high = statistic(one, k_statistic_interval + 1);
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
      text += fmt::format("warning: {} by {} is without {}\n", one.point, one.scored.scorer, said);
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
                   {"interval_low", number(statistic(one, k_statistic_interval))},
                   {"interval_high", number(statistic(one, k_statistic_interval + 1))},
                   {"prompts", one.scored.prompts},
                   {"without_reference", one.scored.without_reference},
                   {"without_score", one.scored.without_score},
                   {"unanswered", one.scored.unanswered},
                   {"new", one.is_new}});
  }
  return dump(all, 1) + "\n";
}

}  // namespace orch::score

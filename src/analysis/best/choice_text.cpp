#include "analysis/best/choice.hpp"
#include "analysis/report/digits.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"

namespace orch::best {

namespace {

constexpr std::size_t k_rows_told = 8, k_left_out_told = 6;

std::string signed_percent(double value) { return fmt::format("{:+.1f}", value); }

// "-2.1 % (-8.0 to +3.9 %)"
std::string difference_text(const Rivalry& rivalry) {
  if (!rivalry.percent) return "no difference can be computed";
  std::string out = signed_percent(*rivalry.percent) + " %";
  if (rivalry.low && rivalry.high)
    out +=
        fmt::format(" ({} to {} %)", signed_percent(*rivalry.low), signed_percent(*rivalry.high));
  return out;
}

std::string ground_text(const Rivalry& rivalry) {
  switch (rivalry.ground) {
    case Ground::sessions: return "";
    case Ground::shared: return ", within the sessions that measured both";
    case Ground::lent: return ", with the spread of other sessions";
    case Ground::one: return ", within one session";
    case Ground::none: return "";
  }
  return "";
}

// "one session of each allows no claim", "1 session against 3 allows no claim".
std::string no_claim_text(const Rivalry& rivalry) {
  if (rivalry.sessions_best == 1 && rivalry.sessions_rival == 1)
    return "one session of each allows no claim";
  return fmt::format("{} against {} allow{} no claim", plural(rivalry.sessions_rival, "session"),
                     rivalry.sessions_best, rivalry.sessions_rival == 1 ? "s" : "");
}

std::string rivalry_text(const Rivalry& rivalry) {
  if (rivalry.is_separated) return difference_text(rivalry) + ground_text(rivalry);
  std::string out = "not separated from the best: " + difference_text(rivalry);
  if (!rivalry.percent) return out;
  if (rivalry.far_larger)
    return out + ", far larger than sessions ever differed; " + no_claim_text(rivalry);
  if (rivalry.ground == Ground::none) return out + ", " + no_claim_text(rivalry);
  out += ground_text(rivalry);
  if (rivalry.sessions_needed)
    out += fmt::format("; {} sessions of each would tell", *rivalry.sessions_needed);
  return out;
}

std::string remarks_of(const Ranked& ranked, bool is_first, bool has_goal) {
  std::vector<std::string> out;
  if (is_first && has_goal) out.emplace_back("best");
  if (ranked.row.confirmed) out.emplace_back("by the sessions of --confirm");
  for (const Mark& mark : ranked.row.marks) out.push_back(mark.text);
  if (ranked.rivalry) out.push_back(rivalry_text(*ranked.rivalry));
  if (ranked.on_front) out.emplace_back("on the front");
  if (ranked.reaches_front) out.emplace_back("reaches the front by its interval");
  return join(out, "; ");
}

struct TextColumns {
  std::vector<std::string> titles;
  bool experiment = false, corrected = false, cost = false, input_cost = false;
};

TextColumns columns_of(const Question& question, const Choice& choice) {
  TextColumns out;
  std::string first;
  for (const Group& group : choice.groups)
    for (const Ranked& ranked : group.rows) {
      if (first.empty()) first = ranked.row.experiment;
      out.experiment |= ranked.row.experiment != first;
      out.corrected |= ranked.corrected.has_value() && !choice.confirmed;
      out.cost |= ranked.row.cost.has_value();
      out.input_cost |= ranked.row.cost && ranked.row.cost->input;
    }
  if (out.experiment) out.titles.emplace_back("experiment");
  out.titles.emplace_back("point");
  if (question.goal)
    out.titles.push_back(question.per == Per::nothing ? question.goal->written : unit_of(question));
  if (out.corrected) out.titles.emplace_back("corrected");
  const std::string currency = question.prices.currency_name();
  if (out.cost) out.titles.push_back(currency + " per 1M output");
  if (out.input_cost) out.titles.push_back(currency + " per 1M input");
  for (const Goal& axis : question.front) out.titles.push_back(axis.column);
  out.titles.emplace_back("sessions");
  out.titles.emplace_back("remarks");
  return out;
}

std::string corrected_text(const Ranked& ranked) {
  return ranked.corrected ? report::figure(*ranked.corrected, ranked.row.objective->limits) : "-";
}

std::vector<report::Cell> cells_of(const TextColumns& columns, const Question& question,
                                   const Ranked& ranked, bool is_first) {
  std::vector<report::Cell> out;
  const Candidate& row = ranked.row;
  if (columns.experiment) out.emplace_back(row.experiment);
  out.emplace_back(row.point);
  if (question.goal) out.emplace_back(figure_text(*row.objective));
  if (columns.corrected) out.emplace_back(corrected_text(ranked));
  const auto money = [](std::optional<double> value) {
    return value ? report::figure(*value) : std::string("-");
  };
  if (columns.cost)
    out.emplace_back(money(row.cost ? std::optional(row.cost->output) : std::nullopt));
  if (columns.input_cost) out.emplace_back(money(row.cost ? row.cost->input : std::nullopt));
  for (std::size_t axis = 0; axis < question.front.size(); ++axis)
    out.emplace_back(axis < row.axes.size() ? figure_text(row.axes[axis]) : std::string("-"));
  out.emplace_back(std::to_string(row.sessions));
  out.emplace_back(remarks_of(ranked, is_first, question.goal.has_value()));
  return out;
}

// The rows that the text shows: the first ones, all that are on the front or reach it, all that are
// not separated from the best, and Group::surely.
std::vector<std::size_t> rows_told(const Group& group) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    const Ranked& ranked = group.rows[i];
    const bool open = ranked.rivalry && !ranked.rivalry->is_separated;
    if (i < k_rows_told || ranked.on_front || ranked.reaches_front || open || group.surely == i)
      out.push_back(i);
  }
  return out;
}

std::string group_title(const Question& question, const Group& group) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < question.by.size(); ++i)
    parts.push_back(question.by[i] + " " + (group.by[i].empty() ? "-" : group.by[i]));
  const std::string count = plural(group.rows.size(), "configuration");
  return parts.empty() ? count : join(parts, ", ") + ": " + count;
}

bool has_close_on_no_ground(const Group& group) {
  return std::ranges::any_of(group.rows, [](const Ranked& ranked) {
    return ranked.rivalry && ranked.rivalry->ground == Ground::none && !ranked.rivalry->far_larger;
  });
}

// Whether ROW was measured by our own load generator, so that it can be measured again.
bool is_ours(const Candidate& row) { return row.tool == "native" || row.tool.empty(); }

std::string why_no_interval(const Candidate& row) {
  return is_ours(row) ? "it has no interval, because its requests were too few or too correlated"
                      : "it has no interval, because its file states none and no other file "
                        "has this point";
}

// Sentences about the best row of a group.
std::vector<std::string> sentences_of(const Question& question, const Choice& choice,
                                      const Group& group) {
  std::vector<std::string> out;
  if (!question.goal) return out;
  const Ranked& best = group.rows.front();
  if (group.surely && *group.surely > 0) {
    const Candidate& row = group.rows[*group.surely].row;
    out.push_back(
        fmt::format("The best that meets the condition over its entire intervals: {}, {}.",
                    row.point, figure_text(*row.objective)));
  } else if (!question.subject_to.empty() && !group.surely) {
    out.emplace_back("None meets the condition over its entire intervals.");
  }
  if (choice.confirmed || group.close < 2) return out;
  if (best.corrected)
    out.push_back(fmt::format(
        "The best of {} that cannot be told apart is partly the luckiest: {} was measured, {} is "
        "to be expected{}.",
        group.close, report::figure(best.row.objective->value, best.row.objective->limits),
        corrected_text(best),
        group.spread_known ? ""
                           : "; how its server varies from start to start is unknown, so it "
                             "may be less"));
  else
    out.push_back(fmt::format(
        "The best of {} that cannot be told apart is partly the luckiest. Its figure is not "
        "corrected for that: {}.",
        group.close,
        !best.row.objective->limits.low ? why_no_interval(best.row)
        : has_close_on_no_ground(group) ? "how their servers vary from start to start is unknown"
                                        : "fewer than three of them have an interval"));
  return out;
}

std::string confirm_sentence(const Question& question, const Group& group, const Said& said) {
  if (!question.goal || question.goal->is_set || group.rows.size() < 2 || said.command.empty())
    return "";
  if (!is_ours(group.rows.front().row)) return "";
  const std::size_t measured = std::min(k_confirmed_rows, group.rows.size());
  return fmt::format("To measure the first {} again, in three new sessions{}: {} --confirm\n",
                     measured == 2 ? "two" : "three",
                     group.confirm_s > 0 ? " (about " + human_duration(group.confirm_s) + ")" : "",
                     said.command);
}

// Whether the best and the next row were measured on different servers, one of them in a single
// session.
bool rests_on_one_session(const Group& group) {
  return group.rows.size() > 1 && group.rows[1].rivalry &&
         group.rows[1].rivalry->ground == Ground::none && group.rows[1].rivalry->percent;
}

std::string title_of(const Question& question, const Choice& choice) {
  std::string out;
  if (question.goal) {
    const std::string unit = unit_of(question);
    out = fmt::format(
        "{} {}{}",
        question.goal->direction == report::Direction::higher_is_better ? "Highest" : "Lowest",
        question.goal->written, unit.empty() ? "" : " (" + unit + ")");
  } else {
    out = fmt::format("Front of {} and {}", question.front[0].column, question.front[1].column);
  }
  if (!question.subject_to.empty()) out += ", subject to " + question.subject_to;
  if (choice.confirmed) out += "; measured again, in new sessions only";
  return out + "\n";
}

std::string left_out_text(const Choice& choice) {
  std::string out;
  if (choice.breaking > 0)
    out +=
        fmt::format("{} the condition.\n",
                    choice.breaking == 1 ? "1 configuration breaks"
                                         : fmt::format("{} configurations break", choice.breaking));
  if (choice.left_out.empty()) return out;
  out += plural(choice.left_out.size(), "configuration") + " left out:\n";
  for (std::size_t i = 0; i < choice.left_out.size() && i < k_left_out_told; ++i)
    out += fmt::format("  {}: {}\n", choice.left_out[i].point, choice.left_out[i].why);
  if (choice.left_out.size() > k_left_out_told)
    out += fmt::format("  and {} more, which --json lists\n",
                       choice.left_out.size() - k_left_out_told);
  return out;
}

// TEXT escaped for Markdown if SAID requests it: names and SQL may contain any character.
std::string prose(std::string_view text, const Said& said) {
  if (!said.markdown) return std::string(text);
  std::string out;
  for (const std::string& line : split(text, '\n')) out += escaped_markdown(line) + "\n";
  if (!out.empty()) out.pop_back();
  return out;
}

std::string group_text(const Question& question, const Choice& choice, const Group& group,
                       const Said& said) {
  const TextColumns columns = columns_of(question, choice);
  report::Table table{.columns = columns.titles};
  const std::vector<std::size_t> told = rows_told(group);
  for (const std::size_t at : told)
    table.rows.push_back(cells_of(columns, question, group.rows[at], at == 0));
  std::string out = "\n" + prose(group_title(question, group), said) + "\n";
  if (said.markdown) out += "\n" + report::to_text(table, report::Format::markdown) + "\n";
  else out += report::to_text(table, report::Format::table);
  if (told.size() < group.rows.size())
    out += fmt::format("and {} more, which --csv lists\n", group.rows.size() - told.size());
  for (const std::string& sentence : sentences_of(question, choice, group))
    out += prose(sentence, said) + "\n";
  return out;
}

std::string price_note(const Question& question, const Choice& choice) {
  const Prices& prices = question.prices;
  std::vector<std::string> of;
  const std::string currency = prices.currency_name();
  if (prices.gpu_hour)
    of.push_back(fmt::format("{} {} per hour for each GPU of the server",
                             report::rounded(*prices.gpu_hour), currency));
  if (prices.machine_hour)
    of.push_back(fmt::format("{} {} per hour for the machine",
                             report::rounded(*prices.machine_hour), currency));
  std::string out = "Price: " + join(of, " and ") + ", under full load all the time. ";
  if (prices.output_token_weight)
    out += fmt::format("An output token is charged as {} input tokens.",
                       report::rounded(*prices.output_token_weight));
  else
    out +=
        "Output tokens carry the whole price; `output_token_weight` in the prices of the site file "
        "splits it.";
  if (!question.limits_latency()) return out;
  bool any_good = false, any_other = false;
  for (const Group& group : choice.groups)
    for (const Ranked& ranked : group.rows) (ranked.row.good_share ? any_good : any_other) = true;
  if (any_good)
    out += " Only requests that met the goodput expression of their matrix are counted.";
  if (any_other)
    out += fmt::format(
        " {} no goodput, so requests beyond the limit are counted too: state `measure: "
        "{{goodput: ...}}`.",
        any_good ? "Some configurations have" : "There is");
  return out;
}

// Notes on rows of other tools, whose definitions of metrics and numbers of GPUs may differ.
std::vector<std::string> notes_on_tools(const Question& question, const Choice& choice) {
  std::set<std::string> tools;
  std::set<double> gpus;
  for (const Group& group : choice.groups)
    for (const Ranked& ranked : group.rows) {
      tools.insert(ranked.row.tool.empty() ? "native" : ranked.row.tool);
      if (ranked.row.gpus) gpus.insert(*ranked.row.gpus);
    }
  std::vector<std::string> out;
  const bool is_known = question.goal && measure::reported_metric(question.goal->column);
  if (tools.size() > 1)
    out.push_back(fmt::format(
        "Figures of {} follow their own definitions, which may differ: `orchestrate explain {}`.",
        join(std::vector(tools.begin(), tools.end()), ", "),
        is_known ? question.goal->column : "METRIC"));
  const bool is_foreign = tools.size() > 1 || !tools.contains("native");
  if (is_foreign && gpus.size() > 1 && question.per == Per::nothing)
    out.push_back(
        fmt::format("The configurations have {:g} to {:g} GPUs; --per gpu ranks a "
                    "throughput per GPU.",
                    *gpus.begin(), *gpus.rbegin()));
  return out;
}

// Whether the interval of some difference excludes zero although no claim is made.
bool any_claim_given_up(const Choice& choice) {
  for (const Group& group : choice.groups)
    for (const Ranked& ranked : group.rows) {
      const auto& rivalry = ranked.rivalry;
      if (!rivalry || rivalry->is_separated || !rivalry->low || !rivalry->high) continue;
      if (*rivalry->low > 0 || *rivalry->high < 0) return true;
    }
  return false;
}

}  // namespace

std::vector<std::string> notes_of(const Question& question, const Choice& choice) {
  std::vector<std::string> out;
  if (any_claim_given_up(choice))
    out.emplace_back(
        "Differences from the best are judged together (Holm): a single interval may exclude 0 "
        "without a claim.");
  if (question.per == Per::cost) out.push_back(price_note(question, choice));
  for (std::string& note : notes_on_tools(question, choice)) out.push_back(std::move(note));
  for (const std::string& part : choice.not_judged)
    out.push_back(
        fmt::format("Whether intervals reach beyond this part was not judged, "
                    "because it does not compare a column with a number: {}",
                    part));
  const bool by_length = std::ranges::find(question.by, "isl") != question.by.end() ||
                         std::ranges::find(question.by, "osl") != question.by.end();
  if (choice.lengths_differ && !by_length)
    out.emplace_back(
        "The prompts and answers differ in length; --by length compares equal ones only.");
  return out;
}

std::string choice_text(const Question& question, const Choice& choice, const Said& said) {
  std::string out = prose(title_of(question, choice), said);
  // If one session is not enough to decide, the text begins with how to decide.
  const bool is_open =
      choice.groups.size() == 1 && !choice.confirmed && rests_on_one_session(choice.groups.front());
  if (is_open) {
    const std::string how = confirm_sentence(question, choice.groups.front(), said);
    out += prose("One session of a configuration is not enough to decide." +
                     (how.empty() ? "\n" : " " + how),
                 said);
  }
  for (const Group& group : choice.groups) out += group_text(question, choice, group, said);
  if (choice.groups.empty()) out += "\nNo configuration qualifies.\n";
  if (choice.groups.empty() && choice.left_out.empty() && choice.breaking == 0)
    out += prose(
               "Figures of other tools are considered if --where names the column tool: --where "
               "\"tool <> '' AND ...\"",
               said) +
           "\n";
  out += "\n" + prose(left_out_text(choice), said);
  for (const std::string& note : notes_of(question, choice)) out += prose(note, said) + "\n";
  if (!choice.confirmed && !is_open && choice.groups.size() == 1)
    out += prose(confirm_sentence(question, choice.groups.front(), said), said);
  if (said.markdown && !choice.groups.empty()) out += "\n```sh\n";
  for (const Group& group : choice.groups) {
    const Candidate& best = group.rows.front().row;
    if (is_ours(best))
      out += fmt::format("orchestrate reproduce {}{}\n", printable_line(shell_quote(best.point)),
                         said.store_option);
    else
      out += fmt::format("{}{} was measured elsewhere by {}: there is nothing to reproduce\n",
                         said.markdown ? "# " : "", printable_line(best.point), best.tool);
  }
  if (said.markdown && !choice.groups.empty()) out += "```\n";
  return out;
}

}  // namespace orch::best

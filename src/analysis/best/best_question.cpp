#include "analysis/best/best_question.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/sql/expression_scan.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <limits>

namespace orch::best {

namespace {

using report::Direction;
using Names = std::span<const std::string>;
using sql::Token;
using Tokens = std::span<const Token>;

constexpr double k_hour_s = 3600;

bool has_name(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_column(const std::string& column, Names columns, std::string_view option) {
  if (has_name(columns, column)) return {};
  const std::string near = did_you_mean(column, columns);
  return invalid(
      fmt::format("{}: the results have no column {}{}", option, quoted(column),
                  near.empty() ? "; `orchestrate schema views results` lists them" : near));
}

// An axis of --pareto, which may end with :higher or :lower.
Result<Goal> goal_of_axis(std::string_view text, Names columns) {
  Goal goal;
  const std::size_t colon = text.rfind(':');
  goal.column = std::string(trim(text.substr(0, colon)));
  ORCH_TRY(check_column(goal.column, columns, "--pareto"));
  if (colon != std::string_view::npos) {
    const std::string_view stated = trim(text.substr(colon + 1));
    if (stated != "higher" && stated != "lower")
      return invalid(
          fmt::format("--pareto: {} must be higher or lower, whichever is better", quoted(stated)));
    goal.direction = stated == "higher" ? Direction::higher_is_better : Direction::lower_is_better;
    return goal;
  }
  const measure::MetricRow* known = measure::reported_metric(goal.column);
  if (!known || known->shown.better == measure::Better::neither)
    return invalid(
        fmt::format("--pareto: it is unknown whether a higher {0} is better; write "
                    "{0}:higher or {0}:lower",
                    goal.column));
  goal.direction = known->shown.better == measure::Better::higher ? Direction::higher_is_better
                                                                  : Direction::lower_is_better;
  return goal;
}

Status read_front(const Asked& asked, Names columns, Question& question) {
  if (asked.front.empty()) return {};
  const auto names = split(asked.front, ',');
  if (names.size() != 2)
    return invalid(
        "--pareto takes two columns, such as --pareto output_tps,ttft_ms: the axes of the front");
  for (const std::string& name : names) {
    ORCH_ASSIGN(Goal goal, goal_of_axis(name, columns));
    question.front.push_back(std::move(goal));
  }
  if (question.front[0].column == question.front[1].column)
    return invalid("--pareto takes two different columns: a column has no front against itself");
  return {};
}

bool is_name(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// SQL for the ranked figure, with real division: 1 / 2 is 0.5.
Result<std::string> goal_sql(const std::string& sql, std::string_view option) {
  const sql::Scan scan = sql::scan_expression(sql);
  if (scan.fault)
    return invalid(fmt::format("{}: {} (at character {})", option, scan.fault->message,
                               scan.fault->offset + 1));
  const auto real = sql::with_real_division(sql, scan.tokens);
  return real ? real->sql : sql;
}

Status read_goal(const Asked& asked, Names columns, Names parameters, Question& question) {
  if (!asked.maximize.empty() && !asked.minimize.empty())
    return invalid(
        "--maximize and --minimize exclude each other; limit the second metric with "
        "--subject-to, or ask for the front of both with --pareto X,Y");
  if (asked.maximize.empty() && asked.minimize.empty()) {
    if (!question.front.empty()) return {};
    return invalid(
        "say what is best: --maximize output_tps, --minimize ttft_ms_p99, or both as "
        "--pareto output_tps,ttft_ms");
  }
  const bool is_highest = !asked.maximize.empty();
  question.goal =
      Goal{.column = is_highest ? asked.maximize : asked.minimize,
           .direction = is_highest ? Direction::higher_is_better : Direction::lower_is_better};
  Goal& goal = *question.goal;
  goal.written = goal.column;
  const std::string_view option = is_highest ? "--maximize" : "--minimize";
  goal.is_set = has_name(parameters, goal.column) && !measure::reported_metric(goal.column);
  if (has_name(columns, goal.column) || is_name(goal.column))
    return check_column(goal.column, columns, option);
  ORCH_ASSIGN(goal.column, goal_sql(goal.column, option));
  return {};
}

bool is_rate(const std::string& column) {
  const measure::MetricRow* known = measure::reported_metric(column);
  return known && known->name == column && known->unit_of_reports().ends_with("/s");
}

Status check_prices(const Prices& prices) {
  if (prices.gpu_hour || prices.machine_hour) return {};
  return invalid(
      fmt::format("--per cost needs a price: add `prices: {{gpu_hour: 2.50, currency: "
                  "USD}}` (or machine_hour, for a machine without GPUs) to {}",
                  prices.file.empty() ? "a site file, and name it with --site" : prices.file));
}

Status read_per(const Asked& asked, Question& question) {
  if (asked.per.empty()) return {};
  question.per = asked.per == "gpu" ? Per::gpu : asked.per == "cost" ? Per::cost : Per::joule;
  const bool is_throughput = question.goal && is_rate(question.goal->column) &&
                             question.goal->direction == Direction::higher_is_better &&
                             question.goal->column != metric::output_tps_per_gpu &&
                             question.goal->column != metric::output_tps_per_user;
  if (!is_throughput)
    return invalid(
        fmt::format("--per {} needs a throughput, such as --maximize output_tps", asked.per));
  return question.per == Per::cost ? check_prices(question.prices) : Status();
}

Status read_by(const Asked& asked, Names columns, Question& question) {
  for (const std::string& name : asked.by) {
    if (name == "length" && !has_name(columns, name)) {
      for (const char* part : {"isl", "osl"})
        if (has_name(columns, part)) question.by.emplace_back(part);
      continue;
    }
    ORCH_TRY(check_column(name, columns, "--by"));
    question.by.push_back(name);
  }
  return {};
}

Status check_columns_of_condition(const Question& question, Names columns) {
  for (const Comparison& one : question.condition.comparisons)
    // SQLite's column names are case-insensitive.
    if (std::ranges::none_of(
            columns, [&](const std::string& name) { return lower(name) == lower(one.column); }))
      ORCH_TRY(check_column(one.column, columns, "--subject-to"));
  return {};
}

constexpr std::string_view k_operations[] = {"<", "<=", ">", ">=", "=", "==", "<>", "!="};

// The operator for exchanged operands: "50 < x" is "x > 50".
std::string turned(const std::string& operation) {
  if (operation.starts_with('<') && operation != "<>") return ">" + operation.substr(1);
  if (operation.starts_with('>')) return "<" + operation.substr(1);
  return operation;
}

std::string usual_form(std::string_view operation) {
  if (operation == "==") return "=";
  if (operation == "!=") return "<>";
  return std::string(operation);
}

std::string column_name(const Token& token) {
  std::string written(token.written);
  if (token.kind == Token::Kind::word) return written;
  return written.substr(1, written.size() - 2);  // without its quotes
}

bool is_name(const Token& token) {
  return token.kind == Token::Kind::word || token.kind == Token::Kind::quoted_name;
}

// A number with an optional sign at the beginning of TOKENS, and its number of tokens.
std::optional<std::pair<double, std::size_t>> number_at(Tokens tokens) {
  const bool is_signed = !tokens.empty() && (tokens[0].is("-") || tokens[0].is("+"));
  const std::size_t at = is_signed ? 1 : 0;
  if (tokens.size() <= at || tokens[at].kind != Token::Kind::number) return {};
  const auto number = to_real(tokens[at].written);
  if (!number) return {};
  return std::pair(is_signed && tokens[0].is("-") ? -*number : *number, at + 1);
}

bool is_operation(const Token& token) {
  return token.kind == Token::Kind::mark &&
         std::ranges::find(k_operations, token.written) != std::end(k_operations);
}

std::optional<Comparison> comparison_of(Tokens tokens, std::string written) {
  if (tokens.size() < 3) return {};
  if (is_name(tokens[0]) && is_operation(tokens[1])) {
    const auto number = number_at(tokens.subspan(2));
    if (!number || number->second + 2 != tokens.size()) return {};
    return Comparison{column_name(tokens[0]), usual_form(tokens[1].written), number->first,
                      std::move(written)};
  }
  const auto number = number_at(tokens);
  if (!number || tokens.size() != number->second + 2) return {};
  if (!is_operation(tokens[number->second]) || !is_name(tokens.back())) return {};
  return Comparison{column_name(tokens.back()), turned(usual_form(tokens[number->second].written)),
                    number->first, std::move(written)};
}

// The index of each AND that joins whole conditions: outside parentheses, BETWEEN and CASE. Empty
// if there is an OR beside them.
std::vector<std::size_t> joints_of(Tokens tokens) {
  std::vector<std::size_t> joints;
  int depth = 0, cases = 0;
  bool in_between = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (depth > 0) continue;
    if (token.is_word("OR")) return {};
    cases += token.is_word("CASE");
    cases -= token.is_word("END");
    if (token.is_word("BETWEEN")) in_between = true;
    if (!token.is_word("AND") || cases > 0) continue;
    if (!std::exchange(in_between, false)) joints.push_back(i);
  }
  return joints;
}

constexpr double k_seconds_of_hour = 3600, k_million_tokens = 1e6;

}  // namespace

bool Question::limits_latency() const {
  return std::ranges::any_of(condition.comparisons, [](const Comparison& one) {
    const measure::MetricRow* known = measure::reported_metric(one.column);
    return known && known->unit_of_reports() == "ms" && one.operation.starts_with('<');
  });
}

Result<Question> question_of(const Asked& asked, std::span<const std::string> columns,
                             std::span<const std::string> parameters) {
  Question question{.run = asked.run,
                    .where = asked.where,
                    .per = Per::nothing,
                    .subject_to = asked.subject_to,
                    .prices = asked.prices};
  ORCH_TRY(read_front(asked, columns, question));
  ORCH_TRY(read_goal(asked, columns, parameters, question));
  ORCH_TRY(read_per(asked, question));
  ORCH_TRY(read_by(asked, columns, question));
  ORCH_ASSIGN(question.condition, read_condition(asked.subject_to));
  ORCH_TRY(check_columns_of_condition(question, columns));
  return question;
}

std::string unit_of(const Question& question) {
  if (!question.goal) return "";
  const measure::MetricRow* known = measure::reported_metric(question.goal->column);
  const std::string unit = known ? std::string(known->unit_of_reports()) : "";
  const std::string counted = unit.ends_with("/s") ? unit.substr(0, unit.size() - 2) : unit;
  switch (question.per) {
    case Per::nothing: return unit;
    case Per::gpu: return unit + " per GPU";
    case Per::cost: return counted + " per " + question.prices.currency_name();
    case Per::joule: return counted + " per J";
  }
  return unit;
}

std::string figure_name_of(const Question& question) {
  std::string name =
      question.goal->written.empty() ? question.goal->column : question.goal->written;
  switch (question.per) {
    case Per::nothing: return name;
    case Per::gpu: return name + "_per_gpu";
    case Per::cost:
    case Per::joule: break;
  }
  for (const auto& [rate, counted] :
       {std::pair("_tps", "_tokens"), std::pair("_rps", "_requests"), std::pair("_per_s", "")})
    if (name.ends_with(rate)) {
      name = name.substr(0, name.size() - std::string_view(rate).size()) + counted;
      break;
    }
  const std::string& currency = question.prices.currency;
  if (question.per == Per::joule) return name + "_per_joule";
  return name + "_per_" + (currency.empty() || !is_name(currency) ? "currency" : lower(currency));
}

std::span<const std::string_view> columns_of_factor() {
  static constexpr std::array<std::string_view, 8> k_columns = {metric::output_tps,
                                                                metric::output_tps_per_gpu,
                                                                metric::input_tps,
                                                                metric::goodput_rps,
                                                                metric::requests_per_s,
                                                                metric::power_w,
                                                                "gpus",
                                                                metric::server_start_s};
  return k_columns;
}

std::optional<double> gpus_of(const ValueOf& value_of) {
  const auto all = value_of(metric::output_tps), each = value_of(metric::output_tps_per_gpu);
  if (all && each && *each > 0) return std::round(*all / *each);
  if (const auto stated = value_of("gpus")) return stated;
  // If we started the server and neither column exists, it has no GPU.
  if (all && value_of(metric::server_start_s)) return 0;
  return {};
}

std::optional<double> good_share_of(const ValueOf& value_of) {
  const auto good = value_of(metric::goodput_rps), all = value_of(metric::requests_per_s);
  if (!good || !all || !(*all > 0)) return {};
  return std::min(1.0, *good / *all);
}

namespace {

constexpr std::string_view k_gpus_unknown =
    "its server's number of GPUs is unknown; for imported rows, `import --set gpus=N` states it";

std::string why_no_price(const Prices& prices, std::optional<double> gpus) {
  if (prices.gpu_hour && !gpus) return std::string(k_gpus_unknown);
  if (prices.gpu_hour && !prices.machine_hour)
    return "the price is per GPU, but its server was given no GPU: state machine_hour";
  return "its price is 0";
}

}  // namespace

Factor factor_of(const Question& question, const ValueOf& value_of) {
  const auto gpus = gpus_of(value_of);
  switch (question.per) {
    case Per::nothing: return {1, ""};
    case Per::gpu:
      if (gpus && *gpus > 0) return {1 / *gpus, ""};
      return {{}, gpus ? "its server was given no GPU" : std::string(k_gpus_unknown)};
    case Per::cost: {
      const auto price = price_of_hour(question.prices, gpus);
      if (!price) return {{}, why_no_price(question.prices, gpus)};
      const double share = question.limits_latency() ? good_share_of(value_of).value_or(1) : 1;
      const double per_token = k_hour_s / *price * share;
      // As in token_cost(), input tokens bear their share of the price.
      const auto weight = question.prices.output_token_weight;
      if (!weight || question.goal->column != metric::output_tps) return {per_token, ""};
      const auto output = value_of(metric::output_tps), input = value_of(metric::input_tps);
      if (!input || !output || !(*output > 0))
        return {{}, "output_token_weight divides the price, but its input_tps is unknown"};
      return {per_token * (1 + *input / *weight / *output), ""};
    }
    case Per::joule: break;
  }
  const auto watts = value_of(metric::power_w);
  if (watts && *watts > 0) return {1 / *watts, ""};
  return {{}, "the power of its GPUs was not measured throughout"};
}

Result<Condition> read_condition(const std::string& sql) {
  Condition out;
  if (sql.empty()) return out;
  const sql::Scan scan = sql::scan_expression(sql);
  if (scan.fault)
    return invalid(fmt::format("--subject-to: {} (at character {})", scan.fault->message,
                               scan.fault->offset + 1));
  const Tokens tokens = scan.tokens;
  std::vector<std::size_t> joints = joints_of(tokens);
  joints.push_back(tokens.size());
  std::size_t from = 0;
  for (const std::size_t to : joints) {
    const Tokens part = tokens.subspan(from, to - from);
    from = to + 1;
    if (part.empty()) continue;
    const std::size_t end = part.back().begin + part.back().written.size();
    std::string written = sql.substr(part.front().begin, end - part.front().begin);
    if (auto comparison = comparison_of(part, written))
      out.comparisons.push_back(std::move(*comparison));
    else out.others.push_back(std::move(written));
  }
  return out;
}

Kept judge(const Comparison& comparison, const Figure& figure) {
  constexpr double k_infinite = std::numeric_limits<double>::infinity();
  const double low = figure.limits.low.value_or(-k_infinite);
  const double high = figure.limits.high.value_or(k_infinite);
  const double number = comparison.number;
  const auto from = [](bool all, bool some) {
    return all ? Kept::surely : some ? Kept::open : Kept::broken;
  };
  if (comparison.operation == "<") return from(high < number, low < number);
  if (comparison.operation == "<=") return from(high <= number, low <= number);
  if (comparison.operation == ">") return from(low > number, high > number);
  if (comparison.operation == ">=") return from(low >= number, high >= number);
  const bool includes = low <= number && number <= high;
  if (comparison.operation == "=") return from(low == number && high == number, includes);
  return from(!includes, low != high);
}

std::string figure_text(const Figure& figure) {
  const std::string between = report::interval(figure.value, figure.limits);
  const std::string value = report::figure(figure.value, figure.limits);
  return between.empty() ? value : fmt::format("{} ({})", value, between);
}

std::optional<double> price_of_hour(const Prices& prices, std::optional<double> gpus) {
  if (prices.gpu_hour && !gpus) return {};  // 0 GPUs cost nothing besides the machine
  const double of_gpus = prices.gpu_hour.value_or(0) * gpus.value_or(0);
  const double price = of_gpus + prices.machine_hour.value_or(0);
  if (price <= 0) return {};
  return price;
}

std::optional<TokenCost> token_cost(double price_of_hour, const Rates& rates,
                                    std::optional<double> weight) {
  if (!(rates.output_tps > 0)) return {};
  const double per_second = price_of_hour / k_seconds_of_hour;
  if (!weight) return TokenCost{per_second / rates.output_tps * k_million_tokens, {}};
  if (!(*weight > 0) || !rates.input_tps || *rates.input_tps < 0) return {};
  const double output = per_second / (rates.output_tps + *rates.input_tps / *weight);
  return TokenCost{output * k_million_tokens, output / *weight * k_million_tokens};
}

}  // namespace orch::best

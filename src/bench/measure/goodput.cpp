#include "bench/measure/goodput.hpp"

#include "core/base/text.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"

namespace orch::measure {

namespace {

// A table caches every evaluation; starting a new one after this many requests bounds the memory.
constexpr std::size_t k_requests_at_a_time = 50'000;

// Splits at each AND outside parentheses, CASE and BETWEEN. An expression with an OR, which binds
// less tightly, is one term.
std::vector<std::string> terms_of(std::string_view expression) {
  std::vector<std::string> terms;
  const sql::Scan scan = sql::scan_expression(expression);
  int depth = 0;
  int betweens = 0;
  std::size_t begin = 0;
  for (const sql::Token& token : scan.tokens) {
    if (token.is("(") || token.is_word("CASE")) ++depth;
    else if (token.is(")") || token.is_word("END")) --depth;
    if (depth > 0) continue;
    if (token.is_word("OR")) return {std::string(trim(expression))};
    if (token.is_word("BETWEEN")) ++betweens;
    else if (token.is_word("AND") && betweens > 0) --betweens;
    else if (token.is_word("AND")) {
      terms.emplace_back(trim(expression.substr(begin, token.begin - begin)));
      begin = token.begin + token.written.size();
    }
  }
  terms.emplace_back(trim(expression.substr(begin)));
  return terms;
}

// Terms over the metrics of one request.
class Terms {
 public:
  Terms(const Window& window, const std::vector<std::string>& terms)
      : window_(window), results_(terms.size()) {
    for (const MetricRow& row : metric_table()) {
      if (row.each == nullptr) continue;
      columns_.push_back(&row);
      table_.add_column(std::string(row.name), sql::ColumnType::real);
    }
    inputs_.resize(columns_.size());
    // NOT NOT keeps NULL and maps every other value to 0 or 1.
    for (const std::string& term : terms)
      table_.add({.what = term, .sql = fmt::format("NOT NOT ({})", term)});
  }

  // The expression is already valid; an error means that it was split wrongly.
  Status prepare() {
    Errors errors;
    if (!table_.create(errors)) return errors.front();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      bool read = false;
      for (std::size_t term = 0; term < results_.size(); ++term)
        read = read || table_.reads(term).contains(std::string(columns_[i]->name));
      if (!read) columns_[i] = nullptr;
      else columns_[i] = &columns_[i]->from_scheduled_send(window_.open_loop);
    }
    return {};
  }

  Status evaluate(const RequestRecord& record) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::optional<double> value =
          columns_[i] == nullptr ? std::nullopt : columns_[i]->of(window_, record);
      inputs_[i] = value ? table_.intern(*value) : sql::k_null;
    }
    return table_.evaluate(inputs_, results_);
  }

  bool is_undefined(std::size_t term) const { return results_[term] == sql::k_null; }
  bool is_met(std::size_t term) const {
    return table_.cell(results_[term]) == sql::Cell(std::int64_t{1});
  }

 private:
  const Window& window_;
  sql::ExpressionTable table_;
  std::vector<const MetricRow*> columns_;  // null: the expression does not use it
  std::vector<sql::ValueId> inputs_;
  std::vector<sql::ValueId> results_;
};

struct Counts {
  std::int64_t good = 0;
  std::int64_t succeeded = 0;
  std::int64_t judged = 0;
  std::vector<std::int64_t> left_out;  // by term
};

Status count(const Window& window, std::span<const RequestRecord> records,
             const std::vector<std::string>& texts, Counts& counts) {
  Terms terms(window, texts);
  ORCH_TRY(terms.prepare());
  for (const RequestRecord& record : records) {
    if (!record.ok()) continue;
    ++counts.succeeded;
    ORCH_TRY(terms.evaluate(record));
    bool judged = false;
    bool good = true;
    for (std::size_t term = 0; term < texts.size(); ++term) {
      if (terms.is_undefined(term)) {
        ++counts.left_out[term];
        continue;
      }
      judged = true;
      good = good && terms.is_met(term);
    }
    counts.judged += judged;
    if (judged && good) ++counts.good;
  }
  return {};
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

class NameReader {
 public:
  explicit NameReader(std::string_view line) : line_(line) {}

  std::optional<SeriesName> read(std::size_t& end) {
    SeriesName out{.family = name()};
    if (out.family.empty()) return {};
    blanks();
    if (take('{') && !labels(out)) return {};
    end = at_;
    return out;
  }

 private:
  bool labels(SeriesName& out) {
    while (true) {
      blanks();
      if (take('}')) return true;
      std::string label = name();
      blanks();
      if (label.empty() || !take('=')) return false;
      blanks();
      std::string text;
      if (!take('"') || !quoted(text)) return false;
      out.labels.insert_or_assign(std::move(label), std::move(text));
      blanks();
      if (!take(',') && (at_ == line_.size() || line_[at_] != '}')) return false;
    }
  }

  bool quoted(std::string& text) {
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (take('"')) return true;
      if (c != '\\') {
        text += c;
        continue;
      }
      if (++at_ == line_.size()) return false;
      if (line_[at_] != '\\' && line_[at_] != '"' && line_[at_] != 'n') text += '\\';
      text += line_[at_] == 'n' ? '\n' : line_[at_];
    }
    return false;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_name_character(line_[at_])) ++at_;
    return std::string(line_.substr(begin, at_ - begin));
  }

  void blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }

  bool take(char wanted) {
    const bool here = at_ < line_.size() && line_[at_] == wanted;
    at_ += here;
    return here;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  out += '"';
}

bool has_label(const SeriesName& series, std::string_view label, std::string_view value) {
  const auto found = series.labels.find(label);
  return found != series.labels.end() && found->second == value;
}

constexpr std::string_view k_general = "nv_trt_llm_general_metrics";

}  // namespace

Status check_goodput(std::string_view expression) {
  sql::ExpressionTable table;
  for (const MetricRow& row : metric_table())
    if (row.each != nullptr) table.add_column(std::string(row.name), sql::ColumnType::real);
  table.add({.what = fmt::format("goodput '{}'", expression), .sql = std::string(expression)});
  Errors errors;
  if (!table.create(errors)) return errors.front();
  return {};
}

Result<Goodput> goodput(std::string_view expression, const Window& window) {
  ORCH_TRY(check_goodput(expression));
  const std::vector<std::string> terms = terms_of(expression);
  Counts counts{.left_out = std::vector<std::int64_t>(terms.size())};
  for (std::size_t begin = 0; begin < window.records.size(); begin += k_requests_at_a_time) {
    const auto some = window.records.subspan(
        begin, std::min(k_requests_at_a_time, window.records.size() - begin));
    ORCH_TRY(count(window, some, terms, counts));
  }
  Goodput out{.good = counts.good, .of = std::ssize(window.records)};
  const double seconds = duration_s(window.records);
  if (counts.judged > 0 || counts.succeeded == 0)
    out.requests_per_s = seconds > 0 ? static_cast<double>(counts.good) / seconds : 0;
  for (std::size_t term = 0; term < terms.size(); ++term)
    if (counts.left_out[term] > 0)
      out.left_out.push_back(fmt::format(
          "goodput: '{}' was left out for {} of {} requests, which have no value for it",
          terms[term], counts.left_out[term], counts.succeeded));
  return out;
}

std::string SeriesName::text() const {
  std::string out = family;
  if (labels.empty()) return out;
  char before = '{';
  for (const auto& [label, value] : labels) {
    out += std::exchange(before, ',');
    out += label + '=';
    append_quoted(out, value);
  }
  return out + '}';
}

std::optional<SeriesName> read_series_name(std::string_view line, std::size_t& end) {
  return NameReader(line).read(end);
}

std::string_view name_of(SeriesKind kind) {
  switch (kind) {
    case SeriesKind::gauge: return "gauge";
    case SeriesKind::counter: return "counter";
    case SeriesKind::unknown: return "unknown";
  }
  return "";
}

SeriesKind kind_of(const SeriesName& series, std::string_view declared) {
  if (series.family == k_general && has_label(series, "general_type", "iteration_counter"))
    return SeriesKind::counter;
  if (declared == "counter" || declared == "histogram") return SeriesKind::counter;
  // A summary's own series are quantiles over an unknown period; its sum and count are counters.
  if (declared == "summary")
    return series.labels.contains("quantile") ? SeriesKind::gauge : SeriesKind::counter;
  return declared == "gauge" ? SeriesKind::gauge : SeriesKind::unknown;
}

bool is_known_family(std::string_view family) { return family.starts_with("nv_"); }

bool is_timestamp(const SeriesName& series) {
  return series.family == k_general && has_label(series, "general_type", "timestamp");
}

}  // namespace orch::measure

#include "bench/measure/series.hpp"
#include "core/base/text.hpp"

namespace orch::measure {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

class NameReader {
 public:
  explicit NameReader(std::string_view line) : line_(line) {}

  std::optional<SeriesName> read(std::size_t& end) {
    SeriesName out{.family = name(), .labels = {}};
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
  // A summary's own series are quantiles over an unknown period.
  if (declared == "summary")
    return series.labels.contains("quantile") ? SeriesKind::gauge : SeriesKind::counter;
  return declared == "gauge" ? SeriesKind::gauge : SeriesKind::unknown;
}

bool is_known_family(std::string_view family) { return family.starts_with("nv_"); }

bool is_timestamp(const SeriesName& series) {
  return series.family == k_general && has_label(series, "general_type", "timestamp");
}

}  // namespace orch::measure

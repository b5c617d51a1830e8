#include "results/imports/gather.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "results/imports/figures.hpp"

namespace orch::imports {

namespace {

// The rank of a file in a measurement of several files: the file with the lowest rank provides the
// figures.
int rank_of(const Gathered& one) {
  const std::string_view format = one.format->name;
  if (format == "profile-export" || format == "aiperf-jsonl") return 3;
  if (one.reading.figures.empty()) return 2;  // times of composing models
  if (format == "genai-perf-csv" || format == "aiperf-csv" || format == "perf-analyzer-text" ||
      format == "benchmark-core-model-csv")
    return 1;
  return 0;
}

std::filesystem::path path_of(const Gathered& one) { return one.files.front().path; }

// "results/profile_export" for results/profile_export_genai_perf.json, for the .csv of that name,
// and for results/profile_export.json.
std::string stem_of(const Gathered& one) {
  std::filesystem::path path = path_of(one);
  std::string stem = path.replace_extension().string();
  for (const std::string_view end : {"_genai_perf", "_aiperf"})
    if (stem.ends_with(end)) return stem.substr(0, stem.size() - end.size());
  return stem;
}

bool ends_with_name_of(const Gathered& model, const Gathered& report) {
  return path_of(model).parent_path() == path_of(report).parent_path() &&
         path_of(model).filename().string().ends_with("." + path_of(report).filename().string());
}

const matrix::Value* load_value(const Reading& reading) {
  for (const char* name : {"concurrency", "request_rate"})
    if (const auto found = reading.parameters.find(name); found != reading.parameters.end())
      return &found->second;
  return nullptr;
}

bool same_load(const Reading& a, const Reading& b) {
  const matrix::Value *one = load_value(a), *other = load_value(b);
  return !one || !other || one->text == other->text;
}

bool is_perf_analyzer(const Gathered& one) { return one.reading.tool == "perf_analyzer"; }

// Whether PART belongs to the measurement WHOLE.
bool belongs(const Gathered& part, const Gathered& whole, Together how) {
  if (!same_load(part.reading, whole.reading) || rank_of(part) <= rank_of(whole)) return false;
  if (how == Together::one_call) return true;
  const bool same_tool = part.reading.tool == whole.reading.tool;
  if (part.reading.figures.empty() && !part.reading.models.empty())
    return same_tool && ends_with_name_of(part, whole);
  if (stem_of(part) == stem_of(whole))
    return same_tool || (is_perf_analyzer(part) && whole.reading.tool == "genai-perf");
  // Names do not matter here: the user chooses those of perf_analyzer's files.
  return same_tool && is_perf_analyzer(part) &&
         path_of(part).parent_path() == path_of(whole).parent_path();
}

void add_figures(Reading& into, const Reading& from) {
  for (const record::NamedMetric& figure : from.figures) {
    const bool known =
        std::ranges::any_of(into.figures, [&](const auto& one) { return one.name == figure.name; });
    if (!known) into.figures.push_back(figure);
  }
}

// Prefers a composing model's times with counts to those without.
void add_models(Reading& into, const Reading& from) {
  for (const observe::ModelTimes& model : from.models) {
    const auto known = std::ranges::find_if(into.models, [&](const observe::ModelTimes& one) {
      return one.model == model.model && one.version == model.version;
    });
    if (known == into.models.end()) into.models.push_back(model);
    else if (known->requests == 0) *known = model;
  }
}

void attach(Gathered& whole, Gathered part) {
  Reading &into = whole.reading, &from = part.reading;
  const bool had_requests = !into.requests.records.empty();
  if (into.tool == from.tool) add_figures(into, from);
  add_models(into, from);
  into.parameters.merge(from.parameters);
  if (!into.tool_version && into.tool == from.tool) into.tool_version = from.tool_version;
  if (into.name.empty()) into.name = from.name;
  if (into.invalid.empty()) into.invalid = from.invalid;
  if (!had_requests) into.requests = std::move(from.requests);
  for (std::string& warning : from.warnings)
    if (std::ranges::find(into.warnings, warning) == into.warnings.end())
      into.warnings.push_back(std::move(warning));
  for (FileOrigin& file : part.files) whole.files.push_back(std::move(file));
}

// The measurements that a part may belong to, indexed by what belongs() compares first, so that not
// all rows of large files are compared with each other.
class Wholes {
 public:
  Wholes(const std::vector<std::optional<Gathered>>& all, Together how) : how_(how) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const matrix::Value* load = load_value(all[i]->reading);
      ranks_.push_back(rank_of(*all[i]));
      by_rank_[ranks_.back()][place_of(*all[i])][load ? load->text : ""].push_back(i);
    }
  }

  // The index of the measurement of the lowest rank to which PART belongs; nullopt if several have
  // that rank, or there is none.
  std::optional<std::size_t> of(const std::vector<std::optional<Gathered>>& all, std::size_t part) {
    const matrix::Value* load = load_value(all[part]->reading);
    for (int rank = 0; rank < ranks_[part]; ++rank) {
      std::optional<std::size_t> found;
      const auto folder = by_rank_[rank].find(place_of(*all[part]));
      if (folder == by_rank_[rank].end()) continue;
      for (const auto& [text, places] : folder->second) {
        if (load && !text.empty() && text != load->text) continue;
        for (const std::size_t whole : places) {
          if (!all[whole] || whole == part || !belongs(*all[part], *all[whole], how_)) continue;
          if (found) return std::nullopt;
          found = whole;
        }
      }
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::string place_of(const Gathered& one) const {
    return how_ == Together::one_call ? "" : path_of(one).parent_path().string();
  }

  Together how_;
  std::vector<int> ranks_;
  // The indexes of the measurements, by rank, folder and load.
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> by_rank_[4];
};

constexpr std::size_t k_digest_characters = 6;
constexpr std::size_t k_longest_name = 120;
constexpr char k_text_counting[] = "tokens of the text, retokenised";

Value value_of(const matrix::Value& value) {
  return std::visit([](const auto& typed) { return Value(typed); }, matrix::typed(value));
}

// The parameters that state the load.
std::vector<std::pair<std::string, Value>> load_of(const Reading& reading) {
  std::vector<std::pair<std::string, Value>> load;
  for (const char* name : {"concurrency", "request_rate", "model", "isl", "osl", "batch"})
    if (const auto found = reading.parameters.find(name); found != reading.parameters.end())
      load.emplace_back(name, value_of(found->second));
  if (!reading.requests.records.empty()) load.emplace_back("stream", reading.requests.streamed);
  return load;
}

// Whether FIGURES have COLUMN, such as "ttft_ms" or "ttft_ms_p99".
bool has_column(const std::vector<record::NamedMetric>& figures, std::string_view column) {
  return std::ranges::any_of(figures, [&](const record::NamedMetric& figure) {
    if (figure.name == column) return true;
    if (!column.starts_with(figure.name + "_")) return false;
    const auto statistic = parse_name<Statistic>(column.substr(figure.name.size() + 1));
    return statistic.value_or(Statistic::mean) != Statistic::mean && figure.statistics[*statistic];
  });
}

record::MeasuredBy by_whom(const Reading& reading, const FileOrigin& file) {
  return {.tool = reading.tool,
          .version = reading.tool_version,
          .definition = reading.tool,
          .origin = file.path,
          .origin_sha256 = file.sha256,
          .load = load_of(reading)};
}

std::optional<double> mean_of(const std::vector<record::NamedMetric>& figures,
                              std::string_view name) {
  for (const record::NamedMetric& figure : figures)
    if (figure.name == name) return figure.mean;
  return std::nullopt;
}

// Adds the rate of input tokens if the tool states only the quantities from which it follows.
void add_input_rate(const std::string& tool, std::vector<record::NamedMetric>& figures) {
  if (mean_of(figures, metric::input_tps)) return;
  const auto tokens = mean_of(figures, name_of_theirs(tool, "total_input_tokens", "")),
             duration_s = mean_of(figures, name_of_theirs(tool, "duration_s", "")),
             isl = mean_of(figures, metric::isl_counted),
             requests = mean_of(figures, metric::requests_per_s);
  if (tokens && duration_s && *duration_s > 0)
    figures.push_back({.name = std::string(metric::input_tps), .mean = *tokens / *duration_s});
  else if (isl && requests)
    figures.push_back({.name = std::string(metric::input_tps), .mean = *isl * *requests});
}

record::Measurement figures_of(const Reading& reading, const FileOrigin& file) {
  record::Measurement own;
  own.by = by_whom(reading, file);
  own.by.figures = reading.figures;
  if (reading.invalid.empty()) add_input_rate(reading.tool, own.by.figures);
  for (const std::string& column : reading.expected)
    if (!has_column(reading.figures, column)) own.by.missing.push_back(column);
  own.verdict.valid = reading.invalid.empty();
  if (!own.verdict.valid) own.verdict.reasons.push_back(reading.invalid);
  own.verdict.warnings = reading.warnings;
  own.verdict.warnings.push_back(
      fmt::format("client not judged: {} tells nothing of its own lag", reading.tool));
  if (!reading.models.empty()) own.server.models = reading.models;
  return own;
}

record::Measurement recomputed(Reading& reading, const FileOrigin& file) {
  KeptRequests& kept = reading.requests;
  record::Measurement ours;
  ours.by = by_whom(reading, file);
  ours.by.definition = record::k_native;
  ours.wall_start_ns = kept.wall_start_ns;
  ours.counting_osl = kept.counting_osl;
  ours.counting_isl = kept.counting_isl;
  for (measure::RequestRecord& record : kept.records) record.streamed = kept.streamed;
  ours.records = std::move(kept.records);
  ours.duration_s = measure::duration_s(ours.records);
  const measure::Window window{.records = ours.records};
  ours.metrics = measure::metrics_of(window);
  ours.unsupported = measure::unsupported_percentiles(ours.metrics);
  ours.verdict.valid = std::ranges::any_of(
      ours.records, [](const auto& record) { return record.ok() && record.has_events(); });
  if (!ours.verdict.valid) ours.verdict.reasons.emplace_back("no request succeeded");
  ours.verdict.warnings.push_back(fmt::format(
      "computed from the requests of {}: client not judged, because it tells nothing of its own "
      "lag",
      reading.tool));
  return ours;
}

std::string words_of(const Reading& reading) {
  const auto value = [&](const char* name) {
    const auto found = reading.parameters.find(name);
    return found == reading.parameters.end() ? std::string() : found->second.text;
  };
  std::string words = value("model");
  const auto add = [&](std::string_view prefix, const std::string& text,
                       std::string_view end = "") {
    if (!text.empty())
      words += fmt::format("{}{}{}{}", words.empty() ? "" : "_", prefix, text, end);
  };
  add("c", value("concurrency"));
  add("", value("request_rate"), "rps");
  add("isl", value("isl"));
  add("osl", value("osl"));
  add("", reading.tool);
  return words;
}

}  // namespace

std::vector<Gathered> gather(std::vector<Gathered> all, Together how) {
  std::vector<std::optional<Gathered>> left(std::make_move_iterator(all.begin()),
                                            std::make_move_iterator(all.end()));
  Wholes wholes(left, how);
  // Parts of the highest rank come first, so that none is attached to a part that has been attached
  // already.
  for (int rank = 3; rank > 0; --rank)
    for (std::size_t part = 0; part < left.size(); ++part) {
      if (!left[part] || rank_of(*left[part]) != rank) continue;
      // A part stays separate if it could belong to several reports of one rank.
      const auto whole = wholes.of(left, part);
      if (!whole) continue;
      attach(*left[*whole], std::move(*left[part]));
      left[part].reset();
    }
  std::vector<Gathered> gathered;
  for (std::optional<Gathered>& one : left)
    if (one) gathered.push_back(std::move(*one));
  return gathered;
}

std::vector<record::Measurement> measurements_of(Gathered& from) {
  Reading& reading = from.reading;
  std::vector<record::Measurement> all;
  if (!reading.figures.empty() || !reading.models.empty())
    all.push_back(figures_of(reading, from.files.front()));
  if (!reading.requests.records.empty()) all.push_back(recomputed(reading, from.files.back()));
  if (all.empty()) {
    all.push_back(figures_of(reading, from.files.front()));
    all.back().verdict.valid = false;
    if (reading.invalid.empty())
      all.back().verdict.reasons = {
          fmt::format("{} has no figure and no request", from.files.front().path)};
  }
  return all;
}

std::optional<double> ended_at(const Reading& reading) {
  const KeptRequests& kept = reading.requests;
  if (reading.ended_at || kept.wall_start_ns <= 0) return reading.ended_at;
  std::int64_t last_ns = 0;
  for (const measure::RequestRecord& record : kept.records)
    last_ns = std::max(last_ns, record.end_ns);
  return static_cast<double>(kept.wall_start_ns + last_ns) / 1e9;
}

std::string name_point(Reading& reading) {
  reading.parameters.insert_or_assign("tool", matrix::Value{matrix::Type::text, reading.tool});
  std::string name = reading.name.empty() ? words_of(reading) : reading.name;
  for (char& c : name)
    if (!is_letter_or_digit(c) && c != '.' && c != '-') c = '_';
  Components all;
  for (const auto& [key, value] : reading.parameters) all.add(key, std::string_view(value.text));
  return fmt::format("{}-{}", name.substr(0, k_longest_name),
                     all.digest().prefix(k_digest_characters));
}

std::vector<std::string_view> texts_to_count(const Reading& reading) {
  std::vector<std::string_view> texts;
  const KeptRequests& kept = reading.requests;
  for (std::size_t i = 0; i < kept.texts.size(); ++i) {
    if (!kept.records[i].isl && !kept.texts[i].prompt.empty())
      texts.push_back(kept.texts[i].prompt);
    if (!kept.records[i].osl_counted) texts.push_back(kept.texts[i].answer);
  }
  return texts;
}

void set_counts(Reading& reading, const std::vector<std::int64_t>& counts) {
  KeptRequests& kept = reading.requests;
  std::size_t next = 0;
  for (std::size_t i = 0; i < kept.texts.size() && next < counts.size(); ++i) {
    measure::RequestRecord& record = kept.records[i];
    if (!record.isl && !kept.texts[i].prompt.empty()) record.isl = counts[next++];
    if (record.osl_counted || next >= counts.size()) continue;
    record.osl_counted = counts[next++];
    record.counted_by = measure::CountedBy::text;
  }
  kept.counting_osl = k_text_counting;
  kept.counting_isl = k_text_counting;
}

}  // namespace orch::imports

#include "results/imports/gather.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace orch::imports {

namespace {

// The role of a format in a measurement of several files: a lower rank has the figures.
int rank_of(const Gathered& one) {
  const std::string_view format = one.format->name;
  if (format == "profile-export" || format == "aiperf-jsonl") return 3;
  if (one.reading.figures.empty()) return 2;  // composing models
  if (format == "genai-perf-csv" || format == "aiperf-csv" || format == "perf-analyzer-text" ||
      format == "benchmark-core-model-csv")
    return 1;
  return 0;
}

std::filesystem::path path_of(const Gathered& one) { return one.files.front().path; }

// "results/profile_export" of results/profile_export_genai_perf.json, .csv and
// results/profile_export.json.
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

// Whether PART tells more of the measurement WHOLE.
bool belongs(const Gathered& part, const Gathered& whole, Together how) {
  if (!same_load(part.reading, whole.reading) || rank_of(part) <= rank_of(whole)) return false;
  if (how == Together::one_call) return true;
  const bool same_tool = part.reading.tool == whole.reading.tool;
  if (part.reading.figures.empty() && !part.reading.models.empty())
    return same_tool && ends_with_name_of(part, whole);
  if (stem_of(part) == stem_of(whole))
    return same_tool || (is_perf_analyzer(part) && whole.reading.tool == "genai-perf");
  // perf_analyzer's files have names of the user's choice.
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

// Times of a composing model with its counts are worth more than those without.
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

// The measurements that a part may belong to, found by what belongs() compares first. Files of many
// rows would otherwise be compared row by row with each other.
class Wholes {
 public:
  Wholes(const std::vector<std::optional<Gathered>>& all, Together how) : how_(how) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const matrix::Value* load = load_value(all[i]->reading);
      ranks_.push_back(rank_of(*all[i]));
      by_rank_[ranks_.back()][place_of(*all[i])][load ? load->text : ""].push_back(i);
    }
  }

  // The one of the lowest rank that PART belongs to; none where several are as low.
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
  // By rank, folder and load.
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> by_rank_[4];
};

}  // namespace

std::vector<Gathered> gather(std::vector<Gathered> all, Together how) {
  std::vector<std::optional<Gathered>> left(std::make_move_iterator(all.begin()),
                                            std::make_move_iterator(all.end()));
  Wholes wholes(left, how);
  // The parts with the fewest figures first, so that none is attached to a part.
  for (int rank = 3; rank > 0; --rank)
    for (std::size_t part = 0; part < left.size(); ++part) {
      if (!left[part] || rank_of(*left[part]) != rank) continue;
      // Two reports of one kind: which of them the part tells of is unknown.
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

}  // namespace orch::imports

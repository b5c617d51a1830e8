#include "analysis/compare/provenance.hpp"
#include "core/base/text.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/statements.hpp"

namespace orch::compare {

namespace {

struct Part {
  std::string name;
  std::map<std::string, std::string> components;
};

// Components that are not compared here: they differ between measurements of one configuration, or
// are compared as parameters, as facts of the machine or as prompts.
constexpr std::string_view k_apart[] = {"schema",       "kind",         "stage",        "output",
                                        "needs.",       "stated.",      "repeat",       "job.",
                                        "serve_repeat", "build_repeat", "dataset_rows", "machine"};

bool starts_with_one_of(std::string_view text, auto&& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_hash(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string shown(const std::string& value) { return is_hash(value) ? value.substr(0, 8) : value; }

// "file scripts/serve.py of serve", "content of parameter serve_script of serve".
std::string name_of(const std::string& component, const std::string& value,
                    const std::string& stage) {
  const auto dot = component.find('.');
  std::string name = component;
  if (component.starts_with("parameter."))
    name = (is_hash(value) ? "content of parameter " : "parameter ") + component.substr(dot + 1);
  else if (dot != std::string::npos && !component.ends_with(".source") &&
           !component.starts_with("container."))
    name = component.substr(0, dot) + " " + component.substr(dot + 1);
  return name + " of " + stage;
}

class Reader {
 public:
  Reader(sql::Database& database, const Selected& selected)
      : statements_(database), selected_(selected) {}

  Result<Configuration> read() {
    ORCH_TRY(read_parts());
    ORCH_TRY(read_manifests());
    for (const auto& [measurement, stages] : of_) {
      for (const std::int64_t stage : stages) add(parts_.at(stage));
    }
    note_pooled();
    return std::move(out_);
  }

 private:
  Status read_parts() {
    std::set<std::int64_t> stages;
    ORCH_TRY(statements_.rows(
        fmt::format("WITH RECURSIVE part(measurement, stage) AS (SELECT id, stage_id FROM "
                    "measurement WHERE id IN ({}) UNION SELECT p.measurement, n.needs_id FROM part "
                    "p JOIN stage_need n ON n.stage_id = p.stage) SELECT * FROM part",
                    newest_in_sql(selected_)),
        [&](sql::Statement& row) {
          of_[row.column_int(0)].insert(row.column_int(1));
          stages.insert(row.column_int(1));
        }));
    return statements_.rows(fmt::format("SELECT id, name, components FROM stage WHERE id IN ({})",
                                        fmt::join(stages, ", ")),
                            [&](sql::Statement& row) {
                              Part& part = parts_[row.column_int(0)];
                              part.name = row.column_text(1);
                              for (auto& [name, value] : store::components_in(row.column_text(2)))
                                part.components[name] = std::move(value);
                            });
  }

  Status read_manifests() {
    return statements_.rows(
        fmt::format(
            "SELECT DISTINCT coalesce((SELECT group_concat(e.value) FROM json_each(r.runners)"
            " e WHERE e.key = v.runner), '') FROM results_all v JOIN measurement m ON m.id "
            "= v.measurement JOIN attempt a ON a.id = m.attempt_id JOIN run r ON r.id = "
            "a.run_id WHERE v.measurement IN ({})",
            newest_in_sql(selected_)),
        [&](sql::Statement& row) { out_.manifests.insert(row.column_text(0)); });
  }

  void add(const Part& part) {
    for (const auto& [component, value] : part.components) {
      if (component.starts_with("parameter."))
        out_.parameters[part.name].insert(component.substr(component.find('.') + 1));
      if (starts_with_one_of(component, k_apart)) continue;
      if (component.starts_with("argv[")) out_.words[part.name].insert(value);
      else out_.components[name_of(component, value, part.name)].insert(shown(value));
    }
  }

  // The components of a measurement's stages, except k_apart.
  std::map<std::string, std::string> made_of(std::int64_t measurement) const {
    std::map<std::string, std::string> out;
    const auto stages = of_.find(measurement);
    if (stages == of_.end()) return out;
    for (const std::int64_t stage : stages->second) {
      const Part& part = parts_.at(stage);
      for (const auto& [component, value] : part.components)
        if (!starts_with_one_of(component, k_apart)) {
          std::string& all =
              out[component.starts_with("argv[") ? "command of " + part.name
                                                 : name_of(component, value, part.name)];
          all += (all.empty() ? "" : " ") + value;
        }
    }
    return out;
  }

  void note_pooled() {
    std::map<std::vector<std::string>, std::set<std::map<std::string, std::string>>> found;
    for (const Measured& row : newest_of(selected_)) {
      if (!row.valid || row.imported) continue;  // the only input known of an import is its file
      found[row.parameters].insert(made_of(row.measurement));
    }
    std::size_t most = 0;
    std::set<std::string> names;
    for (const auto& [parameters, configurations] : found) {
      most = std::max(most, configurations.size());
      for (const auto& one : configurations)
        for (const auto& [name, value] : one) {
          const auto& first = *configurations.begin();
          const auto at = first.find(name);
          if (at == first.end() || at->second != value) names.insert(name);
        }
    }
    if (most < 2) return;
    constexpr std::size_t k_most_named = 3;
    std::vector<std::string> some(names.begin(), names.end());
    if (some.size() > k_most_named) {
      some.resize(k_most_named);
      some.push_back(fmt::format("{} more", names.size() - k_most_named));
    }
    out_.pooled = fmt::format("{} configurations, which differ in {}", most,
                              some.empty() ? "their stages" : join(some, ", "));
  }

  tables::Statements statements_;
  const Selected& selected_;
  std::map<std::int64_t, std::set<std::int64_t>> of_;  // stages of each measurement
  std::map<std::int64_t, Part> parts_;
  Configuration out_;
};

// Arguments and values that only one side has and that no differing parameter explains.
class ComponentDifferences {
 public:
  ComponentDifferences(const Configuration& a, const Configuration& b, const Pairing& pairing)
      : a_(a), b_(b), same_manifest_(have_one_manifest(a, b)) {
    for (const Differing& one : pairing.differing) {
      names_.insert(one.parameter);
      values_.insert(one.a.begin(), one.a.end());
      values_.insert(one.b.begin(), one.b.end());
    }
  }

  std::vector<std::string> all() const {
    std::vector<std::string> out;
    for (const auto& [name, values] : a_.components) {
      const auto other = b_.components.find(name);
      if (other != b_.components.end() && other->second != values && !follows(name, values))
        out.push_back(change_of(name, values, other->second));
    }
    if (same_manifest_ || names_.contains("runner")) return out;
    for (const auto& [stage, words] : a_.words)
      if (const auto other = b_.words.find(stage); other != b_.words.end())
        add_words(stage, words, other->second, out);
    return out;
  }

 private:
  bool is_compared(std::string_view word) const {
    return std::ranges::any_of(
        names_, [&](const std::string& name) { return name.find(word) != std::string::npos; });
  }

  bool follows(const std::string& name, const std::set<std::string>& values) const {
    const std::string stage = name.substr(name.rfind(" of ") + 4);
    const std::string component = name.substr(0, name.rfind(" of "));
    if (const auto source = component.rfind(".source"); source != std::string::npos)
      return names_.contains(component.substr(0, source));
    if (component == "dataset" || component == "isolation" || component == "gpu_clock_mhz")
      return names_.contains(component);
    for (const std::string_view prefix : {"content of parameter ", "parameter "})
      if (component.starts_with(prefix)) {
        const std::string parameter = component.substr(prefix.size());
        return names_.contains(parameter) || (prefix == "parameter " && same_manifest_);
      }
    if (names_.contains("runner")) return component != "generator_version";
    if (component == "container.image" || component == "version")
      return is_compared("version") || is_compared("image");
    if (component.starts_with("file ") || component.starts_with("copy ") ||
        component.starts_with("executable ") || component == "gpu" ||
        component == "generator_version")
      return false;
    if (same_manifest_) return true;
    if (component.starts_with("render ")) return reads_differing(stage);
    return std::ranges::all_of(values,
                               [this](const std::string& value) { return is_explained(value); });
  }

  bool reads_differing(const std::string& stage) const {
    for (const Configuration* side : {&a_, &b_})
      if (const auto read = side->parameters.find(stage); read != side->parameters.end())
        for (const std::string& name : names_)
          if (read->second.contains(name)) return true;
    return false;
  }

  // Whether WORD is a differing value, or contains one not surrounded by characters of names and
  // numbers.
  bool is_explained(std::string_view word) const {
    const auto is_inner = [&word](std::size_t at) {
      const auto is_digit = [&word](std::size_t i) {
        return i < word.size() && word[i] >= '0' && word[i] <= '9';
      };
      if (word[at] == '.') return at > 0 && is_digit(at - 1) && is_digit(at + 1);
      return std::isalnum(static_cast<unsigned char>(word[at])) || word[at] == '_';
    };
    for (const std::string& value : values_) {
      if (value.empty()) continue;
      for (auto at = word.find(value); at != std::string_view::npos;
           at = word.find(value, at + 1)) {
        const auto end = at + value.size();
        if ((at == 0 || !is_inner(at - 1)) && (end == word.size() || !is_inner(end))) return true;
      }
    }
    return false;
  }

  void add_words(const std::string& stage, const std::set<std::string>& a,
                 const std::set<std::string>& b, std::vector<std::string>& out) const {
    std::set<std::string> only_a, only_b;
    const auto keep = [&](const std::set<std::string>& from, const std::set<std::string>& other,
                          std::set<std::string>& into) {
      for (const std::string& word : from)
        if (!other.contains(word) && !is_explained(word) && word.find("{stage:") == word.npos)
          into.insert(word);
    };
    keep(a, b, only_a);
    keep(b, a, only_b);
    if (only_a.empty() && only_b.empty()) return;
    out.push_back(change_of("command of " + stage, only_a, only_b));
  }

  const Configuration& a_;
  const Configuration& b_;
  const bool same_manifest_;
  std::set<std::string> names_, values_;
};

}  // namespace

bool have_one_manifest(const Configuration& a, const Configuration& b) {
  return a.manifests == b.manifests && a.manifests.size() == 1 && !a.manifests.contains("");
}

Result<Configuration> configuration_of(sql::Database& database, const Selected& selected) {
  return Reader(database, selected).read();
}

std::vector<std::string> differing_components(const Configuration& a, const Configuration& b,
                                              const Pairing& pairing) {
  return ComponentDifferences(a, b, pairing).all();
}

}  // namespace orch::compare

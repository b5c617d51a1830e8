// The texts of a stage: arguments, variables, files and probes of its kind, with a point's values.
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/render/template.hpp"

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

namespace orch::plan {

namespace {

// Limit for the arguments of a command, and for rounds of its repeated parts, which may be empty.
constexpr std::size_t k_most_words = 100000;

using Words = std::vector<std::string>;
using Map = SymbolValues::Map;

// VALUES escaped for the inside of a JSON string. Numbers are unchanged.
Map in_json(Map values) {
  for (auto& [name, value] : values) {
    const std::string quoted = dump(nlohmann::json(value));
    value = quoted.substr(1, quoted.size() - 2);
  }
  return values;
}

// The texts of a list parameter.
Words texts_of_list(std::string_view value) {
  const nlohmann::json texts = nlohmann::json::parse(value, nullptr, false);
  Words out;
  for (const auto& text : texts.is_array() ? texts : nlohmann::json::array())
    out.push_back(text.is_string() ? text.get<std::string>() : dump(text, -1));
  return out;
}

// Adds the arguments of fragments that apply to a point. Leaves out a fragment whose question waits
// for a fact, which components.cpp lists.
class FragmentWords {
 public:
  FragmentWords(RunnerContext& context, const Instance& from, Words& argv)
      : context_(context), from_(from), argv_(argv) {}

  void add(const std::vector<runner::Fragment>& fragments, const Map& values) {
    for (const runner::Fragment& fragment : fragments) {
      const double answered = fragment.when ? answer(from_.point, *fragment.when) : 1;
      const double times =
          fragment.counted ? answered : answered > 0;  // false while the answer is unknown
      for (int index = 1; index <= times; ++index) {
        if (fragment.counted && std::max(++rounds_, argv_.size()) > k_most_words) return refuse();
        if (!fragment.counted) {
          add_once(fragment, values);
          continue;
        }
        Map known = values;
        known[fragment.index.empty() ? "index" : fragment.index] = std::to_string(index);
        add_once(fragment, known);
      }
    }
  }

 private:
  void add_once(const runner::Fragment& fragment, const Map& values) {
    if (fragment.each.empty()) add_words(fragment, values);
    else add_each(fragment, values);
    add(fragment.parts, values);
  }

  // The arguments of FRAGMENT, filled in once, so that a value with braces stays unchanged.
  void add_words(const runner::Fragment& fragment, const Map& values) {
    for (const std::string& text : fragment.words) {
      if (!fragment.cut) {
        argv_.push_back(filled(text, values));
        continue;
      }
      std::istringstream words(filled(text, values));
      for (std::string word; words >> word;) argv_.push_back(word);
    }
  }

  // The arguments, once for each text of a list parameter.
  void add_each(const runner::Fragment& fragment, Map values) {
    const auto list = values.find(fragment.each);
    if (list == values.end()) return;
    for (std::string& text : texts_of_list(list->second)) {
      values[fragment.each] = std::move(text);
      add_words(fragment, values);
    }
  }

  void refuse() {
    context_.complaints.add(
        "times of " + from_.kind.name,
        invalid(fmt::format("argv of stage '{}' has more than {} words or repeated parts for "
                            "point {}; lower 'times'",
                            from_.kind.name, k_most_words, from_.point.name),
                from_.kind.where));
  }

  RunnerContext& context_;
  const Instance& from_;
  Words& argv_;
  std::size_t rounds_ = 0;  // repetitions of `times` parts so far
};

// Leaves out members of a job that are parameters without a value.
void leave_out_absent(StageDraft& draft) {
  for (const std::string& name : draft.from.kind.reads)
    if (!draft.stage.parameters.contains(name) && !is_unknown(draft.from.point, name))
      std::erase_if(draft.stage.spec.job, [&](const auto& member) {
        return member.second == fmt::format("{{{}}}", name);
      });
}

// A counted port becomes NAME.1 and so on; only NAME.1 while its count is unknown.
Words ports_of(RunnerContext& context, const Instance& from) {
  Words ports;
  for (const std::string& port : from.kind.ports) {
    const auto counted = from.kind.port_counts.find(port);
    if (counted == from.kind.port_counts.end()) {
      ports.push_back(port);
      continue;
    }
    const double asked = answer(from.point, counted->second);
    if (asked < 1 || asked > k_most_ports)
      context.complaints.add(
          fmt::format("ports {} of {}", port, from.kind.name),
          invalid(fmt::format("point {} has {:g} ports '{}' of stage '{}'; 1 to {:g} are allowed",
                              from.point.name, asked, port, from.kind.name, k_most_ports),
                  from.kind.where));
    const double count = std::isnan(asked) ? 1 : std::clamp(asked, 1.0, k_most_ports);
    for (int i = 1; i <= count; ++i) ports.push_back(fmt::format("{}.{}", port, i));
  }
  return ports;
}

// The command that prints its program's version; null if no fragment has arguments.
std::shared_ptr<const Version> version_of(RunnerContext& context, const Instance& from,
                                          const SymbolValues& values) {
  Version version{.argv = {}, .answer = {}, .where = from.kind.version_where};
  FragmentWords(context, from, version.argv).add(from.kind.version, values.planned);
  for (std::string& word : version.argv) word = filled(word, values.hashed);
  return version.argv.empty() ? nullptr : std::make_shared<Version>(std::move(version));
}

}  // namespace

bool names_absent(const Instance& from, std::string_view text) {
  for (std::size_t i = 0; i < from.needs.size(); ++i)
    if (!from.needs[i] && text.starts_with(fmt::format("{{stage:{}}}", from.kind.needs[i])))
      return true;
  return false;
}

void fill_spec(RunnerContext& context, StageDraft& draft, const SymbolValues& values) {
  const runner::StageKind& kind = draft.from.kind;
  Spec& spec = draft.stage.spec;
  static_cast<runner::StageCommon&>(spec) = kind;
  spec.runner = context.manifest.name;
  std::erase_if(spec.place,
                [&](const runner::Place& place) { return names_absent(draft.from, place.from); });
  spec.ports = ports_of(context, draft.from);
  if (kind.fragments.empty()) spec.argv = kind.argv;
  for_each_text(spec, [&](std::string& text) { text = filled(text, values.planned); });
  leave_out_absent(draft);
  spec.argv.reserve(kind.argv.size());
  FragmentWords(context, draft.from, spec.argv).add(kind.fragments, values.planned);
  spec.version = version_of(context, draft.from, values);
  if (kind.tools)
    spec.tools = std::make_shared<runner::Tools>(
        runner::Tools{.from = filled(filled(kind.tools->from, values.planned), values.hashed),
                      .names = kind.tools->names});
  fill_container(context, draft);
  fill_ready(draft, values);
  fill_smoke(draft, values);
}

void fill_ready(StageDraft& draft, const SymbolValues& values, double most_s) {
  if (!draft.from.kind.ready) return;
  auto ready = std::make_shared<runner::Ready>(*draft.from.kind.ready);
  for (std::string& path : ready->get) path = filled(path, values.planned);
  ready->timeout_s = std::min(ready->timeout_s, most_s);
  draft.stage.spec.ready = std::move(ready);
}

void fill_smoke(StageDraft& draft, const SymbolValues& values) {
  const runner::StageKind& kind = draft.from.kind;
  const auto chosen = std::ranges::find_if(kind.smoke, [&](const auto& one) {
    return !one.when || answer(draft.from.point, *one.when) > 0;
  });
  if (chosen == kind.smoke.end()) return;
  auto smoke = std::make_shared<runner::Smoke>(*chosen);
  smoke->body = filled(filled(smoke->body, in_json(values.planned)), in_json(values.hashed));
  draft.stage.spec.smoke = std::move(smoke);
}

void render_files(RunnerContext& context, StageDraft& draft, const SymbolValues& values) {
  const std::string& runner = context.manifest.name;
  for (const runner::Render& render : draft.from.kind.render) {
    const auto text = context.answers.text("template " + render.from, [&] {
      return context.facts.template_text(runner, render.from);
    });
    if (!text) {
      context.complaints.add(render.from, text.error());
      continue;
    }
    draft.stage.inputs.push_back(context.facts.project_path(runner, render.from));
    std::map<std::string, std::string> planned, hashed;
    for (const auto& [name, value] : render.values) {
      planned[name] = filled(value, values.planned);
      hashed[name] = filled(planned[name], values.hashed);
    }
    Errors found, same;
    draft.stage.rendered[render.to] = render::fill(**text, render.from, planned, found);
    if (hashed != planned)
      draft.written[render.to] = render::fill(**text, render.from, hashed, same);
    context.complaints.add(render.from, found);
  }
}

}  // namespace orch::plan

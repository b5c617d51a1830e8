// The provenance of stages. See sections.hpp.
#include "core/base/text.hpp"
#include "analysis/page/labels.hpp"
#include "analysis/page/sections.hpp"
#include "analysis/plot/markup.hpp"

#include <algorithm>
#include <map>

namespace orch::page {

namespace {

using plot::escaped_markup;

constexpr std::size_t k_few = 40;  // digests of more stages are shortened

// Stages that differ at most in single words of their command.
struct Family {
  std::vector<std::size_t> stages;
  std::vector<bool> is_shared;  // by word of the command
};

std::vector<Family> families_of(const Report& report) {
  std::vector<Family> out;
  std::map<std::vector<std::string>, std::size_t> at;
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    const StageFacts& stage = report.stages[i];
    const std::vector<std::string> key{stage.name,
                                       stage.kind,
                                       std::to_string(stage.command.size()),
                                       stage.command.empty() ? "" : stage.command.front(),
                                       stage.tool_version,
                                       stage.machine,
                                       stage.version,
                                       join(stage.environment, "\n")};
    const auto [found, is_new] = at.emplace(key, out.size());
    if (is_new) out.push_back({{}, std::vector<bool>(stage.command.size(), true)});
    Family& family = out[found->second];
    family.stages.push_back(i);
    const auto& first = report.stages[family.stages.front()].command;
    for (std::size_t word = 0; word < first.size(); ++word)
      if (stage.command[word] != first[word]) family.is_shared[word] = false;
  }
  return out;
}

std::string hole(std::size_t number) { return fmt::format("⟨{}⟩", number); }

std::string shared_command(const std::vector<std::string>& command, const Family& family) {
  std::string out;
  std::size_t holes = 0;
  for (std::size_t word = 0; word < command.size(); ++word)
    out += (out.empty() ? "" : " ") +
           (family.is_shared[word] ? shell_quote(command[word]) : hole(++holes));
  return out;
}

std::string facts_of(const StageFacts& stage) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&rows](std::string name, const std::string& value) {
    if (!value.empty()) rows.push_back({std::move(name), value});
  };
  add("versions", stage.tool_version);
  add("machine", stage.machine);
  add("environment", join(stage.environment, " "));
  add("orchestrate", stage.version);
  std::string out;
  for (const auto& row : rows)
    out += "<dt>" + row[0] + "</dt><dd>" + escaped_markup(row[1]) + "</dd>";
  return out.empty() ? "" : "<dl>" + out + "</dl>";
}

class Section {
 public:
  Section(const Report& report, std::size_t most) : report_(report), left_(most) {}

  std::string text() {
    std::string out;
    for (const Family& family : families_of(report_)) out += family_text(family);
    if (left_out_ > 0)
      out += fmt::format(
          "<p>The words that differ are left out for {}: <code>orchestrate show "
          "POINT</code> prints every command.</p>",
          count_of(left_out_, "stage"));
    return out;
  }

 private:
  std::string family_text(const Family& family) {
    const StageFacts& first = report_.stages[family.stages.front()];
    std::string out = fmt::format("<details><summary>{} <small>{}, {}</small></summary>",
                                  escaped_markup(first.name), escaped_markup(first.kind),
                                  count_of(family.stages.size(), "stage"));
    if (!first.command.empty())
      out += "<pre>" + escaped_markup(shared_command(first.command, family)) + "</pre>";
    out += facts_of(first) + "<ul>";
    const bool few = family.stages.size() <= k_few;
    for (const std::size_t stage : family.stages) out += stage_text(stage, family, few);
    return out + "</ul></details>\n";
  }

  std::string stage_text(std::size_t index, const Family& family, bool few) {
    const StageFacts& stage = report_.stages[index];
    const auto digest = [few](const std::string& text) {
      return escaped_markup(few ? text : text.substr(0, 16));
    };
    std::string out = fmt::format("<li id=\"s{}\"><b>{}</b>", index, escaped_markup(stage.id));
    if (few && !stage.digest.empty()) out += " digest " + digest(stage.digest);
    if (!stage.artifact_digest.empty())
      out += fmt::format(", artifact {}{}{}", few ? escaped_markup(stage.artifact) + " " : "",
                         digest(stage.artifact_digest), few ? "" : "…");
    std::string words;
    std::size_t holes = 0;
    for (std::size_t word = 0; word < stage.command.size(); ++word)
      if (!family.is_shared[word])
        words += " " + hole(++holes) + " " + escaped_markup(shell_quote(stage.command[word]));
    if (words.size() > left_) ++left_out_;
    else if (!words.empty()) {
      left_ -= words.size();
      out += "<code>" + words + "</code>";
    }
    return out + "</li>\n";
  }

  const Report& report_;
  std::size_t left_, left_out_ = 0;
};

}  // namespace

std::string provenance(const Report& report, std::size_t most_bytes) {
  return Section(report, most_bytes).text();
}

}  // namespace orch::page

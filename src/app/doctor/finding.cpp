#include "app/doctor/finding.hpp"

#include "core/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace orch::doctor {

namespace {

// The names of the points that lack something.
std::set<std::string> points_with_lacks(std::span<const Section> sections) {
  std::set<std::string> points;
  for (const Section& section : sections)
    for (const Finding& one : section.findings)
      if (one.level == Level::missing) points.insert(one.points.begin(), one.points.end());
  return points;
}

std::string counted(std::size_t points) {
  return fmt::format("{} point{}", points, points == 1 ? "" : "s");
}

// Why the exit status is what it is.
std::string end_of(std::span<const Section> sections) {
  if (const std::size_t points = points_with_lacks(sections).size())
    return fmt::format("exit status 1: {} cannot run here\n", counted(points));
  if (lacks_what_was_asked_for(sections))
    return "exit status 1: something that you asked for is missing\n";
  const bool asks =
      std::ranges::any_of(sections, [](const Section& one) { return one.is_asked_for; });
  return fmt::format("exit status 0: nothing that you asked for is missing{}\n",
                     asks ? "" : "; ask with --runner NAME, --executor slurm or --store DIR");
}

}  // namespace

bool Section::lacks() const {
  return std::ranges::any_of(findings,
                             [](const Finding& one) { return one.level == Level::missing; });
}

std::string text_of(const Finding& finding) {
  const std::string whose = finding.points.empty() ? "" : counted(finding.points.size()) + ": ";
  std::string text =
      fmt::format("  {:<8} {}{}\n", to_string(finding.level), whose, printable_line(finding.what));
  if (!finding.remedy.empty())
    text += fmt::format("  {:<8}   fix: {}\n", "", printable_line(finding.remedy));
  return text;
}

std::string text_of(std::span<const Section> sections) {
  std::string text;
  for (const Section& section : sections) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.heading);
    for (const Finding& one : section.findings) text += text_of(one);
  }
  return text + "\n" + end_of(sections);
}

std::string json_of(std::span<const Section> sections) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Section& section : sections) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const Finding& one : section.findings) {
      findings.push_back({{"level", to_string(one.level)},
                          {"what", printable_line(one.what)},
                          {"remedy", printable_line(one.remedy)}});
      if (!one.points.empty()) findings.back()["points"] = one.points;
    }
    json.push_back({{"section", section.heading},
                    {"asked_for", section.is_asked_for},
                    {"findings", findings}});
  }
  return json.dump(2) + "\n";
}

bool lacks_what_was_asked_for(std::span<const Section> sections) {
  return std::ranges::any_of(sections,
                             [](const Section& one) { return one.is_asked_for && one.lacks(); });
}

}  // namespace orch::doctor

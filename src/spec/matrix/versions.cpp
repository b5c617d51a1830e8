#include "spec/matrix/versions.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/expand.hpp"
#include "core/sql/database.hpp"

#include <map>

namespace orch::matrix {

namespace {

struct Older {
  bool operator()(const std::string& a, const std::string& b) const {
    return compare_versions(a, b) < 0;
  }
};

std::string what_is_known(const Versions& versions, const std::string& version) {
  const Versions::Row* row = versions.at(version);
  if (!row) return "";  // the runner rejects it
  if (compare_versions(row->version, version) != 0)
    return fmt::format(
        "is not in the runner's table and is assumed to have the options of {} (inferred)",
        row->version);
  if (row->evidence == Evidence::verified) return "";
  const std::string_view how =
      row->evidence == Evidence::neighbour ? "is known from a neighbouring version" : "is inferred";
  return fmt::format("{}{}{}", how, row->note.empty() ? "" : ": ", row->note);
}

// "0.15" for 0.14.0 and for 0.14.2: no version of this minor release or an older one reaches it.
std::string next_minor(const std::string& version) {
  std::vector<std::string> parts = split(version, '.');
  parts.resize(std::min<std::size_t>(parts.size(), 2));
  const auto number = to_integer(parts.back());
  parts.back() = number ? std::to_string(*number + 1) : parts.back() + "z";
  return join(parts, ".");
}

}  // namespace

std::string known_versions_sql(const Versions& versions) {
  std::vector<std::string> ranges, ends;
  for (const Versions::Row& row : versions.rows) {
    const std::string end = next_minor(row.version);
    if (!ends.empty() && ends.back() == end) continue;
    ends.push_back(end);
    ranges.push_back(fmt::format("{0} >= {1} AND {0} < {2}", versions.parameter,
                                 sql::quote_text(row.version), sql::quote_text(end)));
  }
  return join(ranges, " OR ");
}

std::string instead_of(const Versions& versions, const std::string& version) {
  if (versions.carried_by)
    for (const auto& [release, carried] : versions.carried_by->rows)
      if (release == version)
        return fmt::format("{} {} carries {} {}: write {}", versions.carried_by->of, release,
                           versions.of, carried, carried);
  const Versions::Row* before = versions.at(version);
  const auto after = std::ranges::find_if(versions.rows, [&](const Versions::Row& row) {
    return compare_versions(row.version, version) > 0;
  });
  if (!before) return fmt::format("the oldest is {}", versions.rows.front().version);
  if (after == versions.rows.end())
    return fmt::format("the newest is {}", versions.rows.back().version);
  return fmt::format("the nearest are {} and {}", before->version, after->version);
}

const Versions::Row* Versions::at(std::string_view version) const {
  const Row* found = nullptr;
  for (const Row& row : rows)
    if (compare_versions(row.version, version) <= 0) found = &row;
  return found;
}

std::vector<std::string> warnings_of(const Versions& versions, const std::vector<Point>& points) {
  std::map<std::string, std::size_t, Older> counts;
  for (const Point& point : points)
    if (const Value* version = point.parameters.find(versions.parameter);
        version && !point.is_rejected())
      ++counts[version->text];
  std::vector<std::string> warnings;
  for (const auto& [version, count] : counts)
    if (const std::string known = what_is_known(versions, version); !known.empty())
      warnings.push_back(
          fmt::format("{} {} ({} point{}) {}; if the tool is installed, its own --help decides",
                      versions.of, version, count, count == 1 ? "" : "s", known));
  return warnings;
}

}  // namespace orch::matrix

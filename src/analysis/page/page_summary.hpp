// The summary of a report in plain words: the best of each group, and what is marked and why.
// Knows no markup.
#pragma once

#include "analysis/page/report.hpp"

namespace orch::page {

// The best of a group by one metric.
struct BestOf {
  std::size_t row = 0, metric = 0;
  // Other rows of the group whose interval reaches the interval of the best.
  std::size_t not_separated = 0;
  std::size_t without = 0;  // other rows that have no value of the metric
};

struct GroupSummary {
  std::string name;
  std::size_t rows = 0;
  std::vector<BestOf> best;
};

// Of each group, by the metrics of the report's plot. Rows that do not count are left out, and so
// are percentiles that their requests do not support.
std::vector<GroupSummary> best_of_groups(const Report& report);

// How sure it is that BEST leads GROUP, in words: whose intervals it meets, whether it has one, and
// how many points have no value to compare with. Empty where nothing is to be said.
std::vector<std::string> standing_in_words(const Report& report, const GroupSummary& group,
                                           const BestOf& best);

// Sentences about what is invalid, disturbed, unsupported, warned of or failed.
std::vector<std::string> marks_in_words(const Report& report);

// The kinds of warnings with the number of points that have one, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> kinds_of_warnings(const Report& report);

}  // namespace orch::page

#include "results/imports/kept_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

Status for_each_json_line(const Source& source, Fault& fault,
                          const std::function<void(const Node&)>& each) {
  int number = 0;
  for (std::size_t at = 0; at < source.text.size();) {
    const std::size_t end = std::min(source.text.find('\n', at), source.text.size());
    const std::string_view line = trim(source.text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    ORCH_ASSIGN(const Document document, Document::parse(source.name, line, number));
    fault.set_file(fmt::format("{}:{}", source.name, number));
    const Node node = document.root(fault);
    if (node.is_object()) each(node);
    else fault.add("the line", node.shown(), "a JSON object is needed on each line");
    ORCH_TRY(fault.status());
  }
  return {};
}

void warn_of_left_out(Fault& fault, Reading& reading) {
  for (std::string& words : fault.take_left_out()) reading.warnings.push_back(std::move(words));
}

Result<std::vector<Reading>> read_objects(const Source& source,
                                          const std::function<Reading(const Node&)>& read) {
  std::vector<Reading> readings;
  Fault fault(source.name);
  const auto add = [&](const Node& object) {
    if (!object.is_object()) return fault.add("the result", object.shown(), "an object is needed");
    readings.push_back(read(object));
    warn_of_left_out(fault, readings.back());
  };
  const auto document = Document::parse(source.name, source.text);
  if (!document) {
    const std::string_view text = trim(source.text), line = trim(first_line(text));
    const bool is_first_of_lines = line.size() < text.size() && Document::parse("", line).ok();
    if (!is_first_of_lines) return document.error();
    ORCH_TRY(for_each_json_line(source, fault, add));
    return readings;
  }
  const Node root = document->root(fault);
  for (const Node& object : root.is_list() ? root.items() : std::vector{root}) add(object);
  ORCH_TRY(fault.status());
  return readings;
}

void warn_of_no_starts(const Node& times, Reading& reading) {
  if (!times.is_list() || times.items().empty()) return;
  reading.warnings.push_back(
      fmt::format("the times of its {} requests are not read: the file has no start_times",
                  times.items().size()));
}

void start_at_zero(KeptRequests& kept) {
  std::vector<measure::RequestRecord>& records = kept.records;
  if (records.empty()) return;
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return records[a].sent_ns < records[b].sent_ns; });
  KeptRequests sorted;
  const std::int64_t start = records[order[0]].sent_ns;
  for (const std::size_t from : order) {
    measure::RequestRecord& record = sorted.records.emplace_back(std::move(records[from]));
    record.index = static_cast<std::int64_t>(sorted.records.size()) - 1;
    record.sent_ns -= start;
    record.end_ns -= start;
    for (std::int64_t& event : record.event_ns) event -= start;
    if (!kept.texts.empty()) sorted.texts.push_back(std::move(kept.texts[from]));
  }
  kept.records = std::move(sorted.records);
  kept.texts = std::move(sorted.texts);
  kept.wall_start_ns = start;
  kept.streamed = std::ranges::all_of(
      kept.records, [](const auto& record) { return !record.ok() || record.streamed; });
}

}  // namespace orch::imports

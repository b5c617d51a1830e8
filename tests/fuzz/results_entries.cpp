// The entry for result files of other tools.
#include "fuzz/entries.hpp"
#include "fuzz/expect.hpp"
#include "results/imports/format.hpp"
#include "results/imports/gather.hpp"

#include <algorithm>
#include <functional>

namespace orch::fuzz {
namespace {

void check(const measure::RequestRecord& record, std::string_view format) {
  expect(std::is_sorted(record.event_ns.begin(), record.event_ns.end()), "events out of order",
         format);
  if (record.has_events())
    expect(record.sent_ns <= record.event_ns.front() && record.event_ns.back() <= record.end_ns,
           "events outside of their request", format);
  expect(record.osl_counted.value_or(0) >= 0 && record.isl.value_or(0) >= 0, "a negative count",
         format);
}

}  // namespace

// Every format that recognises the text reads it, and so does one other, which the text chooses: a
// user may name any format with --format.
std::size_t read_results(std::string_view text) {
  std::size_t recognised = 0;
  const auto formats = imports::formats();
  const std::size_t other = std::hash<std::string_view>{}(text) % formats.size();
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const imports::Format& format = formats[i];
    const imports::Source source{"results.txt", text};
    const bool is_it = format.recognise(source);
    recognised += is_it;
    if (!is_it && i != other) continue;
    auto readings = format.read(source);
    if (!readings) {
      check_message(readings.error());
      continue;
    }
    for (imports::Reading& reading : *readings) {
      for (const measure::RequestRecord& record : reading.requests.records)
        check(record, format.name);
      expect(!imports::name_point(reading).empty(), "a point without a name", format.name);
      imports::Gathered one{&format, std::move(reading), {{.path = source.name, .sha256 = {}}}};
      expect(!imports::measurements_of(one).empty(), "a reading without a figure", format.name);
    }
  }
  return recognised;
}

}  // namespace orch::fuzz

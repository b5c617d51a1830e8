// Reads a text as a file of another tool, and looks up what it says.
#pragma once

#include "bench/measure/metric_names.hpp"
#include "results/imports/format.hpp"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::imports {

inline std::string data(const std::string& name) {
  std::ifstream file(std::string(ORCH_SOURCE_DIR) + "/tests/results/imports/data/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The format that recognises TEXT; "" for none.
inline std::string format_of(std::string_view text, const std::string& name = "file") {
  const Format* format = recognise({name, text});
  return format ? std::string(format->name) : "";
}

inline std::vector<Reading> read(std::string_view text, const std::string& name = "file") {
  const Format* format = recognise({name, text});
  if (!format) throw std::runtime_error("no format recognises it");
  auto readings = format->read({name, text});
  if (!readings) throw std::runtime_error(readings.error().text());
  return std::move(readings).value();
}

inline std::string error_of(std::string_view text, const std::string& name = "file") {
  const Format* format = recognise({name, text});
  if (!format) return "no format recognises it";
  const auto readings = format->read({name, text});
  return readings ? "no error" : readings.error().text();
}

// NaN: the reading has no such figure.
inline double figure(const Reading& reading, std::string_view name,
                     std::string_view statistic = "") {
  for (const record::NamedMetric& one : reading.figures) {
    if (one.name != name) continue;
    if (statistic.empty()) return one.mean.value_or(std::nan(""));
    return one.statistics[parse_name<Statistic>(statistic).value()].value_or(std::nan(""));
  }
  return std::nan("");
}

// "" for a parameter that is not set.
inline std::string parameter(const Reading& reading, const std::string& name) {
  const auto found = reading.parameters.find(name);
  return found == reading.parameters.end() ? "" : found->second.text;
}

}  // namespace orch::imports

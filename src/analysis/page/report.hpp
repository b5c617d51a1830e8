// A report as a value: rows with figures, their provenance, and the events of the run. Depends
// neither on the store nor on HTML.
#pragma once

#include "bench/measure/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::page {

// A figure with its 95 % interval. If only one limit is known, the other is unbounded.
struct Figure {
  double value = 0;
  std::optional<double> low, high;
  bool supported = true;  // false: too few requests for this percentile
};

using measure::Better;

struct Metric {
  std::string name;       // of the column: "ttft_ms_p99"
  std::string family;     // for people, without its statistic: "TTFT"
  std::string statistic;  // "" (the mean or the value), "p99"
  std::string unit;
  Better better = Better::neither;
  bool in_table = true;
};

enum class Role {
  length,  // length of prompts or answers
  load,    // concurrency, request rate
  choice,  // a choice of the user: precision, runner, batch size
};

// A parameter with several values in the report.
struct Parameter {
  std::string name;
  Role role = Role::choice;
};

enum class State {
  valid,
  warned,     // valid, with a warning that may explain the figures
  disturbed,  // valid, but something else used the machine or the server meanwhile
  invalid,    // the figures do not count
};

struct Row {
  std::string experiment, point;
  std::vector<std::string> parameters;         // as Report::parameters; "" without a value
  std::vector<std::optional<Figure>> figures;  // as Report::metrics
  // Parameters that are texts rather than choices, with their names.
  std::vector<std::pair<std::string, std::string>> remarks;
  State state = State::valid;
  std::string reasons;  // why it is invalid
  std::vector<std::string> warnings;
  std::int64_t repeats = 1;
  std::int64_t sessions = 0;        // server sessions; 0 is unknown
  bool on_front = false;            // on the Pareto front of its group
  std::vector<std::size_t> stages;  // indexes into Report::stages
};

// Rows that may be compared with each other: one model, one tool, one length.
struct Group {
  std::string name;
  std::vector<std::size_t> rows;  // indexes into Report::rows
};

struct StageFacts {
  std::string id, name, kind, tool_version, digest, artifact, artifact_digest, machine, version;
  std::vector<std::string> command, environment;
};

struct FailureFacts {
  std::string stage, kind, message;
  std::int64_t points = 0;
};

struct Requests {
  std::string name;
  std::vector<double> values;
};

struct ModelTime {
  std::string name;
  double queue_ms = 0, input_ms = 0, infer_ms = 0, output_ms = 0;
};

struct WorkSpan {
  std::string stage, kind;  // the stage's name; task, service or measure
  double begin_s = 0, end_s = 0;
  bool failed = false;
};

// A figure of the host, a server or a GPU in the course of the run.
struct Trend {
  std::string title, unit;
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;  // minutes since the start, value
  };
  std::vector<Series> series;
};

// The result of comparing two sides, as the page prints it.
struct ComparisonSection {
  std::string title;    // "A against B"
  std::string verdict;  // one sentence
  struct Row {
    std::string label, a, b, difference, interval, verdict;
  };
  std::vector<Row> rows = {};
  std::vector<std::string> facts;  // sentences on the sides, their pairing, and what else differs
};

struct Report {
  std::string title;
  std::string store, selection, made_at, version;
  std::string condition = {};  // the SQL that selected the points; "": all of them
  std::vector<std::pair<std::string, std::string>> constants;  // parameters with one value
  std::vector<std::string> implied;   // names of parameters that follow from the others
  std::vector<std::string> warnings;  // warnings that every row has
  std::vector<Parameter> parameters;
  std::vector<Metric> metrics;
  std::optional<std::size_t> x, y;  // axes of the plot with the front: indexes into `metrics`
  std::vector<Row> rows;
  std::vector<Group> groups;  // the largest first; every row is in one
  std::vector<StageFacts> stages;
  std::vector<FailureFacts> failures;
  std::string requests_of;  // the load of the latency samples
  std::vector<Requests> latencies;
  std::vector<ModelTime> model_times;
  std::string timeline_of;  // "Run 3: 12 attempts in 4 min 05 s, ..."
  std::vector<WorkSpan> spans;
  std::vector<Trend> trends;
  std::optional<ComparisonSection> comparison;
  bool live = false;  // the page polls for a newer version
};

}  // namespace orch::page

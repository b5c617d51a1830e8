// Turns a kind of stage and a point into a stage: fills in parameters, looks up identities, lists
// components, takes key and digest. Does not depend on other points or on the store.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orch::plan {

inline constexpr double k_most_ports = 64;  // per name

// The file with the rows of a dataset, in the output of the stage that fetches the dataset or
// chooses rows.
inline constexpr std::string_view k_rows_of_dataset = "rows";

// The numbers of the repeats under `measure.repeats`, from 0. Only a measurement's own number is a
// component even if it is 0.
struct Repeats {
  std::int64_t build = 0, serve = 0, measure = 0;
};

// The inputs of one stage. Borrows everything.
struct Instance {
  const runner::StageKind& kind;
  const matrix::Point& point;
  std::span<const Stage* const> needs;  // as kind.needs; nullptr: the point lacks that stage
  const matrix::Provision* provided = nullptr;  // of its output, if it already exists
  Repeats repeats{};
  const matrix::RunningServer* server = nullptr;  // replaces this service
  // Parameters that only describe how the point's server was started.
  std::span<const std::string> stated{};
  matrix::Isolation isolation = matrix::Isolation::strict;  // for a measurement
};

// Errors, each once per cause, and warnings.
class Complaints {
 public:
  // ERRORS must outlive this.
  explicit Complaints(Errors& errors) : errors_(errors) {}

  void add(const std::string& cause, Error error) { add(cause, Errors{std::move(error)}); }
  void add(const std::string& cause, const Errors& errors) {
    if (!errors.empty() && causes_.insert(cause).second)
      errors_.insert(errors_.end(), errors.begin(), errors.end());
  }
  void warn(std::string text) { warnings_.insert(std::move(text)); }
  const std::set<std::string>& warnings() const { return warnings_; }

 private:
  Errors& errors_;
  std::set<std::string> causes_, warnings_;
};

// Identities and texts, each looked up once.
class Answers {
 public:
  explicit Answers(Complaints& complaints) : complaints_(complaints) {}

  // nullopt if unknown, or after an error, which becomes a complaint.
  using AskIdentity = std::function<Result<std::optional<std::string>>()>;
  std::optional<std::string> identity(const std::string& name, const AskIdentity& ask);
  // An error is not kept, so the next call asks again; the caller reports it.
  using AskText = std::function<Result<std::string>()>;
  Result<const std::string*> text(const std::string& name, const AskText& ask);

 private:
  Complaints& complaints_;
  std::unordered_map<std::string, std::optional<std::string>> identities_;
  std::unordered_map<std::string, std::string> texts_;
};

// The values that a kind depends on, besides its `reads`.
struct Dependencies {
  bool model = false;                     // the point's
  std::vector<std::string> named_models;  // parameters of type model
  bool dataset = false;                   // {dataset.source}
  bool origin = false;                    // {dataset.origin}
  bool any_of_dataset = false;
  bool warmup = false;
  std::vector<std::size_t> answers;       // questions
  std::vector<std::string> of_container;  // parameters that its `reads` may lack
};

// The common inputs of all stages of one runner, and what has been looked up for them.
struct RunnerContext {
  // Both, and everything that INPUTS borrows, must outlive this.
  RunnerContext(const Inputs& inputs, Errors& errors);
  RunnerContext(const RunnerContext&) = delete;
  RunnerContext& operator=(const RunnerContext&) = delete;

  const Dependencies& dependencies(const runner::StageKind& kind);

  const runner::Manifest& manifest;
  const matrix::Matrix& matrix;
  Facts& facts;
  const Options& options;
  const std::set<std::string> fact_stages;  // see decide.hpp
  Complaints complaints;
  Answers answers;

 private:
  std::unordered_map<const runner::StageKind*, Dependencies> dependencies_;
};

class Instantiator {
 public:
  // Both, and everything that INPUTS borrows, must outlive this.
  Instantiator(const Inputs& inputs, Errors& errors) : context_(inputs, errors) {}

  // The values that the kind of FROM can see. Equal keys give equal stages, so instances can be
  // compared before their stages are made. Keys are valid only within this process.
  std::string key(const Instance& from);

  // Appends each error (a missing file, an unfilled template) once per cause.
  Stage make(const Instance& from);

  // An error: PARAMETER describes how SERVER was started, yet points give it the values ONE and
  // OTHER.
  void refuse_varied(const matrix::RunningServer& server, const std::string& parameter,
                     const std::string& one, const std::string& other);

  // About paths that are not on this machine, and running servers.
  const std::set<std::string>& warnings() const { return context_.complaints.warnings(); }

 private:
  RunnerContext context_;
  // The components of each kind's first stage; those of later stages resemble them.
  std::unordered_map<const runner::StageKind*, std::shared_ptr<const Components::List>> first_of_;
};

}  // namespace orch::plan

// A kind of stage and a point become a stage: parameters filled in, identities looked up,
// components listed, key and digest taken. Knows nothing of other points or of the store.
#pragma once

#include "plan/graph/plan.hpp"

#include <array>
#include <span>
#include <unordered_map>

namespace orch::plan {

inline constexpr double k_most_ports = 64;  // of one name

// Whether any string of KIND contains SYMBOL, braces included.
bool mentions(const runner::StageKind& kind, std::string_view symbol);

// Whether KIND has {PARAMETER.source} or {PARAMETER.revision}.
bool refers_to_model(const runner::StageKind& kind, std::string_view parameter);

// Of the file with the rows of a dataset, in the output of the stages that fetch it and choose
// them.
inline constexpr std::string_view k_rows_of_dataset = "rows";

// The numbers of the repeats under `measure.repeats`. 0 is the first, which enters only the digest
// of a measurement.
struct Repeats {
  std::int64_t build = 0, serve = 0, measure = 0;
};

// What one stage is made from. Borrows everything.
struct Instance {
  const runner::StageKind& kind;
  const matrix::Point& point;
  std::span<const Stage* const> needs;  // as kind.needs; nullptr: the point does without that stage
  const matrix::Provision* provided = nullptr;  // its output exists already
  Repeats repeats{};
  const matrix::RunningServer* server = nullptr;  // in place of this service
  // Parameters that only describe how the server of the point was started.
  std::span<const std::string> stated{};
  matrix::Isolation isolation = matrix::Isolation::strict;  // of a measurement
};

class Instantiator {
 public:
  // Both, and what INPUTS borrows, must outlive this.
  Instantiator(const Inputs& inputs, Errors& errors);

  // Equal keys give equal stages: the values that the kind can see, without making the stage.
  std::string key(const Instance& from);

  // Appends each error (a missing file, an unfilled template) once per cause.
  Stage make(const Instance& from);

  // PARAMETER tells how SERVER was started, and points give it the values ONE and OTHER: an error.
  void refuse_varied(const matrix::RunningServer& server, const std::string& parameter,
                     const std::string& one, const std::string& other);

  // Of paths that are not on this machine, and of servers that run already.
  const std::set<std::string>& warnings() const { return warnings_; }

 private:
  // The values that a kind depends on, beside its `reads`.
  struct Sees {
    bool model = false;                     // the point's
    std::vector<std::string> named_models;  // parameters of type model
    bool dataset = false;                   // {dataset.source}
    bool origin = false;                    // {dataset.origin}
    bool any_of_dataset = false;
    bool warmup = false;
    std::vector<std::size_t> answers;       // questions
    std::vector<std::string> of_container;  // parameters that its `reads` need not have
  };
  using Symbols = std::map<std::string, std::string, std::less<>>;
  struct Making;

  const Sees& sees(const runner::StageKind& kind);
  Symbols symbols_of(const Instance& from, Making& making);
  void find_paths(Making& making);
  Symbols late_symbols_of(Making& making);
  void add_model_symbols(Making& making, Symbols& late);
  static bool names_absent(const Instance& from, std::string_view text);
  void fill_spec(Making& making, const Symbols& symbols, const Symbols& late);
  void fill_container(Making& making);
  static void fill_ready(Making& making, const Symbols& symbols, double most_s = 1e9);
  void fill_smoke(Making& making, const Symbols& symbols, const Symbols& late) const;
  void pick_ports(Making& making);
  void pick_words(Making& making, const std::vector<runner::Fragment>& fragments,
                  const Symbols& symbols, std::vector<std::string>& argv);
  void leave_out_absent(std::map<std::string, std::string>& job, const Making& making) const;
  static void add_each(const runner::Fragment& fragment, Symbols symbols,
                       std::vector<std::string>& argv);
  void refuse_rounds(const Making& making);
  void render(Making& making, const Symbols& symbols, const Symbols& late);
  void refuse_absent(const Making& making);
  void refuse_ports(const Making& making);
  void refuse_ports_beyond(const Making& making, const runner::StageKind& of,
                           const std::string& begin);
  void refuse_servers(const Making& making);
  void estimate(Making& making) const;
  void share_host(Making& making) const;

  Stage make_running(const Instance& from);
  void list_running(Making& making, const RunningService& service);
  void refuse_running(const Making& making, const RunningService& service);
  void warn_of_running(const Instance& from);
  void point_at_running(Making& making);

  Stage make_provided(const Instance& from);
  void compare_with_point(const Instance& from);

  bool may_be_provided(const Instance& from) const;
  void list_components(Making& making);
  void list_texts(Making& making);
  void list_files(Making& making);
  void list_identities(Making& making);
  void list_version(Making& making);
  void list_container(Making& making);
  void list_image(Making& making, container::Settings& settings);
  std::string maker_of_dataset(const Making& making);
  bool names_dataset(std::string_view parameter, const std::string& value) const;
  void list_dataset(Making& making);
  void list_models(Making& making);
  void list_model(Making& making, const std::string& parameter, const std::string& source,
                  const std::string& revision);
  void list_needs(Making& making);
  void list_circumstances(Making& making);
  void wait_for(Making& making, const std::string& component, const std::string& what,
                std::string_view reader) const;
  template <class Ask>
  void add_fact(Making& making, const std::string& component, const std::string& name,
                const Ask& ask);
  std::optional<std::string> identity(
      const std::string& name, const std::function<Result<std::optional<std::string>>()>& ask);

  double answer(const matrix::Point& point, std::size_t question) const;
  std::vector<std::string> facts_awaited_by(const matrix::Point& point,
                                            std::string_view reader) const;
  void complain(const std::string& cause, Error error);

  const runner::Manifest& manifest_;
  const matrix::Matrix& matrix_;
  const matrix::Measure& measure_;
  Facts& facts_;
  const Options& options_;
  Errors& errors_;
  const std::set<std::string> fact_stages_;
  std::unordered_map<const runner::StageKind*, Sees> sees_;
  // The components of each kind's first stage, which those of later stages resemble.
  std::unordered_map<const runner::StageKind*, std::shared_ptr<const Components::List>> first_of_;
  std::unordered_map<std::string, std::string> templates_;
  std::unordered_map<std::string, std::optional<std::string>>
      identities_;  // each is looked up once
  std::unordered_map<std::string, std::string> provided_texts_;
  std::set<std::string> complained_, warnings_;
};

}  // namespace orch::plan

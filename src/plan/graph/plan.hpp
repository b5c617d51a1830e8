// Points x the runner's stages -> a DAG of stages; equal digests are one stage. Pure: identities of
// files come through Facts, the content of the store comes as a value. Starts nothing.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "spec/container/container.hpp"
#include "spec/matrix/expand.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/runner/manifest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::plan {

// "build-1a2b3c4d5e6f": the stage's name in the manifest and twelve characters of its digest.
using StageId = std::string;

enum class Status {
  run,        // will be done
  reuse,      // the store holds it
  reject,     // only rejected points need it
  undecided,  // a fact is missing
  idle,       // not needed: every stage that needs it is in the store
  failed,     // it, or a stage that it needs, failed before as a result (see --retry-failed)
};

constexpr auto names_of(Tag<Status>) {
  return value_names("run", "reuse", "reject", "undecided", "idle", "failed");
}

// The cost of an attempt, from earlier attempts, else as a file of times or the manifest states it;
// empty where it is unknown.
struct Estimate {
  std::optional<double> seconds;
  std::optional<std::uint64_t> bytes;  // of its output
  bool measured = false;               // of this stage itself, not of a similar one
  // Of its output, by attempts of this stage itself, else by the manifest; 0: not known.
  std::uint64_t needed_bytes = 0;
  double least_seconds = 0;  // a bound, by the manifest; 0: not known
  // The range of `seconds`, if that is by the manifest; else both are 0.
  double from_seconds = 0, to_seconds = 0;
};

// A command that prints the version of a program, and what it printed when the stage was planned.
struct Version {
  std::vector<std::string> argv;  // {file:...} stays; nothing else is symbolic
  std::string answer;             // "" while it is unknown
  Location where;                 // in the manifest
};

// How names of unknown identities of running servers begin: "server:http://HOST:8000 /v1/models".
inline constexpr std::string_view k_server_question = "server:";

// A server that runs already, in place of a service.
struct RunningService {
  matrix::RunningServer server;
  std::string ready_port;         // the port of `server.url`
  std::vector<std::string> asks;  // URLs whose answers say what it is
  std::vector<std::string> without;
  std::string question;  // the name of these answers
  std::string says;      // what it answered; "" while it is not known

  // Of "http" or "http.1"; null: none is given.
  const matrix::ServerUrl* url_of(std::string_view port) const;
};

// A kind of stage with a point's values filled in, without members that only the planner reads,
// because a plan holds ten thousand of these. The strings keep the symbols that are known when the
// stage starts (render::Known::started and later); {stage:ID} has the id of a stage.
struct Spec : runner::StageCommon {
  std::string runner;  // has this manifest and its files; the first one where several share a stage
  std::vector<std::string> argv;  // of the fragments that apply to this point
  std::vector<std::string> ports;
  // Immutable and mostly null; shared pointers are smaller than optionals.
  std::shared_ptr<const runner::Tools> tools;
  std::shared_ptr<const Version> version;
  std::shared_ptr<const runner::Ready> ready;
  std::shared_ptr<const runner::Smoke> smoke;
  std::shared_ptr<const RunningService> server;          // of a service that is not started
  std::shared_ptr<const container::Settings> container;  // that it runs in
};

// Whether any string of SPEC that reaches its process contains SYMBOL, braces included; of KIND,
// also those of its rendered files and tools. Leaves out the body of the smoke request: readiness
// does not change the identity of a stage.
bool mentions(const Spec& spec, std::string_view symbol);
bool mentions(const runner::StageKind& kind, std::string_view symbol);

// The readiness and smoke requests of a service as JSON; "" for other stages. They are no part of
// the digest, and decide whether a server that was never ready is tried again.
std::string probe_text(const Spec& spec);

// PORT, or PORT.1 and so on where there are several. A server that runs already has one.
std::vector<std::string> ports_called(const Spec& spec, std::string_view port);

// A mutable revision of a model, as the matrix names it.
struct Unresolved {
  std::string source;
  std::string revision;
};

// What an attempt holds of a host beside its GPUs, or requests of a cluster.
struct Share {
  std::optional<int> cores;  // of its own; empty: not stated
  double memory_gib = 0;
  std::map<std::string, int> tokens;
  int cpus = 0;  // that a job requests where `cores` is empty; 0: not stated
};

// One node.
struct Stage {
  StageId id;
  Spec spec;
  std::map<std::string, StageId> needs;             // manifest name -> stage, direct needs only
  std::map<std::string, matrix::Value> parameters;  // the ones it reads
  Components components;                            // of the key
  Digest key;     // digest of the components, with {names} for unknown identities
  Digest digest;  // the same as the key when everything is known, else Digest{}
  // Identities and facts that the digest lacks, its needs' included: "hf:Qwen/X@main",
  // "model_heads".
  std::vector<std::string> unknown;
  // Symbols that stay in `spec` and `rendered` ("model.revision") until these are resolved.
  std::map<std::string, Unresolved> unresolved;
  std::string
      provided;  // absolute path of an output that exists already; "" when the stage makes it
  std::vector<std::size_t> points;              // indices of the points that need it
  std::map<std::string, std::string> rendered;  // path under {out} -> text, symbolic
  std::int64_t repeat = 0;   // of a measure stage, and of a stage that uses {repeat}
  std::int64_t session = 0;  // which round of server starts it is for: later rounds follow
  std::vector<std::string>
      inputs;  // absolute paths of local files and folders whose contents are in the digest; sorted
  std::shared_ptr<const RunningService> running;  // that it measures
  double gpus = 0;                                // that an attempt holds
  bool driver = false;                            // it loads the libraries of the GPU driver
  std::shared_ptr<const Share> share;             // null: nothing is stated
  bool alone = false;    // a measurement beside which nothing of this run may work
  bool passing = false;  // a task whose output goes once nothing that is still to run needs it
  // A measurement whose server keeps no prompts, or is told to forget them before it: the same ones
  // may be sent to it again.
  bool forgets_prompts = false;
  // A measurement that only shows what the neighbours of another one cost: no result of its points.
  bool is_check = false;
  Estimate estimate;  // of an attempt
  Status status = Status::run;
  std::string why;  // of the status, in words
  // The stage comes after --until, or is a server that only such stages need. It is not run,
  // whatever its status.
  bool after_until = false;
};

struct PlannedPoint {
  matrix::Point point;
  Status status = Status::run;
  std::string why;
  std::vector<StageId> stages;  // in the order of the manifest; one per repeat for measure stages
  std::size_t runner = 0;       // index into Plan::runners
};

// By name as in Spec::ports, without ".1": the numbers that the matrix gives it.
using PinnedPorts = std::map<std::string, std::vector<int>, std::less<>>;

struct Plan {
  std::string matrix_name;
  std::vector<std::string> runners;
  std::size_t excluded = 0;          // points that `exclude` dropped
  std::vector<PlannedPoint> points;  // those of one runner after those of the other
  std::vector<Stage>
      stages;  // in the order of the scheduler: every stage follows those that it needs
  std::set<std::string> warnings;  // beside those of the points
  PinnedPorts ports;               // in no digest
  // measure.prune, and the parameters that the matrix varies.
  std::vector<std::string> prune_by, varied;
  // What may run beside a measurement that is not `alone`.
  matrix::Isolation isolation = matrix::Isolation::strict;
  matrix::Keep keep = matrix::Keep::all;
  int gpu_clock_mhz = 0;    // at which the GPUs of servers are locked; 0: they are not
  ranks::Nodes nodes = {};  // that the ranks of a server may be divided among
};

// The number of PORT ("http", "http.2") of a server of PLAN; empty: any free one.
std::optional<int> pinned_port(const Plan& plan, std::string_view port);

// Whether sessions are added to those that the store has (--again).
inline bool adds_sessions(const Plan& plan) {
  return std::ranges::any_of(plan.points,
                             [](const PlannedPoint& point) { return point.point.again; });
}

// Identities and texts that planning reads. Implemented over a file system and the store by
// src/app/session, by a map in tests. An empty identity is unknown.
class Facts {
 public:
  virtual ~Facts() = default;
  // Content identity of a file of the folder of RUNNER, by name.
  virtual Result<Digest> runner_file(const std::string& runner, const std::string& relative) = 0;
  // The absolute path of a file of that folder, and of its project's.
  virtual std::string runner_path(const std::string& runner, const std::string& relative) = 0;
  virtual std::string project_path(const std::string& runner, const std::string& relative) = 0;
  // The text of a template under the project folder.
  virtual Result<std::string> template_text(const std::string& runner,
                                            const std::string& relative) = 0;
  // Identity of an executable: its real path and content. Empty: it is not installed here.
  virtual Result<std::optional<std::string>> executable(const std::string& path) = 0;
  // What the command of the version of SPEC prints. Empty: nobody has asked it yet.
  virtual Result<std::optional<std::string>> version(const Spec&) {
    return std::optional<std::string>();
  }
  // Identity of a model source: the text itself for "generate:tiny", a content digest, or the
  // source with its resolved commit. Empty while the revision is not resolved.
  virtual Result<std::optional<std::string>> model_source(const std::string& source,
                                                          const std::string& revision) = 0;
  // What the running server answered to QUESTION, as a JSON text. Empty while it was not asked.
  virtual std::optional<std::string> server_says(const std::string& /*question*/) {
    return std::nullopt;
  }
  // The image called REFERENCE by its digest: NAME@sha256:..., or its id. Empty while nobody has
  // asked ENGINE.
  virtual Result<std::optional<std::string>> image(container::Engine /*engine*/,
                                                   const std::string& /*reference*/) {
    return std::optional<std::string>();
  }
  // The revision to download: REVISION if SOURCE needs no resolving, else the commit that it was
  // resolved to. Empty while it is not resolved.
  virtual std::optional<std::string> revision_to_get(const std::string& source,
                                                     const std::string& revision) = 0;
  // Content identity of a dataset's file.
  virtual Result<std::string> dataset_source(const std::string& source) = 0;
  // The absolute path that TEXT, a parameter of type path, names on this machine; "" when nothing
  // is there.
  virtual std::string local_path(const std::string& text) = 0;
  // Content identity of a file or folder that a matrix provides or a parameter names, and the text
  // of a file below it. PATH as in the matrix.
  virtual Result<Digest> provided(const std::string& path) = 0;
  virtual Result<std::string> provided_text(const std::string& path, const std::string& file) = 0;
  // GPU model x count, CPU model: enters the digest of a measurement.
  virtual std::string machine_class() = 0;
  // Empty when no GPU was detected or stated.
  virtual std::optional<std::string> gpu_model() = 0;
};

// The recorded state of the machine when an output was made: "kernel" -> "6.1.0".
using Provenance = std::map<std::string, std::string>;

// A usable output that the store holds.
struct Made {
  std::int64_t run = 0;
  std::shared_ptr<const Provenance> provenance;  // shared by everything of that run; never null
};

// The last attempt of a stage, where the system under test failed.
struct FailedBefore {
  std::int64_t run = 0;
  std::string failure_class;  // see run/attempt/failure.hpp
  std::string message;        // its first line
  std::string probe{};        // of a server; "" where it is not on record
};

// The cost of an earlier attempt of a stage.
struct Earlier {
  std::string runner{};  // of the stage
  std::string stage;     // in the manifest
  Digest digest;
  std::map<std::string, std::string> parameters;  // the ones it read, as text
  std::optional<double> seconds;  // of a service: its start and its stop, without its measurements
  std::optional<std::uint64_t> bytes;  // of its output
};

// The content of the store that a plan may reuse.
struct Done {
  std::map<Digest, Made> made;
  std::map<Digest, FailedBefore> failed;  // newest attempt; never one that is in `made`
  std::vector<Earlier> earlier;           // newest last
  // By experiment: its last run that came to its end.
  std::map<std::string, std::int64_t, std::less<>> finished{};
  std::map<std::int64_t, std::string> experiments{};  // of each run
  Provenance provenance;                              // of the machine now
};

// An earlier stage, planned or made, for explain().
struct Ancestor {
  std::int64_t run = 0;
  Components components;
  bool made = false;               // its output or valid measurement is in the store
  std::set<std::string> points{};  // names of the points that needed it
};

// Sets of prompts that are made for a measurement. The first is sent, also when it is repeated: on
// another server where this one may have cached them.
inline constexpr int k_prompt_blocks = 3;

// What stages are assumed to take that never ran.
struct StageTime {
  std::string stage;                              // in the manifest
  std::map<std::string, std::string> parameters;  // of its point, as text
  double seconds = 0;
};

struct Options {
  int generator_version = 1;  // raised by hand when the definition of a measurement changes
  int rows_version = 2;       // raised by hand when a form of prompt files is read differently
  std::string until;          // the last stage that is wanted; "": all
  bool retry_failed = false;  // earlier failures are tried again
  // That of containers whose manifest names none.
  container::Engine container_engine = container::Engine::docker;
  // New server sessions of each point that is to be measured again; new measurements of one
  // without a server.
  std::int64_t new_sessions = 1;
  // The plan is only displayed: a stage that waits for an identity alone (a branch on a hub) is
  // shown as run, whether or not the store turns out to have it.
  bool only_shown = false;
  std::vector<StageTime> times;
  // Names of provenance: a measurement made under another value is made again.
  std::set<std::string> refresh;
};

// The points of an expansion, put together.
struct ChosenPoints {
  std::vector<matrix::Point> points;
  std::size_t excluded = 0;
};

// What the points of one runner are planned from. Borrows everything but the options.
struct Inputs {
  const matrix::Matrix& matrix;
  const ChosenPoints& chosen;  // of `matrix`
  const runner::Manifest& manifest;
  Facts& facts;
  const Done& done;
  Options options = {};
};

// Appends every error to ERRORS; the plan is usable only if none was added.
Plan make_plan(const Inputs& inputs, Errors& errors);
// The same for points of several runners, one element for each: equal stages are one stage. All
// have the same `done` and options.
Plan make_plan(std::span<const Inputs> all, Errors& errors);

// Plans the points of PLAN that wait for a fact again, now that the expansion knows more; all other
// points keep their stages. The status of every point follows from `done` as it is now. The matrix
// and the manifest must be those that PLAN was made from.
void plan_again(Plan& plan, const Inputs& inputs, Errors& errors);
void plan_again(Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan

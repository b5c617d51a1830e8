// Points x the runner's stages -> a DAG of stages; equal digests are one stage. Pure: identities of
// files come through Facts, the store's content is passed as a value. Starts nothing.
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

// "build-1a2b3c4d5e6f": the stage's name in the manifest and twelve characters of its key.
using StageId = std::string;

enum class Status {
  run,        // will be done
  reuse,      // the store has its output, or the user provides it
  reject,     // only rejected points need it
  undecided,  // a fact is missing
  idle,       // not needed by any stage to run
  failed,     // it, or a stage that it needs, failed in an earlier run; see --retry-failed
};

constexpr auto names_of(Tag<Status>) {
  return value_names("run", "reuse", "reject", "undecided", "idle", "failed");
}

// The cost of an attempt, from earlier attempts, else as stated by a file of times or the manifest;
// nullopt if unknown.
struct Estimate {
  std::optional<double> seconds;
  std::optional<std::uint64_t> bytes;  // of its output
  bool measured = false;               // from attempts of this stage, not of similar ones
  // The size of its output, from attempts of this stage itself, else from the manifest; 0: unknown.
  std::uint64_t needed_bytes = 0;
  double least_seconds = 0;  // a lower bound from the manifest; 0: unknown
  // The manifest's range, if `seconds` is taken from it; else both are 0.
  double from_seconds = 0, to_seconds = 0;
};

// A command that prints a program's version, and what it printed when the stage was planned.
struct Version {
  std::vector<std::string> argv;  // {file:...} stays; nothing else is symbolic
  std::string answer;             // "" if unknown
  Location where;                 // in the manifest
};

// How names of unknown identities of running servers begin: "server:http://HOST:8000 /v1/models".
inline constexpr std::string_view k_server_question = "server:";

// A running server, used instead of a service.
struct RunningService {
  matrix::RunningServer server;
  std::string ready_port;            // the port of `server.url`
  std::vector<std::string> asks;     // URLs whose answers identify it
  std::vector<std::string> without;  // members of the answers that are ignored
  std::string question;              // the name of these answers as an unknown identity
  std::string says;                  // the answers; "" while unknown

  // The URL of PORT, "http" or "http.1"; null if the matrix states none.
  const matrix::ServerUrl* url_of(std::string_view port) const;
};

// A kind of stage with a point's values filled in, without members that only the planner reads,
// because a plan holds ten thousand of these. The strings keep the symbols that are known only when
// the stage starts (render::Known::started and later); {stage:ID} has the id of a stage.
struct Spec : runner::StageCommon {
  std::string runner;  // whose manifest and files it uses; the first one if several share a stage
  std::vector<std::string> argv;  // of the fragments that apply to this point
  std::vector<std::string> ports;
  // Immutable and mostly null; shared pointers are smaller than optionals.
  std::shared_ptr<const runner::Tools> tools;
  std::shared_ptr<const Version> version;
  std::shared_ptr<const runner::Ready> ready;
  std::shared_ptr<const runner::Smoke> smoke;
  std::shared_ptr<const RunningService> server;          // of a service that is not started
  std::shared_ptr<const container::Settings> container;  // that the stage runs in
};

// Whether any string of SPEC that reaches its process contains SYMBOL, given with its braces; for
// KIND, also the strings of its rendered files and tools. Ignores the body of the smoke request:
// readiness does not change the identity of a stage.
bool mentions(const Spec& spec, std::string_view symbol);
bool mentions(const runner::StageKind& kind, std::string_view symbol);

// The readiness and smoke requests of a service as JSON; "" for other stages. Not part of the
// digest; a server that failed to become ready is tried again once this text has changed.
std::string probe_text(const Spec& spec);

// The ports of SPEC called PORT: PORT, or if they are counted PORT.1 and so on. For a running
// server: PORT.
std::vector<std::string> ports_called(const Spec& spec, std::string_view port);

// A mutable revision of a model or a dataset, as named in the matrix.
struct Unresolved {
  std::string source;
  std::string revision;
};

// What an attempt holds of a host besides its GPUs, or requests from a cluster.
struct Share {
  std::optional<int> cores;  // exclusive; nullopt: not stated
  double memory_gib = 0;
  std::map<std::string, int> tokens;
  int cpus = 0;  // that a job requests if `cores` is nullopt; 0: not stated
};

// A node of the plan's graph.
struct Stage {
  StageId id;
  Spec spec;
  std::map<std::string, StageId> needs;             // manifest name -> stage, direct needs only
  std::map<std::string, matrix::Value> parameters;  // the ones it reads
  Components components;                            // of the key
  Digest key;     // digest of the components, with {names} for unknown identities
  Digest digest;  // the same as the key if everything is known, else Digest{}
  // Identities and facts that the digest lacks, including those of its needs: "hf:Qwen/X@main",
  // "model_heads".
  std::vector<std::string> unknown;
  // Symbols ("model.revision") that stay in `spec` and `rendered` until their revision is resolved.
  std::map<std::string, Unresolved> unresolved;
  std::string provided;             // absolute path of an existing output; "" if the stage makes it
  std::vector<std::size_t> points;  // indices of the points that need it
  std::map<std::string, std::string> rendered;  // path under {out} -> text, symbolic
  std::int64_t repeat = 0;   // for a measure stage, and a stage that uses {repeat}
  std::int64_t session = 0;  // the number of its server session, from 0; earlier ones come first
  std::vector<std::string>
      inputs;  // absolute paths of local files and folders whose contents are in the digest; sorted
  std::vector<std::string> equivalents;  // runner files of which the digest has another content
  std::shared_ptr<const RunningService> running;  // the server that it measures
  double gpus = 0;                                // held by an attempt
  bool driver = false;                            // it loads the libraries of the GPU driver
  std::shared_ptr<const Share> share;             // null: nothing is stated
  bool alone = false;    // a measurement beside which nothing else of this run may run
  bool passing = false;  // a task whose output is removed once nothing left to run needs it
  // A measurement before which the server is not restarted although the same prompts are sent
  // again: the server caches none, drops its cache beforehand, or is a running server.
  bool forgets_prompts = false;
  // A measurement that only shows how neighbours affect another one: not a result of its points.
  bool is_check = false;
  Estimate estimate;  // for an attempt
  Status status = Status::run;
  std::string why;  // reason for the status, for users
  // The stage comes after --until, or is a server that only such stages need. It is not run,
  // regardless of its status.
  bool after_until = false;
};

struct PlannedPoint {
  matrix::Point point;
  Status status = Status::run;
  std::string why = {};
  std::vector<StageId> stages;  // in the order of the manifest, each repeat separately
  std::size_t runner = 0;       // index into Plan::runners
  std::string waits = {};  // what it still waits for although it will run, as in `why`; else ""
};

// The port numbers that the matrix assigns, by name as in Spec::ports, without ".1".
using PinnedPorts = std::map<std::string, std::vector<int>, std::less<>>;

struct Plan {
  std::string matrix_name;
  std::vector<std::string> runners;
  std::size_t excluded = 0;          // points that `exclude` dropped
  std::vector<PlannedPoint> points;  // grouped by runner
  std::vector<Stage> stages;         // in the scheduler's order: every stage follows its needs
  std::set<std::string> warnings;    // besides those of the points
  PinnedPorts ports;                 // in no digest
  // `measure.prune`, and unless that is empty, the parameters that the matrix varies.
  std::vector<std::string> prune_by, varied;
  // What may run concurrently with a measurement that is not `alone`.
  matrix::Isolation isolation = matrix::Isolation::strict;
  matrix::Keep keep = matrix::Keep::all;
  int gpu_clock_mhz = 0;    // at which the GPUs of servers are locked; 0: they are not
  ranks::Nodes nodes = {};  // among which the ranks of a server may be divided
};

// The number of PORT ("http", "http.2") of a server of PLAN; nullopt: any free one.
std::optional<int> pinned_port(const Plan& plan, std::string_view port);

// Whether to add sessions to those in the store (--again).
inline bool adds_sessions(const Plan& plan) {
  return std::ranges::any_of(plan.points,
                             [](const PlannedPoint& point) { return point.point.again; });
}

// Identities and texts that planning reads. Implemented over a file system and the store by
// src/app/session, by a map in tests. nullopt: the identity is unknown.
class Facts {
 public:
  virtual ~Facts() = default;
  // Content identity of the file RELATIVE in the folder of RUNNER.
  virtual Result<Digest> runner_file(const std::string& runner, const std::string& relative) = 0;
  // What digests have in place of CONTENT, the SHA-256 of a file of RUNNER: the one of an
  // equivalent earlier content, or "" for a file that they leave out.
  virtual std::string in_digests(const std::string& /*runner*/, const std::string& content) {
    return content;
  }
  // The files that a stage run by PROGRAM reads where it is given the file RELATIVE of RUNNER: of a
  // lock, the one for this interpreter.
  virtual std::vector<std::string> files_read(const std::string& /*runner*/,
                                              const std::string& relative,
                                              const std::string& /*program*/) {
    return {relative};
  }
  // The absolute path of a file in that folder, or in the folder of RUNNER's project.
  virtual std::string runner_path(const std::string& runner, const std::string& relative) = 0;
  virtual std::string project_path(const std::string& runner, const std::string& relative) = 0;
  // The text of a template under the project folder.
  virtual Result<std::string> template_text(const std::string& runner,
                                            const std::string& relative) = 0;
  // Identity of an executable: its real path and content. nullopt if it is not installed here.
  virtual Result<std::optional<std::string>> executable(const std::string& path) = 0;
  // The output of SPEC's version command. nullopt if it has not been run yet.
  virtual Result<std::optional<std::string>> version(const Spec&) {
    return std::optional<std::string>();
  }
  // Identity of a model source: the text itself for "generate:tiny", a content digest, or the
  // source with its resolved commit. nullopt while the revision is not resolved.
  virtual Result<std::optional<std::string>> model_source(const std::string& source,
                                                          const std::string& revision) = 0;
  // The running server's answer to QUESTION, as a JSON text. nullopt if it has not been asked yet.
  virtual std::optional<std::string> server_says(const std::string& /*question*/) {
    return std::nullopt;
  }
  // The digest of the image REFERENCE: NAME@sha256:..., or its id. nullopt until ENGINE has been
  // asked.
  virtual Result<std::optional<std::string>> image(container::Engine /*engine*/,
                                                   const std::string& /*reference*/) {
    return std::optional<std::string>();
  }
  // The revision to download: REVISION if SOURCE at REVISION needs no resolving, else the commit
  // that REVISION was resolved to; nullopt if it has not been resolved yet.
  virtual std::optional<std::string> revision_to_get(const std::string& source,
                                                     const std::string& revision) = 0;
  // Content identity of a dataset's file.
  virtual Result<std::string> dataset_source(const std::string& source) = 0;
  // The absolute path on this machine of TEXT, a parameter of type path; "" if nothing is there.
  virtual std::string local_path(const std::string& text) = 0;
  // Content identity of a file or folder that a matrix provides or a parameter names, and the text
  // of a file below it. PATH as in the matrix.
  virtual Result<Digest> provided(const std::string& path) = 0;
  virtual Result<std::string> provided_text(const std::string& path, const std::string& file) = 0;
  // GPU model x count, CPU model: enters the digest of a measurement.
  virtual std::string machine_class() = 0;
  // The model of this machine's GPUs; nullopt if none was detected or stated.
  virtual std::optional<std::string> gpu_model() = 0;
};

// The recorded state of the machine when an output was made: "kernel" -> "6.1.0".
using Provenance = std::map<std::string, std::string>;

// A usable output in the store.
struct Made {
  std::int64_t run = 0;
  std::shared_ptr<const Provenance> provenance;  // shared by all outputs of that run; never null
};

// The last attempt of a stage, if the system under test failed.
struct FailedBefore {
  std::int64_t run = 0;
  std::string failure_class;  // see run/attempt/failure.hpp
  std::string message;        // its first line
  std::string probe{};        // probe_text() of a server; "" if not recorded
};

// The cost of an earlier attempt of a stage.
struct Earlier {
  std::string runner{};  // of the stage
  std::string stage;     // in the manifest
  Digest digest;
  std::map<std::string, std::string> parameters;  // the ones it read, as text
  std::optional<double> seconds;  // for a service: its start and stop, without its measurements
  std::optional<std::uint64_t> bytes;  // of its output
};

// The store's content that a plan may reuse.
struct Done {
  std::map<Digest, Made> made;
  std::map<Digest, FailedBefore> failed;  // the newest attempt of each; none of a digest in `made`
  std::vector<Earlier> earlier;           // newest last
  // By experiment: its last completed run.
  std::map<std::string, std::int64_t, std::less<>> finished{};
  std::map<std::int64_t, std::string> experiments{};  // of each run
  Provenance provenance;                              // of the machine now
};

// An earlier stage, planned or made, for explain_text().
struct Ancestor {
  std::int64_t run = 0;
  Components components;
  bool made = false;               // its output or valid measurement is in the store
  std::set<std::string> points{};  // names of the points that needed it
};

// The number of prompt blocks made for a measurement. All repeats send the first block, after a
// restart of the server if the server may have cached it.
inline constexpr int k_prompt_blocks = 3;

// Assumed times of stages that have never run.
struct StageTime {
  std::string stage;                              // in the manifest
  std::map<std::string, std::string> parameters;  // of its point, as text
  double seconds = 0;
};

struct Options {
  int generator_version = 1;  // raised by hand when the definition of a measurement changes
  int rows_version = 2;       // raised by hand when a form of prompt files is read differently
  std::string until;          // the last stage wanted; "": all
  bool retry_failed = false;  // retries earlier failures
  // For containers whose manifest names none.
  container::Engine container_engine = container::Engine::docker;
  // The number of new server sessions of each point to be measured again, or of new measurements of
  // a point without a server.
  std::int64_t new_sessions = 1;
  // The plan is only displayed: a stage that waits only for an identity (a branch on a hub) is
  // shown as run, even if the store may turn out to have it.
  bool only_shown = false;
  std::vector<StageTime> times;
  // Names in Provenance: a measurement is repeated if one of them had another value then.
  std::set<std::string> refresh;
};

// The points of an expansion that are planned.
struct ChosenPoints {
  std::vector<matrix::Point> points;
  std::size_t excluded = 0;
};

// The planner's inputs for the points of one runner. Borrows all but the points and the options.
struct Inputs {
  const matrix::Matrix& matrix;
  ChosenPoints chosen;  // of `matrix`
  const runner::Manifest& manifest;
  Facts& facts;
  const Done& done;
  Options options = {};
};

// Appends every error to ERRORS; the plan is usable only if none was added.
Plan make_plan(const Inputs& inputs, Errors& errors);
// The same for the points of several runners, one element of ALL each: equal stages are one stage.
// All elements have the same `done` and options.
Plan make_plan(std::span<const Inputs> all, Errors& errors);

// Plans again those points of PLAN that wait for a fact, now that the expansion knows more; all
// other points keep their stages. The status of every point follows from the present `done`. The
// matrix and the manifest must be those that PLAN was made from.
void plan_again(Plan& plan, const Inputs& inputs, Errors& errors);
void plan_again(Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan

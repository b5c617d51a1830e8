// Points x the runner's stages -> a DAG of stages; equal digests are one stage. Pure: facts about
// files come in through Facts, what the store already holds comes in as a set. Starts nothing.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "matrix/expand.hpp"
#include "matrix/matrix.hpp"
#include "runner/manifest.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::plan {

// "build-1a2b3c4d5e6f": the stage's name in the manifest and twelve characters of its digest.
using StageId = std::string;

enum class Status {
  run,        // will be done
  reuse,      // the store holds it
  reject,     // only rejected points want it
  undecided,  // a fact is missing
  idle,       // not needed: everything that wants it is already there
  failed,  // it failed before, by no fault of ours: a result, which --retry-failed makes again. Or
           // it needs one that did
};

std::string_view to_string(Status status);

// What an attempt will take, from earlier attempts; empty: nobody knows.
struct Estimate {
  std::optional<double> seconds;
  std::optional<std::uint64_t> bytes;  // of its output
  bool measured = false;               // of this very stage, not of one like it
};

// A kind of stage with a point's values filled in; members as in runner::StageKind. The strings are
// symbolic: {stage:ID}, {out}, {work}, {tmp}, {port:...}, {token}, {file:...}, {orchestrate} and
// {jobs} stand for what is known only when the stage starts. What only the planner reads of a kind
// is not here: a plan holds ten thousand of these.
struct Spec {
  std::string name;  // in the manifest
  runner::Kind kind = runner::Kind::task;
  bool in_place = false;
  bool batch = false;
  std::vector<std::string> argv;  // the fragments that are there for this point
  std::size_t launcher =
      0;  // so many of its words, from the first, start the tool and are none of its own
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> job;
  std::vector<std::string> inherit;
  std::vector<std::string> secrets;
  std::vector<runner::Copy> copy;
  std::vector<runner::Place> place;
  std::vector<std::string> outputs;
  std::vector<std::string> ports;
  // Shared pointers in place of optionals, because most stages have none of them. Never changed
  // once they are here.
  std::shared_ptr<const runner::Tools> tools;
  std::shared_ptr<const runner::Ready> ready;
  std::shared_ptr<const runner::Smoke> smoke;
  std::string shm_prefix;
  double timeout_s = 3600;
  double stop_s = 20;
};

// PORT, or PORT.1 and so on where there are several.
std::vector<std::string> ports_called(const Spec& spec, std::string_view port);

// One node.
struct Stage {
  StageId id;
  Spec spec;
  std::map<std::string, StageId> needs;             // manifest name -> stage, direct needs only
  std::map<std::string, matrix::Value> parameters;  // the ones it reads
  Components components;                            // what the key is taken over, in words
  Digest key;  // of the components, with {names} for identities that nobody knows yet; always there
  Digest digest;                     // the same as the key when everything is known, else Digest{}
  std::vector<std::string> unknown;  // what is missing for the digest: "hf:Qwen/X@main",
                                     // "model_heads"; also of what it needs
  std::string provided;  // absolute path of an output that exists already; "": it is made here
  std::vector<std::size_t> points;              // indices of the points that want it
  std::map<std::string, std::string> rendered;  // path under {out} -> text, symbolic
  std::int64_t repeat = 0;                      // of a measure stage, and of what says {repeat}
  std::vector<std::string>
      inputs;  // absolute paths of local files and folders whose contents are in the digest; sorted
  double gpus = 0;    // that an attempt holds
  Estimate estimate;  // of an attempt
  Status status = Status::run;
  std::string why;  // of the status, in words
  bool after_until =
      false;  // behind --until, or a server for nothing else: not wanted, whatever its status
};

struct PlannedPoint {
  matrix::Point point;
  Status status = Status::run;
  std::string why;
  std::vector<StageId> stages;  // in the order of the manifest; one per repeat for measure stages
};

struct Plan {
  std::string matrix_name;
  std::string runner;
  std::size_t excluded = 0;  // points that `exclude` dropped
  std::vector<PlannedPoint> points;
  std::vector<Stage>
      stages;  // every stage follows what it needs; the scheduler takes them in this order
  std::set<std::string> warnings;  // beside those of the points, in words
};

// What planning needs to know about the world. Implemented over the real file system and the store
// in cli, by a map in tests. An identity may be empty: nobody knows it yet.
class Facts {
 public:
  virtual ~Facts() = default;
  // Content identity of a file of the runner's folder.
  virtual Result<Digest> runner_file(const std::string& relative) = 0;
  // Where a file of the runner's folder, and of the project's, stands. Absolute.
  virtual std::string runner_path(const std::string& relative) = 0;
  virtual std::string project_path(const std::string& relative) = 0;
  // The text of a template under the project folder.
  virtual Result<std::string> template_text(const std::string& relative) = 0;
  // Identity of an executable: its real path and content. Empty: it is not installed here.
  virtual Result<std::optional<std::string>> executable(const std::string& path) = 0;
  // Identity of a model source: the text itself where that says all ("generate:tiny"), a content
  // digest, or what a moving name was resolved to. Empty: nobody has resolved it.
  virtual Result<std::optional<std::string>> model_source(const std::string& source,
                                                          const std::string& revision) = 0;
  // What a hub is asked for: what REVISION of SOURCE was resolved to, else REVISION as it is.
  virtual std::string revision_to_get(const std::string& source, const std::string& revision) = 0;
  // Content identity of a dataset's file.
  virtual Result<std::string> dataset_source(const std::string& source) = 0;
  // Where what a parameter of type path says stands on this machine, absolute; empty: it is not
  // here.
  virtual std::string local_path(const std::string& text) = 0;
  // Content identity of a file or folder that a matrix provides or a parameter names, and the text
  // of a file below it. PATH as in the matrix.
  virtual Result<Digest> provided(const std::string& path) = 0;
  virtual Result<std::string> provided_text(const std::string& path, const std::string& file) = 0;
  // GPU model x count, CPU model: what a measurement depends on beside its configuration.
  virtual std::string machine_class() = 0;
  // Empty: no GPU was seen or stated.
  virtual std::optional<std::string> gpu_model() = 0;
};

// What was on record of the machine when something was made: "kernel" -> "6.1.0".
using Provenance = std::map<std::string, std::string>;

// A usable output that the store holds.
struct Made {
  std::int64_t run = 0;
  std::shared_ptr<const Provenance> provenance;  // shared by everything of that run; never null
};

// The last attempt of a stage, where the system under test failed.
struct FailedBefore {
  std::int64_t run = 0;
  std::string klass;    // see attempt/failure.hpp
  std::string message;  // its first line
};

// What an earlier attempt of some stage took.
struct Earlier {
  std::string runner{};  // whose stage it was
  std::string stage;     // in the manifest
  Digest digest;
  std::map<std::string, std::string> parameters;  // the ones it read, as text
  std::optional<double> seconds;  // of a service: its start and its stop, without what it served
  std::optional<std::uint64_t> bytes;  // of its output
};

// What the store holds already.
struct Done {
  std::map<Digest, Made> made;
  std::map<Digest, FailedBefore> failed;  // newest attempt; never one that is in `made`
  std::vector<Earlier> earlier;           // newest last
  Provenance provenance;                  // of the machine now
};

// What a stage was when it was planned or made before, for explain().
struct Ancestor {
  std::int64_t run = 0;
  Components components;
  bool made = false;               // its output or valid measurement is in the store
  std::set<std::string> points{};  // names of the points that wanted it
};

// How many sets of prompts a measurement has: it can be made this often on one server, never with a
// prompt seen before.
inline constexpr int k_prompt_blocks = 3;

struct Options {
  int generator_version = 1;  // raised by hand when what a measurement means changes
  std::string until;          // the last stage that is wanted; "": all
  bool retry_failed = false;  // what failed before is tried again
  // A plan that is only looked at: where nothing was ever made, what waits for an identity alone (a
  // branch on a hub) is to run.
  bool only_shown = false;
  std::set<std::string>
      refresh;  // names of provenance: measurements made under another value of it are made again
};

// Every error at once, appended to ERRORS; the plan is usable only if none was added.
Plan make_plan(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
               const runner::Manifest& manifest, Facts& facts, const Done& done,
               const Options& options, Errors& errors);

// Plans those points of PLAN again that wait for a fact, now that EXPANSION knows more; all other
// points keep their stages. What DONE holds now counts for all of them. EXPANSION is of the same
// matrix.
void plan_again(Plan& plan, const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                const runner::Manifest& manifest, Facts& facts, const Done& done,
                const Options& options, Errors& errors);

// DESIGN 3's `plan --json`.
std::string to_json(const Plan& plan);

}  // namespace orch::plan

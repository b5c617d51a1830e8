// Points x the runner's stages -> a DAG of stages; equal digests are one stage. Pure: facts about files come in
// through Facts, what the store already holds comes in as a set. Starts nothing.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "matrix/matrix.hpp"
#include "runner/manifest.hpp"

#include <map>
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
};

std::string_view to_string(Status status);

// One node. The strings of `spec` are symbolic: parameters are filled in; {stage:ID}, {out}, {work}, {port:...},
// {token}, {file:...}, {orchestrate} and {jobs} stand for what is known only when the stage starts.
struct Stage {
  StageId id;
  runner::StageKind spec;             // spec.name is the stage's name in the manifest
  std::map<std::string, StageId> needs;   // manifest name -> stage, direct needs only
  std::map<std::string, matrix::Value> parameters;  // the ones it reads
  Components components;              // what the digest is taken over, in words
  Digest digest;
  std::vector<std::size_t> points;    // indices of the points that want it
  std::map<std::string, std::string> rendered;  // path under {out} -> text, symbolic
  std::int64_t repeat = 0;            // of a measure stage, and of what says {repeat}
  Status status = Status::run;
  std::string why;                    // of the status, in words
};

struct PlannedPoint {
  matrix::Point point;
  Status status = Status::run;
  std::string why;
  std::vector<StageId> stages;        // in the order of the manifest; one per repeat for measure stages
};

struct Plan {
  std::string matrix_name;
  std::string runner;
  std::size_t excluded = 0;           // points that `exclude` dropped
  std::vector<PlannedPoint> points;
  std::vector<Stage> stages;          // every stage follows what it needs; the scheduler takes them in this order
};

// What planning needs to know about files. Implemented over the real file system in cli, by a map in tests.
class Facts {
 public:
  virtual ~Facts() = default;
  // Content identity of a file of the runner's folder.
  virtual Result<Digest> runner_file(const std::string& relative) = 0;
  // The text of a template under the project folder.
  virtual Result<std::string> template_text(const std::string& relative) = 0;
  // Identity of an executable: its real path and content.
  virtual Result<std::string> executable(const std::string& path) = 0;
  // Identity of a model source: the text itself where that says all ("generate:tiny"), else a content digest.
  virtual Result<std::string> model_source(const std::string& source, const std::string& revision) = 0;
  // GPU model x count, CPU model: what a measurement depends on beside its configuration.
  virtual std::string machine_class() = 0;
};

// What the store holds already.
struct Done {
  std::map<Digest, std::string> artifacts;  // usable outputs -> where from: "run 3"
};

// How many sets of prompts a measurement has: it can be made this often on one server, never with a prompt seen before.
inline constexpr int k_prompt_blocks = 3;

struct Options {
  int generator_version = 1;  // raised by hand when what a measurement means changes
};

// Every error at once, appended to ERRORS; the plan is usable only if none was added.
Plan make_plan(const matrix::Matrix& matrix, const matrix::Expansion& expansion, const runner::Manifest& manifest,
               Facts& facts, const Done& done, const Options& options, Errors& errors);

// DESIGN 3's `plan --json`.
std::string to_json(const Plan& plan);

}  // namespace orch::plan

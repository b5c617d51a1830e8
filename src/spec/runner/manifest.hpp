// runner.yaml: the stages of one stack as data. Reads text; opens no file, starts nothing.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

enum class Kind {
  task,     // makes artifacts and is cached
  service,  // a server that runs while its dependants do
  measure,  // a benchmark under a service
};

constexpr auto names_of(Tag<Kind>) { return keys::k_stage_kinds; }

// A strict template of the project, filled and written into the stage's output folder.
struct Render {
  std::string from;                           // path under the project folder
  std::string to;                             // path under {out}
  std::map<std::string, std::string> values;  // placeholder name -> text with {symbols}
  Location where;
};

// A file of the runner's folder, copied into the output folder.
struct Copy {
  std::string from;
  std::string to;
  Location where;
};

// An upstream output that a service copies into its working folder. {stage:ID} and {stage:NAME} in
// its texts become paths.
struct Place {
  std::string from;                 // "{stage:NAME}/path"
  std::string to;                   // path under {work}
  std::vector<std::string> stages;  // needed stages that its texts refer to as {stage:NAME}
};

// When a server counts as ready: its process is alive AND every GET answers 200 AND, if given, the
// smoke request's answer is not empty.
struct Ready {
  std::string port;
  std::vector<std::string> get;
  double timeout_s = 120;
};

// Requests whose answers identify a running server, at the port of Ready.
struct Identity {
  std::vector<std::string> get;
  std::vector<std::string> without;  // members of JSON answers that are ignored
};

struct Smoke {
  std::string port;
  std::string post;
  std::string body;    // JSON text
  std::string answer;  // the member of the JSON answer that must be a non-empty string; "": none
  std::optional<std::size_t> when = {};  // question: points that answer false use another
};

// The tools that a stage runs. Their versions are read when an attempt starts and are stored with
// its results.
struct Tools {
  std::string from;  // a JSON file of an upstream stage: {"NAME": "VERSION", ...}
  std::vector<std::string> names;
};

// Arguments of argv. A fragment with a question applies only to points that answer true. If the
// answer is a number, the fragment is repeated that many times, and {INDEX} in its arguments counts
// from 1.
struct Fragment {
  std::vector<std::string> words;
  std::optional<std::size_t> when;  // index into Manifest::questions
  bool counted = false;             // `when` is a number
  bool cut = false;                 // each argument is split at blanks after it is filled in
  std::string each{};   // a list parameter: the arguments are repeated for each of its texts
  std::string index{};  // the name of the count in its arguments
  std::vector<Fragment> parts{};  // instead of arguments: nested fragments with their own questions
};

// The description that an artifact under `provide` must have: FILE is JSON, and the value at each
// dotted path equals the point's parameter, or is at least as large.
struct Agree {
  std::string file;
  std::map<std::string, std::string> values;  // parameter -> dotted path; a version agrees with
                                              // any build of that release: 0.14.0 with 0.14.0.dev1
  std::map<std::string, std::string>
      at_least;                       // the same for numbers: the provided value may be larger
  std::vector<std::string> may_lack;  // parameters of both maps that the file may omit
  Location where;
};

// The container that a stage runs in, as written. Texts may contain {symbols} of all parameters.
struct Container {
  struct Option {
    std::string text;
    bool cut = false;  // split at blanks after it is filled in; omitted if it has no value
  };

  std::optional<std::size_t> when;  // question: points that answer false run without it
  std::string image;                // a name, NAME@sha256:..., or a path; "" with `built`
  // JSON files of stages, whose `id` names the image; uses the first whose stage the point has.
  std::vector<std::string> built;
  std::string engine;  // "": the site's
  std::string shm_size, network = "host", ipc;
  bool as_user = true, entrypoint = false;  // as in container::Settings
  std::map<std::string, std::string> ulimits;
  std::vector<Option> options;
  std::vector<std::string> folders;  // each may be several, separated by ':'
  std::vector<std::string> probe;    // a command that looks for tools in the image; may be empty
  std::vector<std::string> caches;   // variables that name cache folders
  Location where;
};

// The symbols in those texts of CONTAINER that may name parameters.
std::vector<std::string> symbols_of(const Container& container);

// Common to a kind of stage and the stages of a plan. Strings may contain {symbols}, which a plan
// fills in as far as they are known (spec/render/symbols.hpp).
struct StageCommon {
  std::string name;
  Kind kind = Kind::task;
  bool in_place = false;
  bool shared = false;  // in_place, in the user's cache
  bool batch = false;
  // How many leading arguments of argv are a launcher, such as a container or srun.
  std::size_t launcher = 0;
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> job;
  std::vector<std::string>
      inherit;  // names or PREFIX_* taken from this program's environment, outside the digest
  std::vector<std::string> secrets;  // the same, for values that must not reach a log
  std::vector<Copy> copy;
  std::vector<Place> place;
  std::vector<std::string> outputs;  // paths under {out} that must exist and not be empty
  std::string shm_prefix;            // "" or a prefix under /dev/shm, removed with the tree
  double timeout_s = 3600;
  double stop_s = 20;  // KILL follows TERM after this time
};

// One kind of stage, as docs/writing-a-runner.md describes it.
struct StageKind : StageCommon {
  std::vector<std::string> needs;
  std::vector<std::string> reads;        // parameters that enter the digest
  std::vector<std::string> executables;  // absolute paths whose identity enters the digest
  std::vector<Fragment> version;         // a command whose answer enters the digest; may be empty
  Location version_where;
  std::vector<std::string> files;  // runner files whose sha256 enters the digest, beyond {file:...}
  std::vector<std::string> argv;   // all arguments, of every fragment; may be empty for a task that
                                   // only renders and copies
  std::vector<Fragment> fragments;  // the same, as written
  std::vector<Render> render;
  std::optional<Tools> tools;
  matrix::Keep keep = matrix::Keep::results;  // its output is removed if a matrix keeps less
  std::vector<std::string> ports;
  std::map<std::string, std::size_t> port_counts;  // question: how many ports, PORT.1 and so on
  std::optional<Ready> ready;
  std::vector<Smoke> smoke;  // the first one that suits a point is used
  std::optional<Identity> identity;
  std::optional<std::size_t> when;    // question: points that answer false lack this stage
  std::optional<std::size_t> gpus;    // question: number of GPUs that an attempt holds; nullopt: 0
  std::optional<std::size_t> driver;  // question: points whose attempts load the driver's libraries
  std::optional<std::size_t>
      disk_gib;  // question: the size of its output, for a stage that has never run
  std::optional<std::size_t> cores;  // question: number of exclusive cores; nullopt: not stated
  std::optional<std::size_t> cpus;   // question: CPUs that its job requests; nullopt: not stated
  std::optional<std::size_t> memory_gib;      // question: host memory; nullopt: not counted
  std::map<std::string, std::size_t> tokens;  // questions: number of each named token
  std::vector<std::size_t> seconds;           // questions: bounds on its time
  // Questions: its probable time, from and to; empty, or NULL: unknown.
  std::vector<std::size_t> expected_seconds;
  bool per_gpu_model = false;  // its output fits one GPU model, which enters the digest
  bool repeat_build = false;   // `repeats.build` makes it again
  std::optional<Container> container;
  std::optional<Agree> agree;  // checks `provide:`; without it the stage accepts any folder
  std::string help;
  Location where;
  std::map<std::string, Location> named_files;  // of the runner -> where each is first named
};

// A program that resolves a mutable revision (a branch on a hub). The last line of its output is
// the commit.
struct Resolver {
  std::string scheme;              // "hf": of sources that begin with "hf:"
  std::vector<std::string> argv;   // with {file:...}, {model.source}, {model.revision}
  std::vector<std::string> reach;  // as argv: succeeds if the files can be fetched; may be empty
  std::vector<std::string> inherit;
  double timeout_s = 60;
  Location where;
};

// Facts of models are read from FILE in the output of STAGE.
struct FactSource {
  std::string stage;
  std::string file;
  Location where;  // of the stage's name
  Location file_where;
  std::string known = {};  // a file beside the manifest with facts of known models; "": none
  Location known_where = {};
  matrix::FactPlaces places = {};
  // Files beside FILE; the first that exists contains the size of the weights.
  std::vector<std::string> weights = {};
};

// Facts of models by source ("hf:OWNER/NAME"), for plans made before the files are available.
using KnownModels = std::map<std::string, std::map<std::string, matrix::Value>, std::less<>>;

struct Manifest {
  std::string file;
  std::string digest{};  // SHA-256 in hex of the texts that it was read from; "" for a text alone
  std::string name;
  std::string description;
  std::vector<matrix::Parameter> parameters;
  std::vector<matrix::Rule> rules;
  std::optional<Container> container;  // of stages with `container: true`
  std::vector<StageKind> stages;       // every stage follows its needs
  std::vector<matrix::ModelFact> model_facts;
  std::optional<FactSource> fact_source;
  KnownModels known_models;
  std::vector<Resolver> resolvers;
  std::vector<matrix::Question> questions;  // of all stages; points answer them in this order
  std::optional<matrix::Versions> versions;

  const StageKind* find(std::string_view stage) const;
  const matrix::Parameter* parameter(std::string_view called) const;
  // The parameter or fact that expressions read as CALLED; null if there is none.
  const matrix::Parameter* column(std::string_view called) const;
  // The resolver for mutable revisions of SOURCE ("hf:OWNER/NAME"); null if there is none.
  const Resolver* resolver_of(std::string_view source) const;
  matrix::Vocabulary vocabulary() const;
};

// Reads the file PATH of `parts:` or `facts: {known: ...}`; PATH is as shown in messages.
using ReadPart = std::function<Result<std::string>(const std::string& path)>;

// Appends every error to ERRORS; the manifest is usable only if none was added.
Manifest parse_manifest(std::string_view text, const std::string& file, Errors& errors,
                        const ReadPart& read_part = {});

}  // namespace orch::runner

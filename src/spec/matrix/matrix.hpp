// matrix.yaml as written: axes, defaults, expressions, exclusion rules. Does not depend on runners
// and opens no file: the caller reads the files of `base:`. expand() (expand.hpp) checks types and
// names against the runner's vocabulary.
#pragma once

#include "bench/measure/metric_names.hpp"
#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::matrix {

// An entry of `service:` in a matrix: a running server, used instead of one that a runner would
// start. Opens no connection.

// The parts of http://HOST:PORT/PREFIX.
struct ServerUrl {
  std::string scheme;  // http, https, grpc or grpcs
  std::string host;    // as written: an IPv6 address with its brackets
  int port = 0;
  std::string path = {};  // "" or "/...", without a trailing '/' or "/v1"

  bool tls() const { return scheme == "https" || scheme == "grpcs"; }
  std::string authority() const;  // HOST:PORT
  std::string text() const;
};

// The error says what is wrong with TEXT, without repeating a password.
Result<ServerUrl> parse_server_url(std::string_view text);

struct RunningServer {
  ServerUrl url;  // of the port that the readiness check uses
  std::map<std::string, ServerUrl, std::less<>> ports = {};  // of additional ports, by name
  std::string machine = {};    // description of its machine; "": not stated
  std::string token_env = {};  // the variable that holds its bearer token; "": none
  // Sent with every request; a value may contain variables, "$NAME", which hold its secrets.
  std::map<std::string, std::string> headers = {};
  bool reuse = false;          // earlier measurements of it count
  Location where = {};         // of the URL
  Location runner_where = {};  // of the runner's name, or of the section
};

// The environment variables with the secrets of SERVER: its token, and those in its headers.
std::vector<std::string> secret_variables(const RunningServer& server);

// An SQL expression, its name and its position.
struct Expression {
  std::string name;  // the `let` name; "" for a predicate
  std::string sql;
  Places where;
};

using Settings = std::vector<std::pair<std::string, Yaml>>;  // parameter name, scalar

// The key of a map of parameters that names the runner of its points.
inline constexpr std::string_view k_runner_key = "runner";

// One value of an axis: the parameters that it sets together. A plain axis `tp: [1, 2]` sets one
// parameter of its own name. Values of one axis may set different parameters; an axis value does
// not affect the parameters that it leaves out.
struct AxisValue {
  Settings sets;
  Location where;
};

// Axes under `zip:` are one Axis here, named "isl+osl".
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  Location where;
};

// An entry of `include:`: replaces every axis that has one of its parameters, and expands over the
// other axes.
struct Include {
  Settings sets;
  Location where;
};

// An entry of `defaults:` that is a map: values for the points of one runner.
struct RunnerDefaults {
  std::string runner;
  Settings sets;
  Location where;  // of the map
};

// An entry of `models:`.
struct Model {
  std::string source;  // "hf:OWNER/NAME", "local:PATH", "generate:SHAPE"
  // The source before PATH was made absolute: points' names must not depend on its folder.
  std::string written;
  std::string revision;  // "" if not given
  Settings facts;        // its stated facts: name without "model_", scalar
  Location where;        // of the source
};

// An entry of `datasets:`.
struct Dataset {
  std::string source = {};    // "local:PATH", "hf:OWNER/NAME" or "url:ADDRESS"
  std::string revision = {};  // on the hub; for an address, the sha256 of its file
  std::string files = "[]";   // of a repository, as JSON; []: its only prompt file
  std::string tokens = {};    // the lengths of rows to keep, as JSON; "": all rows
  Location where = {};        // of the source

  // The downloader's name for it: "hf:datasets/OWNER/NAME".
  std::string origin() const;
  // Whether a stage makes its file. If not, the file is read in place.
  bool is_fetched() const;
};

// An entry of `provide:`: the existing output of a stage.
struct Provision {
  std::string stage;               // in the manifest
  std::string path;                // as written; relative to the file that names it
  std::optional<Expression> when;  // the points that it applies to; nullopt: all
  Location where;                  // of the path
  Location stage_where;
};

// An entry of `ports:`: the numbers of the ports with one name, one for each server of a point.
struct PinnedPorts {
  std::vector<int> numbers;
  Location where;  // of the name
};

// Limits beyond which the client counts as saturated and the measurement as invalid. Not part of
// any digest.
struct Limits {
  double wake_lag_ms = 1;          // closed loop: p99 of how late the client wakes up
  double send_lag_ms = 1;          // open loop: p99 of how late requests are sent
  double client_cpu_share = 0.85;  // of one client thread
};

// `measure.until_difference` and its related keys: adds server sessions until it is decided whether
// a parameter's values differ. Not part of any digest.
struct UntilDifference {
  double size = 0;  // the smallest relevant difference, as a fraction: 0.03 is 3 %
  std::string metric{metric::output_tps};  // a column of `results`
  Location metric_where;
  std::string
      between;     // a varied parameter, or `runner`; its values are compared with the first one
  Location where;  // of the size
  int most_sessions = 10;  // per value
};

// The work that may run on the host while a point is measured, apart from its server.
enum class Isolation {
  strict,  // nothing started by this run
  gpu,     // stages on other GPUs and cores; each keeps to its own
  none,    // anything
};

constexpr auto names_of(Tag<Isolation>) { return keys::k_isolations; }

// The section `measure:`.
struct Measure {
  std::optional<Expression> warmup;  // requests before the window; an expression over the point
  std::int64_t seed = 0;
  std::int64_t repeats = 1;        // repeats.measure: each load again on the same server
  std::int64_t serve_repeats = 1;  // repeats.serve: everything again on a new server
  std::int64_t build_repeats = 1;  // repeats.build: everything again with new artifacts
  Location repeats_where;
  std::string prompts = "synthetic";  // or a name under `datasets:`
  Location prompts_where;
  std::optional<Expression> goodput;  // over metrics of one request
  Limits limits;
  std::optional<UntilDifference> until_difference;
  std::optional<Isolation> isolation;  // nullopt: gpu on a machine with GPUs, else strict
  std::int64_t check_isolation = 0;    // number of points that are also measured alone
  Location check_where;
  std::int64_t gpu_clock_mhz = 0;  // at which the GPUs of servers are locked; 0: they are not
  Location gpu_clock_where;
  // Parameters by which points are pruned: if a point ran out of memory, points that need at least
  // as much of these are known to fail.
  std::vector<std::string> prune;
  Location prune_where;
};

// The section `score:`. Not part of any stage's digest.
struct Score {
  std::vector<std::string> scorers;
  std::string program;     // "": none
  std::string references;  // a name under `datasets:`; "": the dataset of the measurement
  std::optional<double> tolerance;
  Location where;  // of the program
};

// `machine:` of a matrix or a site: facts that replace detected ones. Keys as written, without
// "host_".
using StatedMachine = Settings;

struct Matrix {
  std::string file;
  std::vector<std::string> bases;  // files that `base:` included, nearest first
  std::string name;
  std::string runner;  // of every point that does not name another
  Location runner_where;
  Settings defaults;
  std::vector<RunnerDefaults> runner_defaults;
  std::vector<Axis> axes;
  std::vector<Include> include;
  bool only_included = false;  // the axes make no points themselves; `include` expands over them
  std::vector<Expression> let;
  std::vector<Expression> exclude;
  std::map<std::string, Model> models;
  std::map<std::string, Dataset> datasets;
  std::vector<Provision> provide;
  std::map<std::string, PinnedPorts> ports;
  std::map<std::string, RunningServer, std::less<>> services;  // by runner
  StatedMachine machine;
  Measure measure;
  std::optional<Score> score;
  Keep keep = Keep::all;
  std::optional<std::int64_t> most_points;  // `limits: {points: N}`
  std::set<std::string> broken;  // names whose setting has a reported error; not checked again
  // A base or a section could not be read, or there are too many errors: a missing name may be in
  // the unknown part.
  bool incomplete = false;
};

// NODE, a map of machine facts, for a matrix, a site or a machine file. Errors: unknown facts,
// values of the wrong type.
StatedMachine read_machine(const Yaml& node, Errors& errors);

// Reads the file PATH of a `base:`; PATH is as shown in messages.
using ReadBase = std::function<Result<std::string>(const std::string& path)>;
// The path of the file that `base: preset:NAME` names.
using FindPreset = std::function<Result<std::string>(const std::string& name)>;

// Appends every error of the text to ERRORS. A matrix with errors contains everything that could be
// read, so that later checks can report more; it must not be planned.
Matrix parse_matrix(std::string_view text, const std::string& file, Errors& errors,
                    const ReadBase& read_base = {}, const FindPreset& find_preset = {});

// "3 %" or "3%" as a fraction, 0.03. nullopt if TEXT is not such a size above 0 and below 100 %.
std::optional<double> share_of_percent(std::string_view text);

// The settings of each value of axis NAME in MATRIX, in order. Without such an axis: the values of
// parameter NAME, each once. Empty if neither exists.
std::vector<Settings> alternatives_of(const Matrix& matrix, std::string_view name);

// The parameters that axes and `include` set, in the order of MATRIX.
std::vector<std::string> varied_parameters(const Matrix& matrix);

// Where MATRIX sets parameter NAME to TEXT; the position of `runner:` if it does not, for example
// because TEXT is the runner's default.
Location place_of_setting(const Matrix& matrix, std::string_view name, std::string_view text);

}  // namespace orch::matrix

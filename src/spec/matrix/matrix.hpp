// matrix.yaml as written: axes, defaults, expressions, rules of exclusion. Knows no runner and
// opens no file: the caller reads the files of `base:`. expand() (expand.hpp) checks types and
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

// An entry of `service:` in a matrix: a server that runs already, in place of the one that a runner
// would start. Opens no connection.

// http://HOST:PORT/PREFIX, in its parts.
struct ServerUrl {
  std::string scheme;  // http, https, grpc or grpcs
  std::string host;    // as written: an IPv6 address with its brackets
  int port = 0;
  std::string path = {};  // "" or "/...", without a '/' or "/v1" at its end

  bool tls() const { return scheme == "https" || scheme == "grpcs"; }
  std::string authority() const;  // HOST:PORT
  std::string text() const;
};

// The error says what is wrong with TEXT and never repeats a password.
Result<ServerUrl> parse_server_url(std::string_view text);

struct RunningServer {
  ServerUrl url;                                             // of the port that readiness asks
  std::map<std::string, ServerUrl, std::less<>> ports = {};  // of further ports, by name
  std::string machine = {};    // that it runs on, in words; "": not stated
  std::string token_env = {};  // the variable that holds its bearer token; "": none
  // Sent with every request; a value may name variables, "$NAME", which hold its secrets.
  std::map<std::string, std::string> headers = {};
  bool reuse = false;          // earlier measurements of it count
  Location where = {};         // of the URL
  Location runner_where = {};  // of the runner's name, or of the section
};

// The environment variables that hold the secrets of SERVER: its token, and those of its headers.
std::vector<std::string> secret_variables(const RunningServer& server);

// A named SQL expression and its place.
struct Expression {
  std::string name;  // the `let` name; "" for a predicate
  std::string sql;
  Places where;
};

using Settings = std::vector<std::pair<std::string, Yaml>>;  // parameter name, scalar

// The key of a map of parameters that names the runner of its points.
inline constexpr std::string_view k_runner_key = "runner";

// One value of an axis: the parameters that it sets together. A plain axis `tp: [1, 2]` sets one
// parameter of its own name. Values of one axis may set different parameters; a parameter that a
// value leaves out is unaffected by the axis.
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

// An entry of `include:`: replaces every axis of which it names a parameter, and expands over the
// others.
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
  // The source before PATH was made absolute: names of points must not depend on its folder.
  std::string written;
  std::string revision;  // "" when not given
  Settings facts;        // what is stated of it: name without "model_", scalar
  Location where;        // of the source
};

// An entry of `datasets:`.
struct Dataset {
  std::string source = {};    // "local:PATH", "hf:OWNER/NAME" or "url:ADDRESS"
  std::string revision = {};  // on the hub; of an address, the sha256 of its file
  std::string files = "[]";   // of a repository, as JSON; empty: its only file of prompts
  std::string tokens = {};    // the lengths of rows that are kept, as JSON; "": all rows
  Location where = {};        // of the source

  // As the downloader names it: "hf:datasets/OWNER/NAME".
  std::string origin() const;
  // Whether a stage makes its file. If not, the file is read where it is.
  bool is_fetched() const;
};

// An entry of `provide:`: the output of a stage that exists already.
struct Provision {
  std::string stage;               // of the manifest
  std::string path;                // as written; relative to the file that names it
  std::optional<Expression> when;  // for which points; empty: for all
  Location where;                  // of the path
  Location stage_where;
};

// An entry of `ports:`: the numbers of the ports NAME of a server, in the order of its processes.
struct PinnedPorts {
  std::vector<int> numbers;
  Location where;  // of the name
};

// Limits above which the client counts as saturated and the measurement as invalid. They are in no
// digest.
struct Limits {
  double wake_lag_ms = 1;          // closed loop: p99 of how late the client wakes up
  double send_lag_ms = 1;          // open loop: p99 of how late requests are sent
  double client_cpu_share = 0.85;  // of one client thread
};

// `measure.until_difference` and the keys that belong to it: sessions of servers are added until it
// is decided whether values of a parameter differ. In no digest.
struct UntilDifference {
  double size = 0;                         // the difference that matters, as a share: 0.03 is 3 %
  std::string metric{metric::output_tps};  // a column of `results`
  Location metric_where;
  std::string
      between;     // a varied parameter, or `runner`; the others are compared to its first value
  Location where;  // of the size
  int most_sessions = 10;  // of each value
};

// What may work on the host while a point is measured, apart from its server.
enum class Isolation {
  strict,  // nothing that this run started
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
  std::optional<Isolation> isolation;  // empty: gpu on a machine with GPUs, else strict
  std::int64_t check_isolation = 0;    // so many points are measured alone as well
  Location check_where;
  std::int64_t gpu_clock_mhz = 0;  // at which the GPUs of servers are locked; 0: they are not
  Location gpu_clock_where;
  // Parameters of which a point that ran out of memory needs no more to be known to fail.
  std::vector<std::string> prune;
  Location prune_where;
};

// The section `score:`. It is in no digest of a stage.
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
  std::vector<std::string> bases;  // files that `base:` brought in, nearest first
  std::string name;
  std::string runner;  // of every point that names no other
  Location runner_where;
  Settings defaults;
  std::vector<RunnerDefaults> runner_defaults;
  std::vector<Axis> axes;
  std::vector<Include> include;
  bool only_included = false;  // the axes make no points by themselves; `include` expands over them
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
  std::set<std::string> broken;  // names whose setting has a reported error; not checked further
  // A base or a section could not be read, or there are too many errors: a missing name may be in
  // the part that is not known.
  bool incomplete = false;
};

// NODE, a map of facts of a machine, for a matrix, a site or a machine file. Errors: unknown facts,
// values of another type.
StatedMachine read_machine(const Yaml& node, Errors& errors);

// Reads the file PATH of a `base:`; PATH is as messages will show it.
using ReadBase = std::function<Result<std::string>(const std::string& path)>;
// The path of the file that `base: preset:NAME` names.
using FindPreset = std::function<Result<std::string>(const std::string& name)>;

// Appends every error of the text to ERRORS. A matrix with errors holds whatever could be read, so
// that later checks can report further ones; it must not be planned.
Matrix parse_matrix(std::string_view text, const std::string& file, Errors& errors,
                    const ReadBase& read_base = {}, const FindPreset& find_preset = {});

// "3 %" or "3%" as a share, 0.03. Empty: TEXT is no such size above 0 and below 100 %.
std::optional<double> share_of_percent(std::string_view text);

// What axis NAME sets in MATRIX, a value after the other. If there is no such axis: the values of
// parameter NAME, each once. Empty: neither exists.
std::vector<Settings> alternatives_of(const Matrix& matrix, std::string_view name);

// The parameters that axes and `include` set, in the order in which MATRIX names them.
std::vector<std::string> varied_parameters(const Matrix& matrix);

// The place where MATRIX sets parameter NAME to TEXT; that of `runner:` if it sets it nowhere, as
// with the runner's default.
Location place_of_setting(const Matrix& matrix, std::string_view name, std::string_view text);

}  // namespace orch::matrix

#include "cli/init.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "cli/experiment.hpp"
#include "cli/say.hpp"
#include "matrix/names.hpp"
#include "system/files.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;
using matrix::Parameter;
using matrix::Type;

constexpr std::size_t k_comment_column = 46;
constexpr std::size_t k_first_values = 2;

// Text of others in a comment of ours.
std::string one_line(std::string_view text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string row(std::string text, std::string_view comment) {
  if (comment.empty()) return text + "\n";
  text.resize(std::max(text.size() + 1, k_comment_column), ' ');
  return text + "# " + one_line(comment) + "\n";
}

std::string yaml_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// VALUE as YAML reads it back, whatever stands in it.
std::string yaml_value(Type type, const std::string& value) {
  const bool bare =
      !value.empty() && (is_letter(value.front()) || type != Type::text) &&
      std::all_of(value.begin(), value.end(), [](char c) {
        return is_letter_or_digit(c) || std::string_view("._-/+").find(c) != std::string_view::npos;
      });
  static const std::vector<std::string> k_words = {"true", "false", "yes", "no", "on",
                                                   "off",  "null",  "y",   "n"};
  const bool is_word = std::find(k_words.begin(), k_words.end(), lower(value)) != k_words.end();
  return bare && (type != Type::text || !is_word) ? value : yaml_quote(value);
}

// What a parameter has first: its default, else 1 or what of its limits is nearest.
std::string first_value(const Parameter& parameter) {
  if (parameter.fallback) return parameter.fallback->text;
  if (!parameter.allowed.empty()) return parameter.allowed.front();
  switch (parameter.type) {
    case Type::integer:
    case Type::real: {
      const double least = std::max(1.0, parameter.least.value_or(1)),
                   number = std::min(least, parameter.most.value_or(least));
      return number == std::trunc(number)
                 ? fmt::format("{:.{}f}", number, parameter.type == Type::real ? 1 : 0)
                 : fmt::format("{}", number);
    }
    case Type::boolean: return "false";
    case Type::version: return "1.0";
    case Type::text: return "VALUE";
  }
  return "";
}

// "integer, at least 1: tokens in each prompt"
std::string describe(const Parameter& parameter) {
  std::string text(parameter.is_path ? "path" : matrix::to_string(parameter.type));
  if (parameter.least) text += fmt::format(", at least {}", *parameter.least);
  if (parameter.most) text += fmt::format(", at most {}", *parameter.most);
  if (!parameter.allowed.empty()) text += ", one of " + join(parameter.allowed, " ");
  return parameter.help.empty() ? text : text + ": " + parameter.help;
}

std::string describe(const system::Machine& machine) {
  std::string gpus = "no GPU seen";
  if (machine.gpus)
    gpus = fmt::format("{} x {}, {:.0f} GiB each", machine.gpus->count, machine.gpus->model,
                       machine.gpus->memory_gib);
  return one_line(fmt::format("{}, {} CPUs, {:.1f} GiB of memory, {}", machine.cpu_model,
                              machine.cpus, machine.memory_gib, gpus));
}

// Writes the matrix section by section; remembers which parameters have got a value.
class Start {
 public:
  explicit Start(const runner::Manifest& runner)
      : runner_(runner), vocabulary_(runner.vocabulary()) {}

  std::string text(const system::Machine& machine, const std::string& name) {
    out_ = fmt::format("# A matrix to start from. Runner: {}\n# Machine: {}\n",
                       one_line(runner_.description.empty() ? runner_.name : runner_.description),
                       describe(machine));
    out_ += row("name: " + name, "results are kept under it") +
            row("runner: " + runner_.name, "a folder under runners/");
    models();
    axes();
    defaults();
    examples();
    return std::move(out_);
  }

 private:
  const Parameter* find(std::string_view name) const {
    const Parameter* parameter = vocabulary_.find(name);
    const bool read =
        std::find(vocabulary_.read.begin(), vocabulary_.read.end(), name) != vocabulary_.read.end();
    return parameter && read ? parameter : nullptr;
  }

  void models() {
    const Parameter* model = find("model");
    if (!model) return;
    const bool generates = model->help.find("generate:") != std::string::npos;
    // A runner that cannot ask a hub is given a folder.
    const bool asks_hub =
        std::any_of(runner_.resolvers.begin(), runner_.resolvers.end(),
                    [](const runner::Resolver& one) { return one.scheme == "hf"; });
    const std::string source = generates  ? "generate:tiny"
                               : asks_hub ? "hf:Qwen/Qwen2-0.5B-Instruct"
                                          : "local:models/qwen2-0.5b";
    out_ += "\nmodels:\n" +
            row(fmt::format("  {}: {{source: \"{}\"}}", generates ? "tiny" : "qwen2-0.5b", source),
                model->help);
    model_ = generates ? "tiny" : "qwen2-0.5b";
  }

  // What is worth comparing first, and what has to be said.
  void axes() {
    out_ += "\n" + row("axes:", "every combination is a point");
    if (!model_.empty()) axis("model", model_, "names under models:");
    const auto& all = vocabulary_.parameters;
    const auto chosen = std::find_if(all.begin(), all.end(), [&](const Parameter& one) {
      return one.name != "model" && !one.allowed.empty() && find(one.name);
    });
    if (chosen != all.end())
      choices(*chosen);  // a runner may have dozens of them, and every one doubles the points
    if (const Parameter* isl = find("isl"), *osl = find("osl");
        isl && osl && isl->allowed.empty() && osl->allowed.empty()) {
      axis("length", fmt::format("{{isl: {}, osl: {}}}", first_value(*isl), first_value(*osl)),
           "a map sets several parameters together");
      set_.insert({"isl", "osl"});
    }
    if (const Parameter* concurrency = find("concurrency");
        concurrency && concurrency->allowed.empty()) {
      const std::int64_t least = to_integer(first_value(*concurrency)).value_or(1);
      const bool more = !concurrency->most || static_cast<double>(4 * least) <= *concurrency->most;
      axis("load",
           fmt::format("{{concurrency: {}}}{}", least,
                       more ? fmt::format(", {{concurrency: {}}}", 4 * least) : ""),
           concurrency->help);
      set_.insert({"load", "concurrency"});
      open_load();
    }
    for (const Parameter& parameter : vocabulary_.parameters) {
      const bool needed = find(parameter.name) && !parameter.optional && !parameter.fallback &&
                          !parameter.fallback_sql;
      if (needed && !set_.contains(parameter.name))
        axis(parameter.name, yaml_value(parameter.type, first_value(parameter)),
             describe(parameter));
    }
    if (set_.empty()) axis_of_anything();
  }

  // Of a runner whose parameters all have defaults.
  void axis_of_anything() {
    for (const Parameter& parameter : vocabulary_.parameters)
      if (set_.empty() && find(parameter.name))
        axis(parameter.name, yaml_value(parameter.type, first_value(parameter)),
             describe(parameter));
  }

  // In place of the line above it: a point has one kind of load.
  void open_load() {
    const Parameter *rate = find("request_rate"), *arrival = find("arrival");
    if (!rate || !rate->optional) return;
    const bool poisson = arrival && std::find(arrival->allowed.begin(), arrival->allowed.end(),
                                              "poisson") != arrival->allowed.end();
    out_ +=
        row(fmt::format("  # load: [{{request_rate: 10{}}}]", poisson ? ", arrival: poisson" : ""),
            rate->help);
    set_.insert("request_rate");
  }

  void axis(const std::string& name, const std::string& values, std::string_view comment) {
    out_ += row(fmt::format("  {}: [{}]", name, values), comment);
    set_.insert(name);
  }

  void choices(const Parameter& parameter) {
    std::vector<std::string> some = {first_value(parameter)}, others;
    for (const std::string& value : parameter.allowed)
      if (value != some.front()) (some.size() < k_first_values ? some : others).push_back(value);
    if (some.size() == 2 && matrix::refuse_free_name(some.back()) == std::nullopt)
      compared_ = fmt::format("{} = '{}'", parameter.name, some.back());
    std::vector<std::string> values;
    for (const std::string& value : some) values.push_back(yaml_value(parameter.type, value));
    std::string comment = parameter.help;
    if (!others.empty()) comment += (comment.empty() ? "also " : "; also ") + join(others, ", ");
    axis(parameter.name, join(values, ", "), comment);
  }

  // Everything else, to be taken out of its comment.
  void defaults() {
    std::string rows, computed;
    for (const Parameter& parameter : vocabulary_.parameters) {
      if (set_.contains(parameter.name) || !find(parameter.name)) continue;
      if (!parameter.fallback_sql)
        rows += row(fmt::format("  # {}: {}", parameter.name,
                                yaml_value(parameter.type, first_value(parameter))),
                    (parameter.fallback ? "" : "not set; ") + describe(parameter));
      else
        computed +=
            row(fmt::format("  # {}: {}", parameter.name, yaml_quote(*parameter.fallback_sql)),
                describe(parameter));
    }
    if (!rows.empty())
      out_ += "\n" +
              row("defaults:",
                  "for parameters that no axis sets; these are the runner's own, except for what "
                  "is not set") +
              rows;
    if (!computed.empty())
      out_ +=
          "\n" + row("let:", "SQL over the point; for parameters, or names of your own") + computed;
  }

  void examples() {
    const std::string loaded = set_.contains("concurrency") ? "concurrency > 1" : "";
    const std::string condition = compared_.empty() ? loaded
                                  : loaded.empty()  ? compared_
                                                    : compared_ + " AND " + loaded;
    out_ += "\n# What else a matrix may say:\n";
    if (out_.find("\nlet:") == std::string::npos)
      out_ += row("# let: {twice: \"1 + 1\"}", "SQL over the point, for use in other expressions");
    if (!condition.empty())
      out_ += row(fmt::format("# exclude: [\"{}\"]", condition),
                  "points for which this is true are dropped");
    if (set_.contains("concurrency"))
      out_ += row("# include: [{concurrency: 2}]", "more points, over the axes that it leaves out");
    out_ += row(fmt::format("# measure: {{{}repeats: {{measure: 3}}}}",
                            set_.contains("concurrency") ? "warmup: 2 * concurrency, " : ""),
                "requests before the clock; each load again after all others");
    if (!compared_.empty() && set_.contains("load"))
      out_ += row(fmt::format("# zip: [{}, load]", compared_.substr(0, compared_.find(' '))),
                  "axes that advance together instead of crossing");
    out_ += row("# base: other.yaml", "another matrix, of which this one says what is different");
  }

  const runner::Manifest& runner_;
  const matrix::Vocabulary vocabulary_;
  std::string model_;
  std::string compared_;       // a condition that some points meet
  std::set<std::string> set_;  // parameters and axes that have values
  std::string out_;
};

std::string name_of_folder(const std::string& folder) {
  std::error_code code;
  const std::string name =
      fs::weakly_canonical(fs::absolute(folder, code), code).filename().string();
  return name.empty() || matrix::refuse_free_name(name) ? "first" : name;
}

struct InitOptions {
  std::string folder = ".";
  std::string runner;
  bool force = false;
};

// The manifest that the user names, or the one that fits the machine. NAMES become those of all
// runners in sight.
Result<runner::Manifest> find_runner(system::Files& files, const InitOptions& options,
                                     const system::Machine& machine,
                                     std::vector<std::string>& names) {
  std::vector<runner::Manifest> manifests;
  for (const RunnerFile& found : runners_near(files, options.folder)) {
    names.push_back(found.name);
    if (!options.runner.empty() && options.runner != found.name) continue;
    Errors errors;
    auto manifest = read_manifest(files, found.file, errors);
    if (!manifest) return errors.front();
    manifests.push_back(std::move(*manifest));
  }
  if (const runner::Manifest* chosen = choose_runner(manifests, machine)) return *chosen;
  if (names.empty())
    return Error{
        ErrorKind::not_found,
        "no runner is in sight (runners/NAME/runner.yaml); run this from the project's folder",
        {}};
  const std::string help = did_you_mean(options.runner, names);
  return invalid(fmt::format("no runner '{}'{}", options.runner,
                             help.empty() ? "; there is " + join(names, ", ") : help));
}

Status init(const InitOptions& options) {
  system::RealFiles files;
  const std::string path = (fs::path(options.folder) / "matrix.yaml").lexically_normal().string();
  if (files.exists(path) && !options.force)
    return invalid(fmt::format("{} exists; --force overwrites it", path));
  const system::Machine machine = system::detect_machine();
  std::vector<std::string> names;
  ORCH_ASSIGN(const runner::Manifest runner, find_runner(files, options, machine, names));
  ORCH_TRY(files.make_folder(options.folder));
  ORCH_TRY(files.write(path, starting_matrix(runner, machine, name_of_folder(options.folder))));
  const std::string shown = shell_quote(path);
  say(stderr,
      "Wrote {} for the runner {}: {}\n\nNext:\n  orchestrate check {}\n  orchestrate plan {}\n  "
      "orchestrate run {}\n",
      printable(path), runner.name, one_line(runner.description), shown, shown, shown);
  std::erase(names, runner.name);
  if (!names.empty() && options.runner.empty())
    say(stderr, "\nOther runners, with --runner NAME: {}\n", join(names, ", "));
  return {};
}

}  // namespace

const runner::Manifest* choose_runner(std::span<const runner::Manifest> manifests,
                                      const system::Machine& machine) {
  const auto takes_gpus = [](const runner::Manifest& manifest) {
    return std::any_of(manifest.stages.begin(), manifest.stages.end(),
                       [](const runner::StageKind& stage) { return stage.gpus.has_value(); });
  };
  const auto fits = std::find_if(manifests.begin(), manifests.end(), [&](const auto& one) {
    return takes_gpus(one) == machine.gpus.has_value();
  });
  if (fits != manifests.end()) return &*fits;
  return manifests.empty() ? nullptr : &manifests.front();
}

std::string starting_matrix(const runner::Manifest& runner, const system::Machine& machine,
                            const std::string& name) {
  return Start(runner).text(machine, name);
}

void add_init(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("init", "Write a commented matrix to start from, for this machine");
  auto options = std::make_shared<InitOptions>();
  command->add_option("DIR", options->folder, "The folder that gets matrix.yaml")
      ->capture_default_str();
  command->add_option("--runner", options->runner,
                      "A folder under runners/ (default: one that fits the machine)");
  command->add_flag("--force", options->force, "Overwrite a matrix.yaml that is there");
  command->callback([options, &exit_code] {
    if (const Status done = init(*options); !done) {
      print_errors({done.error()});
      exit_code =
          done.error().kind == ErrorKind::invalid || done.error().kind == ErrorKind::not_found ? 2
                                                                                               : 1;
    }
  });
}

}  // namespace orch::cli

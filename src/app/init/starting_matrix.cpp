#include "app/init/starting_matrix.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/runner/list_manifest.hpp"

#include <cmath>

namespace orch::session {

namespace {

using matrix::Parameter;

constexpr std::size_t k_comment_column = 46;
constexpr std::size_t k_first_values = 2;

std::string row(std::string text, std::string_view comment) {
  if (comment.empty()) return text + "\n";
  text.resize(std::max(text.size() + 1, k_comment_column), ' ');
  return text + "# " + one_line(comment) + "\n";
}

// The help for PARAMETER: "integer, at least 1: tokens in each prompt".
std::string describe(const Parameter& parameter) {
  std::string text = runner::type_words(parameter);
  if (const std::string releases = runner::release_words(parameter.declared.releases);
      !releases.empty())
    text += "; " + releases;
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

// Writes the matrix section by section; remembers which parameters have values.
class Start {
 public:
  explicit Start(const runner::Manifest& runner)
      : runner_(runner), vocabulary_(runner.vocabulary()) {}

  std::string text(const system::Machine& machine, const std::string& name) {
    out_ = fmt::format("# A matrix to start from. Runner: {}\n# Machine: {}\n",
                       one_line(runner_.description.empty() ? runner_.name : runner_.description),
                       describe(machine));
    out_ += row("name: " + name, "results are kept under this name") +
            row("runner: " + runner_.name, "a folder under runners/");
    models();
    axes();
    defaults();
    examples();
    return std::move(out_);
  }

 private:
  // The parameter NAME if a stage reads it: only such a parameter can be an axis for any runner.
  const Parameter* find(std::string_view name) const {
    const Parameter* parameter = vocabulary_.find(name);
    const bool read = std::ranges::find(vocabulary_.read, name) != vocabulary_.read.end();
    return parameter && read ? parameter : nullptr;
  }

  std::string value_of(const Parameter& parameter) const {
    return yaml_value(parameter.type, parameter.is_model ? model_ : first_value(parameter));
  }

  void models() {
    const Parameter* model = find("model");
    if (!model) return;
    const bool generates = takes_generated(*model);
    // For a runner without a resolver for a hub, the source is a local folder.
    const bool asks_hub = std::ranges::any_of(
        runner_.resolvers, [](const runner::Resolver& one) { return one.scheme == "hf"; });
    const std::string source = generates  ? "generate:tiny"
                               : asks_hub ? "hf:Qwen/Qwen2-0.5B-Instruct"
                                          : "local:models/qwen2-0.5b";
    out_ += "\nmodels:\n" +
            row(fmt::format("  {}: {{source: \"{}\"}}", generates ? "tiny" : "qwen2-0.5b", source),
                model->help);
    model_ = generates ? "tiny" : "qwen2-0.5b";
  }

  // Writes the axes: the required parameters, and those most worth comparing.
  void axes() {
    out_ += "\n" + row("axes:", "every combination is a point");
    if (!model_.empty()) axis("model", model_, "names under models:");
    const auto& all = vocabulary_.parameters;
    const auto chosen = std::ranges::find_if(all, [&](const Parameter& one) {
      return one.name != "model" && !one.allowed.empty() && !one.declared.releases.bounds() &&
             find(one.name);
    });
    if (chosen != all.end())
      // Only one, because a runner may have dozens, and each multiplies the points.
      choices(*chosen);
    if (const Parameter* isl = find("isl"), *osl = find("osl");
        isl && osl && isl->allowed.empty() && osl->allowed.empty()) {
      row_of_axis("length",
                  fmt::format("{{isl: {}, osl: {}}}", first_value(*isl), first_value(*osl)),
                  "a map sets several parameters together");
      set_.insert({"isl", "osl"});
    }
    if (const Parameter* concurrency = find("concurrency");
        concurrency && concurrency->allowed.empty()) {
      const std::int64_t least = to_integer(first_value(*concurrency)).value_or(1);
      const bool more = !concurrency->most || static_cast<double>(4 * least) <= *concurrency->most;
      row_of_axis("load",
                  fmt::format("{{concurrency: {}}}{}", least,
                              more ? fmt::format(", {{concurrency: {}}}", 4 * least) : ""),
                  concurrency->help);
      set_.insert("concurrency");
      has_load_ = true;
      open_load();
    }
    for (const Parameter& parameter : vocabulary_.parameters) {
      const bool needed = find(parameter.name) && !parameter.optional && !parameter.fallback &&
                          !parameter.fallback_sql;
      if (needed && !set_.contains(parameter.name))
        axis(parameter.name, value_of(parameter), describe(parameter));
    }
    if (set_.empty()) axis_of_anything();
  }

  // Writes an axis for a runner whose parameters all have defaults.
  void axis_of_anything() {
    for (const Parameter& parameter : vocabulary_.parameters)
      if (set_.empty() && find(parameter.name))
        axis(parameter.name, value_of(parameter), describe(parameter));
  }

  // Writes an open load in a comment, as an alternative to the line above: a point has one kind of
  // load.
  void open_load() {
    const Parameter *rate = find("request_rate"), *arrival = find("arrival");
    if (!rate || !rate->optional) return;
    const bool poisson =
        arrival && std::ranges::find(arrival->allowed, "poisson") != arrival->allowed.end();
    out_ +=
        row(fmt::format("  # load: [{{request_rate: 10{}}}]", poisson ? ", arrival: poisson" : ""),
            rate->help);
    set_.insert("request_rate");
  }

  void axis(const std::string& name, const std::string& values, std::string_view comment) {
    row_of_axis(name, values, comment);
    set_.insert(name);
  }

  void row_of_axis(std::string_view name, std::string_view values, std::string_view comment) {
    out_ += row(fmt::format("  {}: [{}]", name, values), comment);
  }

  void choices(const Parameter& parameter) {
    std::vector<std::string> some = {first_value(parameter)}, others;
    for (const std::string& value : parameter.allowed)
      if (value != some.front())
        (some.size() < k_first_values && !parameter.declared.values.contains(value) ? some : others)
            .push_back(value);
    if (some.size() == 2 && matrix::refuse_free_name(some.back()) == std::nullopt)
      compared_ = fmt::format("{} = '{}'", parameter.name, some.back());
    std::vector<std::string> values;
    for (const std::string& value : some) values.push_back(yaml_value(parameter.type, value));
    std::string comment = parameter.help;
    if (!others.empty()) comment += (comment.empty() ? "also " : "; also ") + join(others, ", ");
    axis(parameter.name, join(values, ", "), comment);
  }

  // Writes the other parameters as comments, including those that only rules and expressions read:
  // a matrix may set them too.
  void defaults() {
    std::string rows, computed;
    for (const Parameter& parameter : vocabulary_.parameters) {
      if (set_.contains(parameter.name) || parameter.is_compared) continue;
      const matrix::Declared& declared = parameter.declared;
      if (!declared.fallback_sql)
        rows += row(fmt::format("  # {}: {}", parameter.name, value_of(parameter)),
                    (declared.fallback ? "" : "not set; ") + describe(parameter));
      else
        computed +=
            row(fmt::format("  # {}: {}", parameter.name, yaml_quote(*declared.fallback_sql)),
                describe(parameter));
    }
    if (!rows.empty())
      out_ +=
          "\n" +
          row("defaults:", "for parameters that no axis sets; these are the runner's own values") +
          rows;
    if (!computed.empty())
      out_ += "\n" +
              row("let:", "SQL over the point: values of parameters, or of names of your own") +
              computed;
  }

  void examples() {
    const std::string loaded = set_.contains("concurrency") ? "concurrency > 1" : "";
    const std::string condition = compared_.empty() ? loaded
                                  : loaded.empty()  ? compared_
                                                    : compared_ + " AND " + loaded;
    out_ += "\n# Further sections of a matrix:\n";
    if (out_.find("\nlet:") == std::string::npos)
      out_ += row("# let: {twice: \"1 + 1\"}", "SQL over the point, for use in other expressions");
    if (!condition.empty())
      out_ += row(fmt::format("# exclude: [\"{}\"]", condition),
                  "points for which this is true are dropped");
    if (set_.contains("concurrency"))
      out_ += row("# include: [{concurrency: 2}]",
                  "further points; an entry expands over the axes that it leaves out");
    out_ += row(fmt::format("# measure: {{{}repeats: {{measure: 3}}}}",
                            set_.contains("concurrency") ? "warmup: 2 * concurrency, " : ""),
                "warm-up requests; repeats of each load");
    if (!compared_.empty() && has_load_)
      out_ += row(fmt::format("# zip: [{}, load]", compared_.substr(0, compared_.find(' '))),
                  "axes that advance together instead of crossing");
    out_ += row("# base: other.yaml", "another matrix that this one changes");
  }

  const runner::Manifest& runner_;
  const matrix::Vocabulary vocabulary_;
  std::string model_;
  std::string compared_;       // a condition that some points meet, for the example
  std::set<std::string> set_;  // parameters that have values
  bool has_load_ = false;      // there is an axis "load"
  std::string out_;
};

}  // namespace

std::string yaml_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string yaml_value(matrix::Type type, const std::string& value) {
  const bool bare =
      !value.empty() && (is_letter(value.front()) || type != matrix::Type::text) &&
      std::ranges::all_of(value, [](char c) {
        return is_letter_or_digit(c) || std::string_view("._-/+").find(c) != std::string_view::npos;
      });
  static const std::vector<std::string> k_words = {"true", "false", "yes", "no", "on",
                                                   "off",  "null",  "y",   "n"};
  const bool is_word = std::ranges::find(k_words, lower(value)) != k_words.end();
  return bare && (type != matrix::Type::text || !is_word) ? value : yaml_quote(value);
}

std::string first_value(const matrix::Parameter& parameter) {
  if (parameter.declared.fallback) return parameter.declared.fallback->text;
  if (!parameter.allowed.empty()) return parameter.allowed.front();
  switch (parameter.type) {
    case matrix::Type::integer:
    case matrix::Type::real: {
      const double least = std::max(1.0, parameter.least.value_or(1)),
                   number = std::min(least, parameter.most.value_or(least));
      return number == std::trunc(number)
                 ? fmt::format("{:.{}f}", number, parameter.type == matrix::Type::real ? 1 : 0)
                 : fmt::format("{}", number);
    }
    case matrix::Type::boolean: return "false";
    case matrix::Type::version: return "1.0";
    case matrix::Type::text: return "VALUE";
  }
  return "";
}

bool takes_generated(const matrix::Parameter& model) {
  return model.help.find("generate:") != std::string::npos;
}

std::string one_line(std::string_view text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

const runner::Manifest* choose_runner(std::span<const runner::Manifest> manifests,
                                      const system::Machine& machine) {
  const auto takes_gpus = [](const runner::Manifest& manifest) {
    return std::ranges::any_of(
        manifest.stages, [](const runner::StageKind& stage) { return stage.gpus.has_value(); });
  };
  const auto fits = std::ranges::find_if(
      manifests, [&](const auto& one) { return takes_gpus(one) == machine.gpus.has_value(); });
  if (fits != manifests.end()) return &*fits;
  return manifests.empty() ? nullptr : &manifests.front();
}

std::string starting_matrix(const runner::Manifest& runner, const system::Machine& machine,
                            const std::string& name) {
  return Start(runner).text(machine, name);
}

}  // namespace orch::session

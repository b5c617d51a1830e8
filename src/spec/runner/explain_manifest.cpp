#include "spec/runner/explain_manifest.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/list_manifest.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

std::string_view meaning(Kind kind) {
  switch (kind) {
    case Kind::task: return "task: makes files, and is done once for all points that share it";
    case Kind::service: return "service: a server that lives while its measurements run";
    case Kind::measure: return "measure: a benchmark of the service it needs";
  }
  return "";
}

Lines needs_in_words(const Manifest& manifest, const StageKind& stage) {
  Lines lines;
  for (const std::string& need : stage.needs) {
    const StageKind* needed = manifest.find(need);
    if (needed)
      lines.push_back(fmt::format("{} ({}{})", need, to_string(needed->kind),
                                  needed->when ? ", only for some points" : ""));
  }
  return lines;
}

Lines reads_in_words(const Manifest& manifest, const StageKind& stage) {
  Lines lines;
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (contains(stage.reads, parameter.name)) lines.push_back(in_words(parameter));
  return lines;
}

void add_command(const Manifest& manifest, const std::vector<Fragment>& fragments,
                 const std::string& indent, Lines& lines) {
  for (const Fragment& fragment : fragments) {
    if (fragment.when)
      lines.push_back(fmt::format("{}{} {}:", indent,
                                  fragment.counted ? "as often as" : "only where",
                                  manifest.questions[*fragment.when].sql));
    const std::string below = indent + (fragment.when ? "  " : "");
    for (const std::string& word : fragment.words)
      lines.push_back(below + word + (fragment.cut ? ", split at blanks" : ""));
    add_command(manifest, fragment.parts, below, lines);
  }
}

Lines command(const Manifest& manifest, const StageKind& stage) {
  Lines lines;
  add_command(manifest, stage.fragments, "", lines);
  return lines;
}

std::string port_in_words(const Manifest& manifest, const StageKind& stage,
                          const std::string& port) {
  const auto count = stage.port_counts.find(port);
  return count == stage.port_counts.end()
             ? port
             : fmt::format("{} ({})", port, manifest.questions[count->second].sql);
}

Lines resources(const Manifest& manifest, const StageKind& stage) {
  Lines lines;
  if (stage.gpus) lines.push_back("gpus: " + manifest.questions[*stage.gpus].sql);
  if (stage.cores) lines.push_back("cores: " + manifest.questions[*stage.cores].sql);
  if (stage.cpus) lines.push_back("cpus: " + manifest.questions[*stage.cpus].sql);
  if (stage.memory_gib) lines.push_back("memory_gib: " + manifest.questions[*stage.memory_gib].sql);
  for (const auto& [name, count] : stage.tokens)
    lines.push_back(fmt::format("token {}: {}", name, manifest.questions[count].sql));
  if (stage.disk_gib) lines.push_back("disk_gib: " + manifest.questions[*stage.disk_gib].sql);
  for (const std::size_t bound : stage.seconds)
    lines.push_back("seconds: " + manifest.questions[bound].sql);
  if (const auto& expected = stage.expected_seconds; !expected.empty())
    lines.push_back(fmt::format("expected_seconds: {} to {}",
                                manifest.questions[expected.front()].sql,
                                manifest.questions[expected.back()].sql));
  Lines ports;
  for (const std::string& port : stage.ports) ports.push_back(port_in_words(manifest, stage, port));
  if (!ports.empty()) lines.push_back("ports: " + join(ports, ", "));
  return lines;
}

// The command, variables, jobs and template values of STAGE, in which symbols are replaced.
std::string all_texts(const StageKind& stage) {
  std::string text = join(stage.argv, "\n") + stage.shm_prefix;
  for (const auto& [name, value] : stage.env) text += value + "\n";
  for (const auto& [name, value] : stage.job) text += value + "\n";
  for (const Render& render : stage.render)
    for (const auto& [name, value] : render.values) text += value + "\n";
  return text;
}

template <class Map> std::string keys(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return join(names, ", ");
}

template <class Entry> std::string targets(const std::vector<Entry>& entries) {
  return join(members_of(entries, &Entry::to), ", ");
}

// The symbols in STAGE's texts, and the runner's files that it uses.
struct Used {
  std::set<std::string> symbols;
  std::set<std::string> files;

  explicit Used(const StageKind& stage) : files(stage.files.begin(), stage.files.end()) {
    for (const std::string& symbol : render::symbols_of(all_texts(stage))) {
      if (const auto file = render::file_of(symbol)) files.emplace(*file);
      else symbols.insert(symbol);
    }
  }
};

// The values that enter a digest from outside the manifest's text.
Lines identities(const StageKind& stage, const Used& used) {
  Lines lines;
  auto add = [&lines](bool is, std::string line) {
    if (is) lines.push_back(std::move(line));
  };
  add(used.symbols.contains("model.source"),
      "identity of the model: its files or its commit, not its name");
  add(used.symbols.contains("dataset.source"), "the content of the dataset");
  add(used.symbols.contains("dataset.origin"),
      "identity of the dataset: its content, its commit or its sha256");
  add(used.symbols.contains("measure.warmup"), "warm-up requests");
  add(used.symbols.contains("measure.seed"), "seed");
  add(used.symbols.contains("repeat") && stage.kind != Kind::measure, "number of the repeat");
  add(stage.per_gpu_model, "model of the GPU");
  add(stage.repeat_build, "number of the build repeat, from the second on");
  add(stage.kind == Kind::service, "number of the serve repeat, from the second on");
  add(stage.kind == Kind::measure, "number of the repeat");
  add(stage.kind == Kind::measure, "class of machine, and version of the measurement's definition");
  return lines;
}

// The components listed by plan::Instantiator, without their values.
Lines in_digest(const StageKind& stage) {
  const Used used(stage);
  Lines lines;
  auto add = [&lines](std::string_view what, const std::string& names) {
    if (!names.empty()) lines.push_back(fmt::format("{}: {}", what, names));
  };
  add("values of the parameters", join(stage.reads, ", "));
  if (!stage.argv.empty())
    lines.push_back("the words of its command, with symbols for paths and ports");
  add("environment", keys(stage.env));
  add("job", keys(stage.job));
  add("content of the runner's files",
      join(std::vector(used.files.begin(), used.files.end()), ", "));
  add("content of the programs", join(stage.executables, ", "));
  if (!stage.version.empty())
    lines.push_back("version: what " + stage.version.front().words.front() + " prints");
  add("rendered texts", targets(stage.render));
  add("content of the copied files", targets(stage.copy));
  add("placed files", targets(stage.place));
  add("digests of the stages", join(stage.needs, ", "));
  add("names of its outputs", join(stage.outputs, ", "));
  const Lines outside = identities(stage, used);
  lines.insert(lines.end(), outside.begin(), outside.end());
  return lines;
}

Lines not_in_digest(const StageKind& stage) {
  Lines lines = {"folders, port numbers, tokens and times; time limits, resources and help"};
  if (!stage.inherit.empty()) lines.push_back("inherited variables: " + join(stage.inherit, ", "));
  if (!stage.secrets.empty()) lines.push_back("secrets: " + join(stage.secrets, ", "));
  if (stage.tools)
    lines.push_back("versions that are stored with its results: " + join(stage.tools->names, ", "));
  if (stage.ready) lines.push_back("its readiness requests");
  if (stage.kind == Kind::measure) lines.push_back("limits above which a measurement is invalid");
  return lines;
}

Lines limits(const StageKind& stage) {
  Lines lines;
  if (stage.kind != Kind::service) lines.push_back(human_duration(stage.timeout_s));
  if (stage.ready)
    lines.push_back(fmt::format("{} until it is ready", human_duration(stage.ready->timeout_s)));
  if (stage.kind == Kind::service)
    lines.push_back(fmt::format("{} to stop", human_duration(stage.stop_s)));
  return lines;
}

Lines columns_in_words(const Manifest& manifest, const std::set<std::string>& names) {
  Lines lines;
  for (const std::string& name : names)
    if (const matrix::Parameter* column = manifest.column(name)) lines.push_back(in_words(*column));
  return lines;
}

// The readers of NAME, each once. Rules generated by `since` and `until` share a line: there may be
// a hundred. Appends to DERIVED the parameters whose defaults read NAME.
Lines direct_readers(const Manifest& manifest, const std::vector<ReaderOf>& readers,
                     const std::string& name, Lines& derived) {
  Lines lines;
  std::size_t of_versions = 0;
  for (const ReaderOf& reader : readers) {
    if (!reader.names.contains(name) || contains(lines, reader.what)) continue;
    const bool is_one_of_many = manifest.versions && manifest.versions->parameter == name &&
                                reader.what.starts_with("rule 'version-of-");
    if (is_one_of_many) ++of_versions;
    else lines.push_back(reader.what);
    const bool is_new =
        !reader.derives.empty() && reader.derives != name && !contains(derived, reader.derives);
    if (is_new) derived.push_back(reader.derives);
  }
  if (of_versions)
    lines.push_back(plural(of_versions, "rule") +
                    " version-of-..., generated from `since` and `until`");
  return lines;
}

// The readers of NAME, and those of the parameters that depend on it.
Lines readers_in_words(const Manifest& manifest, const std::string& name) {
  const std::vector<ReaderOf> readers = readers_of(manifest);
  Lines derived;
  Lines lines = direct_readers(manifest, readers, name, derived);
  if (lines.empty()) return {"nothing"};
  for (std::size_t i = 0; i < derived.size(); ++i) {  // grows during the loop
    const std::string through = derived[i];
    if (through == name) continue;
    const Lines further = direct_readers(manifest, readers, through, derived);
    if (!further.empty())
      lines.push_back(fmt::format("through {}: {}", through, join(further, ", ")));
  }
  return lines;
}

std::string_view what_follows(matrix::Rule::Level level) {
  switch (level) {
    case matrix::Rule::Level::warn: return "else the point carries the warning";
    case matrix::Rule::Level::note: return "else `check` notes";
    case matrix::Rule::Level::reject: break;
  }
  return "else the point is rejected with";
}

std::string explain_rule(const Manifest& manifest, std::size_t index) {
  const matrix::Rule& rule = manifest.rules[index];
  std::string text = fmt::format("rule {} of runner {} ({})\n", rule.name, manifest.name,
                                 to_string(rule.where.first()));
  text += section("must hold", {rule.require});
  text += section("applies only where", rule.when.empty() ? Lines{} : Lines{rule.when});
  text += section(what_follows(rule.level), {rule.because});
  return text + section("reads", columns_in_words(manifest, read_by_rule(manifest, index)));
}

std::string explain_parameter(const Manifest& manifest, const matrix::Parameter& parameter) {
  std::string text = fmt::format("parameter {} of runner {} ({})\n", parameter.name, manifest.name,
                                 to_string(parameter.where));
  text += section("is", {in_words(parameter)});
  return text + section("read by", readers_in_words(manifest, parameter.name));
}

std::string explain_fact(const Manifest& manifest, const matrix::ModelFact& fact) {
  std::string text = fmt::format("fact {} of models, of runner {} ({})\n", fact.column.name,
                                 manifest.name, to_string(fact.column.where));
  text += section("is", {in_words(fact.column)});
  const FactSource& source = *manifest.fact_source;  // without one there are no facts
  text += section("comes from", {fmt::format("{} of stage '{}': the first key that exists of {}",
                                             source.file, source.stage, join(fact.keys, ", ")),
                                 "or `models: NAME: facts:` of the matrix"});
  if (fact.absent) text += section("value if neither names it", {fact.absent->text});
  return text + section("read by", readers_in_words(manifest, fact.column.name));
}

std::string explain_host_fact(const Manifest& manifest, const matrix::Parameter& fact) {
  std::string text =
      fmt::format("fact {} of the machine, for runner {}\n", fact.name, manifest.name);
  text += section("is", {in_words(fact)});
  text += section(
      "comes from",
      {"the machine that plans",
       fmt::format("or {} under `machine:` of the matrix or the site file, or in --machine FILE",
                   fact.name.substr(std::string_view("host_").size()))});
  return text + section("read by", readers_in_words(manifest, fact.name));
}

}  // namespace

std::string section(std::string_view title, const Lines& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

std::string in_words(const matrix::Parameter& parameter) {
  std::string text = fmt::format("{}: {}", parameter.name, type_words(parameter));
  if (parameter.fallback)
    text += fmt::format("; default {}",
                        parameter.fallback->text.empty() ? "''" : parameter.fallback->text);
  if (parameter.fallback_sql)
    text += fmt::format("; default from SQL: {}", *parameter.fallback_sql);
  if (parameter.optional) text += "; may have no value";
  return parameter.help.empty() ? text : fmt::format("{}; {}", text, parameter.help);
}

std::string explain_stage(const Manifest& manifest, const StageKind& stage) {
  std::string text = fmt::format("stage {} of runner {} ({})\n", stage.name, manifest.name,
                                 to_string(stage.where));
  text += fmt::format("{}\n", meaning(stage.kind));
  if (!stage.help.empty()) text += stage.help + "\n";
  text += section("only for points where",
                  stage.when ? Lines{manifest.questions[*stage.when].sql} : Lines{});
  text += section("needs", needs_in_words(manifest, stage));
  text += section("reads", reads_in_words(manifest, stage));
  text += section("command", command(manifest, stage));
  text += section("outputs", stage.outputs);
  text += section("resources", resources(manifest, stage));
  text +=
      section("in its digest: the stage is made again when one of these changes", in_digest(stage));
  text += section("not in its digest", not_in_digest(stage));
  return text + section("time limit", limits(stage));
}

std::vector<std::string> names_of(const Manifest& manifest) {
  std::vector<std::string> names = members_of(manifest.stages, &StageKind::name);
  for (const matrix::Rule& rule : manifest.rules) names.push_back(rule.name);
  for (const matrix::Parameter& parameter : manifest.parameters) names.push_back(parameter.name);
  for (const matrix::ModelFact& fact : manifest.model_facts) names.push_back(fact.column.name);
  return names;
}

std::string explain(const Manifest& manifest, std::string_view name) {
  std::vector<std::string> texts;
  for (const StageKind& stage : manifest.stages)
    if (stage.name == name) texts.push_back(explain_stage(manifest, stage));
  for (std::size_t i = 0; i < manifest.rules.size(); ++i)
    if (manifest.rules[i].name == name) texts.push_back(explain_rule(manifest, i));
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.name == name) texts.push_back(explain_parameter(manifest, parameter));
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (fact.column.name == name) texts.push_back(explain_fact(manifest, fact));
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (fact.name == name) texts.push_back(explain_host_fact(manifest, fact));
  return join(texts, "\n");
}

}  // namespace orch::runner

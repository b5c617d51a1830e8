#include "spec/runner/symbol_check.hpp"

#include "core/base/text.hpp"
#include "core/sql/expression_table.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"

#include <span>

namespace orch::runner {

namespace {

using render::UsedBy;

struct Asking {
  std::string what;
  std::string sql;
};

// A table rejects more columns and expressions than SQLite supports.
constexpr std::size_t k_asked_at_once = 200;

// Asks SQLite for the columns of MANIFEST that each of ASKING reads.
std::vector<ReaderOf> ask(const Manifest& manifest, std::span<const Asking> asking) {
  std::vector<ReaderOf> readers;
  while (!asking.empty()) {
    const auto now = asking.first(std::min(asking.size(), k_asked_at_once));
    asking = asking.subspan(now.size());
    sql::ExpressionTable table;
    for (const matrix::Parameter& parameter : manifest.parameters)
      table.add_column(parameter.name, matrix::column_type(parameter.type));
    for (const matrix::ModelFact& fact : manifest.model_facts)
      table.add_column(fact.column.name, matrix::column_type(fact.column.type));
    for (const matrix::Parameter& fact : matrix::host_facts())
      table.add_column(fact.name, matrix::column_type(fact.type));
    for (const Asking& one : now) table.add({.what = one.what, .sql = one.sql});
    Errors ignored;  // `check` reports them
    static_cast<void>(table.create(ignored));
    for (std::size_t i = 0; i < now.size(); ++i)
      readers.push_back({.what = now[i].what, .derives = "", .names = table.reads(i)});
  }
  return readers;
}

// "NAME" of "stage:NAME", "STAGE" of "port:STAGE.NAME"; "" for all others.
std::string named_stage(const std::string& symbol) {
  if (symbol.starts_with("stage:")) return symbol.substr(6);
  if (symbol.starts_with("id:")) return symbol.substr(3);
  const auto dot = symbol.find('.');
  return symbol.starts_with("port:") && dot != std::string::npos ? symbol.substr(5, dot - 5) : "";
}

bool may_use(const StageKind& stage, UsedBy users) {
  return users == UsedBy::stages || users == UsedBy::stages_and_resolvers ||
         (users == UsedBy::measurements && stage.kind == Kind::measure) ||
         (users == UsedBy::batches && stage.batch);
}

bool is_of_resolvers(const render::KnownSymbol& symbol) {
  return symbol.used_by == UsedBy::stages_and_resolvers;
}

std::vector<std::string> known_to(const StageKind& stage, const Manifest& manifest) {
  std::vector<std::string> known;
  for (const render::KnownSymbol& symbol : render::k_known_symbols)
    if (!render::is_family(symbol.name) && may_use(stage, symbol.used_by))
      known.emplace_back(symbol.name);
  known.insert(known.end(), stage.reads.begin(), stage.reads.end());
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.is_model && contains(stage.reads, parameter.name))
      known.insert(known.end(), {parameter.name + ".source", parameter.name + ".revision"});
  for (const std::string& need : stage.needs) {
    const StageKind* needed = manifest.find(need);
    if (!needed || needed->kind == Kind::task)
      known.insert(known.end(), {"stage:" + need, "id:" + need});
  }
  return known;
}

std::map<std::string, bool> ports_known_to(const StageKind& stage, const Manifest& manifest) {
  std::map<std::string, bool> known;
  for (const std::string& port : stage.ports)
    known["port:" + port] = stage.port_counts.contains(port);
  for (const std::string& need : stage.needs)
    if (const StageKind* needed = manifest.find(need))
      for (const std::string& port : needed->ports)
        known[fmt::format("port:{}.{}", need, port)] = needed->port_counts.contains(port);
  return known;
}

// TEXT with each symbol in COUNTS replaced by a number of the same length, so that offsets stay:
// {port:http.{rank}} becomes a symbol.
std::string with_counts(std::string text, const std::vector<std::string>& counts) {
  for (const render::Symbol& symbol : render::find_symbols(text))
    if (contains(counts, symbol.name))
      text.replace(symbol.offset, symbol.name.size() + 2, symbol.name.size() + 2, '1');
  return text;
}

}  // namespace

std::vector<ReaderOf> readers_of(const Manifest& manifest) {
  std::vector<ReaderOf> readers;
  for (const StageKind& stage : manifest.stages)
    if (!stage.reads.empty())
      readers.push_back({.what = fmt::format("stage '{}'", stage.name),
                         .derives = "",
                         .names = {stage.reads.begin(), stage.reads.end()}});
  std::vector<Asking> asking;
  for (const matrix::Rule& rule : manifest.rules) {
    asking.push_back({fmt::format("rule '{}'", rule.name), rule.require});
    if (!rule.when.empty())
      asking.push_back({fmt::format("'when' of rule '{}'", rule.name), rule.when});
  }
  const std::size_t defaults = asking.size();
  std::vector<std::string> derived;
  for (const matrix::Parameter& parameter : manifest.parameters) {
    if (!parameter.fallback_sql) continue;
    asking.push_back(
        {fmt::format("the default of parameter '{}'", parameter.name), *parameter.fallback_sql});
    derived.push_back(parameter.name);
  }
  for (const matrix::Question& question : manifest.questions)
    asking.push_back({question.what, question.sql});
  auto answers = ask(manifest, asking);
  for (std::size_t i = 0; i < derived.size(); ++i) answers[defaults + i].derives = derived[i];
  std::move(answers.begin(), answers.end(), std::back_inserter(readers));
  return readers;
}

std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index) {
  const matrix::Rule& rule = manifest.rules[index];
  std::vector<Asking> asking = {{rule.name, rule.require}};
  if (!rule.when.empty()) asking.push_back({rule.name, rule.when});
  std::set<std::string> names;
  for (const ReaderOf& answer : ask(manifest, asking))
    names.insert(answer.names.begin(), answer.names.end());
  return names;
}

bool is_built_in_symbol(std::string_view name) {
  const render::KnownSymbol* symbol = render::find_known(name);
  return symbol && symbol->used_by != UsedBy::program &&
         symbol->name.find_first_of(":.") == std::string_view::npos;
}

SymbolCheck::SymbolCheck(const StageKind& stage, const Manifest& manifest, ManifestReader& reader)
    : user_(fmt::format("stage {}", quoted(stage.name))),
      stage_(&stage),
      manifest_(manifest),
      reader_(reader),
      known_(known_to(stage, manifest)),
      ports_(ports_known_to(stage, manifest)) {
  for (const auto& [port, several] : ports_) known_.push_back(several ? port + ".1" : port);
}

SymbolCheck::SymbolCheck(std::string user, const Manifest& manifest, ManifestReader& reader)
    : user_(std::move(user)), manifest_(manifest), reader_(reader) {
  for (const render::KnownSymbol& symbol : render::k_known_symbols)
    if (is_of_resolvers(symbol)) known_.emplace_back(symbol.name);
}

void SymbolCheck::check(const Yaml& scalar, const std::vector<std::string>& counts) const {
  const std::string text = with_counts(scalar.text, counts);
  for (const render::Symbol& symbol : render::find_symbols(text)) {
    if (reader_.is_full()) return;
    std::string why = fault(symbol.name);
    const std::string as_written = scalar.text.substr(symbol.offset + 1, symbol.name.size());
    if (const auto at = why.find(symbol.name); at != std::string::npos && symbol.name != as_written)
      why.replace(at, symbol.name.size(), as_written);
    if (!why.empty()) reader_.fail(scalar.places.at(symbol.offset), "{} {}", user_, why);
  }
  check_broken(scalar, text);
}

// {file:my script.py} begins like a symbol but is malformed: it would silently stay unreplaced.
void SymbolCheck::check_broken(const Yaml& scalar, std::string_view text) const {
  std::vector<std::size_t> offsets;
  for (const render::Symbol& symbol : render::find_symbols(text)) offsets.push_back(symbol.offset);
  for (const std::string& begin : render::begins_of_symbols()) {
    for (std::size_t at = text.find(begin); at != std::string_view::npos;
         at = text.find(begin, at + 1)) {
      if (reader_.is_full()) return;
      if (std::binary_search(offsets.begin(), offsets.end(), at)) continue;
      reader_.fail(scalar.places.at(at),
                   "{} has '{}', which begins like a symbol but is not one; after '{}' come "
                   "letters, digits and . _ - / up to the '}}'",
                   user_, begin, begin);
    }
  }
}

// The error about SYMBOL with its remedy; "" if it can be replaced.
std::string SymbolCheck::fault(const std::string& symbol) const {
  if (const auto file = render::file_of(symbol)) {
    const auto why = refuse_inner_path(*file);
    return why ? fmt::format("uses {{{}}}: the path {}", symbol, *why) : "";
  }
  const render::KnownSymbol* known = render::find_known(symbol);
  if (stage_ && known && is_of_resolvers(*known) && !manifest_.parameter("model"))
    return fmt::format(
        "uses {{{}}}, but this runner has no parameter 'model' that selects it; declare it under "
        "'parameters'",
        symbol);
  if (const auto why = port_fault(symbol)) return *why;
  if (contains(known_, symbol)) return "";
  if (!stage_)
    return fmt::format(
        "uses {{{}}}; it may use {{file:PATH}}, {{model.source}} and {{model.revision}}", symbol);
  if (manifest_.parameter(symbol))
    return fmt::format("uses {{{}}} but does not list it under 'reads'; add it there", symbol);
  if (const auto why = model_fault(symbol)) return *why;
  if (manifest_.column(symbol))
    return fmt::format(
        "uses the fact {{{0}}}, but texts cannot use facts; add a parameter with sql: {0} and read "
        "that",
        symbol);
  if (known && !known->refusal.empty())
    return fmt::format("uses {{{}}}, {}", symbol, known->refusal);
  return stage_fault(symbol);
}

// nullopt if SYMBOL is not a known port; "" if it can be replaced.
std::optional<std::string> SymbolCheck::port_fault(const std::string& symbol) const {
  const auto dot = symbol.rfind('.');
  const bool numbered =
      dot != std::string::npos && dot + 1 < symbol.size() &&
      std::all_of(symbol.begin() + static_cast<std::ptrdiff_t>(dot) + 1, symbol.end(), is_digit);
  const std::string name = numbered ? symbol.substr(0, dot) : symbol;
  const auto port = ports_.find(name);
  if (port == ports_.end()) return std::nullopt;
  if (port->second == numbered) return "";
  if (numbered)
    return fmt::format("uses a port by its number, but there is only one; write {{{}}}", name);
  return fmt::format(
      "uses {{{0}}}, of which there are several; write {{{0}.1}}, or {{{0}.{{index}}}} in a part "
      "of argv with 'times'",
      name);
}

// The error about {NAME.source} for a parameter that the stage does not read, or of another type.
std::optional<std::string> SymbolCheck::model_fault(const std::string& symbol) const {
  const std::string name = symbol.substr(0, symbol.rfind('.'));
  if (symbol != name + ".source" && symbol != name + ".revision") return std::nullopt;
  const matrix::Parameter* parameter = manifest_.parameter(name);
  if (!parameter) return std::nullopt;
  if (!parameter->is_model)
    return fmt::format(
        "uses {{{}}}, but '{}' is of type {}; only parameters of type model have a "
        "source",
        symbol, name, type_name(*parameter));
  return fmt::format("uses {{{}}} but does not list '{}' under 'reads'; add it there", symbol,
                     name);
}

std::string SymbolCheck::stage_fault(const std::string& symbol) const {
  const std::string name = named_stage(symbol);
  const StageKind* named = manifest_.find(name);
  if (!name.empty() && !named && contains(stage_->needs, name))
    return "";  // the need has already been reported
  if (named && !contains(stage_->needs, name))
    return fmt::format("uses {{{}}} but does not list '{}' under 'needs'; add it there", symbol,
                       name);
  if (named && !symbol.starts_with("port:"))
    return fmt::format("uses {{{}}}, but a {} has no folder for other stages; use {{port:{}.NAME}}",
                       symbol, to_string(named->kind), name);
  const bool is_word = symbol.find_first_of(":.") == std::string::npos;
  return fmt::format(
      "uses the unknown symbol {{{}}}{}", symbol,
      reader_.suggest(symbol, known_,
                      is_word ? "; declare the parameter and list it under 'reads'" : ""));
}

}  // namespace orch::runner

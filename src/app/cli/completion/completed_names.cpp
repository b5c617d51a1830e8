// `orchestrate complete`: the names that shells offer while a command line is typed. Only reads the
// store and the runners, and reports no errors.
#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/session/project.hpp"
#include "app/session/site.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "results/query/table.hpp"
#include "results/store/store.hpp"
#include "run/attempt/failure.hpp"
#include "spec/matrix/runners.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/explain_manifest.hpp"

namespace orch::cli {

namespace {

using Names = std::vector<std::string>;
using Words = std::vector<std::string>;

constexpr std::size_t k_most_names = 2000;

// PATH with "~" expanded, which a shell does not do while a path is being typed.
std::string without_tilde(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home ? home + path.substr(1) : path;
}

// The value of OPTION on the command line so far. bash splits --option=value into three words.
std::string value_of(const Words& words, const std::string& option, std::string otherwise) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].starts_with(option + "="))
      return without_tilde(words[i].substr(option.size() + 1));
    if (words[i] != option) continue;
    const bool is_split = words[i + 1] == "=" && i + 2 < words.size();
    return without_tilde(words[is_split ? i + 2 : i + 1]);
  }
  return otherwise;
}

// The names that READ returns for the database of the store that WORDS name.
Names from_store(const Words& words,
                 const std::function<Result<Names>(sql::Database& database)>& read) {
  const std::string folder = value_of(words, "--store", "results");
  auto store = store::Store::open(real_host(), folder, store::Mode::read);
  if (!store) return {};
  return read(store->database()).value_or({});
}

std::string matrix_among(const Words& words) {
  std::error_code code;
  for (const std::string& word : words) {
    const std::filesystem::path file = without_tilde(word);
    if ((file.extension() == ".yaml" || file.extension() == ".yml") &&
        std::filesystem::is_regular_file(file, code))
      return file.string();
  }
  return "";
}

std::vector<session::RunnerFile> runners_for(const Words& words);

// The runners named by WORDS with --runner, or by the matrix; empty: every runner.
std::set<std::string> runners_named(system::Files& files, const Words& words,
                                    const std::string& matrix) {
  const std::string named = value_of(words, "--runner", "");
  if (!named.empty()) return {named};
  const auto text = matrix.empty() ? Result<std::string>(invalid("no matrix"))
                                   : files.read_text(matrix, YamlLimits{}.bytes);
  if (!text) return {};
  Errors ignored;
  const matrix::Matrix read = matrix::parse_matrix(
      *text, matrix, ignored,
      [&](const std::string& base) { return files.read_text(base, YamlLimits{}.bytes); },
      [&](const std::string& preset) {
        return session::find_preset(files, runners_for(words), preset);
      });
  std::set<std::string> names;
  for (const matrix::NamedRunner& runner : matrix::runners_of(read)) names.insert(runner.name);
  names.erase("");
  return names;
}

std::vector<session::RunnerFile> runners_for(const Words& words) {
  Errors ignored;
  system::Files& files = real_host().files;
  const session::Site site = session::read_site(files, value_of(words, "--site", ""), ignored);
  return session::runners_near(files, {.chosen = value_of(words, "--runners", ""),
                                       .near = matrix_among(words),
                                       .site = site.runners});
}

// The names that TAKE adds for the manifests of runners_named().
Names from_manifests(const Words& words,
                     const std::function<void(const runner::Manifest&, Names&)>& take) {
  system::Files& files = real_host().files;
  const std::set<std::string> only = runners_named(files, words, matrix_among(words));
  Names names;
  for (const session::RunnerFile& file : runners_for(words)) {
    if (!only.empty() && !only.contains(file.name)) continue;
    Errors ignored;
    if (const auto manifest = session::read_manifest(files, file, ignored)) take(*manifest, names);
  }
  return names;
}

Names points(const Words& words) {
  return from_store(words, [&](sql::Database& database) {
    return report::names_beginning(database, words.back(), k_most_names);
  });
}

Names runs(const Words& words) {
  return from_store(
      words, [](sql::Database& database) { return report::run_numbers(database, k_most_names); });
}

Names runners(const Words& words) {
  Names names;
  for (const session::RunnerFile& file : runners_for(words)) names.push_back(file.name);
  return names;
}

Names stages(const Words& words) {
  return from_manifests(words, [](const runner::Manifest& manifest, Names& names) {
    for (const runner::StageKind& stage : manifest.stages) names.push_back(stage.name);
  });
}

Names parameters(const Words& words) {
  Names all = from_manifests(words, [](const runner::Manifest& manifest, Names& names) {
    for (const matrix::Parameter& parameter : manifest.parameters) names.push_back(parameter.name);
    for (const matrix::ModelFact& fact : manifest.model_facts) names.push_back(fact.column.name);
  });
  for (const matrix::Parameter& fact : matrix::host_facts()) all.push_back(fact.name);
  return all;
}

Names explained(const Words& words) {
  Names all = from_manifests(words, [](const runner::Manifest& manifest, Names& names) {
    for (std::string& name : runner::names_of(manifest)) names.push_back(std::move(name));
  });
  for (const matrix::Parameter& fact : matrix::host_facts()) all.push_back(fact.name);
  for (const attempt::FailureTraits& failure : attempt::failure_classes())
    all.emplace_back(failure.name());
  return all;
}

Names columns(const Words& words) {
  return from_store(words, [](sql::Database& database) -> Result<Names> {
    return report::column_names(database, "results");
  });
}

Names experiments(const Words& words) {
  return from_store(words, [](sql::Database& database) -> Result<Names> {
    return report::first_column(database, "SELECT DISTINCT experiment FROM run ORDER BY 1");
  });
}

// The names for a side of a comparison.
Names sides(const Words& words) {
  Names all = experiments(words);
  for (Names (*more)(const Words&) : {points, runs, columns})
    for (std::string& name : more(words)) all.push_back(std::move(name));
  return all;
}

struct NameKind {
  std::string_view name;
  Names (*of)(const Words& words);
};
constexpr NameKind k_name_kinds[] = {{"points", points},
                                     {"runs", runs},
                                     {"runners", runners},
                                     {"stages", stages},
                                     {"parameters", parameters},
                                     {"explained", explained},
                                     {"columns", columns},
                                     {"experiments", experiments},
                                     {"sides", sides}};

// Whether NAME can be offered: a shell may interpret other characters when it inserts a name.
bool is_plain(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](const char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  });
}

}  // namespace

std::optional<int> complete_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "complete") return std::nullopt;
  if (argc < 4) return status_of(Exit::done);
  const Words words(argv + 3, argv + argc);
  Names names;
  for (const NameKind& kind : k_name_kinds)
    if (kind.name == argv[2]) names = kind.of(words);
  std::erase_if(names, [&](const std::string& name) {
    return !is_plain(name) || !name.starts_with(words.back());
  });
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!names.empty()) print_out(join(names, "\n") + "\n");
  return status_of(Exit::done);
}

}  // namespace orch::cli

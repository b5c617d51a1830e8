#include "app/cli/score/scorers.hpp"

#include "analysis/compare/read_comparison.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "app/session/identities/runner_files.hpp"
#include "app/session/project.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/machine.hpp"
#include "results/score/answer_difference.hpp"
#include "results/score/score_targets.hpp"
#include "spec/matrix/name_rules.hpp"

#include <cstdlib>

namespace orch::cli {

namespace {

constexpr ScorerRow k_scorers[] = {
    {"exact", "1 if the answer equals the reference, except for white space at both ends"},
    {"normalized",
     "1 if both have the same words in lower case, without ASCII punctuation and "
     "without a, an and the: SQuAD's exact match"},
    {"f1", "harmonic mean of precision and recall of these words: SQuAD's F1"},
    {"rouge_l", "F-measure of the longest common subsequence of words: ROUGE-L as in rouge-score"},
    {"numeric", "1 if the last number of the answer is that of the reference, within --tolerance"},
};
constexpr std::string_view k_scorer_version = "1";
constexpr std::string_view k_rouge_version = "rouge-score 0.0.4";
constexpr double k_install_s = 900;

// The path of NAME, a file of our scorers.
Result<std::string> scorer_file(const std::string& name) {
  const std::string relative = "runners/common/" + name;
  std::string path = session::project_file(relative);
  if (!path.empty()) return path;
  return not_found(fmt::format(
      "{} is missing; change to the project's folder, or install the program again", relative));
}

std::string system_python() {
  const char* named = std::getenv("ORCHESTRATE_PYTHON");
  return named && *named ? named : "/usr/bin/python3";
}

Result<std::string> digest_of_file(const std::string& path) {
  ORCH_ASSIGN(const std::string content, real_host().files.read(path));
  return sha256(content).hex();
}

// The locks that our interpreter may read where it is given LOCK.
std::vector<std::string> locks_here(const std::string& lock) {
  std::error_code code;
  const auto names = real_host().files.names(std::filesystem::path(lock).parent_path().string());
  return session::locks_read(lock, names.value_or({}),
                             std::filesystem::canonical(system_python(), code).string(),
                             system::processor());
}

Result<std::string> environments_folder(const std::map<std::string, std::string>& environment) {
  for (const auto& [variable, below] :
       {std::pair<const char*, const char*>{"XDG_CACHE_HOME", ""}, {"HOME", "/.cache"}}) {
    const auto found = environment.find(variable);
    if (found != environment.end() && found->second.starts_with('/'))
      return found->second + below + "/orchestrate/scorers";
  }
  return invalid(
      "neither XDG_CACHE_HOME nor HOME names a folder for the scorer's packages; set one");
}

// The interpreter of the environment with the packages of LOCK. A missing environment is created at
// its final place, because environments cannot be moved; its versions.json is written last.
Result<std::string> locked_python(const score::ProgramHost& host, const std::string& lock) {
  ORCH_ASSIGN(const std::string root, environments_folder(host.environment));
  ORCH_ASSIGN(const std::string digest, digest_of_file(lock));
  ORCH_ASSIGN(const std::string script, scorer_file("scripts/locked_environment.py"));
  const std::string folder = fmt::format("{}/rouge-{}", root, digest.substr(0, 12));
  const std::string python = folder + "/venv/bin/python3";
  system::Files& files = real_host().files;
  if (files.exists(folder + "/versions.json") && files.exists(python)) return python;
  ORCH_TRY(files.make_folder(root));
  ORCH_ASSIGN(const auto held, system::FileLock::try_file(folder + ".lock"));
  if (!held)
    return Error{ErrorKind::conflict,
                 fmt::format("another process is making {}; try again when it is done", folder)};
  ORCH_TRY(files.remove_tree(folder));
  ORCH_TRY(files.make_folder(folder));
  say(stderr, "installing the packages of {} into {}\n", lock, folder);
  auto environment = host.environment;
  environment.insert_or_assign("PYTHONDONTWRITEBYTECODE", std::string("1"));
  const auto made = system::run_to_end(
      host.processes, host.clock,
      {.argv = {system_python(), script, lock, folder + "/venv", "rouge_score.rouge_scorer"},
       .env = environment,
       .work = folder,
       .timeout_s = k_install_s,
       .is_cancelled = host.is_cancelled});
  if (!made) return made.error().within("the packages of a scorer could not be installed");
  if (made->end == system::CommandResult::End::exited && made->code == 0) return python;
  static_cast<void>(files.remove_tree(folder).ok());
  return invalid(fmt::format("the packages of {} could not be installed: {}", lock,
                             made->end == system::CommandResult::End::exited
                                 ? printable_line(made->reason())
                                 : "it took too long, or was interrupted"));
}

// A digest over everything that the scores of our own scorers depend on.
Result<std::string> digest_of_ours(const std::string& name, const std::vector<std::string>& files,
                                   double tolerance) {
  Components components;
  components.add("scorer", name);
  for (const std::string& file : files) {
    ORCH_ASSIGN(const std::string content, real_host().files.read(file));
    components.add("file", content);
  }
  if (name == "numeric") components.add("tolerance", fmt::format("{}", tolerance));
  return components.digest().hex();
}

Result<score::Scorer> rouge_l(const score::ProgramHost& host) {
  ORCH_ASSIGN(const std::string script, scorer_file("scorers/rouge_l.py"));
  ORCH_ASSIGN(const std::string shared, scorer_file("scorers/answers.py"));
  ORCH_ASSIGN(const std::string lock, scorer_file("scorers/rouge.lock"));
  const std::vector<std::string> locks = locks_here(lock);
  std::vector<std::string> files{script, shared};
  files.insert(files.end(), locks.begin(), locks.end());
  ORCH_ASSIGN(const std::string digest, digest_of_ours("rouge_l", files, 0));
  ORCH_ASSIGN(const std::string python, locked_python(host, locks.front()));
  return score::Scorer{.name = "rouge_l",
                       .version = std::string(k_rouge_version),
                       .digest = digest,
                       .argv = {python, "-B", script},
                       .program = "rouge_l"};
}

Result<score::Scorer> text_scorer(const std::string& name, double tolerance) {
  ORCH_ASSIGN(const std::string script, scorer_file("scorers/text_scores.py"));
  ORCH_ASSIGN(const std::string shared, scorer_file("scorers/answers.py"));
  ORCH_ASSIGN(const std::string digest, digest_of_ours(name, {script, shared}, tolerance));
  score::Scorer scorer{.name = name,
                       .version = std::string(k_scorer_version),
                       .digest = digest,
                       .argv = {system_python(), "-B", script, name},
                       .program = name};
  if (name == "numeric") {
    scorer.version += fmt::format(", tolerance {}", tolerance);
    scorer.argv.insert(scorer.argv.end(), {"--tolerance", fmt::format("{}", tolerance)});
  }
  return scorer;
}

Result<score::Scorer> ours(const std::string& name, const ScorerOptions& options,
                           const score::ProgramHost& host) {
  std::vector<std::string> known;
  for (const ScorerRow& row : k_scorers) known.emplace_back(row.name);
  if (std::ranges::find(known, name) == known.end())
    return invalid(fmt::format("no scorer {}{}; there are {}, and --program runs your own",
                               quoted(name), did_you_mean(name, known), join(known, ", ")));
  return name == "rouge_l" ? rouge_l(host) : text_scorer(name, options.tolerance);
}

// The default name of a scorer that is PROGRAM: "my_judge" for "./My judge.py".
std::string name_of_file(const std::string& program) {
  std::string name = lower(std::filesystem::path(program).stem().string());
  for (char& c : name)
    if (!is_letter_or_digit(c)) c = '_';
  return name.substr(0, 40);
}

Result<score::Scorer> own_program(const ScorerOptions& options) {
  std::error_code code;
  const std::string path = std::filesystem::absolute(options.program, code).string();
  const auto digest = digest_of_file(path);
  if (code || !digest)
    return not_found(fmt::format("the scorer {} cannot be read: {}; give the path of a program",
                                 quoted(options.program),
                                 digest ? code.message() : digest.error().message));
  const std::string name = options.program_name.empty() ? name_of_file(path) : options.program_name;
  for (const ScorerRow& row : k_scorers)
    if (row.name == name)
      return invalid(
          fmt::format("{} is the name of a built-in scorer; give your program another "
                      "one with --name",
                      quoted(name)));
  return score::Scorer{.name = name,
                       .version = std::filesystem::path(path).filename().string(),
                       .digest = *digest,
                       .argv = {path},
                       .program = options.program};
}

bool fail_scores(const Error& error) {
  print_errors({error.within("score")});
  return false;
}

std::string reference_file(const matrix::Matrix& matrix) {
  const auto found = matrix.datasets.find(matrix.score->references);
  if (found == matrix.datasets.end()) return "";
  return matrix::local_source_path(found->second.source).value_or(found->second.source);
}

Result<score::ScoreReport> report_of(session::World& world, store::Store& store,
                                     const matrix::Matrix& matrix,
                                     std::vector<score::Target> targets,
                                     const std::function<bool()>& is_cancelled) {
  const score::ProgramHost host{.processes = world.processes,
                                .clock = world.clock,
                                .environment = real_environment(),
                                .folder = std::filesystem::current_path().string(),
                                .wall_s = world.clock.wall_s(),
                                .is_cancelled = is_cancelled};
  ScorerOptions options{.names = matrix.score->scorers, .program = matrix.score->program};
  if (matrix.score->tolerance) options.tolerance = *matrix.score->tolerance;
  ORCH_ASSIGN(const auto scorers, find_scorers(options, host));
  return score::score_targets(store.database(), host, world.files, store.layout(),
                              {.targets = std::move(targets),
                               .scorers = scorers,
                               .references = reference_file(matrix),
                               .without_references = matrix.score->scorers.empty()});
}

Result<score::Side> read_answers_of(const std::string& folder, const std::string& text) {
  ORCH_ASSIGN(store::Store store, store::Store::open(real_host(), folder, store::Mode::read));
  ORCH_ASSIGN(const compare::Side meant, compare::side_of(store.database(), text));
  const std::string everything = "1";
  ORCH_ASSIGN(
      const auto targets,
      score::find_targets(store.database(),
                          {.run = {}, .where = meant.where.empty() ? everything : meant.where}));
  score::AnswerReader reader(store.database(), real_host().files, store.layout());
  return score::read_side(store.database(), reader, targets);
}

}  // namespace

std::span<const ScorerRow> scorer_table() { return k_scorers; }

Result<std::vector<score::Scorer>> find_scorers(const ScorerOptions& options,
                                                const score::ProgramHost& host) {
  std::vector<score::Scorer> scorers;
  for (const std::string& name : options.names) {
    ORCH_ASSIGN(score::Scorer one, ours(name, options, host));
    scorers.push_back(std::move(one));
  }
  if (options.program.empty()) return scorers;
  ORCH_ASSIGN(score::Scorer own, own_program(options));
  scorers.push_back(std::move(own));
  return scorers;
}

bool score_run(session::World& world, store::Store& store, const matrix::Matrix& matrix,
               std::int64_t run, const std::function<bool()>& is_cancelled) {
  if (!matrix.score || is_cancelled()) return true;
  auto targets = score::find_targets(store.database(), {.run = run, .where = {}});
  if (!targets)  // not_found: no valid measurement, which the run has reported
    return targets.error().kind == ErrorKind::not_found || fail_scores(targets.error());
  const auto report = report_of(world, store, matrix, std::move(*targets), is_cancelled);
  if (!report) return fail_scores(report.error());
  std::vector<tables::Scored> fresh;
  for (const score::ScoreLine& line : report->lines)
    if (line.is_new) fresh.push_back(line.scored);
  if (const Status written = score::write_scores(store, fresh); !written)
    return fail_scores(written.error());
  say(stderr, "scored: {} by {}; {} there before\n",
      plural(
          [&] {
            std::set<std::int64_t> ids;
            for (const score::ScoreLine& line : report->lines) ids.insert(line.measurement);
            return ids.size();
          }(),
          "measurement"),
      plural(matrix.score->scorers.size() + (matrix.score->program.empty() ? 0 : 1), "scorer"),
      plural(report->lines.size() - fresh.size(), "score"));
  for (const Error& error : report->errors) fail_scores(error);
  return report->errors.empty();
}

Exit compare_answers(const AnswersCommand& command) {
  Errors errors;
  const auto side = [&](char name, const std::string& store, const std::string& text) {
    auto read = read_answers_of(store, text);
    if (!read) errors.push_back(read.error().within(fmt::format("side {}", name)));
    return read ? std::move(*read) : score::Side();
  };
  const score::Side a = side('A', command.store_a, command.a);
  const score::Side b = side('B', command.store_b, command.b);
  print_errors(errors);
  if (!errors.empty()) return Exit::refused;
  const score::AnswerDifference difference = score::answer_difference(a, b, command.examples);
  const bool printed = print_out(command.json ? score::answer_json(difference, a, b)
                                              : score::answer_text(difference, a, b));
  return printed ? Exit::done : Exit::refused;
}

}  // namespace orch::cli

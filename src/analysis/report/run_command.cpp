#include "analysis/report/run_command.hpp"

#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace orch::report {

namespace {

constexpr std::string_view k_run_command = R"(
SELECT r.id, r.matrix_file, coalesce(r.folder, ''), r.command FROM run r
WHERE CASE WHEN ?1 IS NOT NULL THEN r.id = ?1
  ELSE coalesce(r.outcome, 'died') NOT IN ('done', 'failed')
    AND r.pid <> 0 AND EXISTS (SELECT 1 FROM point WHERE run_id = r.id)
    AND NOT EXISTS (SELECT 1 FROM run later WHERE later.id > r.id
    AND later.experiment = r.experiment) END
ORDER BY r.id DESC LIMIT 1)";

// Options of `run` that choose points or add sessions, with a value; and those without one.
constexpr std::string_view k_choosing[] = {"--where",   "--again",        "--sessions", "--resolve",
                                           "--of",      "--size",         "--budget",   "--until",
                                           "--refresh", "--most-sessions"};
constexpr std::string_view k_choosing_flags[] = {"--update", "--retry-failed"};

template <class List> bool is_one_of(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

}  // namespace

Result<std::optional<RunCommand>> read_run_command(sql::Database& database,
                                                   std::optional<std::int64_t> run) {
  tables::Statements statements(database);
  std::optional<RunCommand> command;
  ORCH_TRY(statements.rows(
      k_run_command,
      [&](sql::Statement& row) {
        const auto words = nlohmann::json::parse(row.column_text(3), nullptr, false);
        command = RunCommand{.run = row.column_int(0),
                             .matrix_file = row.column_text(1),
                             .folder = row.column_text(2),
                             .words = {}};
        for (const auto& word : words)
          if (word.is_string()) command->words.push_back(word);
      },
      run));
  if (run && !command)
    return Error{
        .kind = ErrorKind::not_found,
        .message = fmt::format(
            "no run {} in this store; `orchestrate query \"select * from run\"` lists them", *run),
        .where = {}};
  return command;
}

std::vector<std::string> without_choice(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool is_written_apart = name.size() == words[i].size();
    if (is_one_of(k_choosing, name)) i += is_written_apart;
    else if (!is_one_of(k_choosing_flags, name)) out.push_back(words[i]);
  }
  return out;
}

}  // namespace orch::report

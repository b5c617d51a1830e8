#include "results/store/knowledge.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

constexpr std::uint64_t k_manifest_bytes = std::uint64_t{64} << 20;

std::string output_key(const std::string& token) { return "output " + token; }
std::string run_key(const std::string& uid) { return "run " + uid; }

// The text of KEY in the JSON object in FILE; "" when there is none.
std::string text_in(system::Files& files, const std::filesystem::path& file, const char* key) {
  const auto text = files.read_text(file.string(), k_manifest_bytes);
  const auto object = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Result<Knowledge> knowledge_of(tables::Statements& statements) {
  Knowledge all;
  ORCH_TRY(statements.rows("SELECT uid, id FROM run", [&](sql::Statement& row) {
    all[run_key(row.column_text(0))] = fmt::format("run {}", row.column_int(1));
  }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, s.name, a.number, a.run_id FROM attempt a JOIN stage s ON s.id = a.stage_id "
      "WHERE a.ended_at IS NOT NULL",
      [&](sql::Statement& row) {
        all["end " + row.column_text(0)] =
            fmt::format("the end of attempt {} at '{}' in run {}", row.column_int(2),
                        row.column_text(1), row.column_int(3));
      }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, f.path FROM artifact f JOIN attempt a ON a.id = f.attempt_id",
      [&](sql::Statement& row) { all[output_key(row.column_text(0))] = row.column_text(1); }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, m.ordinal, m.path, (SELECT count(*) FROM request r WHERE r.measurement_id = "
      "m.id) FROM measurement m JOIN attempt a ON a.id = m.attempt_id WHERE m.record_sha256 <> ''",
      [&](sql::Statement& row) {
        all[fmt::format("measurement {} {} {}", row.column_text(0), row.column_int(1),
                        row.column_int(3))] = fmt::format("a measurement of {} requests in {}",
                                                          row.column_int(3), row.column_text(2));
      }));
  ORCH_ASSIGN(const auto scores,
              statements.integer("SELECT 1 FROM sqlite_schema WHERE name = 'score'"));
  if (!scores) return all;  // of an older version
  ORCH_TRY(statements.rows(
      "SELECT a.token, m.ordinal, s.scorer FROM score s JOIN measurement m ON m.id = "
      "s.measurement_id JOIN attempt a ON a.id = m.attempt_id",
      [&](sql::Statement& row) {
        all[fmt::format("score {} {} {}", row.column_text(0), row.column_int(1),
                        row.column_text(2))] =
            fmt::format("the scores '{}' of attempt {}", row.column_text(2), row.column_text(0));
      }));
  return all;
}

Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout) {
  Knowledge all;
  const auto names = files.names(layout.artifacts().string());
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const auto folder = layout.artifacts() / name;
    if (const std::string token = text_in(files, folder / "manifest.json", "token"); !token.empty())
      all[output_key(token)] = "artifacts/" + name;
    // Of a measurement by orchestrate bench.
    if (const std::string uid = text_in(files, folder / "record.json", "uid"); !uid.empty())
      all[run_key(uid)] = "artifacts/" + name;
  }
  return all;
}

std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found) {
  std::vector<std::string> words;
  for (const auto& [key, word] : wanted)
    if (!found.contains(key)) words.push_back(word);
  return words;
}

}  // namespace orch::store

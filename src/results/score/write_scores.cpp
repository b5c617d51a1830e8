#include "results/score/write_scores.hpp"

#include "core/base/json_text.hpp"
#include "results/store/core.hpp"
#include "os/system/kill_point.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace orch::score {

Status write_scores(store::Store& store, const std::vector<tables::Scored>& scores) {
  store::Core& core = store.core();
  const Status written = store::in_transaction(core, [&]() -> Status {
    for (const tables::Scored& one : scores) {
      ORCH_ASSIGN(const auto uid,
                  core.statements.text("SELECT r.uid FROM attempt a JOIN run r ON r.id = a.run_id "
                                       "WHERE a.token = ?",
                                       one.token));
      if (!uid) continue;  // removed since it was read
      core.records.add(*uid + ".jsonl", tables::to_fact(one));
      ORCH_TRY(tables::write_scored(core.statements, core.wide, one));
    }
    return {};
  });
  if (written) system::kill_point("scores-committed");
  return written;
}

Result<std::string> answers_as_references(AnswerReader& reader,
                                          const std::vector<Target>& targets) {
  std::map<std::string, std::vector<std::string>> answers;  // by prompt
  for (const Target& target : targets) {
    ORCH_ASSIGN(const KeptAnswers kept, reader.read(target, true));
    for (const KeptAnswer& one : kept.answers) {
      if (one.text.empty()) continue;
      auto& all = answers[one.text];
      if (std::ranges::find(all, one.answer) == all.end()) all.push_back(one.answer);
    }
  }
  if (answers.empty()) return invalid("the prompts were sent as token ids, and have no text");
  std::string text;
  for (const auto& [prompt, all] : answers)
    text += dump(nlohmann::json{{"text_input", prompt}, {"output", all}}) + "\n";
  return text;
}

}  // namespace orch::score

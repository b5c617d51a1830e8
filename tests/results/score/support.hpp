// A store with a run that kept answers to the prompts of a dataset, and scorers as shell scripts.
#pragma once

#include "core/base/digest.hpp"
#include "results/score/kept_answers.hpp"
#include "results/score/scorer_program.hpp"
#include "results/store/sample.hpp"

namespace orch::score {

using namespace sample;

struct Asked {
  std::string prompt, answer, error = {};
};

inline std::vector<json> request_rows(const std::vector<Asked>& asked, bool with_answers = true) {
  std::vector<json> lines = {requests()[0]};  // the warm-up
  for (std::size_t i = 0; i < asked.size(); ++i) {
    json line = requests()[1];
    line["index"] = i;
    if (!asked[i].error.empty()) line["error"] = asked[i].error;
    if (with_answers) line["answer"] = asked[i].answer;
    else line.erase("answer");
    lines.push_back(line);
  }
  if (!with_answers) lines[0].erase("answer");
  return lines;
}

class ScoreTest : public testing::Test {
 protected:
  struct Run {
    json load = {{"concurrency", 1}, {"block", 0}, {"batch", 1}};
    bool with_answers = true;
    std::string dataset =
        "{\"input\": \"one?\", \"output\": \"1\"}\n"
        "{\"input\": \"two?\", \"output\": \"2\"}\n";
    int repeats = 1;
  };

  // A run of one point whose dataset is data/qa.jsonl. Answers are those of ASKED, whose prompts
  // were sent in this order.
  void measure(const std::vector<Asked>& asked, const Run& run) {
    write_file(data(), run.dataset);
    store::Store store = open_store(root());
    plan::Plan plan = make_plan({.concurrencies = {1}, .repeats = run.repeats});
    plan::Stage prompts = stage("prompts", runner::Kind::task, {}, {});
    prompts.components.add("dataset", "sha256:" + sha256(run.dataset).hex());
    prompts.digest = prompts.components.digest();
    prompts.id = "prompts-" + prompts.digest.prefix(8);
    for (plan::Stage& one : plan.stages)
      if (one.spec.name == "bench") one.needs["prompts"] = prompts.id;
    plan.points[0].stages.push_back(prompts.id);
    plan.stages.insert(plan.stages.begin(), prompts);
    Driver driver(store, plan);
    std::string rows = "{\"text_input\": \"warm\", \"isl\": 1, \"warmup\": true, \"block\": 0}\n";
    for (const Asked& one : asked)
      rows += json{{"text_input", one.prompt}, {"isl", 1}, {"warmup", false}, {"block", 0}}.dump() +
              "\n";
    const AttemptKey made = driver.start(driver.stage_of("prompts"));
    const std::string folder = "artifacts/" + prompts.id;
    write_file(store.layout().at(folder) / "out/prompts.jsonl", rows);
    driver.journal->append(
        schedule::ArtifactPublished{.attempt = made,
                                    .path = folder,
                                    .in_place = false,
                                    .not_cacheable = {},
                                    .files = {{"prompts.jsonl", rows.size(), sha256(rows).hex()}},
                                    .at = driver.now});
    driver.end(made);
    driver.run_build();
    const AttemptKey session = driver.run_serve();
    json measured = measurement(10, 100);
    measured["load"] = run.load;
    for (int i = 0; i < run.repeats; ++i)
      driver.run_bench(static_cast<std::size_t>(i), session, measured,
                       request_rows(asked, run.with_answers));
    driver.commit();
    driver.finish(store::Outcome::done);
    if (const auto stamp = system::FileStamp::of(data().string())) {
      // As planning remembers a dataset that it has read.
      sql::Database& database = store.database();
      EXPECT_TRUE(
          database
              .execute(fmt::format("INSERT INTO file_identity VALUES ({}, 1, 1, 1, 1, '{}')",
                                   sql::quote_text(data().string()), sha256(run.dataset).hex()))
              .ok());
    }
  }
  void measure(const std::vector<Asked>& asked) { measure(asked, Run()); }

  std::filesystem::path root() const { return folder_.path() / "store"; }
  std::filesystem::path data() const { return folder_.path() / "qa.jsonl"; }

  // A scorer of 1 where the answer is a reference, as a shell script around Python's JSON.
  Scorer same() {
    return program("same",
                   "import json, sys\n"
                   "for line in sys.stdin:\n"
                   "    row = json.loads(line)\n"
                   "    hit = row['answer'] in row['references']\n"
                   "    print(json.dumps({'id': row['id'], 'score': float(hit)}))\n");
  }
  Scorer program(const std::string& name, const std::string& python) {
    const std::filesystem::path file = folder_.path() / (name + ".py");
    write_file(file, python);
    return {.name = name,
            .version = "1",
            .digest = sha256(python).hex(),
            .argv = {"/usr/bin/python3", file.string()},
            .program = name};
  }
  ProgramHost host() {
    return {.processes = processes_,
            .clock = clock_,
            .environment = {{"PATH", "/usr/bin:/bin"}},
            .folder = folder_.path().string(),
            .wall_s = 1'700'000'500};
  }

  const TemporaryFolder folder_;
  system::RealProcesses processes_;
  system::RealClock clock_;
  system::RealFiles files_;
};

}  // namespace orch::score

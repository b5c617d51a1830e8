// The reports of the commands about a damaged store, and its repair; and resuming a run without
// naming its matrix.
#include "e2e/toy.hpp"

#include <algorithm>
#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace orch::e2e {
namespace store_test {

// The content of every view.
std::string everything(Sweep& sweep) {
  std::string text;
  for (const char* view :
       {"results", "results_all", "failures", "stages", "provenance", "requests", "answers"})
    text +=
        sweep.orchestrate({"query", fmt::format("select * from {}", view), "--format", "json"}).out;
  return text;
}

std::string artifact_of(Sweep& sweep, const std::string& stage) {
  return sweep.value("select artifact from stages where name = '" + stage + "' limit 1")
      .get<std::string>();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

struct Damage : testing::Test {
  Sweep sweep;

  void SetUp() override {
    toy_project(sweep, "axes: {flavour: [plain]}\n");
    const Finished done = sweep.orchestrate({"run", "toy.yaml"});
    ASSERT_EQ(done.code, 0) << done.err;
  }
  // Adds a load that was not measured yet, which needs the model.
  Finished run_further() {
    toy_project(sweep, "axes: {flavour: [plain], concurrency: [1, 2]}\n");
    return sweep.orchestrate({"run", "toy.yaml"});
  }
  Json makes() {
    return sweep.value(
        "select count(*) from attempt a join stage s on s.id = a.stage_id where s.name = 'make'");
  }
};

TEST(Diagnostics, TellARunsDecisionsAndItsGuardiansWithoutSecrets) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  ::setenv("ORCH_TEST_TOKEN", "hunter2-hunter2", 1);
  const Finished done = sweep.orchestrate({"run", "toy.yaml", "--where", "'hunter2-hunter2' > ''"});
  ::unsetenv("ORCH_TEST_TOKEN");
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string text = text_of(sweep.store() + "/diagnostics.log");
  for (const char* words :
       {"orchestrate run toy.yaml --where ", " run 1 begins; points: 1, stages: 3", " planned -> ",
        " spawned: pid ", " GET http://127.0.0.1:", " HTTP 200 after ",
        " published: artifacts/make", " run 1 ends: "})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  EXPECT_NE(text.find("[secret]"), std::string::npos);
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  const std::string log = sweep.value("select log from stages where name = 'make' limit 1");
  const std::string guardian =
      text_of(sweep.store() + "/" + log.substr(0, log.size() - 4) + ".guardian.log");
  EXPECT_NE(guardian.find(" the tree has ended"), std::string::npos) << guardian;
}

TEST(Diagnostics, AreWrittenByRunsAlone) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml", "--log-level", "off"}).code, 0);
  const std::vector<std::vector<std::string>> readers = {
      {"check", "toy.yaml"}, {"plan", "toy.yaml"}, {"status"}, {"query", "select 1"}, {"verify"}};
  for (const auto& words : readers) EXPECT_EQ(sweep.orchestrate(words).code, 0) << words.front();
  EXPECT_FALSE(std::filesystem::exists(sweep.store() + "/diagnostics.log"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sweep.store()))
    EXPECT_FALSE(entry.path().string().ends_with(".guardian.log")) << entry.path();
}

TEST(Diagnostics, TheEnvironmentChoosesTheLevel) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  ::setenv("ORCHESTRATE_LOG", "error", 1);
  EXPECT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  ::unsetenv("ORCHESTRATE_LOG");
  EXPECT_EQ(text_of(sweep.store() + "/diagnostics.log"), "");
}

TEST(Diagnostics, AnUnknownLevelIsRefused) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const Finished refused = sweep.orchestrate({"run", "toy.yaml", "--log-level", "debg"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("'debg' is not a log level; did you mean 'debug'?"), std::string::npos)
      << refused.err;
}

TEST_F(Damage, IsNotReportedForAnIntactStore) {
  const Finished verified = sweep.orchestrate({"verify"});
  EXPECT_EQ(verified.code, 0);
  EXPECT_EQ(verified.out, "");
  EXPECT_EQ(verified.err, "nothing is wrong: 2 outputs with 5 files, 1 measurement\n");
}

TEST_F(Damage, OfOneByteIsReportedWithItsRemedyAndRepairedByTheNextRun) {
  const std::string file = artifact_of(sweep, "make") + "/out/model.txt";
  std::fstream(sweep.store() + "/" + file, std::ios::in | std::ios::out).put('P');
  EXPECT_EQ(sweep.orchestrate({"verify", "--quick"}).code, 0);
  const Finished verified = sweep.orchestrate({"verify"});
  EXPECT_EQ(verified.code, 1);
  EXPECT_EQ(
      verified.out,
      file +
          " has changed (its sha256 differs): the next run that needs the output makes it again\n");
  EXPECT_EQ(verified.err, "1 problem: 2 outputs with 5 files, 1 measurement\n");
  const Finished done = run_further();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(makes(), 2);
  EXPECT_EQ(sweep.value("select count(*) from results where run = 2"), 2);
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);
}

TEST_F(Damage, OfAMissingFileIsNoticedByTheNextRun) {
  const std::string artifact = artifact_of(sweep, "make");
  std::filesystem::remove(sweep.store() + "/" + artifact + "/out/model.txt");
  const Finished done = run_further();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("note: " + artifact), std::string::npos) << done.err;
  EXPECT_EQ(makes(), 2);
  EXPECT_EQ(sweep.value("select count(*) from results where run = 2"), 2);
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);
}

TEST_F(Damage, OfAMissingDatabaseIsRepairedByARebuildWithTheSameContent) {
  const std::string before = everything(sweep);
  for (const char* end : {"", "-wal", "-shm"})
    std::filesystem::remove(sweep.store() + "/results.db" + end);
  const Finished refused = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, sweep.store() +
                             "/results.db is missing, but its records exist: `orchestrate verify "
                             "--rebuild` rebuilds it from them\n");
  const Finished rebuilt = sweep.orchestrate({"verify", "--rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.out;
  EXPECT_EQ(rebuilt.err, "rebuilt the database from the records of 1 run\n");
  EXPECT_EQ(everything(sweep), before);
  EXPECT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(makes(), 1);
}

TEST_F(Damage, OfTheDatabaseIsReportedWithItsRemedyByEveryCommand) {
  const std::string before = everything(sweep);
  for (const char* end : {"-wal", "-shm"})
    std::filesystem::remove(sweep.store() + "/results.db" + end);
  sweep.write("results/results.db", std::string(8192, 'x'));
  const std::string words =
      sweep.store() +
      "/results.db is damaged: `orchestrate verify --rebuild` rebuilds it from its records\n";
  for (const auto& [arguments, code] : std::vector<std::pair<std::vector<std::string>, int>>{
           {{"run", "toy.yaml"}, 1}, {{"verify"}, 1}, {{"query", "results"}, 2}, {{"status"}, 2}}) {
    const Finished refused = sweep.orchestrate(arguments);
    EXPECT_EQ(refused.code, code) << arguments.front();
    EXPECT_EQ(refused.err, words) << arguments.front();
  }
  const Finished rebuilt = sweep.orchestrate({"verify", "--rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.out;
  EXPECT_EQ(rebuilt.err, fmt::format("rebuilt the database from the records of 1 run; the old one "
                                     "is kept as {}/results.db.replaced-1\n",
                                     sweep.store()));
  EXPECT_EQ(everything(sweep), before);
}

TEST(Bench, WritesItsRecordsIntoAStoreWhereQueryShowsThem) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const std::string made = sweep.store() + "/" + artifact_of(sweep, "make") + "/out";
  const std::string port = std::to_string(free_port()), url = "http://127.0.0.1:" + port;
  const auto server = sweep.start_program(
      {"/usr/bin/python3", "runners/toy/serve.py", port, "plain", made + "/model.txt"});
  sweep.wait_until([&] {
    return sweep
               .run({"/usr/bin/python3", "-c",
                     "import urllib.request as u; u.urlopen('" + url + "/ready')"})
               .code == 0;
  });
  const Finished done = sweep.orchestrate({"bench",
                                           "--url",
                                           url,
                                           "--model",
                                           "toy",
                                           "--concurrency",
                                           "1,2",
                                           "--requests",
                                           "3",
                                           "--warmup",
                                           "0",
                                           "--osl",
                                           "4",
                                           "--prompts",
                                           made + "/prompts.jsonl",
                                           "--wake-lag-ms-limit",
                                           "1000",
                                           "--client-cpu-limit",
                                           "1000",
                                           "--db",
                                           "results"});
  ::kill(server.pid, SIGTERM);
  sweep.finish(server);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(
      sweep.query("select experiment, substr(point, 1, length('toy_c1_osl4')) as point, "
                  "concurrency from results where experiment = 'bench' order by point"),
      Json::parse(
          R"([{"experiment": "bench", "point": "toy_c1_osl4", "concurrency": 1}, {"experiment": "bench", "point": "toy_c2_osl4", "concurrency": 2}])"));
  EXPECT_EQ(sweep.value("select count(*) from results"), 3);
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);
}

// Interrupted while it makes the model, from a subfolder.
struct Resume : testing::Test {
  Sweep sweep;
  const std::string below = sweep.folder() + "/below";

  void SetUp() override {
    toy_project(sweep,
                "defaults: {delay: \"600\"}\naxes: {flavour: [plain], concurrency: [1, 2]}\n");
    std::filesystem::create_directories(below);
    auto run = sweep.start({"run", "toy.yaml", "--where", "concurrency = 2"});
    sweep.wait_until([&] { return sweep.stderr_of(run).find("started") != std::string::npos; });
    for (const int times : {1, 2}) {
      ::kill(run.pid, SIGINT);
      sweep.wait_until([&] {
        return sweep.stderr_of(run).find(times == 1
                                             ? "interrupt again to end them"
                                             : "interrupt again to kill them") != std::string::npos;
      });
    }
    ASSERT_EQ(sweep.finish(run).code, 130);
    toy_project(sweep, "axes: {flavour: [plain], concurrency: [1, 2]}\n");
  }
  Finished resume_from_below(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"env",    "-C",      below,       ORCH_BINARY,
                                      "resume", "--store", "../results"};
    words.insert(words.end(), more.begin(), more.end());
    return sweep.run(words);
  }
};

TEST_F(Resume, RunsTheSameCommandInTheSameFolder) {
  const Finished done = resume_from_below();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err.substr(0, done.err.find('\n')),
            fmt::format("resuming run 1 in {}: orchestrate run toy.yaml --where concurrency = 2",
                        sweep.folder()));
  EXPECT_EQ(sweep.query("select concurrency from results"), Json::parse(R"([{"concurrency": 2}])"));
  EXPECT_EQ(sweep.value("select group_concat(folder || ' ' || json_extract(command, '$[1]') || ' ' "
                        "|| json_extract(command, '$[2]'), '; ') from run"),
            fmt::format("{0} run toy.yaml; {0} run toy.yaml", sweep.folder()));
}

TEST_F(Resume, WithoutARunReportsThat) {
  ASSERT_EQ(resume_from_below().code, 0);
  const Finished again = resume_from_below();
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err,
            fmt::format("nothing to resume in {}: every run there has ended\n", sweep.store()));
  EXPECT_EQ(sweep.value("select count(*) from run"), 2);
}

TEST_F(Resume, ByNumberRepeatsARunThatEndedInAnyWay) {
  ASSERT_EQ(resume_from_below().code, 0);
  const Finished again = resume_from_below({"2"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find(": 0 done, "), std::string::npos) << again.err;
  EXPECT_EQ(sweep.value("select count(*) from run"), 3);
  const Finished absent = resume_from_below({"9"});
  EXPECT_EQ(absent.code, 2);
  EXPECT_EQ(absent.err,
            "no run 9 in this store; `orchestrate query \"select * from run\"` lists them\n");
}

TEST_F(Resume, WithoutItsMatrixNamesItAndTheRemedy) {
  std::filesystem::remove(sweep.folder() + "/toy.yaml");
  const Finished refused = resume_from_below();
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err,
            fmt::format("the matrix of run 1, {}/toy.yaml, does not exist; restore it, or "
                        "use `orchestrate run MATRIX --store DIR` with another\n",
                        sweep.folder()));
}

TEST_F(Resume, WithoutItsFolderNamesItAndTheRemedy) {
  Sweep elsewhere;
  std::filesystem::rename(sweep.store(), elsewhere.store());
  std::filesystem::remove_all(sweep.folder());
  const Finished refused = elsewhere.orchestrate({"resume"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(
      refused.err,
      fmt::format(
          "{}, where run 1 was started, does not exist; use `orchestrate run MATRIX --store DIR`\n",
          sweep.folder()));
}

// Every option by which a command writes where a user says: the words, with PLACE where it goes.
struct Output {
  std::vector<std::string> words;
  bool is_folder = false;
  std::string file = {};  // that a folder gets
};

const std::string k_place = "PLACE";

std::vector<Output> outputs() {
  const auto bench = [](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"bench",
                                    "--url",
                                    "http://127.0.0.1:1",
                                    "--protocol",
                                    "triton-http",
                                    "--model",
                                    "toy",
                                    "--isl",
                                    "4",
                                    "--osl",
                                    "4",
                                    "--tokenizer",
                                    "tokenizer",
                                    "--concurrency",
                                    "1",
                                    "--requests",
                                    "1"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  };
  return {
      {{"score", "--write-references", k_place}},
      {{"report", "--output", k_place}},
      {{"report", "--csv", "--output", k_place}},
      {{"report", "--markdown", "--output", k_place}},
      {{"fill-template", "--in_place", k_place, "a:1"}},
      {{"fill-template", "--compat", "0.14", "-i", k_place, "a:1"}},
      {{"llm-perf", "--profile-export-file", k_place, "-m", "toy", "-u", "127.0.0.1:1",
        "--input-data", "prompts.jsonl", "--tokenizer-path", "tokenizer"}},
      {{"export", k_place}, true, "bundle.json"},
      {{"reproduce", "POINT", "--out", k_place}, true, "matrix.yaml"},
      {{"plan", "toy.yaml", "--executor", "slurm", "--script", k_place}, true, "submit.sh"},
      {{"init", k_place, "--force", "--runner", "toy"}, true, "matrix.yaml"},
      {{"init", k_place, "--new-runner", "mine"}, true, "mine.yaml"},
      {{"convert-results", "--tool", "x", "--out", k_place, "--", "true"}, true, "files"},
      {bench({"--out", k_place}), true, "measurement.json"},
      {bench({"--out", k_place, "--export", "genai-perf"}), true, "measurement.json"},
      {bench({"--prompt-cache", k_place}), true},
      {bench({"--db", k_place}), true, "results.db"},
      {{"run", "toy.yaml", "--store", k_place}, true, "results.db"},
      {{"import", "theirs.json", "--store", k_place}, true, "results.db"},
  };
}

struct Outputs : Damage {
  std::string point;

  void SetUp() override {
    Damage::SetUp();
    point = sweep.value("select point from results limit 1").get<std::string>();
    sweep.write("theirs.json", R"({"request_throughput": {"unit": "requests/sec", "avg": 2.0},
      "request_latency": {"unit": "ms", "avg": 16.0}, "input_config": {"model": ["m"]}})");
    std::filesystem::create_directory_symlink(sweep.store(), sweep.folder() + "/linked");
    std::filesystem::create_symlink(sweep.store() + "/results.db", sweep.folder() + "/one.txt");
  }
  // Of every file of the store, its name and its bytes.
  std::map<std::string, std::string> content() {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sweep.store()))
      if (entry.is_regular_file()) all[entry.path()] = text_of(entry.path());
    return all;
  }
  Finished write(const Output& output, const std::string& place) {
    std::vector<std::string> words = output.words;
    for (std::string& word : words)
      if (word == k_place) word = place;
      else if (word == "POINT") word = point;
    return sweep.orchestrate(words);
  }
};

TEST_F(Outputs, NeverReplaceWhatBelongsToAStore) {
  const auto before = content();
  for (const Output& output : outputs()) {
    const std::vector<std::string> places =
        output.is_folder ? std::vector<std::string>{"results/artifacts", "results/artifacts/new",
                                                    "linked/records/x", "results/logs/.."}
                         : std::vector<std::string>{"results/results.db", "./linked/results.db",
                                                    "one.txt", "results/records/store.jsonl"};
    for (const std::string& place : places) {
      const bool is_store = output.words[0] == "run" || output.words[0] == "import" ||
                            fmt::format("{}", fmt::join(output.words, " ")).ends_with("--db PLACE");
      if (is_store && place.ends_with("..")) continue;  // the store itself
      SCOPED_TRACE(fmt::format("{}: {}", fmt::join(output.words, " "), place));
      const Finished done = write(output, place);
      EXPECT_NE(done.code, 0);
      EXPECT_THAT(done.err, testing::HasSubstr("nothing was written; name another path"));
    }
  }
  for (const auto& [name, text] : content())
    EXPECT_TRUE(before.contains(name) && before.at(name) == text) << name << " has changed";
}

TEST_F(Outputs, WriteToAUsersFileWhichMayBeAnotherNameOfTheDatabase) {
  const std::string before = text_of(sweep.store() + "/results.db");
  for (const Output& output : outputs()) {
    if (output.is_folder || output.words[0] == "llm-perf") continue;  // these measure
    SCOPED_TRACE(fmt::format("{}", fmt::join(output.words, " ")));
    const std::string file = sweep.folder() + "/mine";
    std::filesystem::remove(file);
    if (output.words[0] == "fill-template") sweep.write("mine", "a: ${a}\n");
    else std::filesystem::create_hard_link(sweep.store() + "/results.db", file);
    const Finished done = write(output, "mine");
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(text_of(file) == before, false) << "it was written";
    EXPECT_EQ(text_of(sweep.store() + "/results.db") == before, true) << "as another file";
  }
}

// SQL of each kind that has no end, in every command that takes SQL.
TEST_F(Outputs, SqlWithoutAnEndIsEndedWithAReason) {
  sweep.orchestrate({"score", "--write-references", "answers.jsonl"});
  const std::string many = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  for (const auto& [sql, why] : std::map<std::string, std::string>{
           {many + "SELECT count(*) FROM n) > 0", "took longer than 0.2 s"},
           {"(SELECT count(*) FROM " + many + "SELECT i FROM n LIMIT 100000) a, " + many +
                "SELECT i FROM n LIMIT 100000) b) > 0",
            "took longer than 0.2 s"},
           {"length(replace(hex(zeroblob(400000000)), '0', 'aa')) > 0", "more than 512.0 MiB"},
           {"length(printf('%999999999s', 'x')) > 0", "more than 512.0 MiB"}}) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"best", "--maximize", "output_tps", "--where", sql},
             {"best", "--maximize", "output_tps", "--subject-to", sql},
             {"report", "--markdown", "--where", sql},
             {"compare", sql, "toy"},
             {"compare", "toy", "toy", "--gate", sql},
             {"score", "--where", sql, "--references", "answers.jsonl"},
             {"gc", "--keep", sql},
             {"gc", "--keep", sql, "--apply"}}) {
      SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
      std::vector<std::string> argv = {"/usr/bin/env", "ORCHESTRATE_SQL_TIMEOUT=0.2", ORCH_BINARY};
      argv.insert(argv.end(), words.begin(), words.end());
      const Finished done = sweep.run(argv);
      EXPECT_NE(done.code, 0);
      EXPECT_NE(done.code, -1) << "it was ended by a signal";
      // A gate has bounds of its own.
      if (words[0] != "compare" || words.size() == 3) {
        EXPECT_THAT(done.err, testing::HasSubstr(why)) << done.out;
      }
    }
  }
}

// An option that is said to write must be in the table above.
TEST(OutputOptions, OfThePagesAreAllTried) {
  std::string tried;
  for (const Output& output : outputs()) tried += fmt::format(" {}", fmt::join(output.words, " "));
  std::istringstream page(text_of(ORCH_SOURCE_DIR "/docs/reference/command-line.md"));
  int found = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `-")) continue;
    bool writes = false;
    for (const char* words : {"to write", "rites ", ": write ", "Write the", "older for m",
                              "he folder for", "esults folder that", "also write", "Also write"})
      writes |= line.find(words) != std::string::npos;
    const std::size_t begin = std::min(line.find("--"), line.size());
    const std::string option = line.substr(begin, line.find_first_of(" ,`", begin) - begin);
    if (!writes || line.find("and writes {") != std::string::npos) continue;  // a scorer, to stdout
    ++found;
    EXPECT_NE(tried.find(option), std::string::npos) << line;
  }
  EXPECT_GT(found, 6);
}

TEST_F(Outputs, OfAStoreItselfHaveNamesThatAreItsOwn) {
  for (const auto& entry : std::filesystem::directory_iterator(sweep.store())) {
    const std::string name = entry.path().filename();
    if (name == "reports") continue;
    const Finished done = sweep.orchestrate(
        {"score", "--write-references", "results/" + name + (entry.is_directory() ? "/x" : "")});
    EXPECT_NE(done.code, 0) << name << " is free for outputs; add it to results/store/layout.cpp";
  }
}

}  // namespace store_test
}  // namespace orch::e2e

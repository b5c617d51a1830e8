// `plan --script`: the text of the script, and its execution by bash.
#include "run/script/script.hpp"

#include "core/base/text.hpp"
#include "fakes/plans.hpp"
#include "run/script/bash.hpp"
#include "run/script/shell_text.hpp"

#include <csignal>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::script {
namespace script_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* k_runner = R"(
runner: toy
description: a toy
parameters:
  flavour: {type: text, default: plain}
  concurrency: {type: integer, default: 1}
stages:
  make:
    kind: task
    reads: [flavour]
    argv: [/bin/sh, "{file:make.sh}", "{flavour}", "{out}"]
    env: {COLOUR: "very {flavour}"}
    inherit: [TOY_*, EXACT]
    outputs: [model.txt, parts]
  prompts:
    kind: task
    needs: [make]
    reads: [concurrency]
    argv: [/usr/bin/python3, "{file:prompts.py}", "{jobs}"]
    batch: true
    job: {out: "{out}", text: "{concurrency} of {stage:make}"}
    outputs: [prompts.txt]
  repository:
    kind: task
    needs: [make]
    reads: []
    render: [{from: templates/config, to: repository/config.txt, values: {model: "{stage:make}"}}]
    copy: [{from: common/model.py, to: repository/1/model.py}]
    outputs: [repository/config.txt]
  serve:
    kind: service
    needs: [make, repository]
    reads: []
    ports: [http]
    place: [{from: "{stage:repository}/repository", to: repository, stages: [make]}]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}", "{token}", "{work}/repository/config.txt"]
    ready: {port: http, get: [/ready], timeout_s: 60}
    smoke: {port: http, post: /generate, body: '{"text": "it''s $HOME"}', answer: text_output}
    stop_s: 20
    shm_prefix: "{token}"
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: [concurrency]
    argv: ["{orchestrate}", "http://127.0.0.1:{port:serve.http}", "{stage:prompts}/prompts.txt", "{out}", "{block}"]
    outputs: [measurement.json]
    timeout_s: 30.5
)";

constexpr const char* k_make = R"(
echo "the flavour is $1"
[ "$1" != broken ] || { echo "no such flavour"; exit 3; }
mkdir "$2/parts" && echo part >"$2/parts/1"
env | sort >"$2/model.txt"
)";

constexpr const char* k_prompts = R"(
import json, sys
for job in json.load(open(sys.argv[1])):
    open(job["out"] + "/prompts.txt", "w").write(job["id"] + ": " + job["text"])
)";

constexpr const char* k_serve = R"(
import http.server, json, os, sys
port, token, config = sys.argv[1:]
open("pid", "w").write(str(os.getpid()))
open("/dev/shm/" + token + "segment", "w").write("x")
open("token", "w").write(token)

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())
    def do_GET(self):
        self.answer(open(config).read())
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(json.dumps({"text_output": request["text"]}))

http.server.HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
)";

constexpr const char* k_measure =
    "#!/bin/sh\nset -eu\ncurl -sf --noproxy '*' \"$1/config\" >\"$3/measurement.json\"\ncat \"$2\" "
    ">>\"$3/measurement.json\"\necho \" $4\" "
    ">>\"$3/measurement.json\"\n";

class Script : public ::testing::Test {
 protected:
  Script() {
    for (const auto& [name, text] :
         std::map<std::string, std::string>{{"make.sh", k_make},
                                            {"prompts.py", k_prompts},
                                            {"serve.py", k_serve},
                                            {"common/model.py", "model\n"}}) {
      const fs::path path = layout().runner_file(name);
      fs::create_directories(path.parent_path());
      std::ofstream(path) << text;
      facts.runner_files[name] = text;
    }
    facts.templates["templates/config"] = "model: ${model} {stage:make}";
    measure_by(k_measure);
  }

  // Writes the program that replaces the orchestrate binary.
  void measure_by(const std::string& text) {
    std::ofstream(folder.file("measure")) << text;
    fs::permissions(folder.file("measure"), fs::perms::owner_all);
  }

  attempt::Layout layout() const {
    return {.store = "/nowhere",
            .project = folder.path().string(),
            .runner = folder.file("runner"),
            .orchestrate = folder.file("measure")};
  }
  plan::Plan plan(std::vector<fakes::Parameters> points, std::int64_t repeats = 1) {
    return fakes::plan_of(k_runner, {.points = std::move(points), .repeats = repeats, .done = {}},
                          facts);
  }
  std::string script(const plan::Plan& plan) const {
    return to_script(plan, layout(), {.matrix_file = "toy.yaml"});
  }

  // The script after the functions, with digests replaced by numbers in the order of the plan.
  static std::string body(std::string text, const plan::Plan& plan) {
    text.erase(0, text.find("\n)\n", text.find("own=(")) + 3);
    std::map<std::string, int> count;
    for (const plan::Stage& stage : plan.stages) {
      const std::string name = stage.spec.name, digest = stage.id.substr(name.size() + 1);
      const int number = ++count[name];
      text = std::regex_replace(text, std::regex(name + "-" + digest),
                                fmt::format("{}-{}", name, number));
      text = std::regex_replace(text, std::regex(name + "_" + digest.substr(0, 4) + "[0-9a-f]*"),
                                fmt::format("{}_{}", name, number));
    }
    return text;
  }

  static std::string id(const plan::Plan& plan, const std::string& name, std::size_t nth = 0) {
    for (const plan::Stage& stage : plan.stages)
      if (stage.spec.name == name && nth-- == 0) return stage.id;
    return "";
  }
  std::string out(const std::string& path) const { return read(folder.file("by-hand/" + path)); }

  void expect_server_gone(const plan::Plan& plan) {
    const std::string work = "work/" + id(plan, "serve");
    EXPECT_NE(out(work + "/pid"), "") << "it did not run";
    EXPECT_NE(::kill(std::stoi("0" + out(work + "/pid")), 0), 0) << "the server is alive";
    EXPECT_FALSE(fs::exists("/dev/shm/" + out(work + "/token") + "segment"));
  }

  fakes::TempFolder folder;
  fakes::FakeFacts facts;
};

TEST_F(Script, ReadsLikeAScriptWrittenByHand) {
  const plan::Plan two = plan(
      {{{"flavour", "plain"}, {"concurrency", "1"}}, {{"flavour", "plain"}, {"concurrency", "2"}}});
  EXPECT_EQ(body(script(two), two), R"(
# make-1: flavour=plain
make_1=$OUT/artifacts/make-1/out
inherit='TOY_* EXACT' task make-1 3600 'COLOUR=very plain' -- \
  /bin/sh "$RUNNER/make.sh" plain "$make_1"
made "$make_1" model.txt parts

# prompts-1: concurrency=1
prompts_1=$OUT/artifacts/prompts-1/out

# prompts-2: concurrency=2
prompts_2=$OUT/artifacts/prompts-2/out

mkdir -p "$prompts_1" "$OUT/work/prompts-1" "$prompts_2" "$OUT/work/prompts-2"
write "$OUT/work/prompts-1/jobs.json" <<END
[{"id":"prompts-1","out":"$prompts_1","text":"1 of $make_1"},
 {"id":"prompts-2","out":"$prompts_2","text":"2 of $make_1"}]
END
task prompts-1 7200 -- \
  /usr/bin/python3 "$RUNNER/prompts.py" "$OUT/work/prompts-1/jobs.json"
made "$prompts_1" prompts.txt
made "$prompts_2" prompts.txt

# repository-1
repository_1=$OUT/artifacts/repository-1/out
write -n "$repository_1/repository/config.txt" <<'END'
model: {stage:make-1} {stage:make}
END
copy "$RUNNER/../common/model.py" "$repository_1/repository/1/model.py"
made "$repository_1" repository/config.txt

# ----------------------------------------------------------------------------------------------------------------------
# serve-1
place "$repository_1/repository" "$OUT/work/serve-1/repository" make "$make_1"
port_http=$(free_port "$first_port")
token=$(new_token)
shm_prefix="$token"
serve serve-1 20 -- \
  /usr/bin/python3 "$RUNNER/serve.py" "$port_http" "$token" "$OUT/work/serve-1/repository/config.txt"
wait_ready 60 "http://127.0.0.1:$port_http/ready"
smoke 60 "http://127.0.0.1:$port_http/generate" text_output '{"text": "it'\''s $HOME"}'

# bench-1 of concurrency1_flavourplain
bench_1=$OUT/artifacts/bench-1.1/out
measure bench-1.1 30.5 -- \
  "$ORCHESTRATE" "http://127.0.0.1:$port_http" "$prompts_1/prompts.txt" "$bench_1" 0
made "$bench_1" measurement.json

# bench-2 of concurrency2_flavourplain
bench_2=$OUT/artifacts/bench-2.1/out
measure bench-2.1 30.5 -- \
  "$ORCHESTRATE" "http://127.0.0.1:$port_http" "$prompts_2/prompts.txt" "$bench_2" 0
made "$bench_2" measurement.json

stop

say "done: $OUT/artifacts"
)");
}

TEST_F(Script, CopiesCommonFilesFromWhereTheyLie) {
  attempt::Layout elsewhere = layout();
  elsewhere.common = "/usr/share/orchestrate/runners/common";
  const std::string text = to_script(plan({{{"flavour", "plain"}, {"concurrency", "1"}}}),
                                     elsewhere, {.matrix_file = "toy.yaml"});
  EXPECT_NE(text.find("copy /usr/share/orchestrate/runners/common/model.py "), std::string::npos)
      << text;
  EXPECT_EQ(text.find("$RUNNER/../common"), std::string::npos);
}

TEST_F(Script, ItsHeadExplainsItsContentAndItsUse) {
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  EXPECT_TRUE(
      script(one).starts_with("#!/usr/bin/env bash\n# test: 1 of 1 points of toy.yaml, on the "
                              "runner toy\n#\n# The steps of `orchestrate run` "
                              "with an empty store, by hand: "))
      << script(one);
  EXPECT_THAT(script(one), HasSubstr("#   OUT=./by-hand bash plan.sh\n"));
}

TEST_F(Script, RunsTheWholePlan) {
  const plan::Plan two = plan(
      {{{"flavour", "plain"}, {"concurrency", "1"}}, {{"flavour", "plain"}, {"concurrency", "2"}}});
  const ScriptResult result =
      bash(folder, script(two), "TOY_A='a  b' EXACT=1 OTHER=hidden HOME=/home/toy");
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string make = id(two, "make"),
                    model = folder.file("by-hand/artifacts/") + make + "/out",
                    config = "model: " + model + " " + model;
  EXPECT_EQ(out("artifacts/" + id(two, "repository") + "/out/repository/config.txt"),
            "model: {stage:" + make + "} {stage:make}")
      << "published texts keep their symbols";
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(out("artifacts/" + id(two, "bench", i) + ".1/out/measurement.json"),
              config + fmt::format("{}: {} of {}/artifacts/{}/out 0\n", id(two, "prompts", i),
                                   i + 1, folder.file("by-hand"), make));
  const std::string environment = out("artifacts/" + make + "/out/model.txt");
  for (const char* visible :
       {"COLOUR=very plain\n", "EXACT=1\n", "HOME=/home/toy\n", "TOY_A=a  b\n", "PATH="})
    EXPECT_THAT(environment, HasSubstr(visible));
  for (const char* hidden : {"OTHER", "inherit", "OUT="})
    EXPECT_EQ(environment.find(hidden), std::string::npos) << environment;
  EXPECT_EQ(out("logs/" + make + ".log"), "the flavour is plain\n");
  expect_server_gone(two);
}

// The files that mpirun and its ranks leave when they are killed, and anything else in TMPDIR.
TEST_F(Script, HasPrivateTemporaryFoldersAndRemovesThemHoweverItEnds) {
  for (const auto& [last, code] : std::map<std::string, int>{
           {"exit 0", 0},
           {"exit 3", 1},
           {"kill -TERM $(cut -d' ' -f4 /proc/$PPID/stat); sleep 60", 143}}) {
    std::ofstream(folder.file("runner/make.sh"))
        << "mkdir \"$2/parts\" && echo part >\"$2/parts/1\"\n"
           "for folder in \"${TMPDIR:?}\" \"${OMPI_MCA_btl_vader_backing_directory:?}\" "
           "\"${OMPI_MCA_btl_sm_backing_directory:?}\"; do\n"
           "  echo left >\"$folder/session\" && echo \"$folder\" >>\"$2/model.txt\"\ndone\n"
        << last << "\n";
    fs::remove_all(folder.file("by-hand"));
    const plan::Plan one = plan({{{"flavour", "plain"}}});
    const ScriptResult result = bash(folder, script(one), "TMPDIR=" + folder.path().string());
    EXPECT_EQ(result.code, code) << last << ": " << result.err;
    std::istringstream folders(out("artifacts/" + id(one, "make") + "/out/model.txt"));
    std::vector<std::string> used;
    for (std::string line; std::getline(folders, line);) used.push_back(line);
    ASSERT_EQ(used.size(), 3u) << last;
    EXPECT_EQ(fs::path(used[0]).parent_path(), folder.path());
    EXPECT_EQ(fs::path(used[1]).parent_path(), "/dev/shm");
    EXPECT_EQ(used[1], used[2]);
    for (const std::string& path : used)
      EXPECT_FALSE(fs::exists(path)) << last << " leaves " << path;
  }
}

TEST_F(Script, MeasuresEveryLoadOnceBeforeTheFirstRepeat) {
  const plan::Plan repeated = plan({{{"concurrency", "1"}}, {{"concurrency", "2"}}}, 2);
  const ScriptResult result = bash(folder, script(repeated));
  ASSERT_EQ(result.code, 0) << result.err;
  std::vector<std::string> order;
  for (const std::int64_t repeat : {0, 1})
    for (const plan::Stage& stage : repeated.stages)
      if (stage.spec.name == "bench" && stage.repeat == repeat) order.push_back(stage.id + ".1");
  ASSERT_EQ(order.size(), 4u);
  EXPECT_THAT(result.err, HasSubstr(orch::join(order, "\n") + "\n"));
}

TEST_F(Script, GivesRenderedTextsExactly) {
  for (const std::string& text : k_hostile) {
    if (text.find('$') != std::string::npos) continue;  // a template may contain it
    facts.templates["templates/config"] = text + "${model}" + text;
    plan::Plan one = plan({{{"flavour", "plain"}}});
    std::erase_if(one.stages,
                  [](const plan::Stage& stage) { return stage.spec.kind != runner::Kind::task; });
    fs::remove_all(folder.file("by-hand"));
    ASSERT_EQ(bash(folder, script(one)).code, 0) << text;
    EXPECT_EQ(out("artifacts/" + id(one, "repository") + "/out/repository/config.txt"),
              text + "{stage:" + id(one, "make") + "}" + text);
  }
}

TEST_F(Script, HostileParametersReachTheCommandUnchanged) {
  const std::string flavour = "a'b\"c$(touch x)`id`\\\n-- {d}";
  const plan::Plan one = plan({{{"flavour", flavour}}});
  ASSERT_EQ(bash(folder, script(one)).code, 0);
  EXPECT_EQ(out("logs/" + id(one, "make") + ".log"), "the flavour is " + flavour + "\n");
  EXPECT_THAT(out("artifacts/" + id(one, "make") + "/out/model.txt"),
              HasSubstr("COLOUR=very a'b\"c$(touch x)`id`\\\n"));
  EXPECT_FALSE(fs::exists(folder.file("x")));
}

TEST_F(Script, TheFirstFailureEndsItWithTheLastLinesOfTheLog) {
  const plan::Plan one = plan({{{"flavour", "broken"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 1);
  const std::string make = id(one, "make");
  EXPECT_EQ(result.err,
            make + "\n" + make + " ended with status 3: the flavour is broken\nno such flavour\n");
}

TEST_F(Script, AnOutputThatIsMissingIsAFailure) {
  measure_by("#!/bin/sh\n");
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(folder.file("by-hand/artifacts/") + id(one, "bench") +
                                    ".1/out/measurement.json is missing or empty\n"));
  expect_server_gone(one);
}

TEST_F(Script, AFailedMeasurementStopsTheServer) {
  measure_by("#!/bin/sh\necho it broke\nexit 7\n");
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(id(one, "bench") + ".1 ended with status 7: it broke\n"));
  expect_server_gone(one);
}

// bench has an exit status for an invalid record, but the script does not judge records.
TEST_F(Script, AnInvalidMeasurementDoesNotStopTheScript) {
  measure_by(std::string(k_measure) + "\nexit 4\n");
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 0) << result.err;
  expect_server_gone(one);
}

TEST_F(Script, ASignalStopsTheServerAndTheMeasurement) {
  // The measurement ends the script that waits for it (the parent of its parent, `timeout`), and
  // keeps running.
  measure_by(
      "#!/bin/sh\necho $$ >\"$3/pid\"\nkill -TERM $(cut -d' ' -f4 /proc/$PPID/stat)\nexec sleep "
      "600\n");
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  EXPECT_EQ(bash(folder, script(one)).code, 143);
  const std::string pid = out("artifacts/" + id(one, "bench") + ".1/out/pid");
  ASSERT_NE(pid, "");
  EXPECT_NE(::kill(std::stoi(pid), 0), 0) << "the measurement is alive";
  expect_server_gone(one);
}

TEST_F(Script, AServerThatEndsWhileStartingIsReportedWithItsLastLines) {
  std::ofstream(folder.file("runner/serve.py")) << "import sys\nsys.exit('cannot load')\n";
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(id(one, "serve") + " is gone: cannot load\n"));
}

TEST_F(Script, AnEmptyAnswerToTheSmokeRequestIsAFailure) {
  std::string serve = k_serve;
  serve.replace(serve.find("request[\"text\"]"), 15, "\"\"");
  std::ofstream(folder.file("runner/serve.py")) << serve;
  const plan::Plan one = plan({{{"flavour", "plain"}}});
  const ScriptResult result = bash(folder, script(one));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              HasSubstr("/generate: no text in text_output: {\"text_output\": \"\"}\n"));
  expect_server_gone(one);
}

TEST_F(Script, RefusesAnExistingFolder) {
  fs::create_directories(folder.file("by-hand/artifacts"));
  const ScriptResult result = bash(folder, script(plan({{{"flavour", "plain"}}})));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            folder.file("by-hand/artifacts") + " exists: remove it, or set OUT to a new folder\n");
}

TEST_F(Script, ReadsProvidedOutputsInPlaceAndSkipsStagesThatOnlyLeadToThem) {
  plan::Plan provided = plan({{{"flavour", "plain"}}});
  const std::string elsewhere = folder.file("it's & elsewhere|");
  fs::create_directories(elsewhere + "/repository");
  std::ofstream(elsewhere + "/repository/config.txt")
      << "{stage:" << id(provided, "repository") << "} {stage:" << id(provided, "make") << "}";
  for (plan::Stage& stage : provided.stages) {
    if (stage.spec.name == "repository") stage.provided = elsewhere;
    if (stage.spec.name == "prompts") stage.needs.clear(), stage.spec.job["text"] = "none";
    if (stage.spec.name == "serve") stage.needs.erase("make");
  }
  const ScriptResult result = bash(folder, script(provided));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(out("artifacts/" + id(provided, "bench") + ".1/out/measurement.json"),
              testing::StartsWith(elsewhere + " " + folder.file("by-hand/artifacts/") +
                                  id(provided, "make") + "/out"));
  EXPECT_FALSE(fs::exists(folder.file("by-hand/artifacts/" + id(provided, "make"))))
      << "no stage needs it";
  EXPECT_FALSE(fs::exists(folder.file("by-hand/artifacts/" + id(provided, "repository"))));
  EXPECT_THAT(body(script(provided), provided),
              HasSubstr("\n# repository-1 is provided\nrepository_1='" + folder.path().string() +
                        "/it'\\''s & elsewhere|'\n"));
}

TEST_F(Script, PointsThatDoNotRunAppearInCommentsWithTheirReasonsAndCommands) {
  plan::Plan mixed = plan({{{"flavour", "plain"}},
                           {{"flavour", "sour\nrm -rf x"}},
                           {{"flavour", "odd"}},
                           {{"flavour", "bitter"}}});
  const auto leave_out = [&](std::size_t point, plan::Status status, const std::string& why) {
    mixed.points[point].status = status;
    mixed.points[point].why = why;
    for (plan::Stage& stage : mixed.stages)
      if (stage.points == std::vector<std::size_t>{point}) stage.status = status;
  };
  leave_out(1, plan::Status::reject, "taste: too sour\nmkdir hostile");
  leave_out(2, plan::Status::undecided, "taste reads model_heads, which is known after download");
  leave_out(3, plan::Status::failed, "make-1 failed in run 3 (crashed)");
  const std::string text = body(script(mixed), mixed);
  EXPECT_THAT(
      text, HasSubstr("say \"done: $OUT/artifacts\"\n\n"
                      "# "
                      "----------------------------------------------------------------------------"
                      "------------------------------------------\n"
                      "# Points that do not run\n"
                      "#\n# failed: make-1 failed in run 3 (crashed)\n#   flavourbitter\n"
                      "#\n# reject: taste: too sour\n# mkdir hostile\n#   flavoursour\n# rm -rf x\n"
                      "#\n# undecided: taste reads model_heads, which is known after "
                      "download\n#   flavourodd\n"
                      "#\n# inherit='TOY_* EXACT' make-2 'COLOUR=very sour\n# rm -rf x' -- \\\n#   "
                      "/bin/sh \"$RUNNER/make.sh\" 'sour\n# rm -rf "
                      "x' \"$make_2\"\n"));
  const ScriptResult result = bash(folder, script(mixed));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(fs::exists(folder.file("hostile")));
  EXPECT_FALSE(fs::exists(folder.file("by-hand/artifacts/" + id(mixed, "make", 1))));
}

TEST_F(Script, APlanOfReusedStagesStillGivesACompleteScript) {
  plan::Plan fresh = plan({{{"flavour", "plain"}}}), done = fresh;
  for (plan::Stage& stage : done.stages)
    stage.status =
        stage.spec.kind == runner::Kind::service ? plan::Status::idle : plan::Status::reuse;
  EXPECT_EQ(script(done), script(fresh));
}

TEST_F(Script, PassesShellcheck) {
  if (std::system("command -v shellcheck >/dev/null") != 0)
    GTEST_SKIP() << "shellcheck is not installed";
  plan::Plan several = plan({{{"flavour", "plain"}, {"concurrency", "1"}},
                             {{"flavour", "two words"}, {"concurrency", "2"}}},
                            2);
  several.stages.front().provided = "/data/it's";
  std::ofstream(folder.file("plan.sh")) << script(several);
  EXPECT_EQ(std::system(fmt::format("shellcheck --severity=style {} >{} 2>&1",
                                    folder.file("plan.sh"), folder.file("output"))
                            .c_str()),
            0)
      << read(folder.file("output"));
}

}  // namespace script_test
}  // namespace orch::script

// `plan --script --executor slurm`: the texts. tests/e2e/slurm_script_test.cpp submits them.
#include "run/script/slurm_script.hpp"

#include "core/base/text.hpp"
#include "fakes/plans.hpp"
#include "run/script/bash.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::script {
namespace slurm_script_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_runner = R"(
runner: toy
parameters:
  flavour: {type: text, default: plain}
stages:
  make:
    kind: task
    reads: [flavour]
    @container@
    argv: [/bin/sh, "{file:make.sh}", "{flavour}", "{out}"]
    env: {COLOUR: "very {flavour}", PATH: /opt/bin}
    secrets: [KEY]
    outputs: [model.txt]
    timeout_s: 600
  prompts:
    kind: task
    needs: [make]
    reads: []
    @container@
    launch: ["{orchestrate}", prompts, "{container}"]
    argv: [/usr/bin/python3, "{file:prompts.py}", "{stage:make}", "{out}"]
    outputs: [prompts.txt]
  config:
    kind: task
    reads: [flavour]
    render: [{from: templates/config, to: config.txt}]
    outputs: [config.txt]
  serve:
    kind: service
    needs: [make, config]
    reads: []
    ports: [http]
    @container@
    argv: [/usr/bin/env, mpirun, --bind-to, none, -n, "1", server, "{port:http}", "{token}_0_", ":",
           -n, "1", server, --worker, "{token}_1_", ":", -n, "1", server, --worker, "{token}_2_"]
    ready: {port: http, get: [/ready], timeout_s: 60}
    stop_s: 5
    shm_prefix: "{token}"
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: []
    argv: ["{orchestrate}", "{port:serve.http}", "{stage:prompts}/prompts.txt", "{out}"]
    outputs: [measurement.json]
)";

class SlurmScript : public ::testing::Test {
 protected:
  SlurmScript() {
    for (const char* name : {"make.sh", "prompts.py"}) facts.runner_files[name] = name;
    facts.templates["templates/config"] = "config\n";
  }
  // CONTAINER: a line of the manifest.
  plan::Plan plan(fakes::Parameters point, const std::string& container = "") {
    std::string runner = k_runner;
    for (std::size_t at; (at = runner.find("@container@")) != std::string::npos;)
      runner.replace(at, std::string_view("@container@").size(), container);
    plan::Plan plan = fakes::plan_of(runner, {.points = {std::move(point)}, .done = {}}, facts);
    for (plan::Stage& stage : plan.stages) {
      stage.gpus = stage.spec.name == "make" ? 2 : stage.spec.name == "serve" ? 3 : 0;
      if (stage.spec.name != "make") continue;
      plan::Share share;
      share.cores = 8;
      stage.share = std::make_shared<const plan::Share>(share);
    }
    return plan;
  }
  static attempt::Layout layout() {
    return {.store = "/nowhere", .project = "/p", .runner = "/p/toy", .orchestrate = "/p/orch"};
  }
  // By name, with numbers instead of digests.
  std::map<std::string, std::string> files(const plan::Plan& plan, const JobOptions& jobs = {}) {
    std::map<std::string, std::string> texts;
    for (const ScriptFile& file : to_slurm_files(plan, layout(), {}, jobs)) {
      expect_valid(file.text);
      texts[numbered(file.name)] = numbered(file.text);
    }
    return texts;
  }
  void expect_valid(const std::string& script) const {
    std::ofstream(folder.file("checked.sh")) << script;
    EXPECT_EQ(bash(folder, "bash -n checked.sh").err, "") << script;
  }
  // With numbers instead of digests, and each command on one line.
  static std::string numbered(const std::string& text) {
    const std::string joined = std::regex_replace(text, std::regex(" \\\\\n  "), " ");
    return std::regex_replace(joined, std::regex("([-_])[0-9a-f]{12}|(_)[0-9a-f]{4}\\b"), "$1$2N");
  }

  const fakes::TempFolder folder;
  fakes::FakeFacts facts;
};

TEST_F(SlurmScript, HasTwoFilesForEachJob) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files(plan({{"flavour", "plain"}}))) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("functions.sh", "make-N.sh", "make-N.sub", "prompts-N.sh",
                                 "prompts-N.sub", "serve-N.sh", "serve-N.sub", "submit.sh"));
}

TEST_F(SlurmScript, ATaskReadsLikeFilesWrittenByHand) {
  const auto texts =
      files(plan({{"flavour", "it's"}}), {.words = {"--account=nlp", "--constraint", "a b"},
                                          .lines = {"module load 'x'"},
                                          .gres = "gpu:h100"});
  EXPECT_EQ(texts.at("make-N.sub"), R"(#!/bin/bash
#SBATCH -J make-N
#SBATCH -o logs/make-N.out
#SBATCH -e logs/make-N.error
#SBATCH --no-requeue
#SBATCH --account=nlp
#SBATCH --constraint "a b"
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:h100:2
#SBATCH --cpus-per-task=8
#SBATCH --time=12
#SBATCH --signal=B:TERM@30
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
module load 'x'
source ./functions.sh
begin_job

# make-N: flavour=it's
make_N=$OUT/artifacts/make-N/out
inherit=KEY task make-N 600 'COLOUR=very it'\''s' PATH=/opt/bin RUNNER="$RUNNER" make_N="$make_N" -- srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/make-N_%t.out" bash "$here/make-N.sh"
made "$make_N" model.txt
)");
  EXPECT_EQ(texts.at("make-N.sh"), R"(#!/bin/bash
# The command that make-N.sub starts, with the variables of the job
# shellcheck disable=SC2154
exec /bin/sh "$RUNNER/make.sh" 'it'\''s' "$make_N"
)");
}

TEST_F(SlurmScript, JobsAreSubmittedBehindThoseThatTheyNeed) {
  const std::string text = files(plan({{"flavour", "plain"}})).at("submit.sh");
  EXPECT_THAT(text, HasSubstr(R"(
submit -- make-N.sub
job_make_N=$job

submit "$job_make_N" -- prompts-N.sub
job_prompts_N=$job
)"));
  EXPECT_THAT(text, HasSubstr(R"(
submit "$job_make_N" "$job_prompts_N" -- serve-N.sub
job_serve_N=$job
)"));
  EXPECT_THAT(text, HasSubstr("\nwrite \"$config_N/config.txt\" <<'END'\nconfig\nEND\n"))
      << "what needs no process is no job";
}

TEST_F(SlurmScript, AServerAndItsMeasurementsAreAJobWithTheRanksOfMpirun) {
  const auto texts = files(plan({{"flavour", "plain"}}), {.place = {.server_s = 7200}});
  const std::string text = texts.at("serve-N.sub");
  for (const char* line :
       {"#SBATCH --ntasks-per-node=3\n", "#SBATCH --gres=gpu:3\n", "#SBATCH --time=120\n",
        "\nprompts_N=$OUT/artifacts/prompts-N/out\n", "\nshm_prefix=\"$token\"\n",
        "serve serve-N 5 port_http=\"$port_http\" token=\"$token\" -- srun --overlap "
        "--mpi=pmix --kill-on-bad-exit=1 --nodes=1 --ntasks-per-node=3 --cpu-bind=none ",
        "wait_ready 60 \"http://127.0.0.1:$port_http/ready\"\n",
        "measure bench-N.1 3600 CUDA_VISIBLE_DEVICES= -- \"$ORCHESTRATE\" \"$port_http\" "
        "\"$prompts_N/prompts.txt\" \"$bench_N\"\n",
        "\nstop\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(texts.at("serve-N.sh"), HasSubstr(R"(case $SLURM_PROCID in
0)
  exec /usr/bin/env server "$port_http" "${token}_0_" ;;
*)
  exec /usr/bin/env server --worker "${token}_${SLURM_PROCID}_" ;;
esac
)"));
}

TEST_F(SlurmScript, SrunStartsTheContainerOfTheCluster) {
  const std::string image = "nvcr.io#a/b@sha256:" + std::string(64, '1');
  const auto texts =
      files(plan({{"flavour", "plain"}}, "container: {image: '" + image + "', engine: cluster}"));
  const std::string make = texts.at("make-N.sub");
  EXPECT_THAT(make, HasSubstr("'--container-image=" + image + "'"));
  EXPECT_THAT(make, HasSubstr("$here/make-N.sh:$here/make-N.sh:ro"));
  EXPECT_THAT(make, HasSubstr("--container-env=COLOUR,KEY,LANG,"));
  EXPECT_THAT(make, HasSubstr(",TMPDIR,TZ,RUNNER,make_N,CUDA_VISIBLE_DEVICES,"));
  EXPECT_THAT(make, HasSubstr("$RUNNER/../common:$RUNNER/../common:ro"));
  EXPECT_THAT(make,
              HasSubstr(" \"HOME=$tmp\" USER=orchestrate \"XDG_CACHE_HOME=$tmp/.cache\" bash "));
  EXPECT_THAT(texts.at("make-N.sh"), HasSubstr("\nexec /bin/sh "));
  // Its first words run outside.
  EXPECT_THAT(texts.at("prompts-N.sub"), Not(HasSubstr("srun")));
  EXPECT_THAT(
      texts.at("prompts-N.sh"),
      HasSubstr("exec \"$ORCHESTRATE\" prompts srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none "
                "'--container-image=" +
                image + "' "));
}

TEST_F(SlurmScript, TheOneScriptCallsItself) {
  const plan::Plan one = plan({{"flavour", "plain"}});
  const std::string script =
      to_slurm_script(one, layout(), {}, {.words = {"--comment=it's"}, .lines = {"module load x"}});
  expect_valid(script);
  const std::string text = numbered(script);
  for (const char* part :
       {"\njob_make_N() {\n# make-N: ", "bash \"$script\" command make_N\n",
        "\ncommand_make_N() {\nexec ",
        "if [[ ${1-} == job ]]; then\n  set +eu\n  module load x\n  set -eu\n  begin_job\n",
        "\nsubmit \"$job_make_N\" -- -J prompts-N -o \"$OUT/logs/prompts-N.job\" --no-requeue "
        "'--comment=it'\\''s' --nodes=1 --ntasks=1 --time=62 --signal=B:TERM@30 "
        "\"$script\" job prompts_N\n",
        "\nexport OUT RUNNER ORCHESTRATE script\n"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(SbatchLines, KeepValuesBesideTheirOptionsAndQuoteThem) {
  EXPECT_EQ(sbatch_lines({"-J", "name", "--exclusive", "--comment=a \"b\" \\ # $HOME", "-p", "x"}),
            "#SBATCH -J name\n#SBATCH --exclusive\n"
            "#SBATCH \"--comment=a \\\"b\\\" \\\\ # $HOME\"\n#SBATCH -p x\n");
  EXPECT_EQ(sbatch_lines({}), "");
}

}  // namespace slurm_script_test
}  // namespace orch::script

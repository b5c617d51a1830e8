// A server that runs already takes the place of a service: which stages remain, what their words
// and digests name, and when they are measured again.
#include "plan/graph/service/running_service.hpp"

#include "plan/graph/toy.hpp"

#include <gmock/gmock.h>

namespace orch::plan {
namespace running_service_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* k_answers = R"({"http://gpu1:8000/ready":{"version":"1"}})";

// toy::k_runner with a measurement that reads prompts, a second port and what `identity` asks.
constexpr const char* k_runner = R"(
runner: toy
parameters:
  model: {type: text}
  precision: {type: text}
  batch_size: {type: integer}
  isl: {type: integer}
stages:
  download:
    kind: task
    reads: [model]
    argv: [/bin/get, "{model}"]
    outputs: [model]
  build:
    kind: task
    needs: [download]
    reads: [precision]
    argv: [/bin/build, "{stage:download}", "{precision}"]
    outputs: [engine]
  serve:
    kind: service
    needs: [build]
    reads: [batch_size]
    ports: [http, metrics]
    argv: [/bin/server, "{stage:build}", "{batch_size}", "{port:http}"]
    ready: {port: http, get: [/ready], timeout_s: 600}
    smoke: {port: http, post: /generate, body: '{"n": {batch_size}}', answer: text}
    resources: {gpus: 4}
  prompts:
    kind: task
    needs: [download]
    reads: [isl]
    argv: [/bin/prompts, "{stage:download}", "{isl}"]
    outputs: [prompts]
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: [isl]
    argv: ["{orchestrate}", bench, --url, "http://{connect}:{port:serve.http}", --metrics-url,
           "http://{connect}:{port:serve.metrics}/metrics", --prompts, "{stage:prompts}"]
    outputs: [measurement.json]
)";

struct Running : fakes::PlanBuilder {
  explicit Running(const std::vector<fakes::Parameters>& points =
                       {{{"model", "m"}, {"precision", "f16"}, {"batch_size", "8"}, {"isl", "32"}}},
                   const char* runner = k_runner)
      : fakes::PlanBuilder(runner, points) {
    auto& server = matrix.services["toy"];
    server.url = {.scheme = "http", .host = "gpu1", .port = 8000};
    server.ports["metrics"] = {.scheme = "http", .host = "gpu1", .port = 8002};
    server.where = {"m.yaml", 3, 16};
    facts.server_answers["server:http://gpu1:8000 /ready"] = k_answers;
  }
  matrix::RunningServer& server() { return matrix.services["toy"]; }
};

const Stage& stage_of(const Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.stages.begin(), plan.stages.end(),
                                  [&](const Stage& stage) { return stage.spec.name == name; });
  if (found == plan.stages.end()) throw std::out_of_range(name);
  return *found;
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Stage& stage : plan.stages) names.push_back(stage.spec.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, std::string> components_of(const Stage& stage) {
  std::map<std::string, std::string> out;
  for (const Component& one : stage.components.list()) out[one.name] = one.value;
  return out;
}

TEST(RunningService, WhatOnlyTheServerNeedsFallsAway) {
  Running running;
  EXPECT_THAT(names_of(running.plan()), ElementsAre("bench", "download", "prompts", "serve"));
  running.matrix.services.clear();
  EXPECT_THAT(names_of(running.plan()),
              ElementsAre("bench", "build", "download", "prompts", "serve"));
}

TEST(RunningService, NothingIsStartedAndNoGpuIsHeld) {
  Running running;
  const Plan plan = running.plan();
  const Stage& serve = stage_of(plan, "serve");
  EXPECT_THAT(serve.spec.argv, ElementsAre("{orchestrate}", "watch-server", "http://gpu1:8000"));
  EXPECT_TRUE(serve.needs.empty());
  EXPECT_TRUE(serve.spec.ports.empty());
  EXPECT_EQ(serve.gpus, 0);
  EXPECT_EQ(serve.spec.ready->timeout_s, 60);
  EXPECT_EQ(serve.spec.smoke->body, R"({"n": 8})");
}

TEST(RunningService, TheMeasurementNamesTheServerAndSaysSo) {
  Running running;
  running.server().token_env = "SERVER_AUTH";
  const Plan plan = running.plan();
  const Spec& bench = stage_of(plan, "bench").spec;
  EXPECT_THAT(std::vector(bench.argv.begin(), bench.argv.end() - 1),
              ElementsAre("{orchestrate}", "bench", "--running-server", "--token-env",
                          "SERVER_AUTH", "--url", "http://gpu1:8000", "--metrics-url",
                          "http://gpu1:8002/metrics", "--prompts"));
  EXPECT_THAT(bench.secrets, ElementsAre("SERVER_AUTH"));
  EXPECT_THAT(stage_of(plan, "serve").spec.secrets, ElementsAre("SERVER_AUTH"));
}

TEST(RunningService, HeadersGoToTheMeasurementAndThoseWithoutASecretIntoDigests) {
  Running running;
  running.server().headers = {{"X-Api-Key", "$MY_KEY"}, {"X-Tenant", "a"}};
  const Plan plan = running.plan();
  const Spec& bench = stage_of(plan, "bench").spec;
  EXPECT_THAT(
      std::vector(bench.argv.begin() + 2, bench.argv.begin() + 7),
      ElementsAre("--running-server", "--header", "X-Api-Key: $MY_KEY", "--header", "X-Tenant: a"));
  EXPECT_THAT(bench.secrets, ElementsAre("MY_KEY"));
  EXPECT_THAT(stage_of(plan, "serve").spec.secrets, ElementsAre("MY_KEY"));
  const auto serve = components_of(stage_of(plan, "serve"));
  EXPECT_EQ(serve.at("service.header.x-tenant"), "a");
  EXPECT_FALSE(serve.contains("service.header.x-api-key"));
}

TEST(RunningService, DigestsHoldTheUrlTheAnswersTheStatedMachineAndParameters) {
  Running running;
  running.server().machine = "8 x H100";
  const Plan plan = running.plan();
  const auto serve = components_of(stage_of(plan, "serve")),
             bench = components_of(stage_of(plan, "bench"));
  EXPECT_EQ(serve.at("service.url"), "http://gpu1:8000");
  EXPECT_EQ(serve.at("service.port.metrics"), "http://gpu1:8002");
  EXPECT_EQ(serve.at("service.says"), k_answers);
  EXPECT_EQ(bench.at("machine"), "stated: 8 x H100");
  EXPECT_EQ(bench.at("stated.batch_size"), "8");
  EXPECT_EQ(bench.at("stated.precision"), "f16");
  EXPECT_FALSE(bench.contains("stated.model"));  // download reads it
  EXPECT_FALSE(bench.contains("stated.isl"));
}

TEST(RunningService, ATokensNameIsInNoDigest) {
  Running running;
  const Digest before = stage_of(running.plan(), "serve").digest;
  running.server().token_env = "SERVER_AUTH";
  EXPECT_EQ(stage_of(running.plan(), "serve").digest, before);
}

TEST(RunningService, PointsShareOneServerWhateverItWasStartedWith) {
  Running running({{{"model", "m"}, {"precision", "f16"}, {"batch_size", "8"}, {"isl", "32"}},
                   {{"model", "m"}, {"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}});
  EXPECT_THAT(names_of(running.plan()),
              ElementsAre("bench", "bench", "download", "prompts", "prompts", "serve"));
}

TEST(RunningService, AnAxisOverWhatItWasStartedWithIsRefused) {
  Running running({{{"model", "m"}, {"precision", "f16"}, {"batch_size", "8"}, {"isl", "32"}},
                   {{"model", "m"}, {"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}});
  Yaml eight;
  running.matrix.axes.push_back({.name = "batch_size",
                                 .values = {{.sets = {{"batch_size", eight}}, .where = {}}},
                                 .where = {}});
  EXPECT_THAT(
      running.plan_errors(),
      ElementsAre("m.yaml:3:16: service: http://gpu1:8000 was started with one batch_size, but "
                  "points have '8' and '4'; set batch_size to that value under defaults"));
}

TEST(RunningService, APortThatTheMeasurementNeedsMustHaveAUrl) {
  Running running;
  running.server().ports.clear();
  EXPECT_THAT(running.plan_errors(),
              ElementsAre("m.yaml:3:16: service: stage 'bench' measures http://gpu1:8000: its port "
                          "'metrics' is needed, but service does not state it; write ports: "
                          "{metrics: NUMBER} under service, beside url: http://gpu1:8000"));
}

TEST(RunningService, APortThatNoServerOfTheRunnerHasIsRefused) {
  Running running;
  running.server().ports["metrcs"] = running.server().url;
  EXPECT_THAT(
      running.plan_errors(),
      ElementsAre("m.yaml:3:16: service: no server of runner 'toy' has a port 'metrcs'; did "
                  "you mean 'metrics'?"));
}

TEST(RunningService, PlansSayWhatIsNotUnderControl) {
  Running running;
  running.matrix.measure.serve_repeats = 2;
  EXPECT_THAT(running.plan().warnings,
              UnorderedElementsAre(HasSubstr("is not stated; write machine: TEXT"),
                                   HasSubstr("are not under control; every run measures it anew"),
                                   HasSubstr("is not restarted for each repeat")));
}

TEST(RunningService, ItsPointsWaitUntilItWasAsked) {
  Running running;
  running.facts.server_answers.clear();
  const Plan plan = running.plan();
  EXPECT_EQ(plan.points[0].status, Status::undecided);
  EXPECT_EQ(plan.points[0].why, "waits for what http://gpu1:8000 says it is: `run` asks it");
  running.options.only_shown = true;
  running.make_all(plan);
  EXPECT_EQ(running.plan().points[0].status, Status::run);
}

TEST(RunningService, ItsMeasurementsAreNotReusedUnlessTheMatrixSaysSo) {
  Running running;
  running.make_all(running.plan(), 3);
  EXPECT_EQ(running.plan().points[0].status, Status::reuse);  // run 3 has not come to its end
  running.done.finished["test"] = 2;
  EXPECT_EQ(running.plan().points[0].status, Status::reuse);
  running.done.finished["test"] = 3;
  const Plan plan = running.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
  EXPECT_EQ(stage_of(plan, "bench").why,
            "run 3 measured http://gpu1:8000, which is not under control; reuse: true under "
            "service reuses measurements of it");
  EXPECT_EQ(stage_of(plan, "prompts").status, Status::reuse);
  running.server().reuse = true;
  EXPECT_EQ(running.plan().points[0].status, Status::reuse);
}

// The measurements of PLAN that run: point, session and repeat.
std::vector<std::string> to_run(const Plan& plan) {
  std::vector<std::string> words;
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "bench" && stage.status == Status::run)
      words.push_back(
          fmt::format("{} {}/{}", stage.parameters.at("isl").text, stage.session, stage.repeat));
  return words;
}

TEST(RunningService, SessionsAreAddedToTheChosenPointsAlone) {
  const fakes::Parameters base = {{"model", "m"}, {"precision", "f16"}, {"batch_size", "8"}};
  fakes::Parameters one = base, two = base;
  one["isl"] = "32", two["isl"] = "64";
  Running running({one, two});
  running.matrix.measure.serve_repeats = 3;
  running.make_all(running.plan(), 1);
  running.done.finished["test"] = 1;
  running.expansion.points[0].again = true;
  running.options.new_sessions = 2;
  const Plan plan = running.plan();
  EXPECT_THAT(to_run(plan), ElementsAre("32 3/0", "32 4/0"));
  EXPECT_EQ(plan.points[1].status, Status::reuse);
  // A session whose server was away is still to be measured.
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "serve" && stage.session == 3)
      running.done.failed[stage.digest] = {
          .run = 2, .failure_class = "connection_failed", .message = ""};
  EXPECT_THAT(to_run(running.plan()), ElementsAre("32 3/0", "32 4/0"));
  running.make_all(plan, 3);
  running.done.finished["test"] = 3;
  EXPECT_THAT(to_run(running.plan()), ElementsAre("32 5/0", "32 6/0"));
  running.expansion.points[0].again = false;
  EXPECT_EQ(to_run(running.plan()).size(), 6u) << "every run measures it anew";
}

TEST(RunningService, AnEarlierFailureOfItIsNoResult) {
  Running running;
  const Plan plan = running.plan();
  running.done.failed[stage_of(plan, "serve").digest] = {
      .run = 1, .failure_class = "unauthorized", .message = ""};
  EXPECT_EQ(running.plan().points[0].status, Status::run);
}

TEST(RunningService, AddressesAreReplacedInEveryForm) {
  RunningService service;
  service.ready_port = "http";
  service.server.url = {.scheme = "https", .host = "h", .port = 443, .path = "/llm"};
  service.server.ports["grpc"] = {.scheme = "http", .host = "h", .port = 8001};
  const auto in = [&](const std::string& text) {
    const auto replaced = with_addresses(text, "serve", service);
    return replaced ? *replaced : "error: " + replaced.error().message;
  };
  EXPECT_EQ(in("http://{connect}:{port:serve.http}/metrics"), "https://h:443/llm/metrics");
  EXPECT_EQ(in("http://127.0.0.1:{port:serve.http.1}"), "https://h:443/llm");
  EXPECT_EQ(in("--url=grpc://{connect}:{port:serve.grpc}"), "--url=grpc://h:8001");
  EXPECT_EQ(in("{connect}:{port:serve.grpc} {port:serve.grpc}"), "h:8001 8001");
  EXPECT_EQ(in("{connect} {port:other.http}"), "h {port:other.http}");
  EXPECT_THAT(in("{connect}:{port:serve.http}"),
              HasSubstr("which cannot express https://h:443/llm"));
  EXPECT_THAT(in("http://{connect}:{port:serve.http.2}"), HasSubstr("its port 'http.2' is needed"));
}

}  // namespace running_service_test
}  // namespace orch::plan

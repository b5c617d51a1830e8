// Nested parts of argv, several ports of a kind, and values in a JSON body, from a matrix to a
// plan.
#include "core/base/text.hpp"
#include "plan/graph/planned.hpp"

namespace orch::plan {
namespace parts_test {

constexpr const char* k_runner = R"(
runner: toy
parameters:
  servers: {type: integer, default: 1}
  ranks: {type: integer, default: 1}
  greeting: {type: text, default: plain}
stages:
  serve:
    kind: service
    reads: [servers, ranks, greeting]
    ports: [{http: servers}, metrics]
    argv:
      - /x
      - times: servers
        index: server
        then: [{when: servers > 1, then: [--server]}, "r0:{port:http.{server}}", {times: ranks - 1, index: rank, then: [":", "r{rank}:{server}"]}]
    ready: {port: http, get: [/]}
    smoke: {port: http, post: /, body: '{"text": "{greeting}", "n": {ranks}}', answer: text}
  bench:
    kind: measure
    needs: [serve]
    reads: [servers]
    argv: ["{orchestrate}", bench, {times: servers, then: ["{port:serve.http.{index}}"]}]
    outputs: [m]
)";

Planned plan_of(const std::string& defaults, const char* runner = k_runner) {
  return planned_text("defaults: {" + defaults + "}\n", runner);
}

TEST(Parts, MayBeNested) {
  EXPECT_EQ(join(plan_of("").spec("serve").argv, " "), "/x r0:{port:http.1}");
  EXPECT_EQ(join(plan_of("servers: 2, ranks: 3").spec("serve").argv, " "),
            "/x --server r0:{port:http.1} : r1:1 : r2:1 --server r0:{port:http.2} : r1:2 : r2:2");
  EXPECT_EQ(join(plan_of("servers: 2").spec("bench").argv, " "),
            "{orchestrate} bench {port:serve.http.1} {port:serve.http.2}");
}

// Nested parts may give no words, so a limit of words alone would not suffice.
TEST(Parts, HaveALimitOfRepetitions) {
  EXPECT_EQ(plan_of("servers: 1, ranks: 40000").errors, "");
  const std::string errors = plan_of("servers: 64, ranks: 2000").errors;
  EXPECT_NE(
      errors.find("argv of stage 'serve' has more than 100000 words or repeated parts for point "),
      std::string::npos)
      << errors;
}

TEST(SeveralPorts, AreAsManyAsTheManifestDeclares) {
  const Planned one = plan_of(""), three = plan_of("servers: 3");
  EXPECT_EQ(one.spec("serve").ports, (std::vector<std::string>{"http.1", "metrics"}));
  EXPECT_EQ(three.spec("serve").ports,
            (std::vector<std::string>{"http.1", "http.2", "http.3", "metrics"}));
  EXPECT_EQ(ports_called(three.spec("serve"), "http"),
            (std::vector<std::string>{"http.1", "http.2", "http.3"}));
  EXPECT_EQ(ports_called(three.spec("serve"), "metrics"), std::vector<std::string>{"metrics"});
}

TEST(SeveralPorts, AreOneToSixtyFour) {
  EXPECT_EQ(plan_of("servers: 64").errors, "");
  EXPECT_NE(plan_of("servers: 65")
                .errors.find("has 65 ports 'http' of stage 'serve'; 1 to 64 are allowed"),
            std::string::npos)
      << plan_of("servers: 65").errors;
  EXPECT_NE(
      plan_of("servers: 0").errors.find("has 0 ports 'http' of stage 'serve'; 1 to 64 are allowed"),
      std::string::npos)
      << plan_of("servers: 0").errors;
}

// The errors of a point with one server if OTHER replaces LINE in the manifest.
std::string errors_with(const std::string& line, const std::string& other) {
  std::string runner = k_runner;
  runner.replace(runner.find(line), line.size(), other);
  return plan_of("", runner.c_str()).errors;
}

TEST(SeveralPorts, CannotBeUsedBeyondTheirNumber) {
  const std::string own = errors_with("      - /x\n", "      - /x\n      - \"{port:http.2}\"\n");
  EXPECT_NE(own.find("stage 'serve' uses {port:http.2}, but the last such port of point"),
            std::string::npos)
      << own;
  EXPECT_NE(own.find(" is http.1; write it in a part of argv with 'times'"), std::string::npos)
      << own;
  const std::string needed = errors_with("{times: servers, then: [\"{port:serve.http.{index}}\"]}",
                                         "\"{port:serve.http.2}\"");
  EXPECT_NE(needed.find("stage 'bench' uses {port:serve.http.2}, but the last such port of point"),
            std::string::npos)
      << needed;
  EXPECT_EQ(errors_with("{times: servers, then: [\"{port:serve.http.{index}}\"]}",
                        "\"{port:serve.http.1}\""),
            "");
}

TEST(SmokeRequests, AreTheFirstOfAListThatSuitsThePoint) {
  std::string runner = k_runner;
  const std::string one =
      R"(smoke: {port: http, post: /, body: '{"text": "{greeting}", "n": {ranks}}', answer: text})";
  ASSERT_NE(runner.find(one), std::string::npos);
  runner.replace(runner.find(one), one.size(),
                 "smoke:\n    - {when: ranks > 1, port: http, post: /many, body: '{}'}\n"
                 "    - {when: servers > 1, port: http, post: /some, body: '{}'}");
  const auto post = [&](const std::string& defaults) {
    const auto smoke = plan_of(defaults, runner.c_str()).spec("serve").smoke;
    return smoke ? smoke->post + smoke->answer : "none";
  };
  EXPECT_EQ(post("ranks: 2, servers: 2"), "/many");
  EXPECT_EQ(post("servers: 2"), "/some");
  EXPECT_EQ(post("ranks: 1"), "none");
}

TEST(SmokeRequests, EscapeValuesForJson) {
  EXPECT_EQ(plan_of("ranks: 2").spec("serve").smoke->body, R"({"text": "plain", "n": 2})");
  EXPECT_EQ(plan_of(R"(greeting: 'a "b" \ c')").spec("serve").smoke->body,
            R"({"text": "a \"b\" \\ c", "n": 1})");
  EXPECT_EQ(plan_of("greeting: \"a\\nb\"").spec("serve").smoke->body,
            R"({"text": "a\nb", "n": 1})");
}

}  // namespace parts_test
}  // namespace orch::plan

#include "spec/runner/support.hpp"

namespace orch::runner {
namespace parameters_test {

TEST(Parameters, ValuesAndDefaultsFitTheTypeAndEachOther) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters:
  a: {type: integer, values: [1, two, 1], default: 3}
  b: {type: number, default: 3}
  c: {type: text, min: 2}
  d: {type: integer, default: 1, sql: a + 1}
  e: {type: integer, default: 1, optional: true}
  f: {type: integer, sql: "CASE WHEN a > 1 THEN a END", optional: true}
  g: {type: boolean, default: yes, optional: maybe}
  h: {type: version, default: "5"}
  k: {type: integer, min: low, default: null}
  l: {type: integer, min: 2, default: 1}
  m: {type: real, min: 0.5, max: 2, default: 3}
  n: {type: integer, min: 3, max: 1}
  o: {type: integer, max: 1.5}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            R"(runner.yaml:3:34: 'a' must be a whole number, not 'two'
runner.yaml:3:39: '1' is repeated in 'values'; remove one of them
runner.yaml:3:52: 'a' cannot be '3'; it is one of: 1; did you mean '1'?
runner.yaml:4:13: 'type' must be text, integer, real, boolean, version, list, path, model or dataset, not the value 'number'
runner.yaml:5:24: 'min' is for numbers, but 'c' is of type text; write a rule
runner.yaml:6:31: give 'default' or 'sql', not both
runner.yaml:7:44: parameter 'e' has a default, so it is never without a value; remove 'optional'
runner.yaml:9:31: 'g' must be true or false, not 'yes'; write true
runner.yaml:9:46: 'optional' must be true or false, not the value 'maybe'
runner.yaml:10:31: 'h' must be a version, such as 0.14.0, not '5'
runner.yaml:11:27: 'min' must be a whole number, not the value 'low'
runner.yaml:11:32: 'k' must be one value of type integer, not nothing
runner.yaml:12:39: 'l' must be at least 2, not 1
runner.yaml:13:46: 'm' must be at most 2, not 3
runner.yaml:14:3: no value of parameter 'n' is at least 3 and at most 1; correct 'min' or 'max'
runner.yaml:15:27: 'max' must be a whole number, not the value '1.5'
)");
}

TEST(Parameters, KeysMustHaveTheRightForm) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters:
  f: {type: text, helo: x, values: big}
  h: {type: text, help: [a]}
  i: {default: [1]}
  j: [integer]
  l: {type: [text], sql: ""}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            R"(runner.yaml:3:19: unknown key 'helo' in parameter 'f'; did you mean 'help'?
runner.yaml:3:36: 'values' must be a list, not the value 'big'; write [big]
runner.yaml:4:25: 'help' must be one value, not a list
runner.yaml:5:6: parameter 'i' has no 'type'; add it
runner.yaml:6:6: parameter 'j' must be a map of keys and values, not a list
runner.yaml:7:13: 'type' must be text, integer, real, boolean, version, list, path, model or dataset, not a list
runner.yaml:7:26: 'sql' is empty; give it a value
)");
}

TEST(Parameters, WhatPointsAreComparedByIsComputedAndReadByNoStage) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters:
  a: {type: text, compared: true, sql: "'x'"}
  b: {type: text, compared: true, optional: true}
  c: {type: text, compared: true}
  d: {type: text, compared: true, default: x}
  e: {type: integer, compared: true, sql: "1"}
  f: {type: text, compared: maybe, sql: "'x'"}
stages:
  make: {kind: task, reads: [a], argv: [/x, "{a}"], outputs: [a]}
)"),
      R"(runner.yaml:5:29: parameter 'c' is compared, so 'sql' must compute it; write sql: EXPRESSION in place of 'default', or optional: true where each runner computes it
runner.yaml:6:29: parameter 'd' is compared, so 'sql' must compute it; write sql: EXPRESSION in place of 'default', or optional: true where each runner computes it
runner.yaml:7:32: parameter 'e' is compared as text; set its type to text
runner.yaml:8:29: 'compared' must be true or false, not the value 'maybe'
runner.yaml:10:30: stage 'make' reads 'a', which only compares points and is in no digest; read the parameters that it is computed from
)");
}

TEST(Parameters, HaveNamesThatFitColumnsAndSymbols) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters:
  maxLen: {type: integer}
  group: {type: text}
  ttft_ms_n: {type: real}
  point: {type: text}
  host_gpus: {type: integer}
  out: {type: text}
  jobs: {type: text}
  work: {type: text}
  token: {type: text}
  block: {type: text}
  repeat: {type: text}
  orchestrate: {type: text}
  tmp: {type: text}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:3:3: parameter 'maxLen': a name consists of a-z, 0-9 and _, begins with a letter and has at most 64 characters; write 'maxlen'
runner.yaml:4:3: parameter 'group': this is a keyword of SQL; choose another name
runner.yaml:5:3: parameter 'ttft_ms_n': this is the name of a metric; choose another name
runner.yaml:6:3: parameter 'point': the view of results has a column of this name; choose another name
runner.yaml:7:3: parameter 'host_gpus': this is a fact of the machine; choose another name
runner.yaml:8:3: parameter 'out': {out} is a built-in symbol of runners; choose another name
runner.yaml:9:3: parameter 'jobs': {jobs} is a built-in symbol of runners; choose another name
runner.yaml:10:3: parameter 'work': {work} is a built-in symbol of runners; choose another name
runner.yaml:11:3: parameter 'token': {token} is a built-in symbol of runners; choose another name
runner.yaml:12:3: parameter 'block': {block} is a built-in symbol of runners; choose another name
runner.yaml:13:3: parameter 'repeat': {repeat} is a built-in symbol of runners; choose another name
runner.yaml:14:3: parameter 'orchestrate': {orchestrate} is a built-in symbol of runners; choose another name
runner.yaml:15:3: parameter 'tmp': {tmp} is a built-in symbol of runners; choose another name
)");
}

}  // namespace parameters_test
}  // namespace orch::runner

// Nested parts of argv, and several ports of one name.
#include "spec/runner/support.hpp"

namespace orch::runner {
namespace parts_of_argv_test {

TEST(Parts, MayBeNestedAndKeepTheirOrder) {
  const Manifest manifest = manifest_of(R"(runner: toy
parameters: {servers: {type: integer, default: 2}, ranks: {type: integer, default: 2}, loud: {type: boolean, default: true}}
stages:
  s:
    kind: task
    reads: [servers, ranks, loud]
    argv: [/x, {times: servers, index: server, then: ["--{server}", {options: [loud]}, {times: ranks - 1, index: rank, then: [":", "{server}.{rank}"]}]}, end]
    outputs: [o]
)");
  const auto& fragments = manifest.find("s")->fragments;
  ASSERT_EQ(fragments.size(), 3u);
  EXPECT_EQ(fragments[1].index, "server");
  EXPECT_TRUE(fragments[1].counted);
  const auto& parts = fragments[1].parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].words, std::vector<std::string>{"--{server}"});
  EXPECT_EQ(manifest.questions[parts[1].when.value()].sql, "coalesce(loud, 0)");
  EXPECT_EQ(manifest.questions[parts[2].when.value()].sql, "ranks - 1");
  EXPECT_EQ(parts[2].words, (std::vector<std::string>{":", "{server}.{rank}"}));
  EXPECT_EQ(fragments[2].words, std::vector<std::string>{"end"});
}

TEST(Parts, HaveUniqueNamesForTheirIndexes) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {n: {type: integer, default: 2}}
stages:
  a: {kind: task, reads: [n], argv: [/x, {times: n, then: [{times: n, then: ["{index}"]}]}], outputs: [o]}
  b: {kind: task, reads: [n], argv: [/x, {times: n, index: n, then: [y]}, {times: n, index: out, then: [y]}, {times: n, index: Rank, then: [y]}], outputs: [o]}
  c: {kind: task, reads: [n], argv: [/x, {times: n, index: rank, then: [y]}, "{rank}", {when: n, index: rank, then: [y]}], outputs: [o]}
  d: {kind: task, reads: [n], argv: [/x, {when: n, then: [{when: n, then: [{when: n, then: [{when: n, then: [{when: n, then: [y]}]}]}]}]}], outputs: [o]}
)"),
      R"(runner.yaml:4:60: 'index' is the index of the part around this one; choose another name: index: NAME
runner.yaml:5:60: 'n' is already the name of a parameter, a fact or a symbol; give 'index' another name
runner.yaml:5:93: 'out' is already the name of a parameter, a fact or a symbol; give 'index' another name
runner.yaml:5:128: 'Rank' is not an index name; use a-z and _, a letter first
runner.yaml:6:79: stage 'c' uses the unknown symbol {rank}; declare the parameter and list it under 'reads'
runner.yaml:6:98: unknown key 'index' in a part of 'argv'
runner.yaml:7:110: parts of 'argv' are nested more than 4 deep; write them side by side
)");
}

TEST(Parts, MayHoldTheProgramIfOneIsAlwaysPresent) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {n: {type: integer, default: 2}}
stages:
  a: {kind: task, reads: [n], argv: [{when: n > 1, then: [{when: n > 2, then: [/y]}, z]}, /x], outputs: [o]}
  b: {kind: task, reads: [n], argv: [{when: n > 1, then: [{when: n > 2, then: [/y]}, /z]}], outputs: [o]}
)"),
      R"(runner.yaml:4:86: the program 'z' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:5:37: 'argv' of stage 'b' has only words with 'when', so it may be empty; write the program without 'when'
)");
}

TEST(Ports, OfOneNameAreUsedByTheirNumbers) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters: {n: {type: integer, default: 2}}
stages:
  a:
    kind: service
    reads: [n]
    ports: [one, {http: n}, {http: n}, {x: n, y: n}]
    argv: [/x, "{port:http.1}", "{port:one}", "{port:http}", "{port:one.1}", {times: n, index: rank, then: ["{port:http.{rank}}", "{port:htp.{rank}}", "{port:one.{rank}}"]}, "{port:http.{rank}}"]
    ready: {port: http, get: [/]}
  b:
    kind: measure
    needs: [a]
    reads: [n]
    argv: [/x, {times: n, then: ["{port:a.http.{index}}"]}, "{port:a.http}", "{port:a.one}"]
    outputs: [o]
)"),
            R"(runner.yaml:7:30: 'http' is repeated in 'ports'; remove one of them
runner.yaml:7:40: 'ports' has 2 entries; give it at most 1; write {NAME: SQL} with the number of such ports
runner.yaml:8:48: stage 'a' uses {port:http}, of which there are several; write {port:http.1}, or {port:http.{index}} in a part of argv with 'times'
runner.yaml:8:63: stage 'a' uses a port by its number, but there is only one; write {port:one}
runner.yaml:8:132: stage 'a' uses the unknown symbol {port:htp.{rank}}
runner.yaml:8:153: stage 'a' uses a port by its number, but there is only one; write {port:one}
runner.yaml:8:176: stage 'a' has '{port:', which begins like a symbol but is not one; after '{port:' come letters, digits and . _ - / up to the '}'
runner.yaml:8:187: stage 'a' uses the unknown symbol {rank}; declare the parameter and list it under 'reads'
runner.yaml:14:62: stage 'b' uses {port:a.http}, of which there are several; write {port:a.http.1}, or {port:a.http.{index}} in a part of argv with 'times'
)");
}

}  // namespace parts_of_argv_test
}  // namespace orch::runner

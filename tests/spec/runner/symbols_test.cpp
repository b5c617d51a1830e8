#include "spec/runner/support.hpp"

namespace orch::runner {
namespace symbols_test {

TEST(Symbols, AreBuiltInOrParametersThatTheStageReads) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {isl: {type: integer}, size: {type: text}}
facts: {from: a, file: o, names: {model_heads: {type: integer, keys: [h]}}}
stages:
  a: {kind: task, reads: [size], argv: [/x, "{size} {isl}", "{sile}", "{ous}", "{osl}", "{out}{work}{token}{repeat}{orchestrate}"], outputs: [o]}
)"),
      R"(runner.yaml:5:53: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:5:62: stage 'a' uses the unknown symbol {sile}; did you mean 'size'?
runner.yaml:5:72: stage 'a' uses the unknown symbol {ous}; did you mean 'out'?
runner.yaml:5:81: stage 'a' uses the unknown symbol {osl}; declare the parameter and list it under 'reads'
)");
}

TEST(Symbols, ExcludeFacts) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
facts: {from: a, file: o, names: {model_heads: {type: integer, keys: [h]}}}
stages:
  a: {kind: task, argv: [/x, "{model_heads}/{host_gpus}"], outputs: [o]}
)"),
      R"(runner.yaml:4:31: stage 'a' uses the fact {model_heads}, but texts cannot use facts; add a parameter with sql: model_heads and read that
runner.yaml:4:45: stage 'a' uses the fact {host_gpus}, but texts cannot use facts; add a parameter with sql: host_gpus and read that
)");
}

TEST(Symbols, OfAPointAreKnownEverywhere) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {model: {type: text}}
stages:
  a: {kind: task, argv: [/x, "{model.source}{model.revision}{dataset.source}{measure.prompts}", "{measure.warmup}{measure.seed}{measure.blocks}{measure.wake_lag_ms}{measure.client_cpu_share}"], outputs: [o]}
  b: {kind: task, argv: [/x, "{model.sauce}", "{dataset.name}", "{measure.prompt}"], outputs: [o]}
)"),
      R"(runner.yaml:5:31: stage 'b' uses the unknown symbol {model.sauce}; did you mean 'model.source'?
runner.yaml:5:48: stage 'b' uses the unknown symbol {dataset.name}; did you mean 'dataset.files'?
runner.yaml:5:66: stage 'b' uses the unknown symbol {measure.prompt}; did you mean 'measure.prompts'?
)");
}

TEST(Symbols, OfAModelNeedTheParameterThatSelectsIt) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x, "{model.source}"], outputs: [o]}
)"),
      R"(runner.yaml:3:31: stage 'a' uses {model.source}, but this runner has no parameter 'model' that selects it; declare it under 'parameters'
)");
}

TEST(Symbols, OfAModelThatAParameterNamesNeedThatParameter) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {draft: {type: model}, size: {type: text}, dataset: {type: model}}
stages:
  a: {kind: task, reads: [draft], argv: [/x, "{draft}", "{draft.source}@{draft.revision}", "{draft.sauce}"], outputs: [o]}
  b: {kind: task, reads: [size], argv: [/x, "{draft.source}", "{size.source}"], outputs: [o]}
)"),
      R"(runner.yaml:2:56: parameter 'dataset' of type model: symbols that begin with {dataset. are built in; choose another name
runner.yaml:4:93: stage 'a' uses the unknown symbol {draft.sauce}; did you mean 'draft.source'?
runner.yaml:5:46: stage 'b' uses {draft.source} but does not list 'draft' under 'reads'; add it there
runner.yaml:5:64: stage 'b' uses {size.source}, but 'size' is of type text; only parameters of type model have a source
)");
}

TEST(Symbols, OfAKindOfStageAreOnlyForThatKind) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x, "{block}", "{jobs}"], outputs: [o]}
  b: {kind: task, argv: [/x, "{jobs}"], outputs: [o], batch: true, job: {out: "{out}"}}
  c: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}}
  d: {kind: measure, argv: [/x, "{block}"], outputs: [o], needs: [c]}
)"),
            R"(runner.yaml:3:31: stage 'a' uses {block}, which only measurements have; remove it
runner.yaml:3:42: stage 'a' uses {jobs}, the job file of a batch; add 'batch: true' and 'job'
)");
}

TEST(Symbols, NameStagesAndPortsThatTheStageNeeds) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: service, argv: [/x, "{stage:ax}", "{stage:b}", "{port:http}", "{port:htp}", "{stage:nope}"], ports: [http], ready: {port: http, get: [/]}}
  b: {kind: measure, argv: [/x, "{port:a.http}", "{port:a.htp}", "{port:ax.http}", "{stage:a}"], outputs: [o], needs: [a]}
  c: {kind: task, argv: [/x, "{stage:q}", "{port:q.http}"], outputs: [o], needs: [q]}
)"),
      R"(runner.yaml:4:34: stage 'a' uses {stage:ax} but does not list 'ax' under 'needs'; add it there
runner.yaml:4:48: stage 'a' uses the unknown symbol {stage:b}
runner.yaml:4:76: stage 'a' uses the unknown symbol {port:htp}; did you mean 'port:http'?
runner.yaml:4:90: stage 'a' uses the unknown symbol {stage:nope}
runner.yaml:5:51: stage 'b' uses the unknown symbol {port:a.htp}; did you mean 'port:a.http'?
runner.yaml:5:67: stage 'b' uses {port:ax.http} but does not list 'ax' under 'needs'; add it there
runner.yaml:5:85: stage 'b' uses {stage:a}, but a service has no folder for other stages; use {port:a.NAME}
runner.yaml:6:83: stage 'c' needs 'q', which is not a stage; did you mean 'a'?
)");
}

TEST(Symbols, OfFilesStayInTheRunnersFolder) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: ["{file:a/b.py}", "{file:/a}", "{file:a/../b}", "{file:a//b}"], outputs: [o]}
)"),
      R"(runner.yaml:3:44: stage 'a' uses {file:/a}: the path is absolute; write a path inside its folder, such as 'a'
runner.yaml:3:57: stage 'a' uses {file:a/../b}: the path leaves its folder; write a path without '..'
runner.yaml:3:74: stage 'a' uses {file:a//b}: the path has an empty part or a '.'; write 'a/b'
)");
}

TEST(Symbols, WithAWrongFormAreReported) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x, "--x={file:a b.py}", "{stage:}", "{port:http", '{"text": "{no symbol}", "{Isl}": {}}'], outputs: [o]}
)"),
      R"(runner.yaml:3:35: stage 'a' has '{file:', which begins like a symbol but is not one; after '{file:' come letters, digits and . _ - / up to the '}'
runner.yaml:3:52: stage 'a' has '{stage:', which begins like a symbol but is not one; after '{stage:' come letters, digits and . _ - / up to the '}'
runner.yaml:3:64: stage 'a' has '{port:', which begins like a symbol but is not one; after '{port:' come letters, digits and . _ - / up to the '}'
)");
}

TEST(Symbols, AreCheckedInEveryTextAndReportedAtTheirCharacter) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {isl: {type: integer}}
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a:
    kind: service
    argv:
      - /x
      - {when: isl > 1, then: [--len, "{isl}"]}
    env: {A: "ä {isl}", B: 'it''s {isl}', C: "\t\u00e4{isl}"}
    ports: [http]
    ready: {port: http, get: [/]}
    smoke:
      port: http
      post: /a
      body: >-
        {"a": {isl},
         "b": "{isl}"}
      answer: text
    shm_prefix: "{token}{isl}"
    place: [{from: "{stage:ax}/x/{isl}", to: b}]
    tools: {from: "{stage:ax}/v", names: [a]}
  b: {kind: task, outputs: [o], render: [{from: t, to: o, values: {a: "{isl}"}}]}
  c: {kind: task, argv: [/x, "{jobs}"], outputs: [o], batch: true, job: {a: "{isl}"}}
)"),
      R"(runner.yaml:9:40: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:10:17: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:10:35: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:10:55: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:17:15: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:18:16: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:20:25: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:21:21: stage 'a' uses {stage:ax} but does not list 'ax' under 'needs'; add it there
runner.yaml:21:34: stage 'a' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:22:20: stage 'a' uses {stage:ax} but does not list 'ax' under 'needs'; add it there
runner.yaml:23:72: stage 'b' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:24:78: stage 'c' uses {isl} but does not list it under 'reads'; add it there
)");
}

}  // namespace symbols_test
}  // namespace orch::runner

#include "spec/runner/support.hpp"

namespace orch::runner {
namespace facts_test {

TEST(Facts, ComeFromAnOutputOfATask) {
  EXPECT_EQ(errors_of(R"(runner: toy
facts: {from: serve, file: ../config.json, names: {model_a: {type: integer, keys: [a]}}}
stages:
  serve: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}}
)"),
            R"(runner.yaml:2:15: facts come from 'serve', which is a service; name a task
runner.yaml:2:28: file '../config.json' leaves its folder; write a path without '..'
)");
}

TEST(Facts, ComeFromAStageThatExists) {
  EXPECT_EQ(errors_of(R"(runner: toy
facts: {from: mak, file: config.json, names: [model_a]}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            R"(runner.yaml:2:15: facts come from 'mak', which is not a stage; did you mean 'make'?
runner.yaml:2:46: 'facts.names' must be a map of names and values, not a list; write model_NAME: {type: TYPE, keys: [KEY]}
)");
}

TEST(Facts, ComeFromAFileThatTheirStageDeclares) {
  EXPECT_EQ(errors_of(R"(runner: toy
facts: {from: make, file: config.json}
stages:
  make: {kind: task, argv: [/x], outputs: [a, config]}
)"),
            R"(runner.yaml:2:8: 'facts' has no 'names'; add it
runner.yaml:2:27: stage 'make' has no output 'config.json'; name it among its 'outputs'
)");
}

TEST(Facts, HaveNamesTypesAndKeys) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {model_size: {type: text}}
facts:
  from: make
  file: a
  names:
    heads: {type: integer, keys: [n_head]}
    model_: {type: integer, keys: [n_head]}
    model_size: {type: integer, keys: [n_head]}
    model_Heads: {type: integer, keys: [n_head]}
    model_a: {type: int, keys: n_head}
    model_b: {type: integer, keys: [.a, a..b, "", a], hepl: x}
    model_c: {type: integer}
    model_d: {type: integer, keys: []}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:7:5: fact 'heads': the name of a fact begins with model_; write 'model_heads'
runner.yaml:8:5: fact 'model_': the name of a fact begins with model_; write model_NAME
runner.yaml:9:5: fact 'model_size': a parameter has this name; rename one of them
runner.yaml:10:5: fact 'model_Heads': a name consists of a-z, 0-9 and _, begins with a letter and has at most 64 characters; write 'model_heads'
runner.yaml:11:21: 'type' must be text, integer, real, boolean or version, not the value 'int'
runner.yaml:11:32: 'keys' must be a list, not the value 'n_head'; write [n_head]
runner.yaml:12:37: key '.a' is not a path of names separated by dots, such as text_config.num_heads
runner.yaml:12:41: key 'a..b' is not a path of names separated by dots, such as text_config.num_heads
runner.yaml:12:47: 'keys' has an empty value; remove it
runner.yaml:12:55: unknown key 'hepl' in fact 'model_b'; did you mean 'help'?
runner.yaml:13:14: fact 'model_c' has no 'keys'; add it
runner.yaml:14:36: 'keys' is empty; write dotted paths into the file
)");
}

TEST(Facts, MayHaveAValueForAbsence) {
  EXPECT_EQ(errors_of(R"(runner: toy
facts:
  from: make
  file: a
  names:
    model_a: {type: integer, keys: [a], absent: none}
    model_b: {type: boolean, keys: [b], absent: [true]}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            R"(runner.yaml:6:49: 'model_a' must be a whole number, not 'none'
runner.yaml:7:49: 'absent' must be one value, not a list
)");
  const Manifest manifest = manifest_of(R"(runner: toy
facts: {from: make, file: a, names: {model_a: {type: integer, keys: [a], absent: 0}, model_b: {type: text, keys: [b]}}}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)");
  EXPECT_EQ(manifest.model_facts.at(0).absent, (matrix::Value{matrix::Type::integer, "0"}));
  EXPECT_EQ(manifest.model_facts.at(1).absent, std::nullopt);
}

TEST(Rules, RejectOrWarn) {
  EXPECT_EQ(errors_of(R"(runner: toy
rules:
  - {name: one, require: 1 = 1, because: no, level: error}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            "runner.yaml:3:53: 'level' must be reject, warn or note, not the value 'error'\n");
  const Manifest manifest = manifest_of(R"(runner: toy
rules:
  - {name: one, require: 1 = 1, because: no, level: warn}
  - {name: two, require: 1 = 1, because: no, level: reject}
  - {name: three, require: 1 = 1, because: no}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)");
  EXPECT_EQ(manifest.rules.at(0).level, matrix::Rule::Level::warn);
  EXPECT_EQ(manifest.rules.at(1).level, matrix::Rule::Level::reject);
  EXPECT_EQ(manifest.rules.at(2).level, matrix::Rule::Level::reject);
}

TEST(Rules, HaveUniqueNames) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
rules:
  - {name: A rule, require: tp = 1, because: no}
  - {name: one, require: tp = 1, because: no}
  - {name: one, require: tp = 1, because: no, wen: x}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:3:12: 'A rule' is not a rule name; use a-z, 0-9 and -, at most 64 characters
runner.yaml:5:12: rule 'one' is defined twice, first on line 4; rename one of them
runner.yaml:5:47: unknown key 'wen' in a rule; did you mean 'when'?
)");
}

TEST(Rules, HaveARequirementAndAReason) {
  EXPECT_EQ(errors_of(R"(runner: toy
rules:
  - {name: one, require: "", because: no}
  - {require: [tp], when: ""}
  - two
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
            R"(runner.yaml:3:26: 'require' is empty; give it a value
runner.yaml:4:5: a rule has no 'name'; add it
runner.yaml:4:5: a rule has no 'because'; add it
runner.yaml:4:15: 'require' must be an SQL expression, not a list; put it in quotes if it has a ':', '{' or '['
runner.yaml:4:27: 'when' is empty; give it a value
runner.yaml:5:5: a rule must be a map of keys and values, not the value 'two'
)");
}

TEST(Rules, MayNameParametersAndFactsInTheirReason) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {tp: {type: integer}}
facts: {from: make, file: a, names: {model_heads: {type: integer, keys: [h]}}}
rules:
  - {name: one, require: tp = 1, because: "{tp} {host_gpus} {model_heads} {tpp} {model_head} {osl}"}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:5:75: 'because' names {tpp}, which is neither a parameter nor a fact; did you mean 'tp'?
runner.yaml:5:81: 'because' names {model_head}, which is neither a parameter nor a fact; did you mean 'model_heads'?
runner.yaml:5:94: 'because' names {osl}, which is neither a parameter nor a fact
)");
}

TEST(Resolvers, RunAProgramOnASource) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {tp: {type: integer}}
resolve:
  hf: {argv: [resolve.py, "{model.source}", "{tp}", "{file:../x}"], timeout_s: 0}
  local: {argv: []}
  H F: {argv: /bin/x --all "a b", inherit: PATH}
  gs: {}
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:4:15: the program 'resolve.py' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:4:46: resolver 'hf' uses {tp}; it may use {file:PATH}, {model.source} and {model.revision}
runner.yaml:4:54: resolver 'hf' uses {file:../x}: the path leaves its folder; write a path without '..'
runner.yaml:4:80: 'timeout_s' must be a number of seconds above 0, at most 10000000, not the value '0'
runner.yaml:5:3: 'local:' sources identify themselves and need no resolver; remove it
runner.yaml:5:17: 'argv' is empty; write the command
runner.yaml:6:3: 'H F' is not a scheme; write the part before the ':' of a source, such as hf
runner.yaml:6:15: 'argv' must be a list, not the value '/bin/x --all "a b"'; write [/bin/x, --all, '"a', 'b"']
runner.yaml:6:44: 'inherit' must be a list, not the value 'PATH'; write [PATH]
runner.yaml:7:7: resolver 'gs' has no 'argv'; add it
)");
}

TEST(Resolvers, AreListedByScheme) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
resolve: [hf]
stages:
  make: {kind: task, argv: [/x], outputs: [a]}
)"),
      R"(runner.yaml:2:10: 'resolve' must be a map of names and values, not a list; write SCHEME: {argv: [...]}
)");
}

}  // namespace facts_test
}  // namespace orch::runner

#include "spec/runner/support.hpp"

namespace orch::runner {
namespace stages_test {

TEST(Stages, NeedOnlyStagesAboveThem) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: task, needs: [a, b, bb, e], argv: [/x], outputs: [o]}
  b: {kind: task, needs: [a, a], argv: [/x], outputs: [o]}
)"),
            R"(runner.yaml:3:27: stage 'a' needs itself; remove it
runner.yaml:3:30: stage 'a' needs 'b', which is not a stage above it; move 'b' above 'a'
runner.yaml:3:33: stage 'a' needs 'bb', which is not a stage; did you mean 'b'?
runner.yaml:3:37: stage 'a' needs 'e', which is not a stage; did you mean 'a'?
runner.yaml:4:30: 'a' is repeated in 'needs'; remove one of them
)");
}

TEST(Stages, ReadParameters) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters: {isl: {type: integer}, size: {type: text}}
stages:
  a: {kind: task, reads: [isl, isl, sise, tp], argv: [/x], outputs: [o]}
)"),
            R"(runner.yaml:4:32: 'isl' is repeated in 'reads'; remove one of them
runner.yaml:4:37: stage 'a' reads 'sise', which is not among the parameters; did you mean 'size'?
runner.yaml:4:43: stage 'a' reads 'tp', which is not among the parameters; declare it there
)");
}

TEST(Stages, NeedAKindACommandAndOutputs) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  Bad-Name: {kind: tsk, argv: [/x]}
  b: [kind]
  c: {}
  d: {kind: task, argv: [], outputs: []}
  e: {kind: task, outputs: [m], help: [x]}
  f: {kind: task, argv: [/x]}
  g: {kind: service, ports: [http], ready: {port: http, get: [/]}}
)"),
      R"(runner.yaml:3:3: 'Bad-Name' is not a stage name; use a-z, 0-9 and _, a letter first, at most 32 characters
runner.yaml:3:20: 'kind' must be task, service or measure, not the value 'tsk'; did you mean 'task'?
runner.yaml:4:6: stage 'b' must be a map of keys and values, not a list
runner.yaml:5:3: stage 'c' has nothing to do; give it 'argv'
runner.yaml:5:6: stage 'c' has no 'kind'; add it
runner.yaml:6:25: 'argv' is empty; write the command
runner.yaml:6:38: stage 'd' declares no 'outputs'; name the files that prove it worked
runner.yaml:7:3: stage 'e' has nothing to do; give it 'argv'
runner.yaml:7:39: 'help' must be one value, not a list
runner.yaml:8:3: stage 'f' declares no 'outputs'; name the files that prove it worked
runner.yaml:9:3: stage 'g' has nothing to do; give it 'argv'
)");
}

TEST(Stages, RequireListsWhereListsAreExpected) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: task, needs: ax, reads: isl, argv: /bin/x --all a%b, outputs: o, files: stage.py, executables: /usr/bin/python3, inherit: PATH}
  b: {kind: task, needs: , argv: {x: y}, outputs: "o,p"}
  c: {kind: task, argv: [/x, [y], null], outputs: [o, ""]}
)"),
            R"(runner.yaml:4:26: 'needs' must be a list, not the value 'ax'; write [ax]
runner.yaml:4:37: 'reads' must be a list, not the value 'isl'; write [isl]
runner.yaml:4:48: 'argv' must be a list, not the value '/bin/x --all a%b'; write [/bin/x, --all, "a%b"]
runner.yaml:4:75: 'outputs' must be a list, not the value 'o'; write [o]
runner.yaml:4:85: 'files' must be a list, not the value 'stage.py'; write [stage.py]
runner.yaml:4:108: 'executables' must be a list, not the value '/usr/bin/python3'; write [/usr/bin/python3]
runner.yaml:4:135: 'inherit' must be a list, not the value 'PATH'; write [PATH]
runner.yaml:5:19: 'needs' must be a list, not nothing; write [] or leave it out
runner.yaml:5:34: 'argv' must be a list, not a map; write [VALUE, ...]
runner.yaml:5:51: 'outputs' must be a list, not the value 'o,p'; write ["o,p"]
runner.yaml:6:30: 'argv' must be a list of plain values, not of a list
runner.yaml:6:35: 'argv' must be a list of plain values, not of nothing
runner.yaml:6:55: 'outputs' has an empty value; remove it
)");
}

TEST(Argv, BeginsWithThePathOfAProgram) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: task, argv: [python3, x], outputs: [o]}
  b: {kind: task, argv: ["{stage:ax}"], needs: [ax], outputs: [o]}
  c: {kind: task, argv: ["{stage:ax}/bin/x"], needs: [ax], outputs: [o]}
  d: {kind: task, argv: ["{out}/x"], outputs: [o]}
  e: {kind: task, argv: ["{file:run.sh}"], outputs: [o]}
  f: {kind: task, argv: ["{orchestrate}"], outputs: [o]}
  g: {kind: task, argv: ["", x], outputs: [o]}
)"),
      R"(runner.yaml:4:26: the program 'python3' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:5:26: the program '{stage:ax}' is a folder; name the program below it: {stage:ax}/bin/NAME
runner.yaml:7:26: the program '{out}/x' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:10:26: 'argv' has an empty value; remove it
)");
}

TEST(Argv, MayHaveConditionalParts) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [{when: isl > 1, then: [/mpirun]}, /x, {when: "", then: []}, {then: /bin/x -a}, {when: a, then: [/x, [y]], els: y}], outputs: [o]}
)"),
            R"(runner.yaml:3:71: 'when' is empty; give it a value
runner.yaml:3:81: 'then' is empty; write words, and further maps
runner.yaml:3:86: a part of 'argv' has no 'when'; add it
runner.yaml:3:93: 'then' must be a list, not the value '/bin/x -a'; write [/bin/x, -a]
runner.yaml:3:126: 'then' must be a list of plain values, not of a list
runner.yaml:3:132: unknown key 'els' in a part of 'argv'
)");
}

TEST(Argv, BeginsWithAProgramWhicheverPartsApply) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [{when: isl > 1, then: [mpirun, -n]}, {when: isl > 2, then: [-n]}, prog, {when: isl > 3, then: [-n]}], outputs: [o]}
  b: {kind: task, argv: [{when: isl > 1, then: [/mpirun, -n]}], outputs: [o]}
)"),
      R"(runner.yaml:3:49: the program 'mpirun' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:3:86: the program '-n' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:3:92: the program 'prog' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:4:25: 'argv' of stage 'b' has only words with 'when', so it may be empty; write the program without 'when'
)");
}

TEST(Batches, NeedAJobFileAndJobs) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], batch: true}
  b: {kind: task, argv: [/x, "{jobs}"], outputs: [o], job: {out: "{out}"}}
  c: {kind: task, argv: [/x, "{jobs}", "--out={out}"], outputs: [o], batch: true, job: {a: [b], c: }}
)"),
      R"(runner.yaml:3:25: stage 'a' is a batch, but no word of its argv is {jobs}; give the program its job file
runner.yaml:3:45: stage 'a' is a batch without 'job'; write the arguments of one job: job: {out: "{out}"}
runner.yaml:4:31: stage 'b' uses {jobs}, the job file of a batch; add 'batch: true' and 'job'
runner.yaml:4:55: 'job' is for a batch; add 'batch: true' to stage 'b'
runner.yaml:5:40: {out} in argv of the batch 'c' would be the same folder for all jobs; write it under 'job'
runner.yaml:5:92: 'job.a' must be one value, not a list
runner.yaml:5:97: 'job.c' must be one value, not nothing; write '' for the empty text
)");
}

TEST(Stages, HaveOnlyTheKeysOfTheirKind) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: task, argv: [/x], outputs: [o], ports: [http], ready: {}, place: [], stop_s: 3, shm_prefix: a, smoke: {}}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, batch: true, job: {a: b}, in_place: true, repeat: build, per_gpu_model: true, agree: {}}
  c: {kind: measure, argv: [/x], outputs: [o], needs: [b], batch: true, ready: {}}
  d: {kind: other, argv: [/x], batch: maybe, ports: a, poorts: [a]}
)"),
            R"(runner.yaml:4:45: 'ports' is for a service, and stage 'a' is a task; remove it
runner.yaml:4:60: 'ready' is for a service, and stage 'a' is a task; remove it
runner.yaml:4:71: 'place' is for a service, and stage 'a' is a task; remove it
runner.yaml:4:82: 'stop_s' is for a service, and stage 'a' is a task; remove it
runner.yaml:4:93: 'shm_prefix' is for a service, and stage 'a' is a task; remove it
runner.yaml:4:108: 'smoke' is for a service, and stage 'a' is a task; remove it
runner.yaml:5:80: 'batch' is for a task, and stage 'b' is a service; remove it
runner.yaml:5:93: 'job' is for a task, and stage 'b' is a service; remove it
runner.yaml:5:106: 'in_place' is for a task, and stage 'b' is a service; remove it
runner.yaml:5:122: 'repeat' is for a task, and stage 'b' is a service; remove it
runner.yaml:5:137: 'per_gpu_model' is for a task, and stage 'b' is a service; remove it
runner.yaml:5:158: 'agree' is for a task, and stage 'b' is a service; remove it
runner.yaml:6:60: 'batch' is for a task, and stage 'c' is a measure; remove it
runner.yaml:6:73: 'ready' is for a service, and stage 'c' is a measure; remove it
runner.yaml:7:13: 'kind' must be task, service or measure, not the value 'other'
runner.yaml:7:39: 'batch' must be true or false, not the value 'maybe'
runner.yaml:7:53: 'ports' must be a list, not the value 'a'; write [a]
runner.yaml:7:56: unknown key 'poorts' in stage 'd'; did you mean 'ports'?
)");
}

TEST(Stages, StateResourcesTimeAndRepeatsAsNumbers) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], timeout_s: .inf, resources: {gpus: -1, disk_gib: [], cpuz: 3}, repeat: serve, per_gpu_model: 1, when: []}
  b: {kind: task, argv: [/x], outputs: [o], timeout_s: 10000001, resources: 4, repeat: "", when: "", in_place: yes}
)"),
      R"(runner.yaml:3:56: 'timeout_s' must be a number of seconds above 0, at most 10000000, not the value '.inf'
runner.yaml:3:80: 'gpus' must be at least 0, not '-1'
runner.yaml:3:94: 'resources.disk_gib' must be a number, or SQL over the point, not a list
runner.yaml:3:98: unknown key 'cpuz' in 'resources'; did you mean 'cpus'?
runner.yaml:3:116: 'repeat' must be build, not the value 'serve'
runner.yaml:3:138: 'per_gpu_model' must be true or false, not the value '1'
runner.yaml:3:147: 'when' must be an SQL expression, not a list; put it in quotes if it has a ':', '{' or '['
runner.yaml:4:56: 'timeout_s' must be a number of seconds above 0, at most 10000000, not the value '10000001'
runner.yaml:4:77: 'resources' must be a map of keys and values, not the value '4'
runner.yaml:4:88: 'repeat' must be build, not the value ''
runner.yaml:4:98: 'when' is empty; give it a value
runner.yaml:4:112: 'in_place' must be true or false, not the value 'yes'
)");
}

TEST(Stages, SayUnderWhichKeepTheirOutputRemains) {
  const Manifest manifest = manifest_of(R"(
runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], keep: all}
  b: {kind: task, argv: [/x], outputs: [o], keep: engines}
  c: {kind: task, argv: [/x], outputs: [o]}
)");
  EXPECT_EQ(manifest.stages[0].keep, matrix::Keep::all);
  EXPECT_EQ(manifest.stages[1].keep, matrix::Keep::engines);
  EXPECT_EQ(manifest.stages[2].keep, matrix::Keep::results);
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], keep: results}
)"),
            "runner.yaml:3:51: 'keep' must be all or engines, not the value 'results'\n");
}

TEST(Stages, StateTheirTimesAsBoundsAndARange) {
  const Manifest manifest = manifest_of(R"(
runner: toy
parameters: {n: {type: integer}}
stages:
  a: {kind: task, argv: [/x], outputs: [o], resources: {seconds: [n, 2], expected_seconds: [n * 3, 9]}}
  b: {kind: task, argv: [/x], outputs: [o], resources: {seconds: n + 1}}
)");
  const auto sql_of = [&](const std::vector<std::size_t>& questions) {
    std::vector<std::string> texts;
    for (const std::size_t question : questions) {
      EXPECT_TRUE(manifest.questions[question].estimates);
      texts.push_back(manifest.questions[question].sql);
    }
    return texts;
  };
  EXPECT_EQ(sql_of(manifest.find("a")->seconds), (std::vector<std::string>{"n", "2"}));
  EXPECT_EQ(sql_of(manifest.find("a")->expected_seconds), (std::vector<std::string>{"n * 3", "9"}));
  EXPECT_EQ(sql_of(manifest.find("b")->seconds), (std::vector<std::string>{"n + 1"}));
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], resources: {seconds: [], expected_seconds: 3}}
  b: {kind: task, argv: [/x], outputs: [o], resources: {seconds: ['', [1]], expected_seconds: [1]}}
)"),
      R"(runner.yaml:3:66: 'resources.seconds' is empty; write the least time that it takes, or a list of bounds, of which the largest known one counts
runner.yaml:3:88: 'resources.expected_seconds' must be a list, not the value '3'; write [FROM, TO]
runner.yaml:4:67: 'resources.seconds' is empty; give it a value
runner.yaml:4:71: 'resources.seconds' must be a number, or SQL over the point, not a list
runner.yaml:4:95: 'resources.expected_seconds' has 1 entry; give it at least 2; write [FROM, TO]
)");
}

TEST(Versions, AreAskedWithParametersAndFilesOfTheRunner) {
  const std::string errors = errors_of(R"(runner: toy
parameters: {tp: {type: integer, default: 1}, tool: {type: path, optional: true}}
stages:
  a: {kind: task, reads: [tool], version: ["{tool}", "{file:x.py}", {when: tool IS NOT NULL, then: [-v]}], argv: [/x], outputs: [o]}
  b: {kind: task, needs: [a], version: ["{stage:a}/x", "{out}"], argv: [/x], outputs: [o]}
  c: {kind: task, version: ["{tp}"], argv: [/x], outputs: [o]}
)");
  EXPECT_EQ(errors.find("runner.yaml:4:"), std::string::npos) << errors;
  for (const char* expected :
       {"'version' of stage 'b' uses {stage:a}, but it runs before anything is made; use "
        "parameters and {file:PATH}",
        "'version' of stage 'b' uses {out}, but it runs before anything is made",
        "stage 'c' uses {tp} but does not list it under 'reads'; add it there"})
    EXPECT_NE(errors.find(expected), std::string::npos) << expected << "\n" << errors;
}

TEST(Shared, IsForOneOutputThatCannotBeMoved) {
  const std::string errors = errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], shared: true}
  b: {kind: task, argv: [/x, "{jobs}"], outputs: [o], batch: true, job: {o: "{out}"}, in_place: true, shared: true}
)");
  for (const char* expected :
       {"runner.yaml:3:45: 'shared' is for an output that cannot be moved; add 'in_place: true' to "
        "stage 'a'",
        "'shared' needs a task with its own process; remove it from batch 'b'"})
    EXPECT_NE(errors.find(expected), std::string::npos) << expected << "\n" << errors;
}

TEST(Files, OutputsStayInTheirFolderAndDoNotOverlap) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [/o, ../o, "o//p", ., "{out}/o", "", "a\tb", /]}
  b: {kind: task, argv: [/x], outputs: [m, m/x, n/x, n, m, mm]}
)"),
      R"(runner.yaml:3:41: output '/o' is absolute; write a path inside its folder, such as 'o'
runner.yaml:3:45: output '../o' leaves its folder; write a path without '..'
runner.yaml:3:51: output 'o//p' has an empty part or a '.'; write 'o/p'
runner.yaml:3:59: output '.' is not a path of a file or folder; write one
runner.yaml:3:62: output '{out}/o' is taken literally: {out} is not filled in here; write it without symbols
runner.yaml:3:73: 'outputs' has an empty value; remove it
runner.yaml:3:77: output 'a\x09b' has a control character; choose another name
runner.yaml:3:85: output '/' is absolute; write a path inside its folder
runner.yaml:4:44: output 'm/x' is below the output 'm'; keep one of them
runner.yaml:4:54: output 'n/x' is below the output 'n'; keep one of them
runner.yaml:4:57: 'm' is repeated in 'outputs'; remove one of them
)");
}

TEST(Files, OfTheRunnerStayInItsFolderAndProgramsAreAbsolute) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], executables: [python3, bin/x, "{out}/x"], files: [../x, /y, "{out}", a, a]}
)"),
      R"(runner.yaml:3:59: executable 'python3' must be an absolute path, such as '/usr/bin/python3'
runner.yaml:3:68: executable 'bin/x' must be an absolute path, such as '/usr/bin/x'
runner.yaml:3:75: executable '{out}/x' is taken literally: {out} is not filled in here; write it without symbols
runner.yaml:3:95: file '../x' leaves its folder; write a path without '..'
runner.yaml:3:101: file '/y' is absolute; write a path inside its folder, such as 'y'
runner.yaml:3:105: file '{out}' is taken literally: {out} is not filled in here; write it without symbols
runner.yaml:3:117: 'a' is repeated in 'files'; remove one of them
)");
}

TEST(Files, AreRenderedAndCopiedOnce) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {isl: {type: integer}, size: {type: text}}
stages:
  a: {kind: task, outputs: [o], render: {a: b}, copy: [x, {from: ../a, to: /b}, {from: a, to: b}, {from: c, to: b, too: d}]}
  b: {kind: task, outputs: [o], render: [{from: t, to: b, values: {a: "{isl}", b: [x]}}, {from: t, to: b}, {to: "{x}/b"}], copy: [{from: a, to: b}]}
)"),
      R"(runner.yaml:4:41: 'render' must be a list of maps, not a map; write [{KEY: VALUE, ...}, ...]
runner.yaml:4:56: a 'copy' entry must be a map of keys and values, not the value 'x'
runner.yaml:4:66: 'from': '../a' leaves its folder; write a path without '..'
runner.yaml:4:76: 'to': '/b' is absolute; write a path inside its folder, such as 'b'
runner.yaml:4:99: 'b' is written twice; remove one of the entries
runner.yaml:4:116: unknown key 'too' in a 'copy' entry; did you mean 'to'?
runner.yaml:5:72: stage 'b' uses {isl} but does not list it under 'reads'; add it there
runner.yaml:5:83: 'values.b' must be one value, not a list
runner.yaml:5:90: 'b' is written twice; remove one of the entries
runner.yaml:5:108: a 'render' entry has no 'from'; add it
runner.yaml:5:113: 'to': '{x}/b' is taken literally: {x} is not filled in here; write it without symbols
runner.yaml:5:131: 'b' is written twice; remove one of the entries
)");
}

TEST(Environment, HasNamesThatAShellAccepts) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], env: {"A=B": x, "": y, 1A: z, GOOD: [a], NONE: }}
  b: {kind: task, argv: [/x], outputs: [o], env: [a]}
)"),
      R"(runner.yaml:3:51: 'A=B' in 'env' is not the name of an environment variable: A-Z, a-z, 0-9 and _, not a digit first
runner.yaml:3:61: '' in 'env' is not the name of an environment variable: A-Z, a-z, 0-9 and _, not a digit first
runner.yaml:3:68: '1A' in 'env' is not the name of an environment variable: A-Z, a-z, 0-9 and _, not a digit first
runner.yaml:3:81: 'env.GOOD' must be one value, not a list
runner.yaml:3:86: 'env.NONE' must be one value, not nothing; write '' for the empty text
runner.yaml:4:50: 'env' must be a map of names and values, not a list; write {NAME: VALUE}
)");
}

TEST(Environment, InheritsNamesAndPrefixesButNoLoaderVariables) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], inherit: ["*", LD_PRELOAD, "L*", "LD_X*", "A*B", "x y", "HF_*", PATH, PATH, LDX]}
)"),
      R"(runner.yaml:3:55: '*' in 'inherit' would match every variable; write names, or PREFIX_*
runner.yaml:3:60: 'LD_PRELOAD' in 'inherit' would match LD_*, which changes what every program loads; set what the stage needs under 'env'
runner.yaml:3:72: 'L*' in 'inherit' would match LD_*, which changes what every program loads; set what the stage needs under 'env'
runner.yaml:3:78: 'LD_X*' in 'inherit' would match LD_*, which changes what every program loads; set what the stage needs under 'env'
runner.yaml:3:87: 'A*B' in 'inherit' has a '*' that is not at its end; write a name, or PREFIX_*
runner.yaml:3:94: 'x y' in 'inherit' is neither the name of an environment variable nor PREFIX_*
runner.yaml:3:115: 'PATH' is repeated in 'inherit'; remove one of them
)");
}

TEST(Environment, NamesSecretsLikeInheritedVariables) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: task, argv: [/x], outputs: [o], secrets: [HF_TOKEN, "*", LD_PRELOAD, "a b", "AWS_*", HF_TOKEN]}
  b: {kind: task, argv: [/x], outputs: [o], env: {KEY: abc}, secrets: [KEY]}
  c: {kind: task, argv: [/x], outputs: [o], secrets: HF_TOKEN}
)"),
      R"(runner.yaml:3:65: '*' in 'secrets' would match every variable; write names, or PREFIX_*
runner.yaml:3:70: 'LD_PRELOAD' in 'secrets' would match LD_*, which changes what every program loads; set what the stage needs under 'env'
runner.yaml:3:82: 'a b' in 'secrets' is neither the name of an environment variable nor PREFIX_*
runner.yaml:3:98: 'HF_TOKEN' is repeated in 'secrets'; remove one of them
runner.yaml:4:62: 'KEY' of stage 'b' is in 'secrets' and in 'env', which is recorded; remove it from 'env'
runner.yaml:5:54: 'secrets' must be a list, not the value 'HF_TOKEN'; write [HF_TOKEN]
)");
}

TEST(Agree, ComparesParametersWithKeysOfAFile) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters: {isl: {type: integer}, size: {type: text}}
stages:
  a: {kind: task, argv: [/x], outputs: [m], agree: {file: ../x, values: {isll: a, isl: ".b"}, fil: x}}
  b: {kind: task, argv: [/x], outputs: [m], agree: {values: {}}}
  c: {kind: task, argv: [/x], outputs: [m], agree: }
  d: {kind: task, argv: [/x], outputs: [m], agree: {file: x, values: {isl: a}, at_least: {siz: b}, may_lack: [isl, size]}}
)"),
            R"(runner.yaml:4:59: 'file': '../x' leaves its folder; write a path without '..'
runner.yaml:4:74: 'agree' compares 'isll', which is not among the parameters; did you mean 'isl'?
runner.yaml:4:88: '.b' is not a path of names separated by dots, such as text_config.num_heads
runner.yaml:4:95: unknown key 'fil' in 'agree'; did you mean 'file'?
runner.yaml:5:52: 'agree' has no 'file'; add it
runner.yaml:5:61: 'agree.values' is empty; write parameters and the dotted paths where they must be equal
runner.yaml:6:45: 'agree' has no 'file'; add it
runner.yaml:6:45: 'agree' has no 'values'; add it
runner.yaml:7:91: 'agree' compares 'siz', which is not among the parameters; did you mean 'size'?
runner.yaml:7:116: 'may_lack' under 'agree' names 'size', which 'agree' does not compare; remove it
)");
}

TEST(Tools, ReportTheirVersionsInAFileOfANeededStage) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: task, argv: [/x], outputs: [m], tools: {from: "{out}/x", names: []}}
  b: {kind: task, argv: [/x], outputs: [m], needs: [ax], tools: {from: "{stage:ax}x", names: a}}
  c: {kind: task, argv: [/x], outputs: [m], needs: [ax], tools: {from: "{stage:ax}/../x", nams: a}}
)"),
      R"(runner.yaml:4:59: 'tools.from' must begin with the folder of a stage it needs, not '{out}/x'; write {stage:NAME}/PATH
runner.yaml:4:77: 'tools.names' is empty; write the tools
runner.yaml:5:72: 'tools.from': '{stage:ax}x' has no '/' after the folder; write {stage:NAME}/PATH
runner.yaml:5:94: 'tools.names' must be a list, not the value 'a'; write [a]
runner.yaml:6:65: 'tools' has no 'names'; add it
runner.yaml:6:72: 'tools.from': '{stage:ax}/../x' leaves its folder; write a path without '..'
runner.yaml:6:91: unknown key 'nams' in 'tools'; did you mean 'names'?
)");
}

}  // namespace stages_test
}  // namespace orch::runner

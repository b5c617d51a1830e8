#include "spec/runner/support.hpp"

namespace orch::runner {
namespace services_test {

TEST(Services, HaveNamedPorts) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: service, argv: [/x], ports: http, ready: {port: http, get: [/]}}
  b: {kind: service, argv: [/x], ports: [http, http, Grpc, a-b, ""], ready: {port: http, get: [/]}}
  c: {kind: service, argv: [/x], ports: [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17], ready: {port: a1, get: [/]}}
)"),
            R"(runner.yaml:3:41: 'ports' must be a list, not the value 'http'; write [http]
runner.yaml:3:61: stage 'a' has no port 'http'; add it to 'ports'
runner.yaml:4:48: 'http' is repeated in 'ports'; remove one of them
runner.yaml:4:54: 'Grpc' is not a port name; use a-z, 0-9 and _, a letter first
runner.yaml:4:60: 'a-b' is not a port name; use a-z, 0-9 and _, a letter first
runner.yaml:4:65: 'ports' has an empty value; remove it
runner.yaml:5:41: 'ports' has 17 entries; give it at most 16
)");
}

TEST(Services, AreReadyWhenPathsOfTheirPortsAnswer) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: service, argv: [/x]}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http}}
  c: {kind: service, argv: [/x], ports: [http], ready: {port: htp, get: [], timeout_s: 20000000, x: y}, stop_s: -1}
  d: {kind: service, argv: [/x], ports: [http], ready: {get: [health, "/a b", "/a\rb", "/x/{out}", /ok, /ok]}}
  e: {kind: service, argv: [/x], ports: [http], ready: []}
  f: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: /health}}
)"),
            R"(runner.yaml:3:3: service 'a' has no 'ready'; write ready: {port: NAME, get: [/PATH]}
runner.yaml:4:56: 'ready' has no 'get'; add it
runner.yaml:5:63: stage 'c' has no port 'htp'; did you mean 'http'?
runner.yaml:5:73: 'ready.get' is empty; write paths that must answer 200
runner.yaml:5:88: 'ready.timeout_s' must be a number of seconds above 0, at most 10000000, not the value '20000000'
runner.yaml:5:98: unknown key 'x' in 'ready'
runner.yaml:5:113: 'stop_s' must be a number of seconds above 0, at most 10000000, not the value '-1'
runner.yaml:6:56: 'ready' has no 'port'; add it
runner.yaml:6:63: 'get': 'health' must begin with '/'; write '/health'
runner.yaml:6:71: 'get': '/a b' has a space or a control character; write it as %20 or the like
runner.yaml:6:79: 'get': '/a\x0db' has a space or a control character; write it as %20 or the like
runner.yaml:6:92: 'get' names {out}; only parameters that stage 'd' reads are filled in here
runner.yaml:6:105: '/ok' is repeated in 'get'; remove one of them
runner.yaml:7:56: 'ready' must be a map of keys and values, not a list
runner.yaml:8:74: 'ready.get' must be a list, not the value '/health'; write [/health]
)");
}

TEST(Services, HaveASmokeRequestInJson) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  a: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, smoke: {port: grpc, post: ask, body: '{"a": }', answer: ""}}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, smoke: {port: http, post: "/a\nb", body: '{"n": {port:http}, "t": "{port:http}"', answer: [x], bodi: x}}
  c: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, smoke: x}
  d: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, smoke: {port: http, post: /a, body: "", answer: text}}
  e:
    kind: service
    argv: [/x]
    ports: [http]
    ready: {port: http, get: [/]}
    smoke:
      port: http
      post: /a
      body: |
        {"a": {port:http},
         "b": nonsense}
      answer: text
)"),
            R"(runner.yaml:3:94: stage 'a' has no port 'grpc'; add it to 'ports'
runner.yaml:3:106: 'post': 'ask' must begin with '/'; write '/ask'
runner.yaml:3:124: 'body' is not JSON from here on; write a JSON text in single quotes
runner.yaml:3:136: 'smoke.answer' is empty; give it a value
runner.yaml:4:106: 'post': '/a\x0ab' has a space or a control character; write it as %20 or the like
runner.yaml:4:159: 'body' is not JSON from here on; write a JSON text in single quotes
runner.yaml:4:170: 'smoke.answer' must be one value, not a list
runner.yaml:4:175: unknown key 'bodi' in 'smoke'; did you mean 'body'?
runner.yaml:5:87: 'smoke' must be a map of keys and values, not the value 'x'
runner.yaml:6:116: 'smoke.body' is empty; give it a value
runner.yaml:17:16: 'body' is not JSON from here on; write a JSON text in single quotes
)");
}

TEST(Services, HaveTheirOwnPrefixForSharedMemory) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  a: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, shm_prefix: /a/b}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, shm_prefix: "a/{token}"}
  c: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, shm_prefix: ""}
)"),
      R"(runner.yaml:3:92: 'shm_prefix' of stage 'a' must contain {token}: every name that begins with it is removed
runner.yaml:3:92: 'shm_prefix' has a '/'; write the beginning of a name in /dev/shm, without a folder
runner.yaml:4:94: 'shm_prefix' has a '/'; write the beginning of a name in /dev/shm, without a folder
runner.yaml:5:92: 'shm_prefix' is empty; give it a value
)");
}

TEST(Services, PlaceOutputsOfNeededStagesInTheirFolder) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, needs: [ax], place: [{from: model, to: ../m}, {from: "{stage:ax}", to: /m}, {form: x}, {from: "{stage:ax}/../x", to: m}]}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, place: [{from: "{stage:ax}/m", to: m}]}
  c: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, place: {from: a, to: b}}
  d: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, needs: [ax], place: [{from: "{stage:ax}", to: m, stages: [ax, b]}]}
)"),
      R"(runner.yaml:4:108: 'place.from' must begin with the folder of a stage it needs, not 'model'; write {stage:NAME}/PATH
runner.yaml:4:119: 'to': '../m' leaves its folder; write a path without '..'
runner.yaml:4:151: 'to': '/m' is absolute; write a path inside its folder, such as 'm'
runner.yaml:4:156: a 'place' entry has no 'from'; add it
runner.yaml:4:156: a 'place' entry has no 'to'; add it
runner.yaml:4:157: unknown key 'form' in a 'place' entry; did you mean 'from'?
runner.yaml:4:174: 'place.from': '{stage:ax}/../x' leaves its folder; write a path without '..'
runner.yaml:5:96: stage 'b' uses {stage:ax} but does not list 'ax' under 'needs'; add it there
runner.yaml:6:87: 'place' must be a list of maps, not a map; write [{KEY: VALUE, ...}, ...]
runner.yaml:7:142: 'place' fills in '{stage:b}', which stage 'd' does not list under 'needs'; add it there
)");
}

TEST(Measurements, NeedExactlyOneServer) {
  EXPECT_EQ(errors_of(R"(runner: toy
stages:
  ax: {kind: task, argv: [/x], outputs: [o]}
  a: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}}
  b: {kind: service, argv: [/x], ports: [http], ready: {port: http, get: [/]}, needs: [a]}
  c: {kind: measure, argv: [/x], outputs: [o]}
  d: {kind: measure, argv: [/x], outputs: [o], needs: [ax]}
  e: {kind: measure, argv: [/x], outputs: [o], needs: [a, b]}
  f: {kind: measure, argv: [/x], outputs: [o], needs: [a, e]}
  g: {kind: task, argv: [/x], outputs: [o], needs: [e]}
  h: {kind: measure, argv: [/x], outputs: [o], needs: [nobody]}
)"),
            R"(runner.yaml:5:88: stage 'b' is a service and cannot need the service 'a'
runner.yaml:6:3: stage 'c' measures no service; it must need exactly one
runner.yaml:7:48: stage 'd' measures no service; it must need exactly one
runner.yaml:8:56: stage 'e' measures several services, and 'a' has no 'when'; give each a 'when' that leaves exactly one of them at every point
runner.yaml:8:59: stage 'e' measures several services, and 'b' has no 'when'; give each a 'when' that leaves exactly one of them at every point
runner.yaml:9:59: stage 'f' is a measure and cannot need the measure 'e'
runner.yaml:10:53: stage 'g' is a task and cannot need the measure 'e'
runner.yaml:11:56: stage 'h' needs 'nobody', which is not a stage
)");
}

}  // namespace services_test
}  // namespace orch::runner

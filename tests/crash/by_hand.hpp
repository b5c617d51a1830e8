// A load measured by hand with `orchestrate bench --db`, on a server of the fake stack.
#pragma once

#include "crash/world.hpp"

#include <fmt/format.h>

namespace orch::crash {

// Its record goes through the inbox.
class ByHand {
 public:
  explicit ByHand(World& world)
      : world_(world),
        server_(world.spawn({ORCH_ACTOR, "serve", "serve-by-hand", std::to_string(port())})) {
    std::string prompts;
    for (int i = 0; i < 4; ++i)
      prompts += fmt::format(
          "{{\"text_input\": \"by hand {}\", \"isl\": 3, \"warmup\": {}, \"block\": 0}}\n", i,
          i == 0);
    world_.write("prompts.jsonl", prompts);
    wait_for([&] { return world_.read("diary/diary").find("serve-by-hand") != std::string::npos; },
             k_patience_s);
  }
  ~ByHand() { end(); }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  // The server.
  void end() {
    server_.kill();
    server_.wait(k_patience_s);
  }
  World::Run start(const World::Variables& variables) {
    return world_.spawn({ORCH_BINARY,
                         "bench",
                         "--url",
                         fmt::format("http://127.0.0.1:{}", port()),
                         "--model",
                         "toy",
                         "--concurrency",
                         "1",
                         "--requests",
                         "3",
                         "--warmup",
                         "1",
                         "--osl",
                         "4",
                         "--prompts",
                         "prompts.jsonl",
                         "--wake-lag-ms-limit",
                         "1000",
                         "--client-cpu-limit",
                         "1000",
                         "--db",
                         "results"},
                        variables);
  }
  Ended run(const World::Variables& variables) {
    World::Run started = start(variables);
    return world_.finish(started);
  }

 private:
  int port() const { return world_.first_port() + 40; }

  World& world_;
  World::Run server_;
};

}  // namespace orch::crash

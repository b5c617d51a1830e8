// The timed loop against the ground-truth server, for tests of its send times and of its turns.
#pragma once

#include "bench/load/load_loop.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gtest/gtest.h>

namespace orch::load {

inline constexpr std::int64_t k_ms = 1'000'000;

struct TimedLoop {
  explicit TimedLoop(truth::Script script, std::int64_t stop_after_ns = 0,
                     const std::atomic<bool>* stopped = nullptr)
      : server(std::move(script)) {
    LoadLoop::Options options;
    options.deadlines.stop_after_ns = stop_after_ns;
    options.stopped = stopped;
    const wire::Url url = *wire::parse_url(server.url());
    protocol = *protocol::make_protocol(
        "triton-http",
        {.url = url, .model = "m", .stream = true, .osl = 4, .forced_osl = true, .inputs = {}});
    options.reading.protocol = protocol.get();
    options.endpoints = {*wire::resolve(url)};
    options.deadlines.timeout_ns = 20'000 * k_ms;
    loop = std::make_unique<LoadLoop>(std::move(options));
    for (int i = 0; i < 64; ++i)
      requests.push_back(
          {.bytes = protocol->request({.text_input = std::to_string(i) + ":", .isl = 8}),
           .isl = 8,
           .osl = 4});
  }

  LoadLoop::Phase run(wire::SlotId slots, const SendPlan& plan) {
    EXPECT_TRUE(loop->open(slots).ok());
    Result<LoadLoop::Phase> phase = loop->run(plan);
    EXPECT_TRUE(phase.ok());
    return std::move(*phase);
  }
  std::span<const PreparedRequest> first(std::size_t count) const {
    return std::span(requests).first(count);
  }

  truth::Server server;
  std::unique_ptr<protocol::Protocol> protocol;
  std::unique_ptr<LoadLoop> loop;
  std::vector<PreparedRequest> requests;
};

}  // namespace orch::load

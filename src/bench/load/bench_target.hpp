// The servers under load before anything is sent: resolved endpoints, the protocol for the model,
// and the watch on the servers. It knows neither prompts nor loads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "bench/load/bench.hpp"
#include "bench/observe/server_watch.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::load {

struct BenchTarget {
  std::vector<wire::Url> urls;
  std::vector<wire::Endpoint> endpoints;  // of the URLs
  std::unique_ptr<protocol::Protocol> protocol;
  // Of the first request where it carries an adapter; null: as all others.
  std::unique_ptr<protocol::Protocol> adapter_protocol;
  observe::ServerWatch watch;
  std::vector<std::string> notes;  // warnings that hold for every load
};

// Resolves the URLs and asks the server for the inputs of the model. Fails when a URL does not
// resolve, a GPU of --gpus does not exist, or the model cannot take the requests of OPTIONS.
Result<BenchTarget> open_target(const BenchOptions& options, const std::atomic<bool>& stopped);

wire::Access access_of(const BenchOptions& options);
// The limit for connecting and for asking about the model: at most the timeout of a request.
int connect_timeout_ms(const BenchOptions& options);
// The limit for one page that is read to explain a refusal.
int query_timeout_ms(const BenchOptions& options);
// Whether every complete answer has exactly the requested output length.
bool forces_osl(const BenchOptions& options, const protocol::Protocol& protocol);

}  // namespace orch::load

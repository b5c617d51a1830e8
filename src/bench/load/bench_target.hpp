// The servers under load before anything is sent: resolved endpoints, the protocol for the model,
// and the observation of the servers.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/observe/server_watch.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/record/measurement.hpp"
#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orch::load {

struct BenchTarget {
  std::vector<wire::Url> urls;
  std::vector<wire::Endpoint> endpoints;  // of the URLs
  std::unique_ptr<protocol::Protocol> protocol;
  // Makes the first request if it carries an adapter; null: `protocol` makes it.
  std::unique_ptr<protocol::Protocol> adapter_protocol;
  observe::ServerWatch watch;
  std::vector<std::string> notes;  // warnings that apply to every load
};

// Resolves the URLs and asks the first server for the inputs of the model, if the protocol supports
// it. Fails if a URL does not resolve, a GPU of --gpus does not exist, or the model cannot take the
// requests of OPTIONS.
Result<BenchTarget> open_target(const BenchOptions& options, const std::atomic<bool>& stopped);

wire::Access access_of(const BenchOptions& options);
// The time limit for connecting and for asking about the model: the timeout of a request, but at
// most wire::k_connect_timeout_ms.
int connect_timeout_ms(const BenchOptions& options);
// The time limit for one page that is read to explain a refusal.
int query_timeout_ms(const BenchOptions& options);
// Whether every complete answer has exactly the requested output length.
bool forces_osl(const BenchOptions& options, const protocol::Protocol& protocol);

// The request sent to each server alone, before the warm-up of the first load, so that a wrong URL,
// protocol, model or token is one error instead of a load of failed requests. It does not count in
// any figure.

struct RunContext;

struct FirstRequests {
  std::vector<record::FirstRequest> sent;  // one per server, in URL order
  std::vector<std::string> warnings;       // about failures that later requests may not have

  std::int64_t succeeded() const;
};

// Sends the first requests one after another, each with the time limit of a request. Fails, with
// the remedy, if a server refuses or loses one; also if interrupted. Overload, an internal error of
// the server and a timeout are errors only if the request carries an adapter; otherwise they are
// warnings, because later requests may succeed.
Result<FirstRequests> send_first_requests(const RunContext& context);

}  // namespace orch::load

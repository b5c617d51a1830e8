// What the generator costs over gRPC, and how far its stamps are from the truth. Not a test; figures depend on the machine.
#include <fmt/core.h>

#include <cmath>

#include "load/load_loop.hpp"
#include "load/triton_grpc_answers.hpp"
#include "wire/clock.hpp"

namespace orch::load {
namespace {

constexpr int k_server_cpu = 1;
constexpr int k_rounds = 5;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double p99(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size()))) - 1];
}

struct Run {
  LoadLoop::Phase phase;
  double wall_s = 0;
  double cpu_s = 0;
};

Run run(const truth::GrpcServer& server, int concurrency, int count) {
  const wire::Url url = *wire::parse_url(server.url());
  const auto protocol = *make_protocol("triton-grpc", {.url = url, .model = "m", .stream = true, .osl = 128, .forced_osl = true, .inputs = {}});
  std::vector<PreparedRequest> requests;
  for (int i = 0; i < count; ++i) requests.push_back({.bytes = protocol->request({.text_input = fmt::format("{} {}", i, std::string(100, 'x')), .isl = {}}), .isl = {}, .osl = 128});
  LoadLoop loop({.reading = {.protocol = protocol.get()}, .endpoints = {*wire::resolve(url)}, .timeout_ns = 60'000'000'000});
  if (!loop.open(static_cast<wire::SlotId>(concurrency)).ok()) std::abort();
  const std::int64_t wall_ns = wire::monotonic_ns(), cpu_ns = wire::thread_cpu_ns();
  auto phase = loop.run({.requests = requests, .concurrency = concurrency});
  Run out{.phase = std::move(*phase), .wall_s = static_cast<double>(wire::monotonic_ns() - wall_ns) / 1e9, .cpu_s = static_cast<double>(wire::thread_cpu_ns() - cpu_ns) / 1e9};
  for (const auto& record : out.phase.records)
    if (!record.ok()) fmt::print("FAILED: {}\n", record.error), std::exit(1);
  return out;
}

void cost(std::string_view name, const truth::GrpcAnswer& answer, int tokens, int concurrency, int count, bool hold_back) {
  const truth::GrpcServer server(truth::always(answer), {.keep_log = false, .cpu = k_server_cpu, .hold_back = hold_back});
  std::vector<double> rate, cpu_us;
  for (int round = 0; round < k_rounds; ++round) {
    const Run one = run(server, concurrency, count);
    rate.push_back(count / one.wall_s);
    cpu_us.push_back(one.cpu_s * 1e6 / count);
  }
  fmt::print("{:<32} c={:<4} {:>8.0f} req/s, {:>9.0f} tokens/s, CPU {:>7.2f} us per request, {:.2f} per token\n", name, concurrency, median(rate), median(rate) * tokens, median(cpu_us),
             median(cpu_us) / tokens);
}

std::size_t index_of(const truth::GrpcServed& served) {
  inference::ModelInferRequest request;
  if (!request.ParseFromString(served.message())) std::abort();
  return std::stoul(request.raw_input_contents(0).substr(4));
}

void errors(int concurrency, int count) {
  constexpr std::int64_t k_ttft_ns = 20'000'000, k_itl_ns = 5'000'000;
  truth::GrpcServer server(truth::always(truth::grpc_stream(64, k_ttft_ns, k_itl_ns)), {.cpu = k_server_cpu});
  const Run ours = run(server, concurrency, count);
  std::vector<double> ttft_ms, gap_ms;
  for (const truth::GrpcServed& served : server.log()) {
    const measure::RequestRecord& record = ours.phase.records[index_of(served)];
    ttft_ms.push_back(static_cast<double>((record.event_ns[0] - record.sent_ns) - (served.token_ns[0] - served.arrived_ns)) / 1e6);
    for (std::size_t i = 1; i < record.event_ns.size(); ++i)
      gap_ms.push_back(std::abs(static_cast<double>((record.event_ns[i] - record.event_ns[i - 1]) - (served.token_ns[i] - served.token_ns[i - 1]))) / 1e6);
  }
  fmt::print("errors over the truth, c={:<4} TTFT mean {:.3f} p99 {:.3f} ms; gap mean {:.4f} p99 {:.3f} ms\n", concurrency, mean(ttft_ms), p99(ttft_ms), mean(gap_ms), p99(gap_ms));
}

}  // namespace
}  // namespace orch::load

int main() {
  using namespace orch;
  fmt::print("gRPC, medians of {} rounds, server pinned to CPU {}\n", load::k_rounds, load::k_server_cpu);
  const truth::GrpcAnswer stream = truth::grpc_stream(128);
  for (const int concurrency : {1, 16, 64}) load::cost("one token an answer", truth::grpc_stream(1), 1, concurrency, 10'000, true);
  for (const int concurrency : {16, 64}) load::cost("stream, one send per token", stream, 128, concurrency, 1'000, false);
  load::cost("stream, 128 tokens in one send", stream, 128, 16, 2'000, true);
  for (const int concurrency : {16, 64, 256}) load::errors(concurrency, 3 * concurrency);
}

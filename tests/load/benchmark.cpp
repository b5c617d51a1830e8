// What the generator costs, beside the least that one epoll thread can cost: requests per second and CPU per token against
// the ground-truth server without delays. Not a test; figures depend on the machine, ratios carry over.
#include <fmt/core.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <charconv>

#include "wire/clock.hpp"
#include "load/load_loop.hpp"
#include "wire/socket.hpp"
#include "load/triton_answers.hpp"

namespace orch::load {
namespace {

constexpr int k_server_cpu = 1;
constexpr int k_rounds = 5;
constexpr std::string_view k_end_of_chunks = "\r\n0\r\n\r\n";

struct Figures {
  double requests_per_s = 0;
  double cpu_us_per_request = 0;
};

// Sends the same bytes over CONCURRENCY connections and looks only for the end of each answer.
class RawClient {
 public:
  RawClient(wire::Endpoint endpoint, std::string request, std::size_t answer_bytes) : endpoint_(std::move(endpoint)), request_(std::move(request)), answer_bytes_(answer_bytes) {}

  Figures run(int concurrency, int requests) {
    const system::Descriptor epoll(::epoll_create1(0));
    std::vector<system::Descriptor> sockets;
    for (int i = 0; i < concurrency; ++i) {
      bool pending = false;
      sockets.push_back(wire::start_connect(endpoint_, pending));
      if (!wire::wait_connected(sockets.back().get(), endpoint_, wire::monotonic_ns() + 5'000'000'000).ok()) std::abort();
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u32 = static_cast<std::uint32_t>(i);
      ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, sockets.back().get(), &event);
    }
    std::vector<std::size_t> received(sockets.size(), 0);
    std::vector<char> buffer(128 * 1024);
    const std::int64_t wall = wire::monotonic_ns();
    const std::int64_t cpu = wire::thread_cpu_ns();
    int sent = 0;
    int done = 0;
    const auto send_one = [&](std::size_t i) {
      if (sent++ < requests && ::send(sockets[i].get(), request_.data(), request_.size(), MSG_NOSIGNAL) < 0) std::abort();
    };
    for (std::size_t i = 0; i < sockets.size(); ++i) send_one(i);
    while (done < requests) {
      epoll_event events[256];
      const int ready = ::epoll_wait(epoll.get(), events, 256, -1);
      for (int k = 0; k < ready; ++k) {
        const std::size_t i = events[k].data.u32;
        received[i] += static_cast<std::size_t>(::recv(sockets[i].get(), buffer.data(), buffer.size(), 0));
        if (received[i] < answer_bytes_) continue;
        received[i] = 0;
        ++done;
        send_one(i);
      }
    }
    return {.requests_per_s = requests * 1e9 / static_cast<double>(wire::monotonic_ns() - wall),
            .cpu_us_per_request = static_cast<double>(wire::thread_cpu_ns() - cpu) / 1e3 / requests};
  }

 private:
  wire::Endpoint endpoint_;
  std::string request_;
  std::size_t answer_bytes_;
};

Figures run_ours(const wire::Endpoint& endpoint, const Protocol& protocol, bool stream, std::span<const PreparedRequest> requests, int concurrency) {
  LoadLoop loop({.reading = {.protocol = &protocol, .stream = stream}, .stopped = nullptr, .endpoints = {endpoint}, .timeout_ns = 60'000'000'000});
  if (!loop.open(static_cast<wire::SlotId>(concurrency)).ok()) std::abort();
  const std::int64_t wall = wire::monotonic_ns();
  const std::int64_t cpu = wire::thread_cpu_ns();
  const auto phase = loop.run({.requests = requests, .concurrency = concurrency});
  const std::int64_t wall_ns = wire::monotonic_ns() - wall;
  const std::int64_t cpu_ns = wire::thread_cpu_ns() - cpu;
  for (const auto& record : phase->records)
    if (!record.ok()) fmt::print("FAILED: {}\n", record.error), std::exit(1);
  const auto n = static_cast<double>(requests.size());
  return {.requests_per_s = n * 1e9 / static_cast<double>(wall_ns), .cpu_us_per_request = static_cast<double>(cpu_ns) / 1e3 / n};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(std::string_view name, const truth::Answer& answer, bool stream, int tokens, int concurrency, int count) {
  std::size_t bytes = 0;
  for (const truth::Piece& piece : answer.pieces) bytes += piece.bytes.size();
  truth::Server server(truth::always(answer), {.keep_log = false, .cpu = k_server_cpu});
  const wire::Url url = *wire::parse_url(server.url());
  const auto protocol = *make_protocol("triton-http", {.url = url, .model = "m", .stream = stream, .osl = 128, .forced_osl = true, .inputs = {}});
  const wire::Endpoint endpoint = *wire::resolve(url);
  std::vector<PreparedRequest> requests;
  for (int i = 0; i < count; ++i) requests.push_back({.bytes = protocol->request({.text_input = fmt::format("prompt {} {}", i, std::string(100, 'x')), .isl = {}}), .isl = {}, .osl = 128});
  RawClient raw(endpoint, requests[0].bytes, bytes);

  std::vector<double> ours_rate, ours_cpu, raw_rate, raw_cpu;
  for (int round = 0; round < k_rounds; ++round) {
    const Figures one = raw.run(concurrency, count);
    raw_rate.push_back(one.requests_per_s);
    raw_cpu.push_back(one.cpu_us_per_request);
    const Figures other = run_ours(endpoint, *protocol, stream, requests, concurrency);
    ours_rate.push_back(other.requests_per_s);
    ours_cpu.push_back(other.cpu_us_per_request);
  }
  fmt::print("{:<34} c={:<4} ours {:>9.0f} req/s, raw {:>9.0f} ({:>4.0f} %);  CPU us per {}: ours {:.2f}, raw {:.2f} ({:.1f}x)\n", name, concurrency, median(ours_rate),
             median(raw_rate), 100 * median(ours_rate) / median(raw_rate), stream ? "token  " : "request", median(ours_cpu) / tokens, median(raw_cpu) / tokens,
             median(ours_cpu) / median(raw_cpu));
}

}  // namespace
}  // namespace orch::load

int main() {
  using namespace orch;
  fmt::print("medians of {} rounds, server pinned to CPU {}\n", load::k_rounds, load::k_server_cpu);
  const truth::Answer body = truth::body(200, truth::event_json(truth::answer_text(16)));
  for (const int concurrency : {1, 16, 64}) load::compare("one body of 16 tokens", body, false, 1, concurrency, 20'000);
  const truth::Answer stream = truth::stream({.tokens = 128});
  for (const int concurrency : {16, 64}) load::compare("stream, one send per token", stream, true, 128, concurrency, 2'000);
  load::compare("stream, 128 tokens in one send", truth::at_once(stream), true, 128, 16, 4'000);
}

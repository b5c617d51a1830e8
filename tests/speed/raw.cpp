// The cheapest possible client: one thread, one epoll, identical requests, and only the bytes of
// answers are counted. The figures of other clients are reported as multiples of its figures.
//   orch_raw PORT CONCURRENCY REQUESTS HEAD_BYTES ANSWER_BYTES [--stream]
// prints one JSON line: requests per second, CPU seconds of its thread, and TTFT.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fmt::print(stderr, "orch_raw: cannot connect to port {}\n", port);
    std::exit(1);
  }
  return fd;
}

struct Slot {
  int fd = -1;
  std::size_t received = 0;
  std::int64_t sent_ns = 0;
};

double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "orch_raw PORT CONCURRENCY REQUESTS HEAD_BYTES ANSWER_BYTES [--stream]\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::stoi(argv[1]));
  const int concurrency = std::stoi(argv[2]), requests = std::stoi(argv[3]);
  const std::size_t head = std::stoul(argv[4]), answer = std::stoul(argv[5]);
  const std::string body =
      R"({"text_input":"0: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","max_tokens":16,"stream":true,"min_length":16})";
  const std::string request = fmt::format(
      "POST /v2/models/m/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: "
      "application/json\r\nContent-Length: {}\r\n\r\n{}",
      argc > 6 ? "generate_stream" : "generate", port, body.size(), body);
  const int epoll = ::epoll_create1(0);
  std::vector<Slot> slots(static_cast<std::size_t>(concurrency));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].fd = connect_to(port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, slots[i].fd, &event);
  }
  std::vector<char> buffer(128 * 1024);
  std::vector<double> ttft_ms;
  ttft_ms.reserve(static_cast<std::size_t>(requests));
  int sent = 0, done = 0;
  const auto send_one = [&](Slot& slot) {
    if (sent >= requests) return;
    ++sent;
    slot.received = 0;
    slot.sent_ns = now_ns();
    if (::send(slot.fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) std::exit(1);
  };
  const std::int64_t wall = now_ns(), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
  for (Slot& slot : slots) send_one(slot);
  while (done < requests) {
    epoll_event events[256];
    const int ready = ::epoll_wait(epoll, events, 256, -1);
    for (int k = 0; k < ready; ++k) {
      Slot& slot = slots[events[k].data.u64];
      const ssize_t count = ::recv(slot.fd, buffer.data(), buffer.size(), 0);
      if (count <= 0) std::exit(1);
      const std::size_t before = slot.received;
      slot.received += static_cast<std::size_t>(count);
      if (before <= head && slot.received > head)
        ttft_ms.push_back(static_cast<double>(now_ns() - slot.sent_ns) / 1e6);
      if (slot.received < answer) continue;
      ++done;
      send_one(slot);
    }
  }
  const double wall_s = static_cast<double>(now_ns() - wall) / 1e9,
               cpu_s = static_cast<double>(now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / 1e9;
  std::sort(ttft_ms.begin(), ttft_ms.end());
  double sum = 0;
  for (const double one : ttft_ms) sum += one;
  fmt::print("{{\"requests_per_s\":{},\"cpu_s\":{},\"ttft_ms\":{{\"mean\":{},\"p99\":{}}}}}\n",
             requests / wall_s, cpu_s, sum / static_cast<double>(ttft_ms.size()),
             percentile(ttft_ms, 0.99));
  return 0;
}

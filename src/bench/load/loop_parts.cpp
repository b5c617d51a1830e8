#include "bench/load/loop_parts.hpp"

#include "bench/wire/exchange.hpp"

#include <cerrno>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace orch::load {

namespace {

template <std::size_t N> bool is_one_of(int status, const int (&statuses)[N]) {
  return std::ranges::find(statuses, status) != std::end(statuses);
}

RefusalKind grpc_kind(int status) {
  constexpr int k_cancelled = 1, k_unknown = 2, k_deadline_exceeded = 4, k_resource_exhausted = 8,
                k_aborted = 10, k_internal = 13, k_unavailable = 14, k_data_loss = 15;
  if (is_one_of(status, {k_deadline_exceeded, k_resource_exhausted, k_aborted, k_unavailable}))
    return RefusalKind::busy;
  if (is_one_of(status, {k_cancelled, k_unknown, k_internal, k_data_loss}))
    return RefusalKind::internal;
  return RefusalKind::permanent;
}

constexpr double k_period_s = 1;

}  // namespace

Result<std::unique_ptr<EpollTimer>> EpollTimer::make(int epoll, std::uint32_t tag) {
  auto timer = std::make_unique<EpollTimer>();
  timer->fd_ = system::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = tag;
  if (!timer->fd_ || ::epoll_ctl(epoll, EPOLL_CTL_ADD, timer->fd_.get(), &event) != 0)
    return io_error("create", "a timer", errno);
  return timer;
}

Status EpollTimer::arm(std::int64_t at_ns, std::int64_t period_ns) {
  if (period_ns == 0 && at_ns == at_ns_) return {};
  at_ns_ = period_ns == 0 ? at_ns : k_unknown;
  itimerspec when{};
  when.it_value = {.tv_sec = at_ns / 1'000'000'000, .tv_nsec = at_ns % 1'000'000'000};
  when.it_interval = {.tv_sec = period_ns / 1'000'000'000, .tv_nsec = period_ns % 1'000'000'000};
  if (::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    return io_error("start", "a timer", errno);
  return {};
}

std::uint64_t EpollTimer::expired() {
  std::uint64_t count = 0;
  if (at_ns_ != k_unknown) at_ns_ = 0;
  return ::read(fd_.get(), &count, sizeof count) == sizeof count ? count : 0;
}

RefusalKind refusal_kind(int status) {
  if (status > wire::k_grpc_status) return grpc_kind(status - wire::k_grpc_status);
  constexpr int k_request_timeout = 408, k_too_early = 425, k_too_many_requests = 429,
                k_not_implemented = 501, k_bad_gateway = 502, k_service_unavailable = 503,
                k_gateway_timeout = 504, k_version_not_supported = 505, k_server_error = 500;
  if (is_one_of(status, {k_request_timeout, k_too_early, k_too_many_requests, k_bad_gateway,
                         k_service_unavailable, k_gateway_timeout}))
    return RefusalKind::busy;
  if (status < k_server_error || status == k_not_implemented || status == k_version_not_supported)
    return RefusalKind::permanent;
  return RefusalKind::internal;
}

bool lacks_permission(int status) {
  constexpr int k_unauthorized = 401, k_forbidden = 403, k_permission_denied = 7,
                k_unauthenticated = 16;
  return is_one_of(status, {k_unauthorized, k_forbidden, wire::k_grpc_status + k_permission_denied,
                            wire::k_grpc_status + k_unauthenticated});
}

void RefusalWatch::begin(std::size_t slots) {
  *this = {};
  watching_ = true;
  needed_ = std::max(k_least, slots);
}

void RefusalWatch::look(const std::deque<measure::RequestRecord>& records) {
  while (watching_ && judged_ < records.size() && records[judged_].end_ns != 0)
    judge(records[judged_++]);
}

void RefusalWatch::judge(const measure::RequestRecord& record) {
  if (record.ok()) {
    watching_ = false;
    return;
  }
  if (!record.refused || record.has_events() || refusal_kind(record.status) == RefusalKind::busy) {
    in_a_row_ = 0;
    return;
  }
  in_a_row_ = record.status == status_ ? in_a_row_ + 1 : 1;
  status_ = record.status;
  if (in_a_row_ < needed_) return;
  watching_ = false;
  reason_ = fmt::format("gave up after {} requests in a row were refused alike, the last: {}",
                        in_a_row_, record.error);
}

std::string progress_text(const Tally& tally, std::int64_t max_requests, double elapsed_s,
                          double limit_s) {
  // Read in this order, so that `sent` is never less than `ended`.
  const std::int64_t tokens = tally.tokens, failed = tally.failed, ended = tally.ended,
                     sent = tally.sent;
  std::string text = max_requests > 0 ? fmt::format("{} of {} requests", ended, max_requests)
                                      : fmt::format("{} requests", ended);
  if (ended > 0 && elapsed_s > 0)
    text += fmt::format(", {:.3g} req/s", static_cast<double>(ended) / elapsed_s);
  if (tokens > 0 && elapsed_s > 0)
    text += fmt::format(", {:.0f} tok/s", static_cast<double>(tokens) / elapsed_s);
  text += fmt::format(", {} in flight", sent - ended);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  text += fmt::format(", {:.0f} s", elapsed_s);
  if (limit_s > 0) text += fmt::format(" of {:g} s", limit_s);
  return text;
}

PhaseProgress::PhaseProgress(const std::function<void(std::string_view)>& report, std::string label,
                             std::int64_t max_requests, double limit_s)
    : report_(report),
      label_(std::move(label)),
      max_requests_(max_requests),
      limit_s_(limit_s),
      begin_ns_(wire::monotonic_ns()),
      thread_(report ? k_period_s : 0, [this] {
        report_now();
        return true;
      }) {}

void PhaseProgress::report_now() const {
  const double elapsed_s = static_cast<double>(wire::monotonic_ns() - begin_ns_) / 1e9;
  report_(fmt::format("{}: {}", label_, progress_text(tally_, max_requests_, elapsed_s, limit_s_)));
}

std::int64_t PhaseProgress::stop() {
  thread_.stop();
  if (report_ && !std::exchange(stopped_, true)) report_("");
  return thread_.cpu_ns();
}

}  // namespace orch::load

#include "bench/load/stop_requests.hpp"

#include "bench/load/response_reader.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"

#include <deque>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace orch::load {
namespace {

constexpr std::uint32_t k_wake_tag = 0xFFFFFFFF;
constexpr int k_stop_batch = 64;
constexpr int k_overdue_check_ms = 50;
// Concurrent stop requests per server; others wait.
constexpr std::size_t k_most_at_a_time = 256;
// The answer to a stop request has a few bytes.
constexpr std::size_t k_longest_answer_mib = 1;

}  // namespace

// The stop requests of all servers, waiting and in flight. Used by one thread.
class StopRequests::Sender final : private wire::Transport::Listener {
 public:
  // Registers its connections in EPOLL, with tags below k_wake_tag.
  Sender(Options options, int epoll)
      : options_(std::move(options)),
        transport_(make_transport(epoll)),
        reader_({.protocol = options_.protocol, .keep_answers = false, .access = options_.access}),
        waiting_(options_.endpoints.size()),
        free_(options_.endpoints.size()) {}

  void add(std::size_t server, std::uint64_t id) {
    waiting_[server].push_back(id);
    ++outcome_.asked;
  }
  // Call it when no more will be added. Requests that are unanswered at the time limit, counted
  // from the first call, then fail.
  void add_no_more() {
    if (give_up_ns_ == 0) give_up_ns_ = wire::monotonic_ns() + options_.timeout_ns;
  }

  bool is_sending() const { return active_ > 0; }
  bool has_work() const {
    return is_sending() ||
           std::ranges::any_of(waiting_, [](const auto& waiting) { return !waiting.empty(); });
  }
  // Whether exchanges ended since take_ended().
  bool has_ended() const { return !ended_.empty(); }

  void send_waiting() {
    for (std::size_t server = 0; server < waiting_.size(); ++server)
      while (!waiting_[server].empty()) {
        if (free_[server].empty()) {
          if (slots_.size() >= k_most_at_a_time * waiting_.size()) break;
          add_slots();
        }
        const wire::SlotId slot = free_[server].back();
        free_[server].pop_back();
        slots_[slot].exchange.clear();
        slots_[slot].request = options_.protocol->stopper()->stop_request(
            protocol::text_of_id(waiting_[server].front()));
        waiting_[server].pop_front();
        ++active_;
        transport_->start(slot, slots_[slot].request, slots_[slot].exchange);
      }
  }
  void ready(const epoll_event& event) { transport_->ready(event.data.u32, event.events); }
  // Also ends requests that are overdue or whose answers are too long.
  void take_ended() {
    cancel_hopeless();
    for (const wire::SlotId slot : std::exchange(ended_, {})) {
      Reading reading;
      reading.asked_to_stop = true;  // an answer without tokens is not a failure
      reader_.finish(slots_[slot].exchange, reading);
      if (!reading.record.ok()) note_failure(std::move(reading.record.error));
      slots_[slot].request.clear();
      free_[slot % free_.size()].push_back(slot);
      --active_;
    }
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  struct Slot {
    wire::Exchange exchange;
    std::string request;  // "": no request in flight
  };

  void on_end(wire::SlotId slot) override { ended_.push_back(slot); }
  void on_many(wire::SlotId) override {}  // cancel_hopeless() checks

  std::unique_ptr<wire::Transport> make_transport(int epoll) {
    wire::Transport::Listener& listener = *this;
    return wire::make_transport({.epoll_fd = epoll,
                                 .endpoints = options_.endpoints,
                                 .format = options_.protocol->stopper()->stop_wire(),
                                 .access = options_.access},
                                listener);
  }

  // Adds a slot for each server.
  void add_slots() {
    for (std::vector<wire::SlotId>& free : free_) {
      free.push_back(static_cast<wire::SlotId>(slots_.size()));
      slots_.emplace_back();
    }
    transport_->grow(static_cast<wire::SlotId>(slots_.size()));
  }

  // Ends requests that are overdue or whose answers are too long.
  void cancel_hopeless() {
    const std::int64_t now_ns = wire::monotonic_ns();
    const bool given_up = give_up_ns_ > 0 && now_ns > give_up_ns_;
    for (wire::SlotId slot = 0; slot < slots_.size(); ++slot) {
      const auto& [exchange, request] = slots_[slot];
      if (request.empty()) continue;
      if (given_up || now_ns - exchange.sent_ns > options_.timeout_ns)
        transport_->cancel(slot, fmt::format("no answer within {:g} s",
                                             static_cast<double>(options_.timeout_ns) / 1e9));
      else if (exchange.held_bytes() > k_longest_answer_mib << 20)
        transport_->cancel(slot,
                           fmt::format("its answer is longer than {} MiB", k_longest_answer_mib));
    }
    if (!given_up) return;
    for (std::deque<std::uint64_t>& waiting : waiting_) {
      note_failure("it was never sent: too many others were waiting", std::ssize(waiting));
      waiting.clear();
    }
  }

  void note_failure(std::string why, std::int64_t count = 1) {
    if (count > 0 && outcome_.failed == 0) outcome_.first_failure = std::move(why);
    outcome_.failed += count;
  }

  const Options options_;
  const std::unique_ptr<wire::Transport> transport_;
  RecordReader reader_;
  std::vector<std::deque<std::uint64_t>> waiting_;  // per server: ids without a free connection
  std::vector<std::vector<wire::SlotId>> free_;     // per server
  std::deque<Slot> slots_;
  std::vector<wire::SlotId> ended_;
  std::size_t active_ = 0;
  std::int64_t give_up_ns_ = 0;  // 0: more may be added
  Outcome outcome_;
};

StopRequests::StopRequests(Options options)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      sender_(std::make_unique<Sender>(std::move(options), epoll_.get())) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = k_wake_tag;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
  thread_ = std::thread([this] { run(); });
}

StopRequests::~StopRequests() { end(); }

void StopRequests::ask(std::size_t server, std::uint64_t id) {
  {
    const std::scoped_lock lock(mutex_);
    asked_.emplace_back(server, id);
  }
  wake();
}

StopRequests::Outcome StopRequests::end() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  Outcome outcome = sender_->outcome();
  outcome.cpu_ns = cpu_ns_;
  return outcome;
}

void StopRequests::wake() const {
  const std::uint64_t one = 1;
  // Fails only if the counter is full; the thread is then awake.
  static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void StopRequests::run() {
  epoll_event events[k_stop_batch];
  while (take_asked()) {
    sender_->send_waiting();
    const int ready = sender_->has_ended()
                          ? 0
                          : ::epoll_wait(epoll_.get(), events, k_stop_batch,
                                         sender_->is_sending() ? k_overdue_check_ms : -1);
    for (int i = 0; i < ready; ++i) {
      std::uint64_t count = 0;
      if (events[i].data.u32 != k_wake_tag) sender_->ready(events[i]);
      else static_cast<void>(::read(wake_.get(), &count, sizeof count));
    }
    sender_->take_ended();
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

// False: nothing is left to do.
bool StopRequests::take_asked() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [server, id] : asked_) sender_->add(server, id);
  asked_.clear();
  if (!ending_) return true;
  sender_->add_no_more();
  return sender_->has_work();
}

}  // namespace orch::load

// Drives a transport as the load loop does: one epoll, one request per slot, until the condition of
// a test holds.
#pragma once

#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"
#include "os/system/files.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/epoll.h>

namespace orch::wire {

class Driver final : private Transport::Listener {
 public:
  static constexpr std::int64_t k_patience_ns = 20'000'000'000;

  explicit Driver(const std::string& url, const std::string& grpc_method = "", bool events = true,
                  Access access = {})
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    Transport::Listener& self = *this;
    transport_ = make_transport({.epoll_fd = epoll_.get(),
                                 .endpoints = {*resolve(*parse_url(url))},
                                 .format = {.grpc_method = grpc_method, .events = events},
                                 .access = std::move(access)},
                                self);
  }

  // Replaces the transport, for other options.
  void use(TransportOptions options) {
    Transport::Listener& self = *this;
    options.epoll_fd = epoll_.get();
    transport_ = make_transport(std::move(options), self);
  }

  Status open(SlotId slots) { return transport_->open(slots, 5'000); }
  Transport& transport() { return *transport_; }

  Exchange& start(SlotId slot, std::string_view request) {
    if (exchanges_.size() <= slot) exchanges_.resize(slot + 1);
    exchanges_[slot].clear();
    ++in_flight_;
    transport_->start(slot, request, exchanges_[slot]);
    return exchanges_[slot];
  }

  // False: timed out.
  bool run_until(const std::function<bool()>& done) {
    const std::int64_t deadline_ns = monotonic_ns() + k_patience_ns;
    while (!done()) {
      if (monotonic_ns() > deadline_ns) return false;
      turn(10);
    }
    return true;
  }
  bool run_to_end() {
    return run_until([this] { return in_flight_ == 0; });
  }
  // Sends and waits for the end.
  Exchange& exchange(SlotId slot, std::string_view request) {
    Exchange& out = start(slot, request);
    EXPECT_TRUE(run_to_end()) << "the request did not end";
    return out;
  }
  void turn(int wait_ms) {
    epoll_event events[64];
    const int ready = ::epoll_wait(epoll_.get(), events, 64, wait_ms);
    for (int i = 0; i < ready; ++i) transport_->ready(events[i].data.u32, events[i].events);
  }

  // Waits until epoll reports an event, and does not pass it on to the transport.
  void wait_for_more() {
    epoll_event event;
    ::epoll_wait(epoll_.get(), &event, 1, 1'000);
  }

  int in_flight() const { return in_flight_; }
  // Calls LISTENER whenever the transport reports many bytes.
  void listen_for_many(std::function<void()> listener) { on_many_ = std::move(listener); }

 private:
  void on_end(SlotId) override { --in_flight_; }
  void on_many(SlotId) override {
    if (on_many_) on_many_();
  }

  system::Descriptor epoll_;
  std::unique_ptr<Transport> transport_;
  std::deque<Exchange> exchanges_;
  int in_flight_ = 0;
  std::function<void()> on_many_;
};

struct SeenEvent {
  std::string data;
  std::int64_t ns = 0;
  bool coalesced = false;
};

inline std::vector<SeenEvent> events_of(Exchange& exchange) {
  std::vector<SeenEvent> out;
  exchange.take_events([&](std::string_view data, const Exchange::Event& event) {
    out.push_back({std::string(data), event.ns, event.coalesced});
  });
  return out;
}

inline std::vector<std::string> texts_of(Exchange& exchange) {
  std::vector<std::string> out;
  for (const SeenEvent& event : events_of(exchange)) out.push_back(event.data);
  return out;
}

}  // namespace orch::wire

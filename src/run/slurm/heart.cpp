#include "run/slurm/heart.hpp"

#include <poll.h>
#include <sys/eventfd.h>

namespace orch::slurm {

namespace {

constexpr double k_beat_s = 2;

}  // namespace

Heart::Heart(JobFiles files, system::Clock& clock)
    : files_(std::move(files)),
      clock_(clock),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { beat(stop); }) {}

Heart::~Heart() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

void Heart::beat(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    files_.beat(clock_.wall_s());
    pollfd wait{wake_.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(k_beat_s * 1000));
  }
}

}  // namespace orch::slurm

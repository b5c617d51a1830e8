// How far a run is, for the status line.
#pragma once

#include "schedule/active.hpp"
#include "schedule/expect.hpp"
#include "schedule/scheduler.hpp"
#include "schedule/stage_queue.hpp"

namespace orch::schedule {

Progress progress_of(const plan::Plan& plan, const StageQueue& queue,
                     const std::map<std::string, Active>& active, const Expectations& expected,
                     double now_s);

}  // namespace orch::schedule

#include "schedule/run_state.hpp"

namespace orch::schedule {

RunState::RunState(const plan::Plan& of, Tools with, Options how)
    : plan(of),
      tools(std::move(with)),
      options(std::move(how)),
      graph(plan),
      expected(options.expected_s),
      log(tools.journal, tools.clock, tools.observers),
      timers(tools.clock),
      stages(plan, graph,
             [this](Index i, State from, State to, const std::string& why) {
               log.note(StageMoved{stage(i).id, from, to, why, wall()});
             }),
      gpus(tools.gpu_memory, options.chosen_gpus),
      file_work(tools.workers, tools.executor) {}

}  // namespace orch::schedule

// The command of a stage as a script has it: with the words that start its container. Symbols stay.
#pragma once

#include "attempt/layout.hpp"
#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace orch::script {

// How the container of STAGE, which has one, is started. GPUS: those that the stage may use, by
// index or UUID; empty: all. {user} stands for the user and the group of whoever runs the script.
container::Start script_start(const plan::Plan& plan, const plan::Stage& stage,
                              const attempt::Layout& layout, const std::vector<std::string>& gpus);

// The command of STAGE with these words.
std::vector<std::string> contained_argv(const plan::Plan& plan, const plan::Stage& stage,
                                        const attempt::Layout& layout,
                                        const std::vector<std::string>& gpus);

}  // namespace orch::script

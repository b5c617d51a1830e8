// A whole plan as one bash script for people: what `orchestrate run` would do from nothing, by
// hand. Text only: touches no file and starts nothing.
#pragma once

#include "attempt/layout.hpp"
#include "plan/plan.hpp"

#include <string>

namespace orch::script {

// Every stage that a point which may run wants is made, also one that a store already holds; points
// that are rejected or undecided stand in comments. MATRIX_FILE is for the header alone.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const std::string& matrix_file = "");

}  // namespace orch::script

// Forms of sections of runner.yaml, for the tables that refer to each other.
#pragma once

#include "core/base/key_table.hpp"

namespace orch::keys {

extern const Form k_fragments;
extern const Form k_stages;

}  // namespace orch::keys

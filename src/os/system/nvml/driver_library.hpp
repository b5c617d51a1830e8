// Where the libraries of the GPU driver are.
#pragma once

#include <string>
#include <string_view>

namespace orch::system {

// The path of NAME ("libcuda.so.1") in a folder of LD_LIBRARY_PATH or in one where drivers are
// installed; "" where it is in none.
std::string library_of_driver(std::string_view name);

}  // namespace orch::system

// Which failure class an error of our own work on an attempt has: listing and hashing its outputs,
// preparing its folder, starting it. Knows no log and no process.
#pragma once

#include "core/base/result.hpp"

#include <string_view>

namespace orch::attempt {

// The class that the error number of the operating system decides; OTHERWISE when it says too
// little.
std::string_view class_of_number(int number, std::string_view otherwise);
std::string_view class_of(const Error& error, std::string_view otherwise);

// The class of MESSAGE when it is the text of such an error, which older versions recorded under a
// class that blames the program: "cannot open /store/...: Input/output error". Else "".
std::string_view class_of_message(std::string_view message);

}  // namespace orch::attempt

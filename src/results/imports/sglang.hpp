// Telling the files of SGLang's script from those of the scripts that are copies of it, or that it
// is a copy of.
#pragma once

#include <string_view>

namespace orch::imports {

// Whether TEXT, of JSON, has keys that only SGLang's bench_serving writes.
bool has_marks_of_sglang(std::string_view text);

}  // namespace orch::imports

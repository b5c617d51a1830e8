// The entry point of libFuzzer. ORCH_FUZZ_ENTRY is a function of entries.hpp.
#include "fuzz/entries.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orch::fuzz::ORCH_FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
  return 0;
}

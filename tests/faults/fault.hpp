// One fault, as text, and the faults to try for a number of counted calls. Runs nothing.
#pragma once

#include "faults/terms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace orch::faults {

struct Fault {
  std::size_t program = 0;
  Family family = Family::open;
  std::uint64_t n = 1;
  bool ever = false;
  const char* error = "EIO";

  // As ORCH_FAULT takes it.
  std::string text() const {
    return fmt::format("{}:{}:{}:{}:{}", k_programs[program],
                       k_families[static_cast<std::size_t>(family)], n, ever ? "ever" : "once",
                       error);
  }
};

// The calls of one program in one run, by family.
using Counts = std::array<std::uint64_t, k_family_count>;

// The errors that a call of FAMILY has in practice.
inline std::vector<const char*> errors_of(Family family) {
  switch (family) {
    case Family::open: return {"EIO", "EMFILE", "EACCES"};
    case Family::create: return {"ENOSPC", "EROFS"};
    case Family::write: return {"EIO", "ENOSPC"};
    case Family::sync: return {"EIO", "ENOSPC"};
    case Family::rename:
    case Family::mkdir: return {"EIO", "ENOSPC", "EACCES"};
    case Family::unlink: return {"EIO", "EACCES"};
    case Family::map: return {"EIO", "ENOMEM"};
    case Family::cut: return {"EIO", "ENOSPC"};
    case Family::stat: return {"EIO", "EACCES"};
    case Family::read:
    case Family::list: break;
  }
  return {"EIO"};
}

// Every call of FAMILY with every error, once and for ever.
inline std::vector<Fault> all_faults(std::size_t program, Family family, std::uint64_t count) {
  std::vector<Fault> faults;
  for (std::uint64_t n = 1; n <= count; ++n)
    for (const bool ever : {false, true})
      for (const char* error : errors_of(family))
        faults.push_back(
            {.program = program, .family = family, .n = n, .ever = ever, .error = error});
  return faults;
}

// At most TRIED of the calls, evenly spread, once and for ever; the errors take turns.
inline std::vector<Fault> some_faults(std::size_t program, Family family, std::uint64_t count,
                                      std::uint64_t tried) {
  std::vector<Fault> faults;
  const auto errors = errors_of(family);
  tried = std::min(tried, count);
  for (std::uint64_t i = 0; i < tried; ++i)
    for (const bool ever : {false, true})
      faults.push_back({.program = program,
                        .family = family,
                        .n = (2 * i + 1) * count / (2 * tried) + 1,
                        .ever = ever,
                        .error = errors[faults.size() % errors.size()]});
  return faults;
}

}  // namespace orch::faults

// Whether the store's file system has room for another attempt. What is left when it starts is for
// the store itself: its journal must be writable when a stage has filled the disk. Knows no stage.
#pragma once

#include "os/system/files.hpp"

#include <cstdint>
#include <string>

namespace orch::schedule {

// The bytes that attempts may write.
std::uint64_t room_in(const system::FreeSpace& free);

// Why an attempt that writes NEEDED bytes cannot start: "" when it can.
std::string why_no_room(const system::FreeSpace& free, std::uint64_t needed,
                        const std::string& store);

}  // namespace orch::schedule

// What the preloaded library and the tests agree on: the kinds of processes, the families of calls,
// the errors, and the file in which calls are counted. Needs no library at run time.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace orch::faults {

// The word after `orchestrate` on the command line of a process.
inline constexpr const char* k_programs[] = {"run", "guardian", "bench"};
inline constexpr std::size_t k_program_count = sizeof k_programs / sizeof *k_programs;

enum class Family : unsigned {
  open,    // a file or a folder
  create,  // the opens among them that may make a file
  read,
  list,  // an entry of a folder
  write,
  sync,
  rename,  // also links
  mkdir,
  unlink,  // also of folders
  map,
  cut,  // ftruncate, fallocate
  stat,
};
inline constexpr const char* k_families[] = {"open",   "create", "read",   "list", "write", "sync",
                                             "rename", "mkdir",  "unlink", "map",  "cut",   "stat"};
inline constexpr std::size_t k_family_count = sizeof k_families / sizeof *k_families;

struct ErrorName {
  const char* name;
  int number;
};
inline constexpr ErrorName k_errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                                         {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"EROFS", EROFS}};

// Mapped by every process that has the library: a file of zeros at first.
struct State {
  std::atomic<std::uint64_t> calls[k_program_count][k_family_count];
  std::atomic<std::uint64_t> failed;       // calls
  std::atomic<std::int64_t> clock_off_s;   // the wall clock is set so much ahead
  std::atomic<std::uint64_t> clock_reads;  // of the wall clock
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "it is shared by processes");

// The place of WORD in NAMES; their number when it is not there.
template <std::size_t N> std::size_t place_of(const char* word, const char* const (&names)[N]) {
  std::size_t place = 0;
  while (place < N && std::strcmp(names[place], word) != 0) ++place;
  return place;
}

}  // namespace orch::faults

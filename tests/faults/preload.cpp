// A failing disk for chosen processes of orchestrate, loaded with LD_PRELOAD, so that SQLite,
// libcurl and guardians meet the faults, too. A call counts when its file is below a folder; every
// other call passes. Descriptors are looked up in /proc when they are used, so that no state is
// kept across fork, exec, dup and close. No file of the build loads it by itself.
//
//   ORCH_FAULT_FOLDER=DIR          the folder, absolute and without links
//   ORCH_FAULT_STATE=FILE          sizeof(State) bytes, shared by all processes: counts the calls
//   ORCH_FAULT=PROGRAM:FAMILY:N:once:ERROR   the N-th call of FAMILY in processes of PROGRAM fails;
//   ORCH_FAULT=PROGRAM:FAMILY:N:ever:ERROR   it and all later ones fail. Without: counts only
//   ORCH_FAULT_LOG=FILE            a line for each failed call
//
// It also sets the wall clock of these processes, by what ORCH_FAULT_STATE says at each read.
//
// A test shows that each family and each clock is caught (preload_test.cpp).
#include "faults/terms.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

using namespace orch::faults;

namespace {

struct Order {
  std::size_t program = k_program_count;
  std::size_t family = k_family_count;
  std::uint64_t n = 0;
  bool ever = false;
  int error = 0;
};

const char* g_folder = nullptr;
const char* g_log = nullptr;
State* g_state = nullptr;  // null: this process is left alone
std::size_t g_program = k_program_count;
Order g_order;

// Copies the part of TEXT before the next colon to WORD, and moves TEXT behind it.
void take_word(const char*& text, char (&word)[32]) {
  std::size_t size = 0;
  for (; *text && *text != ':'; ++text)
    if (size + 1 < sizeof word) word[size++] = *text;
  word[size] = '\0';
  if (*text == ':') ++text;
}

Order parse(const char* text) {
  Order order;
  char word[32];
  take_word(text, word);
  order.program = place_of(word, k_programs);
  take_word(text, word);
  order.family = place_of(word, k_families);
  take_word(text, word);
  order.n = strtoull(word, nullptr, 10);
  take_word(text, word);
  order.ever = strcmp(word, "ever") == 0;
  take_word(text, word);
  for (const ErrorName& one : k_errors)
    if (strcmp(one.name, word) == 0) order.error = one.number;
  return order;
}

State* map_state(const char* file) {
  const long fd = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const long place =
      syscall(SYS_mmap, nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
  syscall(SYS_close, fd);
  return place == -1 ? nullptr : reinterpret_cast<State*>(place);
}

__attribute__((constructor)) void begin(int argc, char** argv) {
  const char* folder = getenv("ORCH_FAULT_FOLDER");
  const char* state = getenv("ORCH_FAULT_STATE");
  if (!folder || !state || argc < 2) return;
  const char* slash = strrchr(argv[0], '/');
  if (strcmp(slash ? slash + 1 : argv[0], "orchestrate") != 0) return;
  g_program = place_of(argv[1], k_programs);
  if (g_program == k_program_count) return;
  g_folder = folder;
  g_log = getenv("ORCH_FAULT_LOG");
  if (const char* order = getenv("ORCH_FAULT")) g_order = parse(order);
  g_state = map_state(state);
}

bool is_below(const char* path) {
  const std::size_t size = strlen(g_folder);
  return strncmp(path, g_folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

// The path of FD in INTO; false when it has none.
bool path_of(int fd, char (&into)[PATH_MAX]) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link, into, sizeof into - 1);
  into[size < 0 ? 0 : size] = '\0';
  return size > 0;
}

void write_down(Family family, std::uint64_t n, const char* path) {
  const long fd =
      g_log ? syscall(SYS_openat, AT_FDCWD, g_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
            : -1;
  if (fd < 0) return;
  char line[PATH_MAX + 96];
  const int size =
      snprintf(line, sizeof line, "%s %d %s %llu %s\n", k_programs[g_program], getpid(),
               k_families[static_cast<unsigned>(family)], static_cast<unsigned long long>(n), path);
  syscall(SYS_write, fd, line, static_cast<std::size_t>(size));
  syscall(SYS_close, fd);
}

// Counts a call for PATH, and says whether it must fail; then errno is set.
bool counted_fails(Family family, const char* path) {
  const auto place = static_cast<std::size_t>(family);
  const std::uint64_t n = ++g_state->calls[g_program][place];
  if (g_order.program != g_program || g_order.family != place) return false;
  if (g_order.ever ? n < g_order.n : n != g_order.n) return false;
  ++g_state->failed;
  write_down(family, n, path);
  errno = g_order.error;
  return true;
}

// Standard input, output and error are the user's terminal: they pass.
bool fails(Family family, int fd) {
  char path[PATH_MAX];
  const int before = errno;
  if (!g_state || fd <= STDERR_FILENO || !path_of(fd, path) || !is_below(path)) {
    errno = before;
    return false;
  }
  errno = before;
  return counted_fails(family, path);
}

bool fails(Family family, int folder, const char* path) {
  if (!g_state || !path) return false;
  if (*path == '/') return is_below(path) && counted_fails(family, path);
  char whole[PATH_MAX];
  const int before = errno;
  const bool known =
      folder == AT_FDCWD ? syscall(SYS_getcwd, whole, sizeof whole) > 0 : path_of(folder, whole);
  errno = before;
  if (!known || !is_below(whole)) return false;
  const std::size_t size = strlen(whole);
  snprintf(whole + size, sizeof whole - size, "/%s", path);
  return counted_fails(family, whole);
}

bool may_make(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

bool open_fails(int folder, const char* path, int flags) {
  return fails(Family::open, folder, path) ||
         (may_make(flags) && fails(Family::create, folder, path));
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  if (open_fails(folder, path, flags)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

// The function of the C library. Of the calls that are no system calls.
template <class Function> Function* library(Function*& known, const char* name) {
  if (!known) known = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return known;
}
#define ORCH_LIBRARY(name)           \
  static decltype(::name)* g_##name; \
  [[maybe_unused]] __attribute__((constructor)) void find_##name() { library(g_##name, #name); }

ORCH_LIBRARY(fopen)
ORCH_LIBRARY(opendir)
ORCH_LIBRARY(readdir)
ORCH_LIBRARY(fwrite)
ORCH_LIBRARY(fflush)
ORCH_LIBRARY(posix_fallocate)
ORCH_LIBRARY(clock_gettime)

int as_int(long result) { return static_cast<int>(result); }

mode_t mode_of(int flags, va_list more) { return may_make(flags) ? va_arg(more, mode_t) : 0; }

}  // namespace

extern "C" {

// Opening.
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_file(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_file(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int __open_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) {
  return open_file(folder, path, flags, 0);
}
FILE* fopen(const char* path, const char* mode) {
  if (open_fails(AT_FDCWD, path, *mode == 'r' ? 0 : O_CREAT)) return nullptr;
  return library(g_fopen, "fopen")(path, mode);
}
DIR* opendir(const char* path) {
  if (fails(Family::open, AT_FDCWD, path)) return nullptr;
  return library(g_opendir, "opendir")(path);
}

// Reading.
ssize_t read(int fd, void* into, size_t size) {
  return fails(Family::read, fd) ? -1 : syscall(SYS_read, fd, into, size);
}
ssize_t __read_chk(int fd, void* into, size_t size, size_t) { return read(fd, into, size); }
ssize_t pread(int fd, void* into, size_t size, off_t at) {
  return fails(Family::read, fd) ? -1 : syscall(SYS_pread64, fd, into, size, at);
}
ssize_t __pread_chk(int fd, void* into, size_t size, off_t at, size_t) {
  return pread(fd, into, size, at);
}
ssize_t readv(int fd, const iovec* into, int count) {
  return fails(Family::read, fd) ? -1 : syscall(SYS_readv, fd, into, count);
}
dirent* readdir(DIR* folder) {
  if (fails(Family::list, dirfd(folder))) return nullptr;
  return library(g_readdir, "readdir")(folder);
}

// Writing.
ssize_t write(int fd, const void* from, size_t size) {
  return fails(Family::write, fd) ? -1 : syscall(SYS_write, fd, from, size);
}
ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  return fails(Family::write, fd) ? -1 : syscall(SYS_pwrite64, fd, from, size, at);
}
ssize_t writev(int fd, const iovec* from, int count) {
  return fails(Family::write, fd) ? -1 : syscall(SYS_writev, fd, from, count);
}
ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size,
                        unsigned flags) {
  if (fails(Family::write, to)) return -1;
  return syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags);
}
ssize_t sendfile(int to, int from, off_t* at, size_t size) {
  return fails(Family::write, to) ? -1 : syscall(SYS_sendfile, to, from, at, size);
}
size_t fwrite(const void* from, size_t size, size_t count, FILE* to) {
  if (fails(Family::write, fileno(to))) return 0;
  return library(g_fwrite, "fwrite")(from, size, count, to);
}
int fflush(FILE* file) {
  if (file && fails(Family::write, fileno(file))) return EOF;
  return library(g_fflush, "fflush")(file);
}
int fsync(int fd) { return fails(Family::sync, fd) ? -1 : as_int(syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { return fails(Family::sync, fd) ? -1 : as_int(syscall(SYS_fdatasync, fd)); }
int syncfs(int fd) noexcept {
  return fails(Family::sync, fd) ? -1 : as_int(syscall(SYS_syncfs, fd));
}

// Sizes.
int ftruncate(int fd, off_t size) noexcept {
  return fails(Family::cut, fd) ? -1 : as_int(syscall(SYS_ftruncate, fd, size));
}
int truncate(const char* path, off_t size) noexcept {
  return fails(Family::cut, AT_FDCWD, path) ? -1 : as_int(syscall(SYS_truncate, path, size));
}
int fallocate(int fd, int mode, off_t at, off_t size) {
  return fails(Family::cut, fd) ? -1 : as_int(syscall(SYS_fallocate, fd, mode, at, size));
}
int posix_fallocate(int fd, off_t at, off_t size) {
  if (fails(Family::cut, fd)) return errno;
  return library(g_posix_fallocate, "posix_fallocate")(fd, at, size);
}

// Mapping.
void* mmap(void* place, size_t size, int protection, int flags, int fd, off_t at) noexcept {
  if ((flags & MAP_ANONYMOUS) == 0 && fails(Family::map, fd)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, place, size, protection, flags, fd, at));
}

// Names.
int renameat2(int from, const char* old, int to, const char* now, unsigned flags) noexcept {
  if (fails(Family::rename, from, old)) return -1;
  return as_int(syscall(SYS_renameat2, from, old, to, now, flags));
}
int renameat(int from, const char* old, int to, const char* now) noexcept {
  if (fails(Family::rename, from, old)) return -1;
  return as_int(syscall(SYS_renameat, from, old, to, now));
}
int rename(const char* old, const char* now) noexcept {
  return renameat(AT_FDCWD, old, AT_FDCWD, now);
}
int linkat(int from, const char* old, int to, const char* now, int flags) noexcept {
  if (fails(Family::rename, to, now)) return -1;
  return as_int(syscall(SYS_linkat, from, old, to, now, flags));
}
int link(const char* old, const char* now) noexcept {
  return linkat(AT_FDCWD, old, AT_FDCWD, now, 0);
}
int symlinkat(const char* target, int folder, const char* path) noexcept {
  if (fails(Family::rename, folder, path)) return -1;
  return as_int(syscall(SYS_symlinkat, target, folder, path));
}
int symlink(const char* target, const char* path) noexcept {
  return symlinkat(target, AT_FDCWD, path);
}
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  if (fails(Family::mkdir, folder, path)) return -1;
  return as_int(syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  if (fails(Family::unlink, folder, path)) return -1;
  return as_int(syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  const int failed = unlink(path);
  return failed != 0 && errno == EISDIR ? rmdir(path) : failed;
}

// Facts.
int fstatat(int folder, const char* path, struct stat* facts, int flags) noexcept {
  const bool of_folder = *path == '\0' && (flags & AT_EMPTY_PATH) != 0;
  if (of_folder ? fails(Family::stat, folder) : fails(Family::stat, folder, path)) return -1;
  return as_int(syscall(SYS_newfstatat, folder, path, facts, flags));
}
int stat(const char* path, struct stat* facts) noexcept {
  return fstatat(AT_FDCWD, path, facts, 0);
}
int lstat(const char* path, struct stat* facts) noexcept {
  return fstatat(AT_FDCWD, path, facts, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat* facts) noexcept { return fstatat(fd, "", facts, AT_EMPTY_PATH); }
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* facts) noexcept {
  if (fails(Family::stat, folder, path)) return -1;
  return as_int(syscall(SYS_statx, folder, path, flags, mask, facts));
}
int access(const char* path, int mode) noexcept {
  if (fails(Family::stat, AT_FDCWD, path)) return -1;
  return as_int(syscall(SYS_faccessat, AT_FDCWD, path, mode));
}
ssize_t readlink(const char* path, char* into, size_t size) noexcept {
  if (fails(Family::stat, AT_FDCWD, path)) return -1;
  return syscall(SYS_readlinkat, AT_FDCWD, path, into, size);
}

// Clocks.
int clock_gettime(clockid_t id, timespec* at) noexcept {
  const int failed = library(g_clock_gettime, "clock_gettime")(id, at);
  if (failed || !g_state || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return failed;
  ++g_state->clock_reads;
  at->tv_sec += g_state->clock_off_s;
  return 0;
}
int gettimeofday(timeval* at, void*) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *at = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* into) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"

// The same under the names for large files: off_t has 64 bits here.
#define ORCH_ALSO(name, target) __asm__(".globl " #name "\n.set " #name ", " #target)
ORCH_ALSO(open64, open);
ORCH_ALSO(openat64, openat);
ORCH_ALSO(creat64, creat);
ORCH_ALSO(__open64_2, __open_2);
ORCH_ALSO(__openat64_2, __openat_2);
ORCH_ALSO(fopen64, fopen);
ORCH_ALSO(pread64, pread);
ORCH_ALSO(__pread64_chk, __pread_chk);
ORCH_ALSO(readdir64, readdir);
ORCH_ALSO(pwrite64, pwrite);
ORCH_ALSO(sendfile64, sendfile);
ORCH_ALSO(ftruncate64, ftruncate);
ORCH_ALSO(truncate64, truncate);
ORCH_ALSO(fallocate64, fallocate);
ORCH_ALSO(posix_fallocate64, posix_fallocate);
ORCH_ALSO(mmap64, mmap);
ORCH_ALSO(fstatat64, fstatat);
ORCH_ALSO(stat64, stat);
ORCH_ALSO(lstat64, lstat);
ORCH_ALSO(fstat64, fstat);

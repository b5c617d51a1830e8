// without_calls NAME[,NAME...] COMMAND...: runs COMMAND as on a kernel that lacks these system
// calls: they fail with ENOSYS, also in everything that COMMAND starts. Two more names stand for
// refusals: with "namespaces", new user and PID namespaces fail with EPERM; with "cgroups", the
// folder of cgroups is empty and read-only, which takes the right to mount. Ends with 77 where the
// filter or the mount is not allowed.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int k_skipped = 77, k_usage = 64;

struct Call {
  const char* name;
  std::uint32_t number;
};
constexpr std::uint32_t k_clone3 = 435;
// Those that kernels from 4.18 on lack, and those that sandboxes refuse. The new ones have the same
// number everywhere.
constexpr Call k_calls[] = {
    {"clone3", k_clone3},  {"close_range", 436},       {"copy_file_range", SYS_copy_file_range},
    {"epoll_pwait2", 441}, {"faccessat2", 439},        {"openat2", 437},
    {"pidfd_open", 434},   {"pidfd_send_signal", 424}, {"renameat2", SYS_renameat2},
    {"statx", SYS_statx}};

// A program of the kernel's filter, which judges the number of a call.
class Filter {
 public:
  Filter() { load(offsetof(seccomp_data, nr)); }

  void refuse(std::uint32_t number) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    answer(ENOSYS);
  }
  // Refuses a call whose first argument, flags, asks for a namespace.
  void refuse_namespaces(std::uint32_t number) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
    load(offsetof(seccomp_data, args));  // on a little-endian machine its lower half
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWPID, 0, 1));
    answer(EPERM);
    load(offsetof(seccomp_data, nr));
  }
  bool install() {
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{length_, code_};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  static constexpr unsigned short k_most = 256;

  void add(sock_filter one) {
    if (length_ == k_most) std::exit(k_usage);
    code_[length_++] = one;
  }
  void load(std::size_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(int error) {
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  }

  sock_filter code_[k_most] = {};
  unsigned short length_ = 0;
};

[[noreturn]] void end(int status, const char* what) {
  std::perror(what);
  std::exit(status);
}

void close_cgroups() {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", "/sys/fs/cgroup", "tmpfs", MS_RDONLY, nullptr) != 0)
    end(k_skipped, "cannot close the folder of cgroups");
}

// False: NAME is not known.
bool take_away(const char* name, Filter& filter) {
  if (std::strcmp(name, "cgroups") == 0) return close_cgroups(), true;
  if (std::strcmp(name, "namespaces") == 0) {
    for (const std::uint32_t number : {SYS_clone, SYS_unshare}) filter.refuse_namespaces(number);
    filter.refuse(k_clone3);  // its flags are in memory; the C library takes clone() instead
    return true;
  }
  for (const Call& call : k_calls)
    if (std::strcmp(name, call.name) == 0) return filter.refuse(call.number), true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Filter filter;
  bool known = argc > 2;
  if (known)
    for (char* name = std::strtok(argv[1], ","); name && known; name = std::strtok(nullptr, ","))
      known = take_away(name, filter);
  if (!known) {
    std::fputs("usage: without_calls NAME[,NAME...] COMMAND...; the names:", stderr);
    for (const Call& call : k_calls) std::fprintf(stderr, " %s", call.name);
    std::fputs(" namespaces cgroups\n", stderr);
    return k_usage;
  }
  if (!filter.install()) end(k_skipped, "cannot filter system calls");
  ::execvp(argv[2], argv + 2);
  end(k_usage, argv[2]);
}

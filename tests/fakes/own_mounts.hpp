// Mounts that only one test sees.
#pragma once

#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

namespace orch::fakes {

// Calls BODY on a thread with a mount namespace of its own. False: this process may not make one.
template <class Body> bool with_own_mounts(Body body) {
  bool done = false;
  std::thread([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return;
    body();
    done = true;
  }).join();
  return done;
}

inline void bind(const std::string& from, const std::string& to) {
  ASSERT_EQ(::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr), 0) << to;
}

inline void mount_in_memory(const std::string& folder) {
  ASSERT_EQ(::mount("none", folder.c_str(), "tmpfs", 0, "size=1m"), 0) << folder;
}

}  // namespace orch::fakes

#define ORCH_WITH_OWN_MOUNTS(...)                 \
  if (!orch::fakes::with_own_mounts(__VA_ARGS__)) \
  GTEST_SKIP() << "this process may not make a mount namespace"

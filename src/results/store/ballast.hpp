// A file without meaning that takes a little of the disk, so that its removal makes room for the
// end of what is under way once other programs have filled the disk. Private to src/results/store.
#pragma once

#include "results/store/layout.hpp"
#include "os/system/files.hpp"

#include <string>

namespace orch::store {

class Ballast {
 public:
  // FILES must outlive it.
  Ballast(system::Files& files, const Layout& layout)
      : files_(files), root_(layout.root.string()), path_(layout.ballast().string()) {}

  // Makes the file where it is missing and the disk has plenty of space. It may fail: the file is a
  // precaution.
  void keep();
  // Removes the file. Whether there was one.
  bool release();
  // The same if the disk is nearly full.
  void release_if_low();

 private:
  system::Files& files_;
  std::string root_, path_;
};

// Whether ERROR says that the disk, or the quota of this user, is full.
bool is_full(const Error& error);

}  // namespace orch::store

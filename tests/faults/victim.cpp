// Makes one call of each family in a folder, twice, and prints how each ended and what clocks say.
// Stands for a process of orchestrate in the tests of the preloaded library.
//   victim PROGRAM FOLDER
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

void say(const char* family, bool succeeded) {
  std::printf("%s %s\n", family, succeeded ? "ok" : std::strerror(errno));
}

void list(const std::string& folder) {
  DIR* names = ::opendir(folder.c_str());
  errno = 0;
  const bool read = names && ::readdir(names);
  say("list", read);
  if (names) ::closedir(names);
}

void use(int file) {
  char byte = 'x';
  say("write", ::write(file, &byte, 1) == 1);
  say("read", ::pread(file, &byte, 1, 0) == 1);
  say("sync", ::fsync(file) == 0);
  say("cut", ::ftruncate(file, 4096) == 0);
  void* place = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  say("map", place != MAP_FAILED);
  if (place != MAP_FAILED) ::munmap(place, 4096);
}

void make_calls(const std::string& folder, const char* sub_name) {
  const std::string file = folder + "/file", other = folder + "/other", sub = folder + sub_name;
  const int made = ::open(file.c_str(), O_RDWR | O_CREAT, 0644);
  say("create", made >= 0);
  const int again = ::open(file.c_str(), O_RDWR);
  say("open", again >= 0);
  use(made >= 0 ? made : again);
  struct stat facts {};
  say("stat", ::stat(file.c_str(), &facts) == 0);
  list(folder);
  say("mkdir", ::mkdir(sub.c_str(), 0755) == 0);
  say("rename", std::rename(file.c_str(), other.c_str()) == 0);
  say("unlink", ::unlink(other.c_str()) == 0);
  ::close(made);
  ::close(again);
}

// Each of them in seconds.
void say_clocks() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  timespec steady{};
  ::clock_gettime(CLOCK_MONOTONIC, &steady);
  const auto seconds = std::chrono::system_clock::now().time_since_epoch();
  std::printf("clocks %lld %lld %lld %lld\n", static_cast<long long>(std::time(nullptr)),
              static_cast<long long>(now.tv_sec),
              static_cast<long long>(std::chrono::floor<std::chrono::seconds>(seconds).count()),
              static_cast<long long>(steady.tv_sec));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  make_calls(argv[2], "/sub1");
  make_calls(argv[2], "/sub2");
  say_clocks();
  return 0;
}

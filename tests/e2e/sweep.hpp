// Drives the real binary in a temporary folder: write a matrix, run it, query the database.
#pragma once

#include "os/system/process.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::e2e {

using Json = nlohmann::json;

// A port of the loopback that nothing listens on.
inline int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

struct Finished {
  int code = -1;
  std::string out;  // stdout
  std::string err;
};

class Sweep {
 public:
  Sweep() {
    char name[] = "/tmp/orchestrate-e2e-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  // Kept with ORCH_KEEP=1, for inspection after a failure.
  ~Sweep() {
    if (std::getenv("ORCH_KEEP")) fmt::print(stderr, "kept: {}\n", folder_);
    else std::filesystem::remove_all(folder_);
  }

  const std::string& folder() const { return folder_; }
  std::string store() const { return folder_ + "/results"; }

  Sweep& write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return *this;
  }

  // Runs the binary with ARGS in the folder and waits for it.
  Finished orchestrate(const std::vector<std::string>& args) {
    std::vector<std::string> words = {ORCH_BINARY};
    words.insert(words.end(), args.begin(), args.end());
    return run(words);
  }

  Finished run(const std::vector<std::string>& argv) {
    Started started = start_program(argv);
    return finish(started);
  }

  // A process that runs in the background.
  struct Started {
    int pid = 0;
    std::string out, err;  // files
  };

  Started start(const std::vector<std::string>& args) {
    std::vector<std::string> words = {ORCH_BINARY};
    words.insert(words.end(), args.begin(), args.end());
    return start_program(words);
  }

  Started start_program(const std::vector<std::string>& argv) {
    Started started{.pid = 0,
                    .out = fmt::format("{}/.stdout{}", folder_, ++programs_),
                    .err = fmt::format("{}/.stderr{}", folder_, programs_)};
    started.pid = ::fork();
    if (started.pid != 0) return started;
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(started.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
    ::dup2(::open(started.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }

  Finished finish(const Started& started) {
    int status = 0;
    ::waitpid(started.pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(started.out), read(started.err)};
  }

  std::string stderr_of(const Started& started) { return read(started.err); }

  // Polls until CONDITION holds; the time limit of the test program bounds the wait.
  template <class Condition> void wait_until(Condition condition) {
    while (!condition()) ::poll(nullptr, 0, 10);
  }

  // The rows of SQL as an array of objects.
  Json query(const std::string& sql) {
    const Finished done = orchestrate({"query", sql, "--format", "json"});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out, nullptr, false);
  }
  // The one value of a query of one row and one column.
  Json value(const std::string& sql) {
    const Json rows = query(sql);
    return rows.size() == 1 && rows[0].size() == 1 ? rows[0].begin().value()
                                                   : Json("not one value: " + rows.dump());
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  int programs_ = 0;
  std::string folder_;
};

}  // namespace orch::e2e

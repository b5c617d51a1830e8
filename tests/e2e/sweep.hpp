// Drives the real binary in a folder of its own: write a matrix, run, ask the database.
#pragma once

#include "system/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace orch::e2e {

using Json = nlohmann::json;

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
  // Kept with ORCH_KEEP=1, to look at after a failure.
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
    std::string command = "cd " + quoted(folder_) + " && exec";
    for (const std::string& word : argv) command += " " + quoted(word);
    const std::string out = folder_ + "/.stdout", err = folder_ + "/.stderr";
    const int status = std::system((command + " >" + out + " 2>" + err + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
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
    return rows.size() == 1 && rows[0].size() == 1 ? rows[0].begin().value() : Json("not one value: " + rows.dump());
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  static std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  std::string folder_;
};

}  // namespace orch::e2e

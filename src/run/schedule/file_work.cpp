#include "run/schedule/file_work.hpp"

#include <cassert>

namespace orch::schedule {

FileWork::~FileWork() {
  for (auto& [token, one] : all_) one.work.stop();
  all_.clear();
}

void FileWork::start(const std::string& token, Work work) {
  const auto [entry, is_new] = all_.try_emplace(token, workers_);
  assert(is_new);
  One& one = entry->second;
  one.running = workers_.start([this, &one, token, work = std::move(work)] {
    one.next = work(one.work);
    {
      const std::lock_guard lock(mutex_);
      done_.push_back(token);
    }
    executor_.wake();
  });
}

void FileWork::settle() {
  std::vector<std::string> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const std::string& token : done) {
    const Next next = std::move(all_.at(token).next);
    all_.erase(token);
    next();
  }
  if (!all_.empty()) return;
  for (const Next& next : std::exchange(when_empty_, {})) next();
}

bool FileWork::has_done() {
  const std::lock_guard lock(mutex_);
  return !done_.empty();
}

void FileWork::stop(const std::string& token) {
  if (const auto found = all_.find(token); found != all_.end()) found->second.work.stop();
}

const system::LongWork* FileWork::find(const std::string& token) const {
  const auto found = all_.find(token);
  return found == all_.end() ? nullptr : &found->second.work;
}

}  // namespace orch::schedule

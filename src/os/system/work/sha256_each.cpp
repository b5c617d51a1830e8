#include "os/system/work/sha256_each.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>

namespace orch::system {

namespace {

constexpr std::uint64_t k_worth_a_thread = 4 << 20;  // bytes
constexpr std::chrono::milliseconds k_watch{100};

std::uint64_t bytes_of(const std::vector<FileToHash>& list) {
  std::uint64_t bytes = 0;
  for (const FileToHash& file : list) bytes += file.bytes;
  return bytes;
}

std::vector<std::size_t> largest_first(const std::vector<FileToHash>& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return list[a].bytes > list[b].bytes; });
  return order;
}

}  // namespace

std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        LongWork& work) {
  const std::uint64_t bytes = bytes_of(list);
  work.expect(bytes);
  std::vector<Result<Digest>> digests(list.size(), Digest());
  const std::vector<std::size_t> order = largest_first(list);
  std::atomic<std::size_t> next = 0;
  const auto hash_some = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++)
      digests[order[i]] = files.sha256(list[order[i]].path, work);
  };
  std::vector<std::unique_ptr<Workers::Running>> helping;
  if (Workers* helpers = work.helpers()) {
    const std::size_t most = std::min<std::uint64_t>(list.size(), 1 + bytes / k_worth_a_thread);
    while (helping.size() + 1 < std::min(most, helpers->cores()))
      helping.push_back(helpers->start(hash_some));
  }
  hash_some();
  helping.clear();
  return digests;
}

std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        const WatchedHashing& how) {
  LongWork work(&how.workers);
  if (bytes_of(list) < k_worth_a_thread) return sha256_each(files, list, work);
  std::vector<Result<Digest>> digests;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  auto running = how.workers.start([&] {
    digests = sha256_each(files, list, work);
    const std::lock_guard lock(mutex);
    is_over = true;
    ended.notify_one();
  });
  std::unique_lock lock(mutex);
  do {
    lock.unlock();
    if (!how.go_on(work)) work.stop();
    lock.lock();
  } while (!ended.wait_for(lock, k_watch, [&] { return is_over; }));
  lock.unlock();
  running.reset();
  how.over();
  return digests;
}

}  // namespace orch::system

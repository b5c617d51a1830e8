// A benchmark: how fast files are hashed, next to hashing in memory alone, which `openssl speed
// -evp sha256` measures. One file, several files, and a sparse one. `bench_hash FOLDER [MIB]`:
// FOLDER gets a file of MIB per core; they should fit into memory.
#include "core/base/text.hpp"
#include "os/system/work/long_work.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <random>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

namespace {

using namespace orch;
using namespace orch::system;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr std::size_t k_block = 16 << 10;  // as `openssl speed`
constexpr int k_rounds = 5;

// What the machine's other work disturbs, and what it does not.
struct Rate {
  double mb_per_s = 0, mb_per_cpu_s = 0;

  void keep_best(const Rate& other) {
    mb_per_s = std::max(mb_per_s, other.mb_per_s);
    mb_per_cpu_s = std::max(mb_per_cpu_s, other.mb_per_cpu_s);
  }
};

// Of WORK, which returns the bytes that it has hashed.
Rate rate_of(const std::function<double()>& work) {
  const double from_s = seconds_of(CLOCK_MONOTONIC), cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double mb = work() / 1e6;
  return {mb / (seconds_of(CLOCK_MONOTONIC) - from_s),
          mb / (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_s)};
}

double hash_memory() {
  static constexpr int k_blocks = 1 << 16;
  const std::string block(k_block, 'x');
  Sha256 hash;
  for (int i = 0; i < k_blocks; ++i) hash.update(block);
  hash.finish();
  return k_blocks * double{k_block};
}

// By as many threads as there are cores.
double hash_memory_on_all_cores(Workers& workers) {
  std::vector<double> bytes(workers.cores());
  std::vector<std::unique_ptr<Workers::Running>> running;
  for (double& one : bytes) running.push_back(workers.start([&one] { one = hash_memory(); }));
  running.clear();
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

double hash_files(const std::vector<FileToHash>& list, Workers* helpers) {
  RealFiles files;
  LongWork work(helpers);
  for (const auto& digest : sha256_each(files, list, work))
    if (!digest) fmt::print(stderr, "{}\n", digest.error().text());
  return static_cast<double>(work.done_bytes());
}

void write_random(const std::string& path, std::size_t mib) {
  std::mt19937_64 random{7};
  std::ofstream out(path, std::ios::binary);
  std::vector<std::uint64_t> block((1 << 20) / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < mib; ++i) {
    for (std::uint64_t& word : block) word = random();
    out.write(reinterpret_cast<const char*>(block.data()), 1 << 20);
  }
}

// The best of some rounds in turn, because others use the machine, too.
struct Row {
  std::string name;
  std::function<double()> files, memory;
  Rate best_files = {}, best_memory = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: bench_hash FOLDER [MIB]\n"), 2;
  const std::size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1024;
  RealWorkers workers;
  std::vector<FileToHash> list;
  for (std::size_t i = 0; i < workers.cores(); ++i) {
    list.push_back({fmt::format("{}/bench-hash-{}", argv[1], i), std::uint64_t{mib} << 20});
    write_random(list.back().path, mib);
  }
  const FileToHash sparse{std::string(argv[1]) + "/bench-hash-sparse", std::uint64_t{4} << 30};
  std::ofstream(sparse.path).close();
  if (::truncate(sparse.path.c_str(), static_cast<off_t>(sparse.bytes)) != 0) return 1;
  std::vector<Row> rows = {
      {"one file", [&] { return hash_files({list.front()}, &workers); }, hash_memory},
      {fmt::format("{} files, all cores", list.size()), [&] { return hash_files(list, &workers); },
       [&] { return hash_memory_on_all_cores(workers); }},
      {"a sparse file", [&] { return hash_files({sparse}, &workers); }, hash_memory}};
  for (int round = 0; round < k_rounds; ++round)
    for (Row& row : rows) {
      row.best_files.keep_best(rate_of(row.files));
      row.best_memory.keep_best(rate_of(row.memory));
    }
  TextTable table({"what", "MB/s", "in memory", "share", "MB/CPU s", "in memory", "share"});
  const auto add = [](std::vector<std::string>& cells, double files, double memory) {
    cells.push_back(fmt::format("{:.0f}", files));
    cells.push_back(fmt::format("{:.0f}", memory));
    cells.push_back(fmt::format("{:.0f} %", 100 * files / memory));
  };
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.name};
    add(cells, row.best_files.mb_per_s, row.best_memory.mb_per_s);
    add(cells, row.best_files.mb_per_cpu_s, row.best_memory.mb_per_cpu_s);
    table.add(cells);
  }
  fmt::print("{}", table.text());
  for (const FileToHash& file : list) ::unlink(file.path.c_str());
  ::unlink(sparse.path.c_str());
  return 0;
}

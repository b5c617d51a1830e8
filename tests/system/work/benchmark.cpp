// A benchmark: how fast files are hashed, next to hashing in memory alone, which `openssl speed
// -evp sha256` measures. One file, several files, and a sparse one. `bench_hash FOLDER [MIB]`:
// FOLDER gets a file of MIB per core; they should fit into memory.
#include "base/text.hpp"
#include "system/work/sha256_each.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

namespace {

using namespace orch;
using namespace orch::system;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::size_t k_block = 16 << 10;  // as `openssl speed`
constexpr int k_rounds = 5;

double memory_mb_per_s() {
  static constexpr int k_blocks = 1 << 16;
  const std::string block(k_block, 'x');
  Sha256 hash;
  const double from = now_s();
  for (int i = 0; i < k_blocks; ++i) hash.update(block);
  hash.finish();
  return k_blocks * double{k_block} / (now_s() - from) / 1e6;
}

// Of as many threads as there are cores.
double memory_on_all_cores(Workers& workers) {
  std::vector<double> each(workers.cores());
  std::vector<std::unique_ptr<Workers::Running>> running;
  for (double& one : each) running.push_back(workers.start([&one] { one = memory_mb_per_s(); }));
  running.clear();
  double sum = 0;
  for (const double one : each) sum += one;
  return sum;
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

double files_mb_per_s(const std::vector<FileToHash>& list, Workers* helpers) {
  RealFiles files;
  LongWork work(helpers);
  const double from = now_s();
  for (const auto& digest : sha256_each(files, list, work))
    if (!digest) fmt::print(stderr, "{}\n", digest.error().text());
  return static_cast<double>(work.done_bytes()) / (now_s() - from) / 1e6;
}

// The best of some rounds in turn, because others use the machine, too.
struct Row {
  std::string name;
  std::function<double()> files, memory;
  double best_files = 0, best_memory = 0;
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
      {"one file", [&] { return files_mb_per_s({list.front()}, &workers); }, memory_mb_per_s},
      {fmt::format("{} files, all cores", list.size()),
       [&] { return files_mb_per_s(list, &workers); },
       [&] { return memory_on_all_cores(workers); }},
      {"a sparse file", [&] { return files_mb_per_s({sparse}, &workers); }, memory_mb_per_s}};
  for (int round = 0; round < k_rounds; ++round)
    for (Row& row : rows) {
      row.best_files = std::max(row.best_files, row.files());
      row.best_memory = std::max(row.best_memory, row.memory());
    }
  TextTable table({"what", "MB/s", "in memory MB/s", "share"});
  for (const Row& row : rows)
    table.add({row.name, fmt::format("{:.0f}", row.best_files),
               fmt::format("{:.0f}", row.best_memory),
               fmt::format("{:.0f} %", 100 * row.best_files / row.best_memory)});
  fmt::print("{}", table.text());
  for (const FileToHash& file : list) ::unlink(file.path.c_str());
  ::unlink(sparse.path.c_str());
  return 0;
}

#include "fakes/fake_workers.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/memory_files.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/work/long_work.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::system {
namespace sha256_each_test {

class Sha256Each : public testing::Test {
 protected:
  // Files in memory, of which LIST says the sizes SIZES.
  std::vector<FileToHash> list(const std::vector<std::uint64_t>& sizes) {
    std::vector<FileToHash> list;
    for (const std::uint64_t bytes : sizes) {
      list.push_back({fmt::format("/{}", list.size()), bytes});
      memory.files[list.back().path] = "content of " + list.back().path;
    }
    return list;
  }

  fakes::MemoryFiles memory;
  fakes::FaultyFiles files{memory};
  fakes::FakeWorkers workers;
};

TEST_F(Sha256Each, HashesTheLargestFirstAndReturnsTheOrderOfTheList) {
  std::vector<std::string> order;
  files.fault = [&](std::string_view, const std::string& path) {
    order.push_back(path);
    return Status();
  };
  LongWork work;
  const auto digests = sha256_each(files, list({5, 70, 6, 70}), work);
  EXPECT_EQ(order, (std::vector<std::string>{"/1", "/3", "/2", "/0"}));
  for (std::size_t i = 0; i < digests.size(); ++i)
    EXPECT_EQ(digests[i].value(), orch::sha256(fmt::format("content of /{}", i)));
  EXPECT_EQ(work.expected_bytes(), 151u);
}

TEST_F(Sha256Each, AnErrorIsThatOfItsFile) {
  const auto all = list({1, 2, 3});
  memory.files.erase("/1");
  LongWork work;
  const auto digests = sha256_each(files, all, work);
  EXPECT_TRUE(digests[0]);
  EXPECT_EQ(digests[1].error().kind, ErrorKind::not_found);
  EXPECT_TRUE(digests[2]);
}

TEST_F(Sha256Each, AsManyThreadsWorkAsThereAreCoresAndFilesAndBytes) {
  static constexpr std::uint64_t k_large = std::uint64_t{1} << 30;
  struct Case {
    std::vector<std::uint64_t> sizes;
    std::size_t cores, helpers;
  };
  for (const Case& one :
       {Case{{k_large, k_large, k_large}, 8, 2}, Case{{k_large, k_large, k_large}, 2, 1},
        Case{{k_large}, 8, 0}, Case{{1, 1, 1, 1}, 8, 0}, Case{{}, 8, 0}}) {
    workers.started = 0;
    workers.width = one.cores;
    LongWork work(&workers);
    EXPECT_EQ(sha256_each(files, list(one.sizes), work).size(), one.sizes.size());
    EXPECT_EQ(workers.started, one.helpers);
  }
}

TEST_F(Sha256Each, ThreadsShareTheFiles) {
  RealFiles real;
  RealWorkers threads;
  fakes::TempFolder folder;
  std::vector<FileToHash> list;
  for (int i = 0; i < 40; ++i) {
    list.push_back({folder.file(std::to_string(i)), std::uint64_t{1} << 20});
    std::ofstream(list.back().path) << std::string((1 << 20) + i, 'x');
  }
  LongWork work(&threads);
  const auto digests = sha256_each(real, list, work);
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_EQ(digests[i].value(), orch::sha256(std::string((1 << 20) + i, 'x')));
}

TEST_F(Sha256Each, AWatchSeesTheWorkAndCanEndIt) {
  RealFiles real;
  RealWorkers threads;
  fakes::TempFolder folder;
  const std::string path = folder.file("large");
  std::ofstream(path) << "x";
  ASSERT_EQ(::truncate(path.c_str(), off_t{63} << 30), 0);  // half a minute of work
  std::uint64_t expected = 0;
  bool is_over = false;
  const auto digests = sha256_each(real, {{path, 1u << 30}, {path, 1}},
                                   {.workers = threads,
                                    .go_on =
                                        [&](const LongWork& work) {
                                          expected = work.expected_bytes();
                                          return expected == 0;  // until it has begun
                                        },
                                    .over = [&] { is_over = true; }});
  EXPECT_EQ(expected, (1u << 30) + 1);
  EXPECT_TRUE(is_over);
  EXPECT_EQ(digests[0].error().kind, ErrorKind::interrupted);
  EXPECT_EQ(digests[1].error().kind, ErrorKind::interrupted);
}

TEST_F(Sha256Each, AWatchThatGoesOnGetsTheDigests) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
    int calls = 0;
    const auto digests = sha256_each(files, list({1, bytes}),
                                     WatchedHashing{.workers = workers,
                                                    .go_on =
                                                        [&](const LongWork&) {
                                                          ++calls;
                                                          return true;
                                                        },
                                                    .over = [] {}});
    EXPECT_EQ(digests[1].value(), orch::sha256("content of /1"));
    EXPECT_EQ(calls, bytes > 1 ? 1 : 0);
  }
}

}  // namespace sha256_each_test
}  // namespace orch::system

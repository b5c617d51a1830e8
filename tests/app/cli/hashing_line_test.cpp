#include "app/cli/progress/progress.hpp"
#include "fakes/fake_workers.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::cli {
namespace hashing_line_test {

// What a line of the form FORM prints while USE uses it.
std::string printed(Screen form, const std::function<void(HashingLine&)>& use) {
  char* text = nullptr;
  std::size_t size = 0;
  form.stream = ::open_memstream(&text, &size);
  {
    HashingLine line("hashing inputs", form);
    use(line);
  }
  std::fclose(form.stream);
  std::string all(text, size);
  std::free(text);
  return all;
}

TEST(HashingLine, IsRedrawnOnATerminalAndErased) {
  const auto use = [](HashingLine& line) {
    line.show(0, 0);
    line.show(3 << 20, std::uint64_t{5} << 40);
    line.erase();
    line.erase();
    line.show(1, 2);
  };
  EXPECT_EQ(printed({.terminal = true, .columns = 80}, use),
            "\r\x1b[Khashing inputs: 3.0 MiB of 5.0 TiB\r\x1b[K\r\x1b[Khashing inputs: 1 B of 2 "
            "B\r\x1b[K");
  EXPECT_EQ(printed({.terminal = false, .columns = 80}, use), "");
}

TEST(HashingLine, FitsTheTerminal) {
  EXPECT_EQ(printed({.terminal = true, .columns = 10}, [](HashingLine& line) { line.show(1, 2); }),
            "\r\x1b[Khashing i\r\x1b[K");
}

TEST(HashingLine, ShowsHashing) {
  EXPECT_EQ(printed({.terminal = true, .columns = 80},
                    [](HashingLine& line) {
                      fakes::FakeWorkers workers;
                      const system::WatchedHashing how = line.shown(workers);
                      system::LongWork work;
                      work.expect(2);
                      EXPECT_TRUE(how.go_on(work));
                      how.over();
                    }),
            "\r\x1b[Khashing inputs: 0 B of 2 B\r\x1b[K");
}

}  // namespace hashing_line_test
}  // namespace orch::cli

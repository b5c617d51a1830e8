// Texts packed and unpacked, whole and line by line.
#include "core/sql/packed.hpp"

#include "fakes/temp_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace orch {
namespace packed_test {

TEST(Packed, is_small_and_unpacks_to_the_same_text) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("line {}\n", i % 97);
  const std::string packed = pack(text);
  EXPECT_LT(packed.size(), text.size() / 50);
  EXPECT_EQ(unpack(packed, text.size()).value(), text);
  EXPECT_EQ(unpack(pack(""), 0).value(), "");
  EXPECT_EQ(unpack(pack(std::string("a\0b", 3)), 3).value(), std::string("a\0b", 3));
}

TEST(Packed, concatenated_frames_unpack_to_concatenated_texts) {
  EXPECT_EQ(unpack(pack("one ") + pack("two"), 100).value(), "one two");
}

TEST(Packed, unpacking_stops_at_the_size_limit) {
  EXPECT_EQ(unpack(pack(std::string(1'000'000, 'x')), 999'999).error().message,
            "unpacks to more than 999999 bytes");
  EXPECT_EQ(unpack(pack("ab"), 1).error().message, "unpacks to more than 1 bytes");
}

TEST(Packed, invalid_or_truncated_data_is_an_error) {
  std::string text(1000, 'x');
  text += "end";
  const std::string packed = pack(text);
  EXPECT_EQ(unpack("text", 100).error().message, "cannot be unpacked: Unknown frame descriptor");
  EXPECT_EQ(unpack("", 100).error().message, "cannot be unpacked: it is truncated");
  for (std::size_t size = 1; size < packed.size(); ++size)
    EXPECT_FALSE(unpack(packed.substr(0, size), 10'000).ok()) << size;
}

// Every line of the packed BYTES; an error follows as the last line.
std::vector<std::string> lines_of(const std::string& bytes, std::size_t longest = 1'000'000,
                                  std::size_t most = 10'000'000) {
  const auto source = [&](std::uint64_t offset, std::size_t size) -> Result<std::string> {
    return bytes.substr(offset, size);
  };
  PackedLines lines(source, longest, most);
  std::vector<std::string> out;
  for (std::string line;;) {
    const auto more = lines.next(line);
    if (!more.ok()) return out.push_back(more.error().message), out;
    if (!*more) return out;
    out.push_back(line + (lines.cut() ? "..." : ""));
  }
}

TEST(PackedLines, are_the_lines_of_the_text) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of(pack("")), Lines{});
  EXPECT_EQ(lines_of(pack("one\n\ntwo")), (Lines{"one", "", "two"}));
  EXPECT_EQ(lines_of(pack("one\ntw") + pack("o\n")), (Lines{"one", "two"}));
  EXPECT_EQ(lines_of(pack("12345\n1234\n123456789\n1"), 4),
            (Lines{"1234...", "1234", "1234...", "1"}));
  std::string text;
  Lines expected;
  for (int i = 0; i < 40'000; ++i)
    expected.push_back(
        std::string(static_cast<std::size_t>(i % 400), static_cast<char>('a' + i % 26))),
        text += expected.back() + '\n';
  EXPECT_EQ(lines_of(pack(text)), expected);
}

TEST(PackedLines, end_with_an_error_at_invalid_data) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of("text"), Lines{"cannot be unpacked: Unknown frame descriptor"});
  EXPECT_EQ(lines_of(""), Lines{"cannot be unpacked: it is truncated"});
  EXPECT_EQ(lines_of(pack("one\n") + pack("two").substr(0, 5)),
            (Lines{"one", "cannot be unpacked: it is truncated"}));
  EXPECT_EQ(lines_of(pack(std::string(1'000'000, 'x')), 10, 999'999).back(),
            "unpacks to more than 999999 bytes");
  std::string line;
  const auto source = [](std::uint64_t, std::size_t) -> Result<std::string> {
    return io_error("read", "/nowhere/lines.zst", ENOENT);
  };
  EXPECT_EQ(PackedLines(source, 1, 1).next(line).error().message,
            "cannot read /nowhere/lines.zst: No such file or directory");
}

TEST(Packing, packs_parts_as_a_whole) {
  Packing packing;
  std::string packed, text;
  for (int i = 0; i < 100'000; ++i) {
    const std::string part = fmt::format("line {}\n", i % 97);
    packed += packing.add(part);
    text += part;
  }
  packed += packing.finish();
  EXPECT_LT(packed.size(), text.size() / 50);
  EXPECT_EQ(unpack(packed, text.size()).value(), text);
  EXPECT_EQ(unpack(Packing().finish(), 0).value(), "");
}

TEST(Unpacking, gives_the_text_part_by_part) {
  const std::string text(1'000'000, 'x'), packed = pack(text);
  const auto source = [&](std::uint64_t offset, std::size_t size) -> Result<std::string> {
    return packed.substr(offset, size);
  };
  Unpacking unpacking(source, text.size());
  std::string out;
  for (auto part = unpacking.next(); !part.value().empty(); part = unpacking.next()) out += *part;
  EXPECT_EQ(out, text);
  Unpacking limited(source, 10);
  EXPECT_EQ(limited.next().error().message, "unpacks to more than 10 bytes");
}

}  // namespace packed_test
}  // namespace orch

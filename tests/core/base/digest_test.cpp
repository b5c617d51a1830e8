// Golden digests, computed with other tools, and lists whose encodings must differ.
#include "core/base/digest.hpp"

#include <set>

#include <gtest/gtest.h>

namespace orch {
namespace digest_test {

Digest digest_of(const std::vector<Component>& list) {
  Components components;
  for (const Component& component : list) components.add(component.name, component.value);
  return components.digest();
}

TEST(Digest, is_sha256) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, of_pieces_is_the_digest_of_the_whole) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  hash.update("bc");
  EXPECT_EQ(hash.finish(), sha256("abc"));
}

TEST(Digest, of_components_covers_lengths_and_bytes) {
  EXPECT_EQ(digest_of({{"name", "value"}}).hex(),
            "f15e7931591b67435f7cf1d38b2699cb9af24fcf15fba6b4cf1a2cbd683ddf3e");
  EXPECT_EQ(digest_of({}), sha256(""));
}

TEST(Digest, differs_between_different_lists_of_components) {
  const std::vector<std::vector<Component>> lists = {
      {},
      {{"", ""}},
      {{"", ""}, {"", ""}},
      {{"ab", "c"}},
      {{"a", "bc"}},
      {{"abc", ""}},
      {{"", "abc"}},
      {{"a", "b"}, {"c", "d"}},
      {{"c", "d"}, {"a", "b"}},
      {{"a", std::string("b\1\0\0\0\0\0\0\0c\1\0\0\0\0\0\0\0d", 19)}},
      {{"a", std::string(1, '\0')}},
      {{"a", "\n"}},
  };
  std::set<Digest> digests;
  for (const auto& list : lists) digests.insert(digest_of(list));
  EXPECT_EQ(digests.size(), lists.size());
}

TEST(Digest, is_parsed_from_its_hexadecimal_text) {
  Digest back;
  ASSERT_TRUE(Digest::parse(sha256("abc").hex(), back));
  EXPECT_EQ(back, sha256("abc"));
  EXPECT_EQ(back.prefix(6), "ba7816");
}

TEST(Digest, is_not_parsed_from_other_text) {
  Digest unchanged = sha256("abc");
  const std::string hex = unchanged.hex();
  EXPECT_FALSE(Digest::parse(hex.substr(1), unchanged));
  EXPECT_FALSE(Digest::parse(hex + "0", unchanged));
  EXPECT_FALSE(Digest::parse("g" + hex.substr(1), unchanged));
  EXPECT_FALSE(Digest::parse("B" + hex.substr(1), unchanged));
  EXPECT_EQ(unchanged, sha256("abc"));
}

}  // namespace digest_test
}  // namespace orch

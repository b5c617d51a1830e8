// Described structs as JSON, and back.
#include "core/base/fields_json.hpp"

#include <gmock/gmock.h>

namespace orch {
namespace fields_json_test {

enum class Colour { red, green };
constexpr auto names_of(Tag<Colour>) { return value_names("red", "green"); }

struct Place {
  std::string host;
  int port = 0;

  bool operator==(const Place&) const = default;
};
constexpr auto fields_of(Tag<Place>) {
  return rows_of(required<&Place::host>("host"), required<&Place::port>("port"));
}

struct Pair {
  std::string name;
  std::optional<std::string> digest;
  std::int64_t repeat = 0;
};
constexpr auto fields_of(Tag<Pair>) {
  return rows_of(required<&Pair::name>("name"), required<&Pair::digest>("digest"),
                 field<&Pair::repeat>("repeat"));
}
std::true_type is_list(Tag<Pair>);

struct Whole {
  std::string text;
  std::optional<double> ratio;
  std::vector<int> gpus;
  std::map<std::string, int> ports;
  std::vector<std::vector<std::string>> commands;
  Place place;
  Place kept;
  Colour colour = Colour::red;
  bool odd = false;
  std::uint64_t ticks = 0;
  std::vector<Pair> pairs;
};
constexpr auto fields_of(Tag<Whole>) {
  auto ticks = field<&Whole::ticks>("start_ticks");
  ticks.old_key = "ticks";
  return rows_of(required<&Whole::text>("text"), field<&Whole::ratio>("ratio"),
                 sparse<&Whole::gpus>("gpus"), sparse<&Whole::ports>("ports"),
                 field<&Whole::commands>("commands"), part<&Whole::place>(),
                 as_text<&Whole::kept>("kept"), field<&Whole::colour>("colour"),
                 sparse<&Whole::odd>("odd"), ticks, field<&Whole::pairs>("pairs"));
}

Whole whole() {
  return {.text = "a \xff",
          .ratio = 0.5,
          .gpus = {0, 3},
          .ports = {{"http", 8000}},
          .commands = {{"docker", "rm"}, {}},
          .place = {"n1", 9},
          .kept = {"n2", 10},
          .colour = Colour::green,
          .odd = true,
          .ticks = 77,
          .pairs = {{"b", "0a", 2}, {"c", {}, 0}}};
}

TEST(FieldsJson, AStructComesBackFromItsObject) {
  const Value value = object_of(whole());
  Whole read;
  ASSERT_TRUE(read_object(read, value));
  EXPECT_EQ(Value(object_of(read)), value);
  EXPECT_EQ(read.pairs[0].digest, "0a");
}

TEST(FieldsJson, AStructComesBackFromItsText) {
  Whole written = whole();
  written.text = "ä";
  const std::string text = to_json_text(written);
  const auto read = from_json_text<Whole>(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json_text(*read), text);
  EXPECT_EQ(text,
            R"({"colour":"green","commands":[["docker","rm"],[]],"gpus":[0,3],"host":"n1",)"
            R"("kept":"{\"host\":\"n2\",\"port\":10}","odd":true,)"
            R"("pairs":[["b","0a",2],["c",null,0]],"port":9,"ports":{"http":8000},"ratio":0.5,)"
            R"("start_ticks":77,"text":"ä"})");
}

TEST(FieldsJson, BytesArriveUnchanged) {
  const auto value = parse_value(json_text(object_of(whole()), Texting::bytes), Texting::bytes);
  Whole read;
  ASSERT_TRUE(value && read_object(read, *value));
  EXPECT_EQ(read.text, "a \xff");
}

TEST(FieldsJson, SparseMembersAreLeftOutAndKeepTheirDefault) {
  EXPECT_EQ(to_json_text(Place{"n", 1}), R"({"host":"n","port":1})");
  const auto read = from_json_text<Whole>(
      R"({"text":"a","host":"n","port":1,"kept":"{\"host\":\"m\",\"port\":2}"})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->gpus.empty() && !read->odd && read->colour == Colour::red);
}

TEST(FieldsJson, AnEarlierKeyIsReadAndThePresentOneWritten) {
  const auto read = from_json_text<Whole>(
      R"({"text":"a","host":"n","port":1,"kept":"{\"host\":\"m\",\"port\":2}","ticks":5})");
  EXPECT_EQ(read->ticks, 5u);
}

TEST(FieldsJson, WhatIsMissingOrOfAnotherTypeIsNamed) {
  const auto error = [](const char* text) { return from_json_text<Place>(text).error().message; };
  EXPECT_EQ(error("[]"), "it is not a JSON object");
  EXPECT_EQ(error("{"), "it is not JSON");
  EXPECT_EQ(error(R"({"port":1})"), "it has no 'host'");
  EXPECT_EQ(error(R"({"host":"a","port":"1"})"), "its 'port' has the wrong type");
  EXPECT_EQ(error(R"({"host":"a","port":1.5})"), "its 'port' has the wrong type");
  EXPECT_EQ(error(R"({"host":"a","port":99999999999})"), "its 'port' has the wrong type");
  Pair pair;
  EXPECT_EQ(read_list(pair, List{"a"}).error().message,
            "its member 'digest' is missing or has the wrong type");
}

TEST(FieldsJson, AListMayLackItsLastMembersAndHaveFurtherOnes) {
  Pair pair;
  ASSERT_TRUE(read_list(pair, List{"a", Value()}));
  EXPECT_EQ(pair.repeat, 0);
  ASSERT_TRUE(read_list(pair, List{"a", "0b", std::int64_t{3}, "of a later version"}));
  EXPECT_EQ(pair.repeat, 3);
}

TEST(FieldsJson, AnObjectIsTaggedWithItsKind) {
  const std::string text = tagged_text("moved", object_of(Place{"n", 1}));
  const auto value = parse_value(text);
  EXPECT_EQ(from_tagged<Place>(*value, "moved")->host, "n");
  EXPECT_EQ(from_tagged<Place>(*value, "ended").error().message, "it has no member 'ended'");
}

}  // namespace fields_json_test
}  // namespace orch

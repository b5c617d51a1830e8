// Values and described structs (fields.hpp) as JSON text.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace orch {

enum class Texting {
  utf8,   // invalid UTF-8 is replaced
  bytes,  // each byte becomes the code point of its value, so that no byte is lost
};

// INDENT: -1 writes one line.
std::string json_text(const Value& value, Texting texting = Texting::utf8, int indent = -1);
// For values from outside: at most 64 levels deep.
Result<Value> parse_value(std::string_view text, Texting texting = Texting::utf8);

template <Described T> std::string to_json_text(const T& object) {
  return json_text(value_of(object));
}
// Error: TEXT is not JSON, or does not describe a T.
template <Described T> Result<T> from_json_text(std::string_view text) {
  ORCH_ASSIGN(const Value value, parse_value(text));
  T object{};
  ORCH_TRY(Positional<T> ? read_list(object, value) : read_object(object, value));
  return object;
}

// {KIND: OBJECT} as text.
std::string tagged_text(std::string_view kind, Object object);
// The value under KIND in TAGGED, which was read from such a text. Error: TAGGED has no KIND.
Result<const Value*> tagged_as(const Value& tagged, std::string_view kind);
template <Described T> Result<T> from_tagged(const Value& tagged, std::string_view kind) {
  ORCH_ASSIGN(const Value* said, tagged_as(tagged, kind));
  T object{};
  if (const Status read = read_object(object, *said); !read) return read.error().within(kind);
  return object;
}

// The row of a described member that is stored as JSON text.
template <auto First, auto... Rest> constexpr auto as_text(std::string_view key) {
  using T = decltype(class_of(First));
  return Field<T>{
      .key = key,
      .column = key,
      .type = FieldType::text,
      .get = [](const T& object) -> Value { return to_json_text(((object.*First).*....*Rest)); },
      .set =
          [](T& object, const Value& value) {
            auto& member = ((object.*First).*....*Rest);
            using M = std::remove_cvref_t<decltype(member)>;
            const auto* text = std::get_if<std::string>(&value);
            auto read = from_json_text<M>(text ? *text : "");
            if (read) member = *std::move(read);
            return read.ok();
          },
      .presence = Presence::required};
}

}  // namespace orch

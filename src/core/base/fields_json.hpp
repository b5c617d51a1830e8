// Values and described structs (fields.hpp) as JSON text.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>

namespace orch {

enum class Texting {
  utf8,   // bytes that are no UTF-8 are replaced
  bytes,  // each byte is the character of its number, so that all of them arrive
};

// INDENT: -1 writes one line.
std::string json_text(const Value& value, Texting texting = Texting::utf8, int indent = -1);
// A value that may come from outside: nested 64 deep at most.
Result<Value> parse_value(std::string_view text, Texting texting = Texting::utf8);

template <Described T> std::string to_json_text(const T& object) {
  return json_text(value_of(object));
}
// Error: TEXT is no JSON, or none of a T.
template <Described T> Result<T> from_json_text(std::string_view text) {
  ORCH_ASSIGN(const Value value, parse_value(text));
  T object{};
  ORCH_TRY(Positional<T> ? read_list(object, value) : read_object(object, value));
  return object;
}

// {KIND: OBJECT} as text.
std::string tagged_text(std::string_view kind, Object object);
// What TAGGED, such an object, says under KIND. Error: it says nothing under it, or no T.
Result<const Value*> tagged_as(const Value& tagged, std::string_view kind);
template <Described T> Result<T> from_tagged(const Value& tagged, std::string_view kind) {
  ORCH_ASSIGN(const Value* said, tagged_as(tagged, kind));
  T object{};
  if (const Status read = read_object(object, *said); !read) return read.error().within(kind);
  return object;
}

// The row of a described member that is kept as the text of its JSON.
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

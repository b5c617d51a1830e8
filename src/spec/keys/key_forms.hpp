// Forms shared by many keys.
#pragma once

#include "core/base/key_table.hpp"

#include <string_view>

namespace orch::keys {

inline constexpr Form k_word{};
inline constexpr std::string_view k_sql_noun = "an SQL expression";
inline constexpr std::string_view k_sql_remedy = "put it in quotes if it has a ':', '{' or '['";
inline constexpr Form k_sql{.kind = Form::Kind::sql, .noun = k_sql_noun, .remedy = k_sql_remedy};
inline constexpr Form k_filled{.least = 1};
inline constexpr Form k_filled_sql{
    .kind = Form::Kind::sql, .least = 1, .noun = k_sql_noun, .remedy = k_sql_remedy};
inline constexpr Form k_filled_path{.kind = Form::Kind::path, .least = 1};
inline constexpr Form k_filled_version{.kind = Form::Kind::version, .least = 1};
inline constexpr Form k_path{.kind = Form::Kind::path};
inline constexpr Form k_version{.kind = Form::Kind::version};
inline constexpr Form k_boolean{.kind = Form::Kind::boolean};
inline constexpr std::string_view k_of_seconds = "a number of seconds";
inline constexpr Form k_seconds{
    .kind = Form::Kind::number, .least = 0, .most = 1e7, .above = true, .noun = k_of_seconds};
inline constexpr Form k_words{.kind = Form::Kind::list, .of = &k_word};
inline constexpr Form k_filled_words{.kind = Form::Kind::list, .of = &k_word, .least = 1};
inline constexpr Form k_paths{.kind = Form::Kind::list, .of = &k_path};
inline constexpr Form k_named_words{.kind = Form::Kind::names, .of = &k_word};

// Forms of sections of runner.yaml, for tables that refer to each other.

extern const Form k_fragments;
extern const Form k_stages;

}  // namespace orch::keys

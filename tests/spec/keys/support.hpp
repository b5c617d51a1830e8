// What every table of keys must be: complete, and told apart from others.
#pragma once

#include "core/base/key_table.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace orch::keys {

// The tables that FORM leads to, by name. Two tables of one name are an error.
inline void collect(const Form& form, std::map<std::string_view, const KeyTable*>& tables);

inline void collect(const KeyTable& table, std::map<std::string_view, const KeyTable*>& tables) {
  const auto [known, fresh] = tables.emplace(table.name, &table);
  EXPECT_EQ(known->second, &table) << "two tables have the name " << table.name;
  if (!fresh) return;
  for (const Key& key : table.keys) collect(*key.form, tables);
}

inline void collect(const Form& form, std::map<std::string_view, const KeyTable*>& tables) {
  for (const Form* one = &form; one; one = one->otherwise) {
    if (one->of) collect(*one->of, tables);
    if (one->keys) collect(*one->keys, tables);
  }
}

inline std::map<std::string_view, const KeyTable*> tables_below(const KeyTable& root) {
  std::map<std::string_view, const KeyTable*> tables;
  collect(root, tables);
  return tables;
}

inline void expect_complete(const Form& form, std::string_view what) {
  using Kind = Form::Kind;
  for (const Form* one = &form; one; one = one->otherwise) {
    EXPECT_EQ(one->of != nullptr, one->kind == Kind::list || one->kind == Kind::names) << what;
    EXPECT_EQ(one->keys != nullptr, one->kind == Kind::keys) << what;
    EXPECT_TRUE(one->choices.empty() || one->kind == Kind::word) << what;
    EXPECT_FALSE(one->remedy.ends_with(".")) << what << ": its remedy ends a message";
    if (one->of) expect_complete(*one->of, what);
  }
}

inline void expect_complete(const KeyTable& root) {
  for (const auto& [name, table] : tables_below(root)) {
    EXPECT_TRUE(table->help.ends_with(".")) << name << ": its help is a sentence";
    std::set<std::string_view> names;
    for (const Key& key : table->keys) {
      const std::string what = std::string(name) + "." + std::string(key.name);
      EXPECT_TRUE(names.insert(key.name).second) << what << " is twice in its table";
      EXPECT_FALSE(key.help.empty()) << what << " has no help";
      EXPECT_FALSE(key.help.ends_with(".")) << what << ": its help is part of a list";
      expect_complete(*key.form, what);
    }
  }
}

}  // namespace orch::keys

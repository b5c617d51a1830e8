// Mistakes in a YAML text, and what they are called for users who do not know YAML's grammar. Does
// not find them.
#pragma once

#include "core/base/yaml.hpp"
#include "core/base/yaml_source.hpp"

#include <cstddef>
#include <string>

namespace orch {

enum class YamlMistake {
  tab,                // in the indentation
  strange_character,  // cannot begin a plain scalar
  colon,              // ends a key where none can stand
  colon_in_flow,      // ends a plain scalar and has no blank after it
  key_of_lines,       // in a flow map
  no_colon,           // a line of a map that is not 'key: value'
  open_quote,         // is never closed
  open_flow,          // is never closed
  flow_separator,     // ',' or the closing bracket is missing
  no_content,         // a value is missing
  not_a_key,          // text among the keys of a map
  not_an_item,        // text among the items of a list
  after_root,         // text after the value of the document
  second_document,
  bad_name,     // of an anchor or an alias
  alias_colon,  // without a blank between them
  bad_tag,
  directive,
  escape,
  escape_digits,
  block_header,
  item_here,      // '-' cannot begin an item here
  question_here,  // '?' cannot begin a key here
  too_deep,
  too_many_nodes,
  ambiguous,  // the parser and the scan read it differently
  other,
};

struct YamlFault {
  YamlMistake mistake;
  std::size_t at = 0;
  std::size_t began = 0;  // where the token or collection that has the mistake began
  std::string words;      // of `other`
};

Error explain(const YamlFault& fault, YamlSource& source, const YamlLimits& limits);

}  // namespace orch

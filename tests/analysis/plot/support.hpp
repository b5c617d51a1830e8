// Counts what a drawing has.
#pragma once

#include "analysis/plot/canvas.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::plot {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
    ++n;
  return n;
}

// The value of ATTRIBUTE in each element that has FEATURE.
inline std::vector<std::string> attributes(const std::string& svg, const std::string& feature,
                                           const std::string& attribute) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos; ++at) {
    const std::string element = svg.substr(at, svg.find('>', at) - at);
    const std::size_t value = element.find(" " + attribute + "=\"");
    if (element.find(feature) == std::string::npos || value == std::string::npos) continue;
    const std::size_t begin = value + attribute.size() + 3;
    out.push_back(element.substr(begin, element.find('"', begin) - begin));
  }
  return out;
}

// Every element closes, in order; every attribute is quoted.
inline void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    EXPECT_EQ(count(tag, "=") <= count(tag, "=\""), true) << tag;
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
}

// What a screen reader needs, and colours that stay without a style sheet.
inline void expect_accessible(const Drawing& drawing) {
  expect_well_formed(drawing.svg);
  EXPECT_EQ(count(drawing.svg, " role=\"img\""), 1u);
  EXPECT_EQ(count(drawing.svg, "<title id="), 1u);
  EXPECT_EQ(count(drawing.svg, "<desc id="), 1u);
  EXPECT_EQ(count(drawing.svg, "var("), 0u);
  EXPECT_EQ(count(drawing.svg, "style="), 0u);
  for (const std::string& classes : attributes(drawing.svg, "class=\"s", "class"))
    EXPECT_FALSE(attributes(drawing.svg, "class=\"" + classes + "\"", "stroke").empty());
  EXPECT_FALSE(drawing.columns.empty());
  for (const auto& row : drawing.rows) EXPECT_EQ(row.size(), drawing.columns.size());
}

inline constexpr const char* k_hostile = "<script>x</script>\"><img onerror=1></svg>]]>\x01";

}  // namespace orch::plot

#include "analysis/plot/markup.hpp"

#include "core/base/text.hpp"

#include <cmath>

namespace orch::plot {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string coordinate(double value) {
  const double tenths = std::round(value * 10);
  if (tenths == 0) return "0";  // no "-0"
  if (std::fmod(tenths, 10) == 0) return fmt::format("{:.0f}", tenths / 10);
  return fmt::format("{:.1f}", tenths / 10);
}

Attributes operator+(Attributes first, const Attributes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void Markup::begin(std::string_view name, const Attributes& attributes) {
  text_ += '<';
  text_ += name;
  for (const Attribute& attribute : attributes)
    text_ += fmt::format(" {}=\"{}\"", attribute.name, escaped_markup(attribute.value));
}

Markup& Markup::open(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  text_ += '>';
  open_.emplace_back(name);
  return *this;
}

Markup& Markup::close() {
  text_ += "</" + open_.back() + ">";
  open_.pop_back();
  return *this;
}

Markup& Markup::leaf(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  text_ += "/>";
  return *this;
}

Markup& Markup::text(std::string_view text) { return raw(escaped_markup(text)); }

Markup& Markup::element(std::string_view name, const Attributes& attributes,
                        std::string_view text) {
  return open(name, attributes).text(text).close();
}

Markup& Markup::raw(std::string_view markup) {
  text_ += markup;
  return *this;
}

std::string Markup::take() {
  while (!open_.empty()) close();
  return std::move(text_);
}

}  // namespace orch::plot

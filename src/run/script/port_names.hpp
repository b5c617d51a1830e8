// The names of ports in a script.
#pragma once

#include "core/base/text.hpp"

#include <string>
#include <string_view>

namespace orch::script {

// The name of PORT in its own service: of STAGE.NAME, STAGE.NAME.1 or NAME.1.
inline std::string_view port_name(std::string_view port) {
  const std::size_t dot = port.find('.');
  const bool is_of_another =
      dot != std::string_view::npos && !is_digit(port.substr(dot + 1).front());
  return is_of_another ? port.substr(dot + 1) : port;
}

// The variable of bash that has the number of PORT.
inline std::string port_variable(std::string_view port) {
  std::string name = "port_";
  for (const char c : port) name += is_letter_or_digit(c) ? c : '_';
  return name;
}

}  // namespace orch::script

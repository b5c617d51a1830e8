// Redacts secrets in JSON texts so that they stay JSON. Knows no file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/secret/redact.hpp"

namespace orch::secret {

// The secrets to search for in strings, and those that can stand outside of them: not the ones that
// could be a number, because a secret of digits would be found in times and counts.
struct JsonSecrets {
  explicit JsonSecrets(const std::vector<std::string>& values);

  std::shared_ptr<const Secrets> in_strings, outside;
};

// Redacts the strings of a stream of JSON texts, and secrets where the stream is no JSON. A string
// ends at a line end, so that a damaged line does not reach into the next. Used from one thread.
class JsonRedactor {
 public:
  explicit JsonRedactor(const JsonSecrets& secrets)
      : inside_(secrets.in_strings), outside_(secrets.outside) {}

  std::string feed(std::string_view chunk);
  std::string finish();
  // How many stretches were redacted.
  std::size_t found() const { return inside_.found() + outside_.found(); }

 private:
  std::size_t end_of_part(std::string_view rest);

  Redactor inside_, outside_;
  bool is_inside_ = false;
  bool is_escaped_ = false;  // the next character of the string
};

// TEXT, which is one or more JSON texts.
std::string redacted_json(const JsonSecrets& secrets, std::string_view text);

}  // namespace orch::secret

#include "run/execute/guardian_message.hpp"

namespace orch::execute {

namespace {

// Arguments, environments and paths are arbitrary bytes.
template <class Message> std::string line_of(const Message& message) {
  return std::visit([](const auto& one) { return json_text(object_of(one), Texting::bytes); },
                    message);
}

// Whether OBJECT is a T; it is read into MESSAGE if it can be.
template <class T, class Message>
bool is_read(const Object& object, const Value& value, std::optional<Message>& message) {
  if (!member_of(object, k_fields<T>.front().key)) return false;
  T one{};
  if (read_object(one, value)) message = std::move(one);
  return true;
}

template <class... Messages>
std::optional<std::variant<Messages...>> message_in(const std::string& line,
                                                    const std::variant<Messages...>& /*any*/) {
  std::optional<std::variant<Messages...>> message;
  const auto value = parse_value(line, Texting::bytes);
  const auto* object = value ? std::get_if<Object>(&*value) : nullptr;
  if (object) static_cast<void>((is_read<Messages>(*object, *value, message) || ...));
  return message;
}

}  // namespace

std::string to_line(const Request& request) { return line_of(request); }
std::string to_line(const Reply& reply) { return line_of(reply); }
std::optional<Request> parse_request(const std::string& line) {
  return message_in(line, Request());
}
std::optional<Reply> parse_reply(const std::string& line) { return message_in(line, Reply()); }

}  // namespace orch::execute

// `ports:` of a matrix: the numbers of the ports on which servers listen.
#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parse/matrix_sections.hpp"

namespace orch::matrix {

namespace {

std::optional<int> port_number(const Yaml& node) {
  const auto number = node.is_scalar() ? to_integer(node.text) : std::nullopt;
  return number && *number >= 1 && *number <= keys::k_last_port
             ? std::optional(static_cast<int>(*number))
             : std::nullopt;
}

// The numbers of one name; USED has those of all names so far.
PinnedPorts read_numbers(SectionReader& reader, const Yaml& key, const Yaml& value,
                         std::map<int, std::string>& used) {
  PinnedPorts pinned{.numbers = {}, .where = key.where};
  const auto add = [&](const Yaml& item) {
    const auto number = port_number(item);
    if (!number)
      return reader.fail(item.where,
                         fmt::format("port {} must be a number from 1 to {} or a list of them, "
                                     "one per server, not {}",
                                     quoted(key.text), keys::k_last_port, item.describe()));
    const auto [known, is_new] = used.emplace(*number, key.text);
    if (!is_new)
      return reader.fail(item.where, fmt::format("port {} has the number {}, which {} has already; "
                                                 "give each port a number of its own",
                                                 quoted(key.text), *number, quoted(known->second)));
    pinned.numbers.push_back(*number);
  };
  if (!value.is_list() || value.items.empty()) add(value);
  else
    for (const Yaml& item : value.items) add(item);
  return pinned;
}

}  // namespace

void read_ports(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "ports", "ports: {http: 18000, grpc: 18001}")) return;
  std::map<int, std::string> used;
  for (const auto& [key, value] : node.entries) {
    if (value.idle) continue;
    PinnedPorts pinned = read_numbers(reader, key, value, used);
    if (!pinned.numbers.empty()) reader.matrix().ports.emplace(key.text, std::move(pinned));
  }
}

}  // namespace orch::matrix

#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/parse/section_reader.hpp"
#include "spec/matrix/runners.hpp"

namespace orch::matrix {

namespace {

// `service:` of a matrix: running servers, by runner.

class ServiceReader {
 public:
  ServiceReader(SectionReader& reader, const Yaml& node, std::string what)
      : reader_(reader),
        node_(node),
        what_(std::move(what)),
        map_(node, keys::k_service, what_, reader.errors()) {}

  void read(const std::string& runner, const Location& runner_where) {
    server_.runner_where = runner_where;
    server_.where = node_.where;
    read_url();
    read_ports();
    map_.take("machine", server_.machine);
    read_token();
    read_headers();
    map_.take("reuse", server_.reuse);
    if (!server_.url.host.empty()) reader_.matrix().services.emplace(runner, std::move(server_));
  }

 private:
  void read_url() {
    const Yaml* url = map_.take("url");
    if (!url) return;
    server_.where = url->where;
    auto read = url_of(*url, "url");
    if (!read) return;
    if (read->scheme == "http" || read->scheme == "https") server_.url = std::move(*read);
    else
      reader_.fail(url->where,
                   "{}: 'url' must name the HTTP port, which is asked whether the "
                   "server is ready, not {}; write grpc under ports: {{grpc: {}}}",
                   what_, url->describe(), read->port);
  }

  // A number means a port on the host of `url`.
  void read_ports() {
    const Yaml* ports = map_.take_fitting("ports");
    if (!ports) return;
    for (const auto& [name, value] : ports->entries)
      if (auto url = port_of(name, value)) server_.ports.emplace(name.text, std::move(*url));
  }

  std::optional<ServerUrl> port_of(const Yaml& name, const Yaml& value) {
    const auto number = value.is_scalar() ? to_integer(value.text) : std::nullopt;
    if (!number && value.is_scalar() && value.text.find("://") != std::string::npos)
      return url_of(value, name.text);
    if (!number || *number < 1 || *number > keys::k_last_port) {
      reader_.fail(value.where, "{}: port {} must be a number from 1 to {}, or a URL, not {}",
                   what_, quoted(name.text), keys::k_last_port, value.describe());
      return std::nullopt;
    }
    ServerUrl url = server_.url;
    url.port = static_cast<int>(*number);
    return url;
  }

  std::optional<ServerUrl> url_of(const Yaml& node, std::string_view key) {
    auto url =
        node.is_scalar()
            ? parse_server_url(node.text)
            : Result<ServerUrl>(invalid(fmt::format(
                  "must be http://HOST:PORT or https://HOST:PORT, not {}", node.describe())));
    if (url) return std::move(*url);
    reader_.fail(node.where, "{}: '{}': {}", what_, key, url.error().message);
    return std::nullopt;
  }

  void read_headers() {
    const Yaml* headers = map_.take("headers");
    if (!headers) return;
    if (!headers->is_map())
      return reader_.fail(headers->where,
                          "{}: 'headers' must be a map of names and values, such as "
                          "{{x-api-key: $MY_KEY}}",
                          what_);
    for (const auto& [name, value] : headers->entries) {
      const auto known = header_variables(name.text, value.is_scalar() ? value.text : "");
      if (known) server_.headers[name.text] = value.text;
      else reader_.fail(value.where, "{}: {}", what_, known.error().message);
    }
  }

  void read_token() {
    const Yaml* name = map_.take("token_env");
    if (!name) return;
    if (name->is_scalar() && is_variable_name(name->text)) server_.token_env = name->text;
    else
      // The value is not quoted: it may be the token itself.
      reader_.fail(name->where,
                   "{}: 'token_env' is not an environment variable's name; export the "
                   "token as a variable and write its name, such as SERVER_TOKEN",
                   what_);
  }

  SectionReader& reader_;
  const Yaml& node_;
  std::string what_;
  YamlMap map_;
  RunningServer server_;
};

// Whether NODE has maps under names of runners, rather than the keys of one server.
bool is_by_runner(const Yaml& node) {
  return !node.entries.empty() && std::ranges::all_of(node.entries, [](const auto& entry) {
    return entry.value.is_map() && entry.key.text != "ports";
  });
}

// `ports:` of a matrix: the port numbers on which servers listen.

// The numbers of one name; USED: those of all names so far.
PinnedPorts read_numbers(SectionReader& reader, const Yaml& key, const Yaml& value,
                         std::map<int, std::string>& used) {
  PinnedPorts pinned{.numbers = {}, .where = key.where};
  if (!reader.fits(value, keys::k_pinned_port, fmt::format("port {}", quoted(key.text))))
    return pinned;
  for (const Yaml& item : value.is_list() ? std::span(value.items) : std::span(&value, 1)) {
    int number = 0;
    assign(number, item);
    if (const auto [known, is_new] = used.emplace(number, key.text); is_new)
      pinned.numbers.push_back(number);
    else
      reader.fail(item.where,
                  "port {} has the number {}, which {} already has; "
                  "give each port its own number",
                  quoted(key.text), number, quoted(known->second));
  }
  return pinned;
}

}  // namespace

void read_service(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "service", "service: {url: \"http://HOST:8000\"}")) return;
  Matrix& matrix = reader.matrix();
  if (!is_by_runner(node))
    return ServiceReader(reader, node, "service").read(matrix.runner, node.where);
  const auto names = members_of(runners_of(matrix), &NamedRunner::name);
  for (const auto& [key, value] : node.entries) {
    ServiceReader(reader, value, fmt::format("service {}", quoted(key.text)))
        .read(key.text, key.where);
    if (contains(names, key.text)) continue;
    reader.fail(key.where, "service: {} is not a runner of this matrix{}", quoted(key.text),
                reader.suggest(key.text, names, "; its runners are: " + join(names, ", ")));
  }
}

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

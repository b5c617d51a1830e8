#include "execute/guardian_message.hpp"

#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace orch::execute {

using Json = nlohmann::json;

namespace {

// JSON is UTF-8, but arguments and environments are arbitrary bytes: each byte is encoded as the
// character with its value.
std::string characters(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) text += c;
    else text += {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  return text;
}

std::string bytes(const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80 || i + 1 == text.size()) result += text[i];
    else
      result +=
          static_cast<char>(((lead & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
  }
  return result;
}

Json json_of(const std::vector<std::string>& words) {
  Json json = Json::array();
  for (const std::string& word : words) json.push_back(characters(word));
  return json;
}

std::vector<std::string> words_of(const Json& json) {
  std::vector<std::string> words;
  for (const Json& word : json) words.push_back(bytes(word));
  return words;
}

Json json_of(const std::vector<std::vector<std::string>>& commands) {
  Json json = Json::array();
  for (const std::vector<std::string>& command : commands) json.push_back(json_of(command));
  return json;
}

std::vector<std::vector<std::string>> commands_of(const Json& json) {
  std::vector<std::vector<std::string>> commands;
  for (const Json& command : json) commands.push_back(words_of(command));
  return commands;
}

Json json_of(const Place& place) {
  return {{"gpus", place.gpus},
          {"cores", place.cores},
          {"memory_gib", place.memory_gib},
          {"ranks", place.ranks},
          {"nodes", place.nodes},
          {"mpi", characters(place.mpi)},
          {"container", json_of(place.container)},
          {"seconds", place.seconds},
          {"stop_s", place.stop_s},
          {"grace_s", place.grace_s},
          {"alone", place.alone},
          {"is_server", place.is_server},
          {"ports", json_of(place.ports)},
          {"pinned", place.pinned},
          {"inherited", json_of(place.inherited)},
          {"within", place.within},
          {"port_prefix", characters(place.port_prefix)}};
}

Place place_of(const Json& json) {
  return {.gpus = json.value("gpus", 0),
          .cores = json.value("cores", 0),
          .memory_gib = json.value("memory_gib", 0.0),
          .ranks = json.value("ranks", 1),
          .nodes = json.value("nodes", 1),
          .mpi = bytes(json.value("mpi", Json("pmix"))),
          .container = words_of(json.value("container", Json::array())),
          .seconds = json.value("seconds", 0.0),
          .stop_s = json.value("stop_s", 20.0),
          .grace_s = json.value("grace_s", 120.0),
          .alone = json.value("alone", false),
          .is_server = json.value("is_server", false),
          .ports = words_of(json.value("ports", Json::array())),
          .pinned = json.value("pinned", std::map<std::string, int>()),
          .inherited = words_of(json.value("inherited", Json::array())),
          .within = json.value("within", ""),
          .port_prefix = bytes(json.value("port_prefix", Json("")))};
}

Json json_of(const Launch& launch) {
  Json env = Json::object();
  for (const auto& [name, value] : launch.env) env[characters(name)] = characters(value);
  return {{"argv", json_of(launch.argv)},
          {"env", std::move(env)},
          {"work", characters(launch.work)},
          {"log", characters(launch.log)},
          {"token", launch.token},
          {"exit_record", characters(launch.exit_record)},
          {"tmp", characters(launch.tmp)},
          {"shm_folder", characters(launch.shm_folder)},
          {"shm_prefix", characters(launch.shm_prefix)},
          {"secrets", json_of(launch.secrets)},
          {"cpus", launch.cpus},
          {"nodes", launch.nodes},
          {"hidden", json_of(launch.hidden)},
          {"hidden_file", characters(launch.hidden_file)},
          {"before", json_of(launch.before)},
          {"after", json_of(launch.after)},
          {"undo", characters(launch.undo)},
          {"place", json_of(launch.place)},
          {"stop_s", launch.stop_s}};
}

Launch launch_of(const Json& json) {
  Launch launch{.argv = words_of(json.at("argv")),
                .env = {},
                .work = bytes(json.at("work")),
                .log = bytes(json.at("log")),
                .token = json.at("token"),
                .exit_record = bytes(json.at("exit_record")),
                .tmp = bytes(json.at("tmp")),
                .shm_folder = bytes(json.at("shm_folder")),
                .shm_prefix = bytes(json.at("shm_prefix")),
                .secrets = words_of(json.at("secrets")),
                .hidden = words_of(json.value("hidden", Json::array())),
                .hidden_file = bytes(json.value("hidden_file", Json(""))),
                .cpus = json.value("cpus", std::vector<int>()),
                .nodes = json.value("nodes", std::vector<int>()),
                .before = commands_of(json.value("before", Json::array())),
                .after = commands_of(json.value("after", Json::array())),
                .undo = bytes(json.value("undo", Json(""))),
                .place = place_of(json.value("place", Json::object())),
                .stop_s = json.at("stop_s")};
  for (const auto& [name, value] : json.at("env").items())
    launch.env[bytes(Json(name))] = bytes(value);
  return launch;
}

template <class... Ts> struct Overloaded : Ts... { using Ts::operator()...; };
template <class... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 14 needs it

Handle handle_of(const Json& json) {
  auto handle = parse_handle(json.get<std::string>());
  if (!handle) throw Json::other_error::create(599, "not a handle", nullptr);
  return *handle;
}

Json json_of(const Request& request) {
  return std::visit(Overloaded{
                        [](const Hello& hello) -> Json {
                          return {{"hello", hello.name},
                                  {"version", hello.version},
                                  {"folder", characters(hello.folder)},
                                  {"grace_s", hello.grace_s}};
                        },
                        [](const Attach& attach) -> Json {
                          return {{"attach", attach.token},
                                  {"version", attach.version},
                                  {"grace_s", attach.grace_s}};
                        },
                        [](const Start& start) -> Json {
                          return {{"start", json_of(start.launch)},
                                  {"containment", to_string(start.containment)},
                                  {"log_level", to_string(start.log_level)}};
                        },
                        [](const Signal& signal) -> Json {
                          return {{"signal", signal.signal}};
                        },
                        [](const Quit&) -> Json {
                          return {{"quit", true}};
                        },
                    },
                    request);
}

Json json_of(const Reply& reply) {
  return std::visit(
      Overloaded{
          [](const Welcome&) -> Json {
            return {{"welcome", true}};
          },
          [](const Attached& attached) -> Json {
            return {{"attached", to_json(attached.handle)}, {"for_s", attached.for_s}};
          },
          [](const NotHeld&) -> Json {
            return {{"not_held", true}};
          },
          [](const Busy&) -> Json {
            return {{"busy", true}};
          },
          [](const Started& started) -> Json {
            return {{"started", to_json(started.handle)}};
          },
          [](const Refused& refused) -> Json {
            return {{"refused", characters(refused.error.message)},
                    {"kind", static_cast<int>(refused.error.kind)},
                    {"number", refused.error.number}};
          },
          [](const Ended& ended) -> Json {
            return {{"ended", to_json(ExitRecord{.ended = ended, .boot_id = {}})}};
          },
      },
      reply);
}

Request request_of(const Json& json) {
  if (json.contains("hello"))
    return Hello{json.at("version"), json.at("hello"), bytes(json.at("folder")),
                 json.at("grace_s")};
  if (json.contains("attach"))
    return Attach{json.at("version"), json.at("attach"), json.at("grace_s")};
  if (json.contains("signal")) return Signal{json.at("signal")};
  if (json.contains("quit")) return Quit{};
  const auto containment = system::parse_containment(json.at("containment").get<std::string>());
  const auto level = system::parse_log_level(json.value("log_level", "off"));
  return Start{.launch = launch_of(json.at("start")),
               .containment = containment.value_or(system::Containment::session),
               .log_level = level.value_or(system::LogLevel::off)};
}

Reply reply_of(const Json& json) {
  if (json.contains("welcome")) return Welcome{};
  if (json.contains("attached")) return Attached{handle_of(json.at("attached")), json.at("for_s")};
  if (json.contains("not_held")) return NotHeld{};
  if (json.contains("busy")) return Busy{};
  if (json.contains("started")) return Started{handle_of(json.at("started"))};
  if (json.contains("refused"))
    return Refused{{.kind = static_cast<ErrorKind>(json.at("kind").get<int>()),
                    .message = bytes(json.at("refused")),
                    .where = {},
                    .number = json.value("number", 0)}};
  const auto record = parse_exit_record(json.at("ended").get<std::string>());
  if (!record) throw Json::other_error::create(599, "not an exit record", nullptr);
  return record->ended;
}

template <class Message>
std::optional<Message> parse(const std::string& line, Message (*read)(const Json&)) {
  try {
    return read(Json::parse(line));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_line(const Request& request) { return dump(json_of(request)); }
std::string to_line(const Reply& reply) { return dump(json_of(reply)); }
std::optional<Request> parse_request(const std::string& line) {
  return parse<Request>(line, request_of);
}
std::optional<Reply> parse_reply(const std::string& line) { return parse<Reply>(line, reply_of); }

}  // namespace orch::execute

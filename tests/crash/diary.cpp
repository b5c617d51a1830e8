#include "crash/diary.hpp"

#include "os/system/ports.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::crash {

namespace fs = std::filesystem;

std::vector<Entry> read_diary(const World& world) {
  std::vector<Entry> entries;
  std::ifstream file(world.diary() + "/diary");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Entry entry;
    words >> entry.word >> entry.token >> entry.stage >> entry.pid >> entry.ns;
    std::getline(words >> std::ws, entry.rest);
    entries.push_back(entry);
  }
  return entries;
}

namespace {

// Whether no process holds the lock of FILE.
bool is_free(const std::string& file) {
  const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return true;
  const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return free;
}

bool listens(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool open = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return open;
}

// The word after KEY= in REST.
std::string field(const std::string& rest, const std::string& key) {
  const std::size_t at = (" " + rest).find(" " + key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 1;
  return rest.substr(begin, rest.find(' ', begin) - begin);
}

void ports_left(const World& world, const std::vector<Entry>& entries,
                std::vector<std::string>& left) {
  std::set<std::string> ports;
  for (const Entry& entry : entries)
    if (const std::string port = field(entry.rest, "port"); !port.empty()) ports.insert(port);
  for (const std::string& port : ports)
    if (listens(std::stoi(port))) left.push_back("a process listens on port " + port);
  for (int port = world.first_port(); port < world.first_port() + 50; ++port)
    if (!system::RealPorts().retake(port))
      left.push_back(fmt::format("port {} is still leased", port));
}

void files_left(const World& world, const std::vector<Entry>& entries,
                const std::set<std::string>& on_record, std::vector<std::string>& left) {
  std::error_code code;
  std::set<std::string> tokens, folders;
  for (const Entry& entry : entries) {
    if (entry.token != "-") tokens.insert(entry.token);
    if (const std::string tmp = field(entry.rest, "tmp"); !tmp.empty() && tmp != "/tmp")
      folders.insert(tmp);
  }
  for (const std::string& folder : folders)
    if (fs::exists(folder, code)) left.push_back("temporary folder " + folder);
  for (const auto& entry : fs::directory_iterator("/dev/shm", code))
    for (const std::string& token : tokens)
      if (entry.path().filename().string().find(token) != std::string::npos)
        left.push_back("shared memory " + entry.path().string());
  for (const auto& entry : fs::directory_iterator(world.store() + "/attempts", code))
    if (const std::string path = "attempts/" + entry.path().filename().string();
        !on_record.contains(path))
      left.push_back(path);
  for (const auto& entry : fs::directory_iterator(world.store() + "/inbox", code))
    left.push_back("inbox/" + entry.path().filename().string());
  for (const auto& entry : fs::directory_iterator(world.store() + "/artifacts", code)) {
    const std::string path = "artifacts/" + entry.path().filename().string();
    if (path != "artifacts/by-name" && !on_record.contains(path))
      left.push_back(path + " is not on record");
  }
}

}  // namespace

std::ptrdiff_t starts_of(const World& world, const std::string& stage) {
  const std::vector<Entry> entries = read_diary(world);
  return std::count_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.word == "start" && entry.stage.starts_with(stage);
  });
}

std::vector<std::string> alive_of(const World& world) {
  std::vector<std::string> left;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(world.diary() + "/life", code)) {
    if (!is_free(entry.path())) left.push_back("process " + entry.path().filename().string());
    else fs::remove(entry.path(), code);
  }
  for (const int pid : guardians_of(world, 0)) left.push_back(fmt::format("guardian {}", pid));
  return left;
}

std::vector<std::string> left_behind(const World& world,
                                     const std::set<std::string>& folders_on_record,
                                     double at_most_s) {
  const std::vector<Entry> entries = read_diary(world);
  std::vector<std::string> left;
  wait_for(
      [&] {
        left = alive_of(world);
        ports_left(world, entries, left);
        return left.empty();
      },
      at_most_s);
  files_left(world, entries, folders_on_record, left);
  return left;
}

}  // namespace orch::crash

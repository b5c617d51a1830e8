// A server that answers like Triton's generate endpoints, and misbehaves by its mode:
//   hang          never ready                       dies-starting  ends before it is ready
//   garbage       no JSON, from the measurement on  500            errors, from the measurement on
//   closes        closes sockets                    crashes        ends by SIGSEGV under load
//   ignores-term  ignores TERM                      storm          forks endlessly on TERM
//   storming      forks endlessly from its start
//   escape        two processes leave its session by setsid and a double fork
//   escape-wiped  the same, with an empty environment
#include "actor.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace actor {

namespace {

struct Request {
  std::string path, body;
  bool last = false;  // the client wants the connection closed after it
};

// False: the connection is over.
bool read_request(int socket, std::string& buffer, Request& request) {
  char bytes[4096];
  std::size_t head;
  while ((head = buffer.find("\r\n\r\n")) == std::string::npos) {
    const ssize_t got = ::read(socket, bytes, sizeof bytes);
    if (got <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(got));
  }
  const std::size_t space = buffer.find(' ');
  request.path = buffer.substr(space + 1, buffer.find(' ', space + 1) - space - 1);
  std::size_t length = 0;
  request.last = buffer.find("Connection: close") < head;
  if (const char* field = ::strcasestr(buffer.c_str(), "\r\ncontent-length:"); field)
    length = static_cast<std::size_t>(std::atol(field + 17));
  while (buffer.size() < head + 4 + length) {
    const ssize_t got = ::read(socket, bytes, sizeof bytes);
    if (got <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(got));
  }
  request.body = buffer.substr(head + 4, length);
  buffer.erase(0, head + 4 + length);
  return true;
}

void send_all(int socket, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t done = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (done <= 0) return;
    sent += static_cast<std::size_t>(done);
  }
}

void answer(int socket, const char* status, const std::string& body) {
  send_all(socket, std::string("HTTP/1.1 ") + status +
                       "\r\nContent-Type: application/json\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body);
}

void stream(int socket, const std::string& request) {
  const std::size_t at = request.find("\"max_tokens\"");
  const int tokens =
      at == std::string::npos ? 4 : std::atoi(request.c_str() + request.find(':', at) + 1);
  std::string out =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  for (int i = 0; i < tokens; ++i) out += "1c\r\ndata: {\"text_output\": \"x\"}\n\n\r\n";
  send_all(socket, out + "0\r\n\r\n");
}

void talk(int socket, const std::string& mode) {
  std::string buffer;
  Request request;
  while (read_request(socket, buffer, request)) {
    const bool measured = request.path.find("generate_stream") != std::string::npos;
    if (request.path == "/ready")
      answer(socket, mode == "hang" ? "503 Service Unavailable" : "200 OK", "{}");
    else if (!measured) answer(socket, "200 OK", "{\"text_output\": \"hello\"}");
    else if (mode == "crashes") ::raise(SIGSEGV);
    else if (mode == "500") answer(socket, "500 Internal Server Error", "{\"error\": \"no\"}");
    else if (mode == "garbage") answer(socket, "200 OK", "\x01\x02 no JSON {");
    else if (mode == "closes") break;
    else stream(socket, request.body);
    if (request.last) break;
  }
  ::close(socket);
}

int listen_at(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, 64) == 0)
    return socket;
  std::fprintf(stderr, "cannot listen at port %d: %s\n", port, std::strerror(errno));
  std::exit(1);
}

// Leaves the tree as daemons do. It lives for a minute, so that a failed test leaves nothing for
// long.
void escape(const std::string& stage, bool wiped) {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  hold_life(stage + "-escaped");
  if (wiped) {
    // /proc shows the environment that a process was started with: only exec removes it.
    char* const words[] = {const_cast<char*>("/bin/sleep"), const_cast<char*>("60"), nullptr};
    char* const none[] = {nullptr};
    for (int file = 3; file < 64; ++file) ::fcntl(file, F_SETFD, 0);
    ::execve(words[0], words, none);
  }
  ::alarm(60);
  for (;;) ::pause();
}

volatile std::sig_atomic_t storming = 0;

// Each generation forks the next and exits; the count bounds them. All hold the server's locks.
void storm(bool at_once) {
  while (storming == 0 && !at_once) ::usleep(1000);
  for (int i = 0; i < 30000; ++i) {
    const int pid = ::fork();
    if (pid > 0) ::_exit(0);
    if (pid < 0) ::_exit(1);
    ::usleep(200);
  }
  ::_exit(0);
}

void misbehave_before(const std::string& stage, const std::string& mode) {
  if (mode == "dies-starting") {
    std::fprintf(stderr, "requested to die while starting\n");
    std::exit(1);
  }
  if (mode == "ignores-term") std::signal(SIGTERM, SIG_IGN);
  if (mode == "escape") escape(stage, false);
  if (mode == "escape-wiped") escape(stage, true);
  if (mode == "storm") {
    std::signal(SIGTERM, [](int) { storming = 1; });
    if (::fork() == 0) storm(false);
  }
  if (mode == "storming" && ::fork() == 0) storm(true);
}

}  // namespace

int serve(const std::vector<std::string>& words) {
  const std::string& stage = words.at(0);
  const int port = std::atoi(words.at(1).c_str());
  const std::string mode = value(words, "--mode", "plain");
  const Work work(stage, "port=" + words.at(1) + " tmp=" + variable("TMPDIR"));
  if (value(words, "--fail") == "serve") {
    std::fprintf(stderr, "requested to fail at %s\n", stage.c_str());
    return 1;
  }
  for (const std::string& input : values(words, "--from")) read_whole(input, stage);
  for (const std::string& prefix : values(words, "--shm"))
    write_file("/dev/shm/" + prefix + "_segment", "shared\n");
  misbehave_before(stage, mode);
  pace("start");
  const int door = listen_at(port);
  for (;;) {
    const int socket = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    std::thread(talk, socket, mode).detach();
  }
}

}  // namespace actor

// Serves one page to browsers of this host: HTTP/1.1 on 127.0.0.1, at one address with a random
// token. Knows nothing of the page.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <functional>
#include <string>
#include <vector>

namespace orch::system {

// What a request asks for: the path of the page, from a browser that was given this address.
struct PageRequest {
  std::string method, path, host;
  bool is_complete = false;  // the head has ended
  bool is_http = false;
};

// TEXT is what has arrived.
PageRequest parse_page_request(std::string_view text);

// Compares in a time that does not depend on where the texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// 32 hexadecimal digits from the kernel's random numbers.
Result<std::string> random_token();

class PageServer {
 public:
  // A port that the kernel chooses, of 127.0.0.1. TOKEN becomes the path.
  static Result<PageServer> listen(std::string token);

  // "http://127.0.0.1:PORT/TOKEN"
  std::string address() const;

  // The page, its version as the ETag, and its policy as headers.
  struct Page {
    std::string html, version, policy;
  };
  // Answers until STOP, which is asked five times a second. GET and HEAD of the address get the
  // page of that moment; every other path, and a request for another host, gets 404. PAGE is called
  // for each request of the page.
  Status serve(const std::function<Page()>& page, const std::function<bool()>& stop);

 private:
  struct Connection {
    Descriptor socket;
    std::string in, out;
    double deadline_s = 0;
  };

  PageServer(Descriptor socket, int port, std::string token)
      : socket_(std::move(socket)), port_(port), token_(std::move(token)) {}
  std::string answer(const PageRequest& request, const std::function<Page()>& page) const;
  void accept_all(double now_s);
  // Whether the connection stays open.
  bool move_on(Connection& connection, short events, const std::function<Page()>& page) const;

  Descriptor socket_;
  int port_;
  std::string token_;
  std::vector<Connection> connections_;
};

}  // namespace orch::system

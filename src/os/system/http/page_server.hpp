// Serves one page to browsers of this host: HTTP/1.1 on 127.0.0.1, at one address with a random
// token.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::system {

// The parts of a request that a page depends on. HOST is the name by which the browser addressed
// this server.
struct PageRequest {
  std::string method, path, host;
  bool is_complete = false;  // the head is complete
  bool is_http = false;
};

// TEXT: the bytes that have arrived so far.
PageRequest parse_page_request(std::string_view text);

// Compares in constant time, wherever the texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// 32 random hexadecimal digits from the kernel.
Result<std::string> random_token();

class PageServer {
 public:
  // Listens on a port of 127.0.0.1 chosen by the kernel. TOKEN becomes the path.
  static Result<PageServer> listen(std::string token);

  // "http://127.0.0.1:PORT/TOKEN"
  std::string address() const;

  // The page, its version for the ETag, and its content security policy.
  struct Page {
    std::string html, version, policy;
  };
  // Serves until STOP, polled five times a second, returns true. GET and HEAD of the address return
  // the current page; any other path, and a request for another host, gets 404. PAGE is called for
  // each request of the page.
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
  // Returns whether the connection stays open.
  bool move_on(Connection& connection, short events, const std::function<Page()>& page) const;

  Descriptor socket_;
  int port_;
  std::string token_;
  std::vector<Connection> connections_;
};

}  // namespace orch::system

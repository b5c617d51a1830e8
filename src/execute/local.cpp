#include "execute/executor.hpp"

#include <csignal>

namespace orch::execute {

Result<Handle> LocalExecutor::start(const Launch& launch) {
  ORCH_ASSIGN(const system::ProcessId process, processes_.spawn({.argv = launch.argv, .env = launch.env, .work = launch.work, .log = launch.log, .token = launch.token}));
  tokens_[process] = launch.token;
  return Handle{process, launch.token};
}

std::vector<Ended> LocalExecutor::poll(double wait_s) {
  std::vector<Ended> ended;
  for (const system::Exit& exit : processes_.wait(wait_s)) {
    const auto token = tokens_.find(exit.process);
    if (token == tokens_.end()) continue;
    ended.push_back({.token = token->second, .code = exit.code, .signal = exit.signal, .cpu_s = exit.cpu_s, .max_rss_bytes = exit.max_rss_bytes});
    tokens_.erase(token);
  }
  return ended;
}

void LocalExecutor::terminate(const Handle& handle) { processes_.signal_tree(handle.process, handle.token, SIGTERM); }
void LocalExecutor::kill(const Handle& handle) { processes_.signal_tree(handle.process, handle.token, SIGKILL); }
bool LocalExecutor::gone(const Handle& handle, bool thorough) { return !processes_.tree_alive(handle.process, handle.token, thorough); }

}  // namespace orch::execute

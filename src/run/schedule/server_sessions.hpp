// What is known of each server session of a run, also after the server has ended.
#pragma once

#include "run/schedule/attempt_failure.hpp"
#include "run/schedule/journal.hpp"

#include <map>
#include <optional>

namespace orch::schedule {

struct ServerSession {
  int measured = 0;  // measurements on record against it
  std::optional<AttemptFailure> failure;
};

// A session is named by the attempt that started its server.
class ServerSessions {
 public:
  ServerSession& operator[](const AttemptKey& session) { return sessions_[session]; }
  // Null while the server is well, and for a session that is unknown.
  const AttemptFailure* failure(const AttemptKey& session) const {
    const auto found = sessions_.find(session);
    return found != sessions_.end() && found->second.failure ? &*found->second.failure : nullptr;
  }

 private:
  std::map<AttemptKey, ServerSession> sessions_;
};

}  // namespace orch::schedule

// Why an attempt failed: its failure class and a message. Does not know what follows from it.
#pragma once

#include "run/attempt/failure.hpp"

#include <optional>
#include <string>

namespace orch::schedule {

struct AttemptFailure {
  // One of attempt::failure_classes(). Empty for a server that is ended because it is not needed:
  // its attempt succeeded.
  std::string klass;
  std::string message;                       // first line: the reason; then the end of the log
  std::optional<double> retry_after_s = {};  // a lower limit for the wait before a retry

  bool is_harness() const {
    const attempt::FailureClass* known = attempt::find_failure_class(klass);
    return known && known->kind == attempt::FailureKind::harness;
  }
  bool is_interrupt() const { return klass == "interrupted"; }
  // Of an attempt that is lost nothing is kept but its log: it says nothing about its stage.
  bool is_lost() const { return klass == "lost"; }
  bool is_full_disk() const { return klass == "disk_full" || klass == "disk_quota"; }
  attempt::FailureKind kind() const {
    return is_harness() ? attempt::FailureKind::harness : attempt::FailureKind::system;
  }
  std::string first_line() const { return message.substr(0, message.find('\n')); }
  std::string reason() const { return klass + ": " + first_line(); }
};

}  // namespace orch::schedule

// What a command makes of its measurements. It takes each as soon as it is complete, so that a
// later failure loses none. Measures nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/record/measurement.hpp"

namespace orch::cli {

class Outcome {
 public:
  // COMMAND: its name, for messages; must outlive this.
  explicit Outcome(std::string_view command) : command_(command) {}
  virtual ~Outcome() = default;
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  void add(record::Measurement measurement);
  // False when something could not be written; a message has been printed.
  bool finish();
  bool all_valid() const;

 protected:
  const std::vector<record::Measurement>& measurements() const { return measurements_; }
  // To standard output, which may be closed.
  void print(const std::string& text);
  // Reasons and warnings of ONE, on stderr.
  static void print_verdict(const record::Measurement& one);
  void note_failure(const Status& status);
  // The first of them, as printed; "" for none.
  const std::string& first_failure() const { return first_failure_; }

 private:
  // The last of measurements() is new.
  virtual void added() = 0;
  // All of measurements(), at least one, are there.
  virtual void completed() = 0;

  std::string_view command_;
  std::vector<record::Measurement> measurements_;
  std::string first_failure_;
  bool stdout_closed_ = false;
};

}  // namespace orch::cli

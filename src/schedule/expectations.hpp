// How long stages take, learnt from those that ended; for the remaining time. Knows no plan.
#pragma once

#include <map>
#include <string>

namespace orch::schedule {

class Expectations {
 public:
  // KNOWN: mean seconds per stage name from earlier runs.
  explicit Expectations(std::map<std::string, double> known) : known_(std::move(known)) {}

  void learn(const std::string& stage, double seconds);
  // Mean seconds of that stage; of all stages where it is unknown; negative without any data.
  double of(const std::string& stage) const;

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
  };
  std::map<std::string, double> known_;
  std::map<std::string, Mean> seen_;
};

}  // namespace orch::schedule

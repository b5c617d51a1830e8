// How long stages take, learnt from those that ended; for the remaining time. Knows no plan.
#pragma once

#include <map>
#include <string>

namespace orch::schedule {

class Expectations {
 public:
  // KNOWN: mean seconds per stage name from earlier runs.
  explicit Expectations(std::map<std::string, double> known) : known_(std::move(known)) {}

  // ESTIMATE: what these seconds were estimated at; negative: at nothing.
  void learn(const std::string& stage, double seconds, double estimate = -1);
  // Mean seconds of that stage; of all stages where it is unknown; negative without any data.
  double of(const std::string& stage) const;
  // What a stage of that name, estimated at ESTIMATE, will take by those that ended: the estimate
  // in the proportion in which others were wrong, else their mean. Negative where nothing is known:
  // the times of other stages say nothing about this one.
  double corrected(const std::string& stage, double estimate) const;

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    double of_estimated = 0, estimates = 0;  // the sums of those that had an estimate
  };
  std::map<std::string, double> known_;
  std::map<std::string, Mean> seen_;
};

}  // namespace orch::schedule

// What Slurm said last of the jobs of a run: one file of the store, for `status`, which may look
// from another host. It is written when something has changed.
//
//   slurm/jobs.json  {TOKEN: {"id": "12_3", "state": "PENDING", "reason": "Resources", "node": ""}}
#pragma once

#include "core/base/fields.hpp"
#include "os/system/files.hpp"

#include <map>
#include <string>

namespace orch::slurm {

struct ShownJob {
  std::string id;          // "" while Slurm has given none
  std::string state = {};  // as Slurm names it; "" until it was asked
  std::string reason = {}, node = {};

  // It starts only if somebody releases it.
  bool is_held() const;
  bool is_waiting() const;
  // "job 12_3 pending: Resources", "job 12 running on n1".
  std::string text() const;

  bool operator==(const ShownJob&) const = default;
};
constexpr auto fields_of(Tag<ShownJob>) {
  return rows_of(required<&ShownJob::id>("id"), required<&ShownJob::state>("state"),
                 required<&ShownJob::reason>("reason"), required<&ShownJob::node>("node"));
}

using ShownJobs = std::map<std::string, ShownJob>;  // by token of the launch

class JobBoard {
 public:
  // FILES must outlive this.
  JobBoard(system::Files& files, const std::string& store)
      : files_(files), path_(store + "/slurm/jobs.json") {}
  void show(ShownJobs jobs);
  // What the last show() of any process has written; empty where there was none.
  ShownJobs read();

 private:
  system::Files& files_;
  std::string path_;
  ShownJobs shown_;
};

}  // namespace orch::slurm

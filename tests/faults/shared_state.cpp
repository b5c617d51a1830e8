#include "faults/shared_state.hpp"

#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orch::faults {

SharedState::SharedState(const crash::World& world, const std::string& name)
    : world_(world),
      file_(world.folder() + "/.state-of-" + name),
      log_(".failed-calls-of-" + name) {
  const int fd = ::open(file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  void* place = MAP_FAILED;
  if (fd >= 0 && ::ftruncate(fd, sizeof(State)) == 0)
    place = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (place == MAP_FAILED) throw std::runtime_error("cannot map " + file_);
  state_ = static_cast<State*>(place);
}

SharedState::~SharedState() { ::munmap(state_, sizeof(State)); }

crash::World::Variables SharedState::variables(const std::optional<Fault>& fault) const {
  crash::World::Variables variables = {{"LD_PRELOAD", ORCH_FAULT_LIBRARY},
                                       {"ORCH_FAULT_FOLDER", world_.folder()},
                                       {"ORCH_FAULT_STATE", file_},
                                       {"ORCH_FAULT_LOG", world_.folder() + "/" + log_}};
  if (fault) variables["ORCH_FAULT"] = fault->text();
  return variables;
}

Counts SharedState::counts(std::size_t program) const {
  Counts counts{};
  for (std::size_t family = 0; family < k_family_count; ++family)
    counts[family] = state_->calls[program][family];
  return counts;
}

}  // namespace orch::faults

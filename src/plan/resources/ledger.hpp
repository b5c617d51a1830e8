// What of a host is in use, and by whom. Gives each holder GPUs, cores, memory, disk space and
// tokens that no other holder has. Knows no stage, no clock and no policy but one: whether cores
// are assigned. Copies are cheap, so that a caller can ask what would be free if some holders
// ended.
#pragma once

#include "plan/resources/host_resources.hpp"
#include "plan/resources/request.hpp"

#include <optional>
#include <string>

namespace orch::resources {

class Ledger {
 public:
  // APART: holders get cores of their own, and only those. A part of the cores belongs to each GPU;
  // what is left over, at least a sixteenth, is for holders without GPUs. Otherwise every holder
  // may use all cores, and requests for a number of them are only counted.
  explicit Ledger(Inventory inventory, bool apart = false);

  // What a holder of REQUEST would get now; empty: it has to wait. It needs no more GPUs than there
  // are: none where none are known, as of a cluster. FREE: the GPUs that may be given at all, of
  // which those in use are left out.
  std::optional<Grant> find(const Request& request, const std::set<int>& free) const;
  // The same with every GPU of the inventory.
  std::optional<Grant> find(const Request& request) const { return find(request, all_gpus_); }

  // GRANT, which is taken, with a core for the client where its server has left it one and GRANT
  // does not say which: of an adopted server, only the CPUs of its own processes are known.
  Grant with_client_core(const Request& request, Grant grant) const;

  bool is_taken(int gpu) const { return gpus_.contains(gpu); }
  void take(const std::string& holder, const Request& request, Grant grant);
  void give_back(const std::string& holder);
  // BYTES of disk space are free now. What holders have written of theirs is missing in BYTES and
  // counts as held all the same: stages may wait for each other too long, rather than too short.
  void set_free_disk(std::uint64_t bytes) { inventory_.disk_bytes = bytes; }
  // What of the disk is free and held by nobody; empty: not known.
  std::optional<std::uint64_t> disk_left() const {
    if (!inventory_.disk_bytes) return std::nullopt;
    return *inventory_.disk_bytes - std::min(*inventory_.disk_bytes, disk_bytes_);
  }
  // Null when HOLDER has nothing.
  const Grant* held(const std::string& holder) const;
  const Inventory& inventory() const { return inventory_; }

 private:
  struct Held {
    Request request;
    Grant grant;
  };
  // How often each core is in use, by one holder alone or by several that share it.
  struct Use {
    int own = 0, shared = 0;
  };

  std::optional<std::vector<std::size_t>> find_cores(const Request& request,
                                                     const std::vector<int>& gpus) const;
  // COUNT cores for which USABLE holds, those of NODES first; empty: there are too few.
  template <class Usable>
  std::optional<std::vector<std::size_t>> pick(std::size_t count, const std::set<int>& nodes,
                                               const Usable& usable) const;
  std::size_t counted_of(const Request& request) const;
  void count(const Held& held, int sign);

  Inventory inventory_;
  bool apart_;
  std::set<int> all_gpus_;
  std::size_t per_gpu_ = 0;       // cores that belong to each GPU
  std::vector<int> node_of_gpu_;  // by position in the inventory
  std::vector<bool> of_gpus_;     // by core: it belongs to the GPUs
  std::map<int, std::size_t> core_of_cpu_;

  std::map<std::string, Held> held_;
  std::vector<Use> uses_;  // by core
  std::set<int> gpus_;     // in use
  std::size_t counted_cores_ = 0;
  double memory_gib_ = 0;
  std::uint64_t disk_bytes_ = 0;
  std::map<std::string, int> tokens_;
};

}  // namespace orch::resources

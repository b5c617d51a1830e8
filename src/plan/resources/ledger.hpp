// What of a host is in use, and by whom. Gives each holder GPUs, cores, memory, disk space and
// tokens that no other holder has. Knows no stage, no clock and no policy but one: whether cores
// are assigned. Copies are cheap, so that a caller can ask what would be free if some holders
// ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::resources {

// What a host has that stages share out among themselves. Values only: nothing here asks the host.

// A physical core. A node is a NUMA node.
struct Core {
  std::vector<int> cpus;  // its hardware threads, by the numbers of the kernel
  int node = 0;
};

struct Gpu {
  int index = 0;           // as in system::GpuUse
  int node = -1;           // the NUMA node that it is attached to; -1: not known
  std::set<int> linked{};  // the GPUs that NVLink joins it with
};

struct Inventory {
  std::vector<Core> cores;  // empty: not known, and none are assigned
  std::vector<Gpu> gpus;    // by index
  double memory_gib = 0;    // 0: not known, and not counted
  // Of the disk, what stages may write; empty: not known, and not counted.
  std::optional<std::uint64_t> disk_bytes{};
  // Named things of which only so many stages may hold one at a time: a licence, a network share.
  std::map<std::string, int> tokens;
};

// A host of which only numbers are known: CORES cores of one hardware thread each and GPUS GPUs,
// all near each other.
Inventory plain_inventory(int cores, int gpus);

// Chooses GPUs that are near each other. Pure.

// COUNT of FREE, which has at least as many, by index: a group with the fewest pairs that NVLink
// does not join, then with the fewest pairs on different NUMA nodes. Among equal groups the one on
// the nodes with the fewest free GPUs, so that large groups stay together; then the lowest indices.
std::vector<int> nearest_gpus(const std::vector<Gpu>& free, std::size_t count);

// What an attempt asks of a host, and what it is given. Values only.

struct Request {
  // Which cores, where attempts are kept apart (Ledger).
  enum class Cores {
    none,     // none are assigned: it has those of its server, or may use all
    shared,   // those that nobody has; others that ask for the same may use them as well
    counted,  // so many of its own; all where the host has fewer
    by_gpus,  // those that belong to its GPUs
    all,      // every core of the host
  };

  int gpus = 0;
  Cores which = Cores::none;
  int cores = 0;             // when counted
  bool with_client = false;  // one of its cores, if it has four, is for the client that measures it
  double memory_gib = 0;     // 0: not stated, and not counted
  std::uint64_t disk_bytes = 0;         // that it writes; 0: not known, and not counted
  std::map<std::string, int> tokens{};  // how many of each

  auto operator<=>(const Request&) const = default;
  // Whether it can be granted on any host at any time.
  bool asks_nothing() const { return *this == Request{}; }
};

struct Grant {
  std::vector<int> gpus;  // sorted
  // The CPUs that its processes are kept on, sorted; empty: all of the host.
  std::vector<int> cpus;
  // Those of the client that measures it, which cpus lacks; empty: the same.
  std::vector<int> client_cpus;
  // The NUMA nodes of those CPUs, on which its memory is; empty: any.
  std::set<int> nodes;
};

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

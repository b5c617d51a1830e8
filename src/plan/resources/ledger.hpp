// Which resources of a host are in use, and by which holder. Assigns each holder GPUs, cores,
// memory, disk space and tokens that no other holder has. Has one policy: whether cores are
// assigned. Cheap to copy, so that a caller can ask what would be free if some holders ended.
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

// The resources of a host that stages share. Nothing here queries the host.

// A physical core. A node is a NUMA node.
struct Core {
  std::vector<int> cpus;  // its hardware threads, as numbered by the kernel
  int node = 0;
};

struct Gpu {
  int index = 0;           // as in system::GpuUse
  int node = -1;           // the NUMA node that it is attached to; -1: unknown
  std::set<int> linked{};  // the GPUs that NVLink connects it to
};

struct Inventory {
  std::vector<Core> cores;  // empty: unknown, and none are assigned
  std::vector<Gpu> gpus;    // by index
  double memory_gib = 0;    // 0: unknown, and not counted
  // The part of the disk that stages may fill; nullopt: unknown, and not counted.
  std::optional<std::uint64_t> disk_bytes{};
  // Named resources that only a limited number of stages may hold at a time: a licence, a network
  // share.
  std::map<std::string, int> tokens;
};

// A host known only by numbers: CORES cores of one hardware thread each and GPUS GPUs, all near
// each other.
Inventory plain_inventory(int cores, int gpus);

// Chooses GPUs that are near each other. Pure.

// The sorted indices of COUNT GPUs of FREE, which has at least that many. Of the groups that grow
// from each GPU by adding the nearest one: a group with the fewest pairs not joined by NVLink, then
// with the fewest pairs on different NUMA nodes, then on the nodes with the fewest free GPUs, so
// that large groups stay together; then the lowest indices.
std::vector<int> nearest_gpus(const std::vector<Gpu>& free, std::size_t count);

// What an attempt requests from a host, and what it is granted.

struct Request {
  // Which cores, if the Ledger keeps holders apart.
  enum class Cores {
    none,     // none assigned: it has those of its server, or may use all
    shared,   // cores that belong to no GPU and no holder, shared by all such holders
    counted,  // this many, exclusively; all if the host has fewer
    by_gpus,  // those that belong to its GPUs
    all,      // every core of the host
  };

  int gpus = 0;
  Cores which = Cores::none;
  int cores = 0;                 // if counted
  bool with_client = false;      // one of its cores, if it has four or more, is for the client
  double memory_gib = 0;         // 0: not stated, and not counted
  std::uint64_t disk_bytes = 0;  // that it writes; 0: unknown, and not counted
  std::map<std::string, int> tokens{};  // how many of each

  auto operator<=>(const Request&) const = default;
  // Whether it requests nothing, so that every host can grant it at any time.
  bool asks_nothing() const { return *this == Request{}; }
};

struct Grant {
  std::vector<int> gpus = {};  // sorted
  // The CPUs that its processes are bound to, sorted; empty: all of the host.
  std::vector<int> cpus = {};
  // The CPUs of the client that measures it, none of them in cpus; empty: the same as cpus.
  std::vector<int> client_cpus = {};
  // The NUMA nodes of those CPUs, to which its memory is bound; empty: any.
  std::set<int> nodes = {};
};

// The cores of a host, by index, and which are in use. Some of the cores belong to each GPU; the
// rest, at least a sixteenth, is for holders without GPUs.
class CoreTable {
 public:
  using Indices = std::vector<std::size_t>;

  explicit CoreTable(const Inventory& inventory);

  std::size_t size() const { return cores_.size(); }
  // How many cores REQUEST, which states a number, asks for: all if the host has fewer.
  std::size_t counted_of(const Request& request) const;
  // The cores for REQUEST of a holder that gets GPUS; nullopt if it has to wait.
  std::optional<Indices> find(const Request& request, const std::vector<Gpu>& gpus) const;
  // A free core for the client of a holder of OWN, preferably near; nullopt if there is none. OWN
  // is not empty.
  std::optional<std::size_t> find_beside(const std::set<std::size_t>& own) const;
  // The cores to which CPUS belong.
  std::set<std::size_t> of(const std::vector<int>& cpus) const;
  // Counts one more holder of CORES, or one fewer if SIGN is -1.
  void count(const std::set<std::size_t>& cores, bool are_shared, int sign);

 private:
  struct State {
    int node = 0;
    bool is_of_gpus = false;
    int own = 0, shared = 0;  // holders that use it exclusively; holders that share it

    bool is_free() const { return own == 0 && shared == 0; }
  };

  // COUNT cores for which USABLE holds, those of NODES first; nullopt if there are too few.
  template <class Usable>
  std::optional<Indices> pick(std::size_t count, const std::set<int>& nodes,
                              const Usable& usable) const;

  std::vector<State> cores_;
  std::size_t per_gpu_ = 0;  // cores that belong to each GPU
  std::map<int, std::size_t> core_of_cpu_;
};

class Ledger {
 public:
  // APART: holders get exclusive cores, and only those. Otherwise every holder may use all cores,
  // and requests for a number of them are only counted.
  explicit Ledger(Inventory inventory, bool apart = false);

  // What a holder of REQUEST would get now; nullopt if it has to wait. At most the known GPUs are
  // granted: none if none are known, as for a cluster. FREE: the GPUs that may be assigned, unless
  // they are in use.
  std::optional<Grant> find(const Request& request, const std::set<int>& free) const;
  // The same with every GPU of the inventory.
  std::optional<Grant> find(const Request& request) const { return find(request, all_gpus_); }

  // GRANT, which has been taken, with a core for the client if the server leaves one and GRANT has
  // none: for an adopted server, only the CPUs of its own processes are known.
  Grant with_client_core(const Request& request, Grant grant) const;

  bool is_taken(int gpu) const { return gpus_.contains(gpu); }
  void take(const std::string& holder, const Request& request, Grant grant);
  void give_back(const std::string& holder);
  // BYTES of disk space are free now. Space that holders have already filled is missing from BYTES
  // and still counts as held, so stages may wait longer than needed, but never start too early.
  void set_free_disk(std::uint64_t bytes) { inventory_.disk_bytes = bytes; }
  // Disk space that is free and not held; nullopt: unknown.
  std::optional<std::uint64_t> disk_left() const {
    if (!inventory_.disk_bytes) return std::nullopt;
    return *inventory_.disk_bytes - std::min(*inventory_.disk_bytes, disk_bytes_);
  }
  struct Held {
    Request request;
    Grant grant;
  };
  // By holder.
  const std::map<std::string, Held>& held() const { return held_; }
  // Null if HOLDER has nothing.
  const Grant* held(const std::string& holder) const;
  const Inventory& inventory() const { return inventory_; }

 private:
  void count(const Held& held, int sign);

  Inventory inventory_;
  bool apart_;
  std::set<int> all_gpus_;
  CoreTable cores_;
  std::map<std::string, Held> held_;
  std::set<int> gpus_;  // in use
  std::size_t counted_cores_ = 0;
  double memory_gib_ = 0;
  std::uint64_t disk_bytes_ = 0;
  std::map<std::string, int> tokens_;
};

}  // namespace orch::resources

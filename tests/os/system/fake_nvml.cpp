// A library with the names and signatures of NVML. ORCH_FAKE_GPUS lists its GPUs:
// "MODEL;MODEL;...", where a trailing '+' turns MIG on and each further '+' adds a MIG device.
// ORCH_FAKE_GPU_USE lists the memory in use: "INDEX PID GIB READS;..."; with a negative PID the
// process has already ended, and the memory is free after READS reads. ORCH_FAKE_GPU_STATE lists
// the state: "INDEX MILLIWATTS MILLIJOULES MHZ BUSY REASONS;..."; each read adds MILLIJOULES to the
// energy counter, and a negative number is not reported. ORCH_FAKE_GPU_LINKS lists pairs that
// NVLink joins: "0-1;2-3". ORCH_FAKE_CUDA is the CUDA version of the driver (12040).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> list_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::vector<std::string> list;
  std::string text = value ? value : "";
  while (!text.empty()) {
    const auto end = text.find(';');
    list.push_back(text.substr(0, end));
    text = end == std::string::npos ? "" : text.substr(end + 1);
  }
  return list;
}

std::vector<std::string> models() { return list_of("ORCH_FAKE_GPUS"); }

std::map<std::size_t, int> g_reads;  // of each GPU's memory

struct Holder {
  int pid = 0;
  unsigned long long gib = 0;
};

std::vector<Holder> holders_of(void* device) {
  const std::size_t index = reinterpret_cast<std::size_t>(device) - 1;
  std::vector<Holder> holders;
  for (const std::string& text : list_of("ORCH_FAKE_GPU_USE")) {
    std::istringstream words(text);
    std::size_t of = 0;
    int reads = 0;
    Holder holder;
    words >> of >> holder.pid >> holder.gib >> reads;
    if (of == index && g_reads[index] <= reads) holders.push_back(holder);
  }
  return holders;
}

struct State {
  long long milliwatts = -1, millijoules = -1, mhz = -1, busy = -1, reasons = -1;
};

// A MIG device reports none of these.
State state_of(void* device) {
  State state;
  for (const std::string& text : list_of("ORCH_FAKE_GPU_STATE")) {
    std::istringstream words(text);
    std::size_t of = 0;
    words >> of;
    if (of + 1 == reinterpret_cast<std::size_t>(device))
      words >> state.milliwatts >> state.millijoules >> state.mhz >> state.busy >> state.reasons;
  }
  return state;
}

template <class T> int report(long long value, T* out) {
  if (value < 0) return 3;  // 3: not supported
  return *out = static_cast<T>(value), 0;
}

std::map<void*, unsigned long long> g_energy;

// The layout of NVML.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

// The handle of a MIG device is 1000 * (GPU + 1) + PLACE + 1, that of a GPU is GPU + 1.
bool is_part(void* device) { return reinterpret_cast<std::size_t>(device) > 1000; }
std::size_t gpu_of(void* device) {
  return (is_part(device) ? reinterpret_cast<std::size_t>(device) / 1000
                          : reinterpret_cast<std::size_t>(device)) -
         1;
}
std::size_t place_of(void* device) { return reinterpret_cast<std::size_t>(device) % 1000 - 1; }

const std::string& model_of(void* device) {
  static std::string model;
  return model = models().at(gpu_of(device));
}
std::size_t pluses(const std::string& model) {
  return model.size() - 1 - model.find_last_not_of('+');
}

int write(const std::string& text, char* out, unsigned size) {
  std::strncpy(out, text.c_str(), size);
  return 0;
}

}  // namespace

extern "C" {
int nvmlInit_v2() {
  return g_reads.clear(), g_energy.clear(), std::getenv("ORCH_FAKE_GPUS") ? 0 : 9;
}  // 9: no driver
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  return *count = static_cast<unsigned>(models().size()), 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  return *device = reinterpret_cast<void*>(std::size_t{index} + 1), 0;
}
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  const std::string& model = model_of(device);
  return write(
      model.substr(0, model.size() - pluses(model)) + (is_part(device) ? " MIG 1g.10gb" : ""), out,
      size);
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
  if (is_part(device))
    return write("MIG-" + std::to_string(gpu_of(device)) + "-" + std::to_string(place_of(device)),
                 out, size);
  return write("GPU-0000000" + std::to_string(gpu_of(device)), out, size);
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  ++g_reads[reinterpret_cast<std::size_t>(device) - 1];
  memory[0] = is_part(device) ? 10ull << 30 : 80ull << 30;
  memory[2] = 0;
  for (const Holder& holder : holders_of(device)) memory[2] += holder.gib << 30;
  return memory[1] = memory[0] - memory[2], 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* out) {
  auto* infos = static_cast<ProcessInfo*>(out);
  unsigned n = 0;
  for (const Holder& holder : holders_of(device))
    if (holder.pid > 0) {
      if (n == *count) return 7;  // 7: too small
      infos[n++] = {static_cast<unsigned>(holder.pid), holder.gib << 30, 0, 0};
    }
  return *count = n, 0;
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* next) {
  if (model_of(device).find("H100") == std::string::npos) return 3;  // 3: not supported
  return *now = *next = pluses(model_of(device)) > 0, 0;
}
// MIG devices take the last places.
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) { return *count = 7, 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned place, void** part) {
  if (place + pluses(model_of(device)) - 1 < 7) return 6;  // 6: not found
  return *part = reinterpret_cast<void*>(1000 * (gpu_of(device) + 1) + place + 1), 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  return report(state_of(device).milliwatts, milliwatts);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  const int status = report(state_of(device).millijoules, millijoules);
  return status != 0 ? status : (*millijoules = g_energy[device] += *millijoules, 0);
}
int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* mhz) {
  return clock == 1 ? report(state_of(device).mhz, mhz) : 2;
}  // 1: SM; 2: invalid
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* degrees) {
  return sensor == 0 ? report(state_of(device).mhz < 0 ? -1 : state_of(device).mhz / 30, degrees)
                     : 2;
}  // 0: of the GPU; hotter, the higher its clock
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  return rates[1] = 0, report(state_of(device).busy, rates);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  return report(state_of(device).reasons, reasons);
}
// The bus of GPU N is 10 + N, in the layout of NVML.
int nvmlDeviceGetPciInfo_v3(void* device, void* out) {
  if (is_part(device)) return 3;
  char* text = static_cast<char*>(out) + 16 + 5 * sizeof(unsigned);
  return std::snprintf(text, 32, "00000000:%zu:00.0", 10 + gpu_of(device)), 0;
}
int nvmlDeviceGetP2PStatus(void* a, void* b, int index, int* status) {
  *status = 3;
  for (const std::string& pair : list_of("ORCH_FAKE_GPU_LINKS")) {
    const std::size_t one = std::stoul(pair), other = std::stoul(pair.substr(pair.find('-') + 1));
    const bool is_it =
        (gpu_of(a) == one && gpu_of(b) == other) || (gpu_of(a) == other && gpu_of(b) == one);
    if (is_it && index == 2 && !is_part(a) && !is_part(b)) *status = 0;  // 2: NVLink
  }
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  const char* version = std::getenv("ORCH_FAKE_CUDA");
  return *out = version ? std::atoi(version) : 12040, 0;
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) { return write("550.54.15", out, size); }
}

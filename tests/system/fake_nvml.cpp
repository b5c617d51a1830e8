// A library with the names and signatures of NVML that tells of the GPUs in ORCH_FAKE_GPUS: "MODEL;MODEL;...", where a
// trailing '+' means that MIG is on. ORCH_FAKE_GPU_USE says who holds memory of the GPUs: "INDEX PID GIB READS;...", where the
// process is gone from the beginning when PID is negative, and the memory is back after it has been read READS times.
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> list_of(const char* variable) {
  const char* said = std::getenv(variable);
  std::vector<std::string> list;
  std::string text = said ? said : "";
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

// As NVML lays it out.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

const std::string& model_of(void* device) {
  static std::string model;
  return model = models().at(reinterpret_cast<std::size_t>(device) - 1);
}

int write(const std::string& text, char* out, unsigned size) {
  std::strncpy(out, text.c_str(), size);
  return 0;
}

}  // namespace

extern "C" {
int nvmlInit_v2() { return g_reads.clear(), std::getenv("ORCH_FAKE_GPUS") ? 0 : 9; }  // 9: no driver
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = static_cast<unsigned>(models().size()), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) { return *device = reinterpret_cast<void*>(std::size_t{index} + 1), 0; }
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  const std::string& model = model_of(device);
  return write(model.back() == '+' ? model.substr(0, model.size() - 1) : model, out, size);
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
  return write("GPU-0000000" + std::to_string(reinterpret_cast<std::size_t>(device) - 1), out, size);
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  ++g_reads[reinterpret_cast<std::size_t>(device) - 1];
  memory[0] = 80ull << 30;
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
  return *now = *next = model_of(device).back() == '+', 0;
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) { return write("550.54.15", out, size); }
}

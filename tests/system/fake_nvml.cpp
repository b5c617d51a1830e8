// A library with the names and signatures of NVML that tells of the GPUs in ORCH_FAKE_GPUS: "MODEL;MODEL;...", where a
// trailing '+' means that MIG is on.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<std::string> models() {
  const char* said = std::getenv("ORCH_FAKE_GPUS");
  std::vector<std::string> list;
  std::string text = said ? said : "";
  while (!text.empty()) {
    const auto end = text.find(';');
    list.push_back(text.substr(0, end));
    text = end == std::string::npos ? "" : text.substr(end + 1);
  }
  return list;
}

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
int nvmlInit_v2() { return std::getenv("ORCH_FAKE_GPUS") ? 0 : 9; }  // 9: no driver
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = static_cast<unsigned>(models().size()), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) { return *device = reinterpret_cast<void*>(std::size_t{index} + 1), 0; }
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  const std::string& model = model_of(device);
  return write(model.back() == '+' ? model.substr(0, model.size() - 1) : model, out, size);
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) { return memory[0] = 80ull << 30, memory[1] = memory[2] = 0, 0; }
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* next) {
  if (model_of(device).find("H100") == std::string::npos) return 3;  // 3: not supported
  return *now = *next = model_of(device).back() == '+', 0;
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) { return write("550.54.15", out, size); }
}

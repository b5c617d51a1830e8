// `orchestrate check` reports a dataset that cannot be read, with its place in the matrix and the
// cause.
#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch {
namespace dataset_test {

namespace fs = std::filesystem;

// The errors of `orchestrate check` for a matrix whose dataset is the file PATH.
std::string errors_of_check(const fs::path& folder, const fs::path& path) {
  const std::string matrix = folder / "m.yaml", err = folder / "err";
  std::ofstream(matrix) << "name: x\nrunner: engine\nmodels: {m: {source: 'generate:nano', facts: "
                           "{heads: 32, positions: 4096}}}\naxes: {model: [m]}\n"
                        << "datasets: {orca: {source: 'local:" << path.string()
                        << "'}}\nmeasure: {prompts: orca}\n";
  const std::string command = "cd '" ORCH_SOURCE_DIR
                              "/tests/golden/matrices' && XDG_CONFIG_HOME=/nowhere '" ORCH_BINARY
                              "' check " +
                              matrix + " --machine ../machine.yaml >/dev/null 2>" + err;
  if (std::system(command.c_str()) == 0) return "";
  std::ifstream file(err, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Dataset, that_cannot_be_read_is_reported_with_its_place_and_cause) {
  const fakes::TempFolder temporary;
  const fs::path folder = temporary.path();
  std::ofstream(folder / "good") << "{}\n";
  std::ofstream(folder / "empty").flush();
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  fs::create_symlink("loop", folder / "loop");
  const auto expected = [&](const std::string& name, const std::string& why) {
    return (folder / "m.yaml").string() + ":5:27: the dataset '" + (folder / name).string() + "' " +
           why + "; correct its path\n";
  };
  EXPECT_EQ(errors_of_check(folder, folder / "good"), "");
  EXPECT_EQ(errors_of_check(folder, folder / "missing"),
            expected("missing", "cannot be read: there is no such file"));
  EXPECT_EQ(errors_of_check(folder, folder / "folder"),
            expected("folder", "cannot be read: it is a folder"));
  EXPECT_EQ(errors_of_check(folder, folder / "fifo"),
            expected("fifo", "cannot be read: it is not a regular file"));
  EXPECT_EQ(errors_of_check(folder, folder / "loop"),
            expected("loop", "cannot be read: Too many levels of symbolic links"));
  EXPECT_EQ(errors_of_check(folder, folder / "empty"), expected("empty", "is empty"));
}

}  // namespace dataset_test
}  // namespace orch

// The files of --lora: which are read, and what is said of missing and unfit ones.
#include "app/cli/bench/bench_options.hpp"
#include "bench/protocol/npy_files.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace bench_adapter_test {

using testing::HasSubstr;

class BenchAdapter : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }
  void write_weights() {
    write("model.lora_weights.npy", protocol::npy("<f2", "(1, 2, 2)", std::string(8, '\0')));
  }
  void write_config(const std::string& name = "model.lora_config.npy", int rows = 2) {
    write(name, protocol::npy("<i4", fmt::format("(1, {}, 3)", rows),
                              std::string(static_cast<std::size_t>(rows) * 12, '\0')));
  }
  // "" when it was read.
  std::string error_of(const std::string& given) {
    command_ = {};
    command_.lora = given;
    const Status read = read_adapter(command_);
    return read.ok() ? "" : read.error().message;
  }

  fakes::TempFolder folder_;
  BenchCommand command_;
};

TEST_F(BenchAdapter, IsAFolderOrAFileWithItsConfigurationBeside) {
  write_weights();
  write_config();
  ASSERT_EQ(error_of(folder_.path().string()), "");
  ASSERT_EQ(command_.options.adapter.size(), 2u);
  EXPECT_EQ(command_.options.adapter[0].name, "lora_weights");
  EXPECT_EQ(command_.options.adapter[1].array->datatype, "INT32");
  const std::string digest = command_.options.sampling.lora_weights_sha256;
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(error_of(folder_.file("model.lora_weights.npy")), "");
  EXPECT_EQ(command_.options.sampling.lora_weights_sha256, digest);
}

TEST_F(BenchAdapter, MayHaveTheOlderNameOfAConfiguration) {
  write_weights();
  write_config("model.lora_keys.npy");
  EXPECT_EQ(error_of(folder_.path().string()), "");
}

TEST_F(BenchAdapter, WithoutOneOfItsFilesIsRefused) {
  EXPECT_EQ(error_of(folder_.path().string()),
            fmt::format("--lora {0}: {0}/model.lora_weights.npy does not exist; give the folder "
                        "that hf_lora_convert.py wrote",
                        folder_.path().string()));
  write_weights();
  EXPECT_THAT(error_of(folder_.path().string()),
              HasSubstr("there is no model.lora_config.npy beside"));
}

TEST_F(BenchAdapter, WithAnotherNumberOfRowsIsRefused) {
  write_weights();
  write_config("model.lora_config.npy", 1);
  EXPECT_THAT(error_of(folder_.path().string()),
              AllOf(HasSubstr("has the shape [1, 1, 3] and"),
                    HasSubstr("one row of [module, layer, rank] for each row of weights")));
}

TEST_F(BenchAdapter, ThatIsNoArrayNamesTheFile) {
  write("model.lora_weights.npy", "weights");
  write_config();
  EXPECT_THAT(error_of(folder_.path().string()),
              HasSubstr("model.lora_weights.npy: it is not a NumPy file"));
}

}  // namespace bench_adapter_test
}  // namespace orch::cli

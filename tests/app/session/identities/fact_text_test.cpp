// The size of the weights beside a config.json, as facts read it.
#include "app/session/identities/tool_versions.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace orch::session {
namespace fact_text_test {

class FactText : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/fact_text";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write("config.json", R"({"a": 1})");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string text(std::vector<std::string> weights = {"index.json", "whole"}) {
    system::RealFiles files;
    runner::FactSource source;
    source.weights = std::move(weights);
    const auto text = fact_text(files, folder_ + "/config.json", source);
    return text ? *text : text.error().message;
  }
  std::string folder_;
};

TEST_F(FactText, has_the_total_of_an_index) {
  write("index.json", R"({"weight_map": {"a": "b"}, "metadata": {"total_size": 12.0}})");
  write("whole", "1234");
  EXPECT_EQ(text(), R"({"a":1,"weights_bytes":12})");
}

TEST_F(FactText, has_the_size_of_a_file_where_there_is_no_index) {
  write("whole", "1234");
  EXPECT_EQ(text(), R"({"a":1,"weights_bytes":4})");
}

TEST_F(FactText, is_the_file_itself_where_no_size_is_known) {
  EXPECT_EQ(text(), R"({"a": 1})");
  EXPECT_EQ(text({}), R"({"a": 1})");
  for (const char* index :
       {"{", "[1]", "{}", R"({"metadata": 1})", R"({"metadata": {"total_size": "x"}})",
        R"({"metadata": {"total_size": -1}})"}) {
    write("index.json", index);
    EXPECT_EQ(text(), R"({"a": 1})") << index;
  }
}

}  // namespace fact_text_test
}  // namespace orch::session

// The folder of an export.
#include "results/keep/bundle.hpp"

#include "core/base/digest.hpp"
#include "results/store/sample.hpp"

namespace orch::keep {
namespace bundle_test {

using sample::write_file;

const std::string k_uid(32, 'a');

class BundleFolder : public testing::Test {
 protected:
  BundleFolder() { std::filesystem::create_directories(folder_.path() / "objects"); }
  std::string path() const { return folder_.path().string(); }
  Bundle small() {
    const auto facts = put_object(files_, path(), "facts\n");
    const auto record = put_object(files_, path(), "record");
    return {.runs = {{.uid = k_uid,
                      .experiment = "quick",
                      .facts = *facts,
                      .records = {
                          {.path = "artifacts/x/out", .files = {{"measurement.json", *record}}}}}}};
  }
  std::string error() {
    const auto read = read_bundle(files_, path());
    return read ? "" : read.error().text();
  }
  void replace(const std::string& what, const std::string& with) {
    std::string list = files_.read(path() + "/export.json").value();
    ASSERT_NE(list.find(what), std::string::npos);
    list.replace(list.find(what), what.size(), with);
    write_file(folder_.path() / "export.json", list);
  }

  system::RealFiles files_;
  sample::TemporaryFolder folder_;
};

TEST_F(BundleFolder, is_read_as_it_was_written_and_the_same_runs_make_the_same_bytes) {
  ASSERT_TRUE(write_bundle(files_, path(), small()));
  const std::string first = files_.read(path() + "/export.json").value();
  const auto read = read_bundle(files_, path());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->runs[0].uid, k_uid);
  EXPECT_EQ(read->runs[0].records[0].files, small().runs[0].records[0].files);
  ASSERT_TRUE(write_bundle(files_, path(), *read));
  EXPECT_EQ(files_.read(path() + "/export.json").value(), first);
  EXPECT_EQ(files_.names(path() + "/objects")->size(), 2u);
}

TEST_F(BundleFolder, has_a_file_once) {
  write_file(folder_.path() / "a", "the same");
  const auto one = put_object_of(files_, path(), path() + "/a");
  const auto two = put_object(files_, path(), "the same");
  EXPECT_EQ(one.value(), two.value());
  EXPECT_EQ(one.value(), sha256("the same").hex());
  EXPECT_EQ(files_.names(path() + "/objects").value(), std::vector<std::string>{one.value()});
}

TEST_F(BundleFolder, without_a_list_or_an_object_is_none) {
  EXPECT_THAT(error(), testing::HasSubstr("has no export.json"));
  ASSERT_TRUE(write_bundle(files_, path(), small()));
  std::filesystem::remove(object_path(path(), sha256("record").hex()));
  EXPECT_THAT(error(), testing::HasSubstr("is missing: the export is not complete"));
}

TEST_F(BundleFolder, refuses_names_that_lead_elsewhere) {
  for (const auto& [what, with] : std::vector<std::pair<std::string, std::string>>{
           {k_uid, "../../../../../etc/../../x12345"},
           {"measurement.json", "../measurement.json"},
           {sha256("record").hex(), "../../etc/passwd"},
           {"orchestrate-export", "something-else"},
           {"\"version\": 1", "\"version\": 2"},
           {"\"runs\"", "\"ruins\""}}) {
    ASSERT_TRUE(write_bundle(files_, path(), small()));
    replace(what, with);
    EXPECT_THAT(error(), testing::StartsWith("export.json: ")) << what;
  }
}

TEST_F(BundleFolder, refuses_links_and_a_truncated_list) {
  ASSERT_TRUE(write_bundle(files_, path(), small()));
  const std::string object = object_path(path(), sha256("record").hex());
  std::filesystem::remove(object);
  std::filesystem::create_symlink("/etc/passwd", object);
  EXPECT_THAT(error(), testing::HasSubstr("is not a regular file"));
  const std::string list = files_.read(path() + "/export.json").value();
  write_file(folder_.path() / "export.json", list.substr(0, list.size() / 2));
  EXPECT_THAT(error(), testing::StartsWith("export.json: "));
  write_file(folder_.path() / "export.json", list);
  std::filesystem::rename(folder_.path() / "objects", folder_.path() / "moved");
  std::filesystem::create_directory_symlink(folder_.path() / "moved", folder_.path() / "objects");
  EXPECT_THAT(error(), testing::HasSubstr("is a link"));
}

}  // namespace bundle_test
}  // namespace orch::keep

// What list() says of links, pipes and mounts, which it does not enter.
#include "os/system/files/walk.hpp"

#include "fakes/own_mounts.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::system {
namespace listing_test {

namespace fs = std::filesystem;

std::string words_of(const FileEntry& entry) {
  std::string words = entry.path;
  if (entry.is_link) words += " link";
  if (entry.leads_out) words += " out";
  if (entry.is_other) words += " other";
  if (entry.is_mount) words += " mount";
  return words;
}

std::vector<std::string> words_of(const Result<std::vector<FileEntry>>& entries) {
  std::vector<std::string> words;
  for (const FileEntry& entry : entries.value()) words.push_back(words_of(entry));
  return words;
}

TEST(Listing, TellsFilesLinksAndPipesApart) {
  const fakes::TempFolder folder;
  fs::create_directories(folder.path() / "d" / "empty");
  std::ofstream(folder.path() / "d" / "file") << "text";
  fs::create_symlink("d/file", folder.path() / "in");
  fs::create_symlink("../x", folder.path() / "out");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(words_of(list_files(folder.path())),
            (std::vector<std::string>{"d/file", "in link", "out link out", "pipe other"}));
}

TEST(Listing, DoesNotEnterMountPoints) {
  const fakes::TempFolder folder, foreign;
  std::ofstream(foreign.path() / "secret") << "text";
  for (const char* name : {"bound", "memory"}) fs::create_directory(folder.path() / name);
  for (const char* name : {"file", "plain"}) std::ofstream(folder.path() / name) << "text";
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::bind(foreign.path(), folder.file("bound"));
    fakes::bind(foreign.file("secret"), folder.file("file"));
    fakes::mount_in_memory(folder.file("memory"));
    const std::vector<std::string> expected = {"bound other mount", "file mount",
                                               "memory other mount", "plain"};
    EXPECT_EQ(words_of(list_files(folder.path(), MountCheck::openat2)), expected);
    EXPECT_EQ(words_of(list_files(folder.path(), MountCheck::mount_id)), expected);
    EXPECT_EQ(words_of(list_files(folder.path(), MountCheck::fdinfo)), expected);
    // The top itself may be one.
    EXPECT_EQ(words_of(list_files(folder.file("bound"))), std::vector<std::string>{"secret"});
  });
}

TEST(Listing, OfAMissingOrClosedFolderSaysWhich) {
  const fakes::TempFolder folder;
  EXPECT_EQ(list_files(folder.file("no")).error().text(),
            "cannot list " + folder.file("no") + ": No such file or directory");
  EXPECT_EQ(list_files(folder.file("no")).error().kind, ErrorKind::not_found);
}

}  // namespace listing_test
}  // namespace orch::system

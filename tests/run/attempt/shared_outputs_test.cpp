#include "run/attempt/shared_outputs.hpp"

#include "fakes/temp_folder.hpp"
#include "run/attempt/workspace.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace orch::attempt {
namespace shared_outputs_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SharedOutputsTest : public ::testing::Test {
 protected:
  SharedOutputsTest() {
    stage.id = "environment-1a2b3c4d5e6f";
    stage.spec.name = "environment";
    stage.spec.in_place = stage.spec.shared = true;
    stage.spec.outputs = {"venv/python"};
    stage.digest = stage.key = sha256("environment");
    for (const char* store : {"a", "b"})
      for (const char* below : {"/artifacts", "/logs"}) fs::create_directories(path(store) + below);
    EXPECT_TRUE(make_shared_root(files, root()));
  }

  std::string path(const std::string& name) const { return folder.file(name); }
  std::string root() const { return path("orchestrate/environments"); }
  Workspace workspace(const std::string& store, const std::string& cache) {
    return {files,
            {.layout = {.store = path(store), .orchestrate = "/bin/orchestrate"},
             .shared_root = cache,
             .warn = [this](const std::string& line) { lines.push_back(line); }}};
  }
  Workspace workspace(const std::string& store) { return workspace(store, root()); }
  static std::string token(int number) { return fmt::format("o{:015x}", number); }
  Prepared describe(Workspace& in, int number) {
    const Attempt attempt{.stage = &stage, .token = token(number)};
    return in.describe(std::vector{attempt}).front();
  }
  static void write(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file) << text;
  }
  // Lays out an attempt in the store; its process makes the output unless it was found.
  Prepared begin(Workspace& in, int number) {
    Prepared prepared = describe(in, number);
    EXPECT_TRUE(in.lay_out({&prepared}, work));
    if (!in.is_taken(prepared)) write(prepared.out + "/venv/python", "made by " + token(number));
    return prepared;
  }
  Status end(Workspace& in, const Prepared& prepared) {
    ORCH_ASSIGN(const auto listed, in.check(prepared, work));
    ORCH_TRY(in.publish(prepared, listed, work));
    in.discard(prepared);
    return {};
  }
  std::string python_of(const std::string& store) {
    return files.read(path(store) + "/artifacts/" + stage.id + "/out/venv/python").value_or("");
  }
  std::vector<SharedEntry> entries() {
    const auto found = shared_entries(files, root());
    EXPECT_TRUE(found);
    return found ? *found : std::vector<SharedEntry>();
  }

  std::vector<std::string> lines;  // of warnings
  fakes::TempFolder folder;
  system::RealFiles files;
  plan::Stage stage;
  system::LongWork work;
};

TEST_F(SharedOutputsTest, TheFirstStoreMakesAnOutputAndTheSecondTakesIt) {
  Workspace a = workspace("a");
  const Prepared first = begin(a, 1);
  EXPECT_EQ(first.out, root() + "/" + stage.id + "/" + token(1) + "/out");
  ASSERT_TRUE(end(a, first));
  Workspace b = workspace("b");
  const Prepared second = begin(b, 2);
  EXPECT_TRUE(b.is_taken(second));
  ASSERT_TRUE(end(b, second));
  EXPECT_EQ(python_of("a"), "made by " + token(1));
  EXPECT_EQ(python_of("b"), "made by " + token(1));
  EXPECT_EQ(b.damage(stage), "");
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_THAT(entries()[0].stores, ElementsAre(path("a"), path("b")));
}

TEST_F(SharedOutputsTest, TwoThatMakeItAtOnceDoNotMeet) {
  Workspace a = workspace("a"), b = workspace("b");
  const Prepared first = begin(a, 1), second = begin(b, 2);
  EXPECT_FALSE(b.is_taken(second));
  ASSERT_TRUE(end(b, second));
  ASSERT_TRUE(end(a, first));
  EXPECT_EQ(python_of("a"), "made by " + token(1));
  EXPECT_EQ(python_of("b"), "made by " + token(2));
}

TEST_F(SharedOutputsTest, AnIncompleteOneIsNotTakenAndGoesWithItsAttempt) {
  Workspace a = workspace("a");
  begin(a, 1);  // the run dies here
  Workspace b = workspace("b");
  EXPECT_FALSE(b.is_taken(begin(b, 2)));
  workspace("a").forget(token(1));
  EXPECT_FALSE(fs::exists(root() + "/" + stage.id + "/" + token(1)));
  EXPECT_TRUE(fs::exists(root() + "/" + stage.id + "/" + token(2)));
}

TEST_F(SharedOutputsTest, AFailedAttemptLeavesNothing) {
  Workspace a = workspace("a");
  const Prepared prepared = begin(a, 1);
  a.discard_failed(prepared, true);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(SharedOutputsTest, AnAttemptGoesOnWhereItBeganWhenTheCacheIsElsewhere) {
  Workspace a = workspace("a");
  const Prepared prepared = begin(a, 1);
  Workspace other = workspace("a", path("other"));
  EXPECT_EQ(describe(other, 1).out, prepared.out);
  ASSERT_TRUE(end(other, describe(other, 1)));
  EXPECT_EQ(python_of("a"), "made by " + token(1));
  // Without a cache the output is in the store, also for the run that continues it with one.
  Workspace none = workspace("b", "");
  const Prepared in_store = begin(none, 2);
  EXPECT_EQ(in_store.out, path("b") + "/artifacts/" + stage.id + "/out");
  Workspace again = workspace("b");
  EXPECT_EQ(describe(again, 2).out, in_store.out);
  ASSERT_TRUE(end(again, describe(again, 2)));
  EXPECT_FALSE(files.is_link(in_store.out));
}

TEST_F(SharedOutputsTest, PublishingTwiceIsPublishingOnce) {
  Workspace a = workspace("a");
  const Prepared prepared = begin(a, 1);
  const auto listed = a.check(prepared, work);
  ASSERT_TRUE(listed);
  ASSERT_TRUE(a.publish(prepared, *listed, work));
  Workspace again = workspace("a");  // of the run after a crash
  const Prepared same = describe(again, 1);
  ASSERT_TRUE(end(again, same));
  EXPECT_EQ(python_of("a"), "made by " + token(1));
}

TEST_F(SharedOutputsTest, ADamagedOneIsNotTaken) {
  Workspace a = workspace("a");
  const Prepared first = begin(a, 1);
  ASSERT_TRUE(end(a, first));
  write(first.out + "/venv/python", "cut");
  Workspace b = workspace("b");
  EXPECT_FALSE(b.is_taken(begin(b, 2)));
}

TEST_F(SharedOutputsTest, ACacheThatWasDeletedIsDamageOfTheStore) {
  Workspace a = workspace("a");
  ASSERT_TRUE(end(a, begin(a, 1)));
  fs::remove_all(root());
  EXPECT_NE(a.damage(stage), "");
}

TEST_F(SharedOutputsTest, WhatGoesBeforeTheReferenceIsNotPublished) {
  Workspace a = workspace("a");
  ASSERT_TRUE(end(a, begin(a, 1)));
  Workspace b = workspace("b");
  const Prepared second = begin(b, 2);
  ASSERT_TRUE(b.is_taken(second));
  fs::remove_all(root());
  const Status ended = end(b, second);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::not_found);
  EXPECT_FALSE(fs::exists(path("b") + "/artifacts/" + stage.id));
}

TEST_F(SharedOutputsTest, ACacheThatFailsIsGivenUpWithOneLine) {
  Workspace a = workspace("a");
  write(root() + "/" + stage.id, "a file in the way");
  Prepared prepared = describe(a, 1);
  EXPECT_FALSE(a.lay_out({&prepared}, work));
  a.discard_failed(prepared, true);
  EXPECT_EQ(describe(a, 2).out, path("a") + "/artifacts/" + stage.id + "/out");
  ASSERT_TRUE(end(a, begin(a, 2)));
  a.tell_warnings();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("environments are made in the store, because ")) << lines[0];
}

TEST_F(SharedOutputsTest, AFullDiskSendsTheNextAttemptToTheStore) {
  Workspace a = workspace("a");
  const Prepared prepared = begin(a, 1);
  a.discard_failed(prepared, false);
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_EQ(describe(a, 2).shared, "");
}

TEST_F(SharedOutputsTest, OnlyWhatNoStoreUsesIsRemoved) {
  Workspace a = workspace("a"), b = workspace("b");
  ASSERT_TRUE(end(a, begin(a, 1)));
  ASSERT_TRUE(end(b, begin(b, 2)));
  begin(b, 3);
  const SharedEntry used = entries().at(0);
  EXPECT_EQ(used.bytes > 0, true);
  EXPECT_FALSE(*remove_shared(files, used));
  EXPECT_TRUE(fs::exists(used.folder));
  fs::remove_all(path("a"));
  fs::remove_all(path("b"));
  for (const SharedEntry& entry : entries()) {
    EXPECT_THAT(entry.stores, IsEmpty());
    EXPECT_TRUE(*remove_shared(files, entry));
  }
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(SharedOutputsTest, AStoreThatIsAboutToLinkItKeepsIt) {
  Workspace a = workspace("a");
  ASSERT_TRUE(end(a, begin(a, 1)));
  const std::string entry = root() + "/" + stage.id + "/" + token(1);
  fs::remove_all(path("a"));
  const SharedEntry unused = entries().at(0);
  ASSERT_THAT(unused.stores, IsEmpty());
  fs::create_directories(path("b") + "/attempts/" + token(2));
  const Layout layout{.store = path("b")};
  Warnings warnings([](const std::string&) {});
  SharedOutputs other(files, layout, root(), warnings);
  ASSERT_TRUE(
      other.refer(entry, {.store = path("b"), .artifact = "artifacts/x", .token = token(2)}));
  EXPECT_FALSE(*remove_shared(files, unused));
  EXPECT_TRUE(fs::exists(entry + "/out/venv/python"));
}

// A store linked the entry between the question who uses it and its removal, which was then killed.
TEST_F(SharedOutputsTest, AStoreThatHasJustLinkedItGetsItBack) {
  Workspace a = workspace("a");
  ASSERT_TRUE(end(a, begin(a, 1)));
  const std::string entry = root() + "/" + stage.id + "/" + token(1);
  const std::string aside = root() + "/" + stage.id + "/removed-" + token(1);
  fs::rename(entry, aside);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_FALSE(*remove_shared(files, entries()[0]));
  EXPECT_TRUE(fs::exists(entry + "/out/venv/python"));
  EXPECT_FALSE(fs::exists(aside));
}

TEST_F(SharedOutputsTest, TheRestOfAnInterruptedRemovalIsRemoved) {
  write(root() + "/" + stage.id + "/removed-" + token(1) + "/out/venv/python", "x");
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_TRUE(*remove_shared(files, entries()[0]));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST(SharedRoot, IsInTheCacheOfTheUser) {
  EXPECT_EQ(shared_root({{"HOME", "/h"}}), "/h/.cache/orchestrate/environments");
  EXPECT_EQ(shared_root({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/c"}}), "/c/orchestrate/environments");
  EXPECT_EQ(shared_root({{"HOME", "/h"}, {"XDG_CACHE_HOME", "c"}}),
            "/h/.cache/orchestrate/environments");
  EXPECT_EQ(shared_root({}), "");
}

}  // namespace shared_outputs_test
}  // namespace orch::attempt

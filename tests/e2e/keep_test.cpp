// What is done with a store after its runs, with the real binary: reproduce, forget, gc, export and
// merge, and a query that is watched.
#include "e2e/toy.hpp"

#include <csignal>
#include <filesystem>

namespace orch::e2e {
namespace keep_test {

namespace fs = std::filesystem;

constexpr const char* k_axes = "axes: {flavour: [plain, sweet], concurrency: [1, 2]}\n";

class AfterARun : public ::testing::Test {
 protected:
  // `gc --apply` must not find the environments of the user.
  AfterARun() { ::setenv("XDG_CACHE_HOME", (sweep.folder() + "/cache").c_str(), 1); }
  void run(const std::string& matrix = k_axes) {
    toy_project(sweep, matrix);
    const Finished done = sweep.orchestrate({"run", "toy.yaml"});
    ASSERT_EQ(done.code, 0) << done.err;
  }
  std::string point(const std::string& where) {
    return sweep.query("select point from results where " + where)[0]["point"];
  }
  // The digests of all stages of POINT in the store at STORE, by the names of the stages.
  Json digests(const std::string& name, const std::string& store) {
    const Finished done = sweep.orchestrate(
        {"query",
         "select name, digest from provenance where point = '" + name + "' order by name, digest",
         "--json", "--store", store});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out, nullptr, false);
  }

  Sweep sweep;
};

TEST_F(AfterARun, AReproducedPointHasTheSameDigestsWhenItRuns) {
  run("axes: {flavour: [plain, sweet], concurrency: [1, 2]}\nlet: {osl: 2 * concurrency}\n"
      "exclude: [\"flavour = 'plain' and concurrency = 1\"]\n");
  const std::string name = point("flavour = 'sweet' and concurrency = 2");
  const Finished done = sweep.orchestrate({"reproduce", name, "--out", "again"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "again/matrix.yaml\nagain/reproduce.sh\n");
  EXPECT_NE(done.err.find("all 3 stages have the digests that they had in run 1"),
            std::string::npos)
      << done.err;
  const Finished made = sweep.orchestrate({"run", "again/matrix.yaml", "--store", "fresh"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json before = digests(name, "results");
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(digests(name, "fresh"), before) << Sweep::read(sweep.folder() + "/again/matrix.yaml");
  const Finished by_hand = sweep.run({"env", "OUT=by-hand", "bash", "again/reproduce.sh"});
  EXPECT_EQ(by_hand.code, 0) << by_hand.err;
}

TEST_F(AfterARun, AReproducedPointOfABaseNeedsNoFileOfThatTime) {
  toy_project(sweep, k_axes);
  sweep.write("base.yaml", Sweep::read(sweep.folder() + "/toy.yaml"));
  sweep.write("toy.yaml", "base: base.yaml\nname: derived\naxes: {concurrency: [2]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  fs::remove(sweep.folder() + "/base.yaml");
  fs::remove(sweep.folder() + "/toy.yaml");
  const Finished done =
      sweep.orchestrate({"reproduce", point("flavour = 'sweet'"), "--out", "again"});
  EXPECT_EQ(done.code, 0) << done.err;
}

TEST_F(AfterARun, AReproducedPointWhoseScriptChangedSaysWhich) {
  run();
  sweep.write("runners/toy/make.py", std::string(k_toy_make) + "# changed\n");
  const Finished done = sweep.orchestrate(
      {"reproduce", point("concurrency = 1 and flavour = 'plain'"), "--out", "again"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("    file.make.py: "), std::string::npos) << done.err;
}

TEST_F(AfterARun, GcRemovesWhatOnlyAForgottenExperimentUsedAndARunMakesItAgain) {
  run();
  sweep.write("one.yaml", Sweep::read(sweep.folder() + "/toy.yaml"));
  std::string one = Sweep::read(sweep.folder() + "/toy.yaml");
  one.replace(one.find("name: toy"), 9, "name: one");
  one.replace(one.find("[plain, sweet]"), 14, "[plain]");
  sweep.write("one.yaml", one);
  ASSERT_EQ(sweep.orchestrate({"run", "one.yaml"}).code, 0);
  const auto artifacts = [&] {
    return std::distance(fs::directory_iterator(sweep.store() + "/artifacts"), {});
  };
  const auto before = artifacts();
  EXPECT_EQ(sweep.orchestrate({"forget", "toy"}).code, 0);
  EXPECT_EQ(sweep.value("select count(*) from results where experiment = 'toy'"), 4) << "dry";
  EXPECT_EQ(sweep.orchestrate({"forget", "toy", "--apply"}).code, 0);
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  const Finished listed = sweep.orchestrate({"gc"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_NE(listed.out.find("no experiment has a point that uses it"), std::string::npos)
      << listed.out;
  EXPECT_EQ(artifacts(), before) << "without --apply nothing is removed";
  const Finished removed = sweep.orchestrate({"gc", "--apply"});
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_LT(artifacts(), before);
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);
  const Finished again = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(sweep.value("select count(*) from results where experiment = 'toy'"), 4);
  EXPECT_EQ(sweep.orchestrate({"verify", "--rebuild"}).code, 0);
  EXPECT_EQ(sweep.value("select count(*) from results"), 6);
}

TEST_F(AfterARun, GcToASizeMakesNothingStale) {
  run();
  const Finished removed = sweep.orchestrate({"gc", "--max-size", "0", "--apply"});
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 4);
  const Json plan =
      Json::parse(sweep.orchestrate({"plan", "toy.yaml", "--json"}).out, nullptr, false);
  for (const Json& one : plan["points"]) EXPECT_EQ(one["status"], "reuse") << one;
  EXPECT_EQ(sweep.query("select count(*) as n from artifact f join stage s on s.id = f.stage_id "
                        "where f.removed_at is null and s.kind = 'task'")[0]["n"],
            0);
}

TEST_F(AfterARun, GcAndForgetDoNotTouchAStoreInUse) {
  run();
  sweep.write("slow.yaml",
              "name: slow\nrunner: toy\ndefaults: {delay: \"600\"}\naxes: {flavour: [sour]}\n");
  auto busy = sweep.start({"run", "slow.yaml"});
  sweep.wait_until([&] { return sweep.stderr_of(busy).find("started") != std::string::npos; });
  EXPECT_EQ(sweep.orchestrate({"gc"}).code, 0) << "listing only reads";
  EXPECT_EQ(sweep.orchestrate({"gc", "--apply"}).code, 3);
  EXPECT_EQ(sweep.orchestrate({"forget", "toy", "--apply"}).code, 3);
  const Finished exported = sweep.orchestrate({"export", "out"});
  EXPECT_EQ(exported.code, 0);
  EXPECT_NE(exported.err.find("note: run 2 has not ended; it is left out"), std::string::npos)
      << exported.err;
  EXPECT_NE(exported.err.find("1 run with 4 measurements"), std::string::npos) << exported.err;
  for (int i = 0; i < 2; ++i) {
    ::kill(busy.pid, SIGINT);
    sweep.wait_until([&] {
      const std::string said = sweep.stderr_of(busy);
      return i == 1 || said.find("interrupted") != std::string::npos;
    });
  }
  EXPECT_EQ(sweep.finish(busy).code, 130);
  EXPECT_EQ(sweep.value("select count(*) from results"), 4);
}

TEST_F(AfterARun, AnExportIsMergedOnceAndReadsTheSame) {
  run();
  ASSERT_EQ(sweep.orchestrate({"export", "out"}).code, 0);
  const Finished merged = sweep.orchestrate({"merge", "out", "--store", "other"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.err, "other: added 1 run with 4 measurements\n");
  const auto table = [&](const std::string& store) {
    return sweep
        .orchestrate(
            {"query", "select * from results order by point", "--format", "csv", "--store", store})
        .out;
  };
  EXPECT_EQ(table("other"), table("results"));
  EXPECT_EQ(sweep.orchestrate({"merge", "out", "--store", "other"}).err,
            "other: added 0 runs with 0 measurements; 1 run already there\n");
  EXPECT_EQ(sweep.orchestrate({"verify", "--store", "other"}).code, 0);
  const Finished run_there = sweep.orchestrate({"plan", "toy.yaml", "--store", "other", "--json"});
  for (const Json& one : Json::parse(run_there.out, nullptr, false)["points"])
    EXPECT_EQ(one["status"], "reuse") << "measurements of an equal machine count";
  fs::resize_file(sweep.folder() + "/out/export.json", 100);
  const Finished refused = sweep.orchestrate({"merge", "out", "--store", "third"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_FALSE(fs::exists(sweep.folder() + "/third")) << "nothing was made";
}

TEST_F(AfterARun, AWatchedQueryPrintsAgainWhenTheStoreChanged) {
  run("axes: {concurrency: [1]}\n");
  auto watch = sweep.start(
      {"query", "select count(*) as n from results", "--format", "csv", "--watch", "0.1"});
  sweep.wait_until([&] { return Sweep::read(watch.out) == "n\n1\n"; });
  toy_project(sweep, "axes: {concurrency: [1, 2]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  sweep.wait_until([&] { return Sweep::read(watch.out).ends_with("n\n2\n"); });
  EXPECT_EQ(Sweep::read(watch.out), "n\n1\n\nn\n2\n") << "an unchanged answer is not repeated";
  ::kill(watch.pid, SIGINT);
  EXPECT_EQ(sweep.finish(watch).code, 130);
}

TEST_F(AfterARun, ShowIsAPageWithoutRawData) {
  run();
  const std::string name = point("flavour = 'sweet' and concurrency = 2");
  const Finished page = sweep.orchestrate({"show", name});
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out.find("{\""), std::string::npos) << page.out;
  EXPECT_NE(page.out.find("+ 2 parameters at their defaults, which the matrix does not set"),
            std::string::npos)
      << page.out;
  EXPECT_LT(page.out.find("\nfigures: one measurement"), page.out.find("\ncommands\n"));
}

}  // namespace keep_test
}  // namespace orch::e2e

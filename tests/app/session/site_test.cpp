#include "app/session/site.hpp"

#include "fakes/memory_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace site_test {

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

struct Read {
  Site site;
  std::string errors;
};

Read site_of(const std::string& yaml) {
  fakes::MemoryFiles files;
  static_cast<void>(files.make_folder("/s").ok());
  static_cast<void>(files.put("/s/site.yaml", yaml).ok());
  Errors errors;
  Read read;
  read.site = read_site(files, "/s/site.yaml", errors);
  sort_by_place(errors);
  read.errors = text_of(errors);
  return read;
}

TEST(Site, SaysThatOtherHostsUseTheStore) {
  EXPECT_FALSE(site_of("bind: 127.0.0.1\n").site.store.is_shared);
  EXPECT_EQ(site_of("bind: 127.0.0.1\n").site.store.silent_s, 30);
  const Read read = site_of("store: {shared: true, silent_s: 2.5}\n");
  EXPECT_TRUE(read.site.store.is_shared);
  EXPECT_EQ(read.site.store.silent_s, 2.5);
  EXPECT_EQ(
      site_of("store: {silent_s: 0}\n").errors,
      "/s/site.yaml:1:19: 'store.silent_s' must be a number of seconds from 1 to 3600, not the "
      "value '0'\n");
}

TEST(Site, CountsTokens) {
  EXPECT_EQ(site_of("tokens: {licence: 2, nas: 0}\n").site.tokens,
            (std::map<std::string, int>{{"licence", 2}, {"nas", 0}}));
  EXPECT_EQ(
      site_of("tokens: {licence: many}\n").errors,
      "/s/site.yaml:1:19: 'tokens.licence' must be a whole number from 0 to 1000000, not the value "
      "'many'\n");
  EXPECT_EQ(site_of("tokens: {nas: 1}\n").site.nvidia_smi, std::vector<std::string>{"nvidia-smi"});
  EXPECT_EQ(site_of("nvidia_smi: [sudo, -n, nvidia-smi]\n").site.nvidia_smi,
            (std::vector<std::string>{"sudo", "-n", "nvidia-smi"}));
  EXPECT_EQ(site_of("tokens: 2\n").errors,
            "/s/site.yaml:1:9: 'tokens' must be a map of names and values, not the value '2'; "
            "write {licence: 2}\n");
}

TEST(Site, ReadsMachinePricesAndPorts) {
  const Read read = site_of(
      "machine: {gpus: 8, gpu_model: H100, gpu_memory_gib: 80}\nprices: {gpu_hour: 2.5, currency: "
      "EUR}\nports: {first: 21000, last: 21999}\n");
  EXPECT_EQ(read.errors, "");
  EXPECT_EQ(read.site.machine.size(), 3u);
  EXPECT_EQ(read.site.prices.gpu_hour, 2.5);
  EXPECT_FALSE(read.site.prices.machine_hour);
  EXPECT_EQ(read.site.prices.currency, "EUR");
  EXPECT_EQ(read.site.ports.first, 21000);
  EXPECT_EQ(read.site.ports.last, 21999);
}

TEST(Site, ReadsTheWeightOfOutputTokens) {
  EXPECT_EQ(
      site_of("prices: {gpu_hour: 2, output_token_weight: 4}\n").site.prices.output_token_weight,
      4);
  EXPECT_EQ(
      site_of("prices:\n  output_token_weight: 0\n").errors,
      "/s/site.yaml:2:24: 'prices.output_token_weight' must be a number from 0.001 to 1000000, "
      "not the value '0'; with 4, an output token costs as much as 4 input tokens\n");
}

TEST(Site, ReportsEveryErrorAtItsPlace) {
  EXPECT_EQ(
      site_of("machine: {gpus: many, gpu_modell: H100}\nprices: {gpu_hour: -1}\nports: {first: 9, "
              "last: 3}\nprizes: {}\n")
          .errors,
      "/s/site.yaml:1:17: 'gpus' must be a whole number, not 'many'\n"
      "/s/site.yaml:1:23: unknown key 'gpu_modell' in 'machine'; did you mean 'gpu_model'?\n"
      "/s/site.yaml:2:20: 'prices.gpu_hour' must be a number from 0 to 1000000000, not the value "
      "'-1'\n"
      "/s/site.yaml:3:8: 'ports' from 9 to 3 is not a range of ports; write ports: {first: 20000, "
      "last: 29999}\n"
      "/s/site.yaml:4:1: unknown key 'prizes' in the site file; did you mean 'prices'?\n");
}

TEST(Site, RefusesOptionsByWhichJobsCouldNotBeFoundAgain) {
  const std::string before = "/s/site.yaml:1:", column = ": with '",
                    after = "' in 'slurm.options', jobs could not be submitted and found again: ",
                    ours = " is orchestrate's to set; leave it out\n";
  EXPECT_EQ(site_of("slurm: {options: [--job-name=proj4, -Mall, --arr=0-3, --wait]}\n").errors,
            before + "19" + column + "--job-name=proj4" + after + "--job-name" + ours + before +
                "37" + column + "-Mall" + after + "--clusters" + ours + before + "44" + column +
                "--arr=0-3" + after + "--array" + ours + before + "55" + column + "--wait" + after +
                "--wait" + ours);
  const std::string others = "--constraint=nvlink, -C, ib, --comment=x, --mail-user=a@b, -w, n1";
  EXPECT_EQ(site_of("slurm: {options: [" + others + "]}\n").errors, "");
}

TEST(Site, RefusesEveryOptionOfSbatchThatIsOursToSet) {
  for (const char* option : {"--output=x",
                             "-o",
                             "-ox",
                             "--error=x",
                             "-e",
                             "--hold",
                             "-H",
                             "--begin=now+1hour",
                             "-b",
                             "--uid=0",
                             "--gid=0",
                             "--help",
                             "-h",
                             "--usage",
                             "--version",
                             "-V",
                             "--wrap=true",
                             "--parsable",
                             "--test-only",
                             "-W",
                             "--requeue",
                             "--no-requeue",
                             "--open-mode=truncate",
                             "--input=x",
                             "-i",
                             "--export=NONE",
                             "--export-file=x",
                             "--dependency=singleton",
                             "-d",
                             "--clusters=all",
                             "-M",
                             "--quiet",
                             "-Q",
                             "--chdir=/",
                             "-D",
                             "--get-user-env",
                             "':'"})
    EXPECT_THAT(site_of(fmt::format("slurm: {{options: [{}]}}\n", option)).errors,
                testing::HasSubstr("is orchestrate's to set; leave it out"))
        << option;
  EXPECT_EQ(
      site_of("slurm: {options: [--hold]}\n").errors,
      "/s/site.yaml:1:19: with '--hold' in 'slurm.options', jobs would wait, and the run with "
      "them: --hold is orchestrate's to set; leave it out\n");
  const std::string others =
      "--exclusive, --exclude=n1, --wait-all-nodes=1, --hint=nomultithread, "
      "--time-min=1, -x, n2, --qos=high, --nice";
  EXPECT_EQ(site_of("slurm: {options: [" + others + "]}\n").errors, "");
}

TEST(Site, RequestsForTheJobsOfAStageWhatItKnowsBetter) {
  const Read read = site_of(
      "slurm: {resources: {convert: {cpus: 16, memory_gib: 300.5}, task: {memory_gib: 0}}}\n");
  EXPECT_EQ(read.errors, "");
  const attempt::SiteRequests& requests = read.site.slurm.requests;
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests.at("convert").cpus, 16);
  EXPECT_EQ(requests.at("convert").memory_gib, 300.5);
  EXPECT_EQ(requests.at("task").cpus, std::nullopt);
  EXPECT_EQ(requests.at("task").memory_gib, 0);
  EXPECT_EQ(site_of("slurm: {resources: {convert: {cpu: 4}, serve: {memory_gib: much}}}\n").errors,
            "/s/site.yaml:1:31: unknown key 'cpu' in 'slurm.resources.convert'; did you mean "
            "'cpus'?\n"
            "/s/site.yaml:1:60: 'slurm.resources.serve.memory_gib' must be a number of GiB from 0 "
            "to 1000000, not the value 'much'\n");
  EXPECT_EQ(site_of("slurm: {resources: 4}\n").errors,
            "/s/site.yaml:1:20: 'slurm.resources' must be a map of names and values, not the value "
            "'4'; write {convert: {cpus: 16, memory_gib: 300}}\n");
}

TEST(Site, NamesAFolderOfRunnersRelativeToItself) {
  EXPECT_EQ(site_of("runners: ../tmp\n").site.runners, "/tmp");
  EXPECT_EQ(site_of("runners: /nowhere/runners\n").errors,
            "/s/site.yaml:1:10: 'runners' must be a folder of runners (NAME/runner.yaml), not the "
            "value '/nowhere/runners'; a relative path begins at the folder of this file\n");
}

TEST(Site, NamesTheGpusAndTheAddressOfServers) {
  const Read read = site_of("gpu_ids: [4, GPU-8f3c, MIG-1a]\nbind: 0.0.0.0\n");
  EXPECT_EQ(read.errors, "");
  EXPECT_EQ(read.site.gpu_ids.ids, (std::vector<std::string>{"4", "GPU-8f3c", "MIG-1a"}));
  EXPECT_EQ(read.site.bind, "0.0.0.0");
  EXPECT_EQ(site_of("").site.bind, "127.0.0.1");
  EXPECT_EQ(
      site_of("gpu_ids: [x, -1]\nbind: localhost\n").errors,
      "/s/site.yaml:1:11: 'gpu_ids': 'x' is not a GPU; write the indices or UUIDs that `nvidia-smi "
      "-L` prints, such as 4,5\n"
      "/s/site.yaml:1:14: 'gpu_ids': '-1' is not a GPU; write the indices or UUIDs that "
      "`nvidia-smi -L` prints, such as 4,5\n"
      "/s/site.yaml:2:7: 'bind' must be an IPv4 address of this machine, such as 127.0.0.1 or "
      "0.0.0.0, not the value 'localhost'\n");
  EXPECT_EQ(
      site_of("gpu_ids: []\n").errors,
      "/s/site.yaml:1:10: 'gpu_ids' is empty; write [4, 5], or leave it out to use every GPU\n");
}

TEST(Site, MayBeAbsentUnlessItIsNamed) {
  fakes::MemoryFiles files;
  Errors errors;
  ::setenv("XDG_CONFIG_HOME", "/nowhere", 1);
  read_site(files, "", errors);
  EXPECT_TRUE(errors.empty());
  read_site(files, "/s/other.yaml", errors);
  EXPECT_EQ(errors.size(), 1u);
}

}  // namespace site_test
}  // namespace orch::session

#include "app/cli/tools/tool_files.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::cli {

namespace {

constexpr int k_signal_base = 128;  // of the exit statuses of shells

struct Pipe {
  int read = -1, write = -1;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("open", "a pipe", errno);
  return Pipe{ends[0], ends[1]};
}

// Called in the child process. Never returns.
[[noreturn]] void become(const std::vector<std::string>& argv, const std::string& folder,
                         int output) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (::dup2(output, STDOUT_FILENO) >= 0 && ::chdir(folder.c_str()) == 0)
    ::execvp(words[0], words.data());
  const std::string why = fmt::format("cannot run {}: {}\n", quoted(argv[0]), std::strerror(errno));
  static_cast<void>(::write(STDERR_FILENO, why.data(), why.size()) < 0);
  ::_exit(status_of(Exit::not_started));
}

// Copies INPUT to standard output and to FILE until INPUT ends.
Status tee(int input, system::OpenFile& file) {
  std::array<char, 64 << 10> buffer{};
  Status kept;
  while (true) {
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return kept;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
    std::fflush(stdout);
    if (kept) kept = file.append(text);
  }
}

constexpr std::uint64_t k_most_file_bytes = std::uint64_t{512} << 20;
// A folder with more files is rejected.
constexpr std::size_t k_most_files = 10'000;
constexpr std::size_t k_most_measurements = 200'000;  // take a minute and a half

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const imports::Format& format : imports::formats()) names.emplace_back(format.name);
  return names;
}

Error unknown_format(const imports::Source& source) {
  const std::string& path = source.name;
  if (const auto cut = imports::why_cut(source)) return *cut;
  return invalid(
      fmt::format("{}: no format of another tool is recognised by its content; name it "
                  "with --format: {}",
                  path, join(format_names(), ", ")));
}

// Whether PATH is the report of a phase, such as the warm-up, which aiperf writes beside that of
// the measurement.
bool is_report_of_phase(const std::string& path) {
  return path.find("phases/") == 0 || path.find("/phases/") != std::string::npos;
}

// Reads one file after another; files with equal contents only once.
class Reader {
 public:
  Reader(const ToolFileFlags& flags, Notes& notes)
      : format_(flags.format.empty() ? nullptr : imports::find_format(flags.format)),
        notes_(notes) {}

  Status add(const std::string& path) {
    const auto facts = real_host().files.stat(path);
    if (!facts) return not_found(fmt::format("{} does not exist; check the path", path));
    return facts->is_folder ? add_folder(path) : add_file(path, true);
  }
  std::vector<imports::Gathered> take() { return std::move(all_); }

 private:
  Status add_folder(const std::string& folder) {
    ORCH_ASSIGN(auto entries, real_host().files.list(folder));
    if (entries.size() > k_most_files)
      return invalid(fmt::format("{} has {} files; name those to import", folder, entries.size()));
    std::ranges::sort(entries, [](const auto& a, const auto& b) { return a.path < b.path; });
    for (const system::FileEntry& entry : entries) {
      const std::string path = (std::filesystem::path(folder) / entry.path).string();
      const auto facts = real_host().files.stat(path);
      if (!entry.is_link && facts && facts->is_regular && !is_report_of_phase(entry.path))
        ORCH_TRY(add_file(path, false));
    }
    return {};
  }

  // NAMED: the user names the file, which must then have a known format.
  Status add_file(const std::string& path, bool named) {
    auto content = real_host().files.read_text(path, k_most_file_bytes);
    if (!content && named) return content.error();
    if (!content) {
      notes_.push_back(content.error().text());
      return Status();
    }
    const imports::Source source{path, *content};
    const imports::Format* format = format_ ? format_ : imports::recognise(source);
    if (!format && named) return unknown_format(source);
    if (!format) return {};
    const std::string digest = sha256(*content).hex();
    if (!digests_.insert(digest).second) {
      notes_.push_back(
          fmt::format("{} has the same content as another file; it is read once", path));
      return {};
    }
    ORCH_ASSIGN(auto readings, format->read(source));
    if (readings.empty())
      return invalid(
          fmt::format("{}: it has no measurement; export it again with {}", path, format->tool));
    if (readings.size() + all_.size() > k_most_measurements)
      return invalid(
          fmt::format("{}: with its {} measurements, this import has more than {}; "
                      "import fewer files at a time, or divide this one",
                      path, readings.size(), k_most_measurements));
    const std::string known =
        imports::known_as(*format, readings.front().tool, source, format_ != nullptr);
    for (imports::Reading& reading : readings)
      all_.push_back(
          {.format = format, .reading = std::move(reading), .files = {{path, digest, known}}});
    return {};
  }

  const imports::Format* format_;
  Notes& notes_;
  std::set<std::string> digests_;
  std::vector<imports::Gathered> all_;
};

// Sets the token counts of streamed answers that have TOKENS_PER_EVENT tokens in each event.
void count_events(imports::KeptRequests& kept, std::int64_t tokens_per_event) {
  for (measure::RequestRecord& record : kept.records) {
    if (record.osl_counted || !record.has_events()) continue;
    record.osl_counted = static_cast<std::int64_t>(record.event_ns.size()) * tokens_per_event;
    record.counted_by = measure::CountedBy::events;
    record.first_event_tokens = tokens_per_event;
  }
  kept.counting_osl = fmt::format("events ({} each)", plural(tokens_per_event, "token"));
}

}  // namespace

Result<int> run_tool(const std::vector<std::string>& argv, const std::string& folder,
                     const std::string& kept) {
  std::vector<std::string> words = argv;
  // Absolute, because the program runs in a different folder.
  if (words[0].find('/') != std::string::npos)
    words[0] = std::filesystem::absolute(words[0]).string();
  ORCH_TRY(real_host().files.remove_tree(kept));
  ORCH_ASSIGN(const auto file, real_host().files.open(kept));
  ORCH_ASSIGN(const Pipe pipe, make_pipe());
  const pid_t child = ::fork();
  if (child < 0) return io_error("start", words[0], errno);
  if (child == 0) become(words, folder, pipe.write);
  ::close(pipe.write);
  const Status shown = tee(pipe.read, *file);
  ::close(pipe.read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return io_error("wait for", words[0], errno);
  if (!shown) return shown.error();
  return WIFSIGNALED(status) ? k_signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

void add_tool_file_options(CLI::App& app, ToolFileFlags& flags) {
  app.add_option("--format", flags.format,
                 "Format of the files, where their content does not tell it")
      ->type_name("NAME")
      ->check(CLI::IsMember(format_names()));
  app.add_option("--tokenizer", flags.prompts.options.tokenizer,
                 "Folder of tokenizer.json, to count the tokens of texts")
      ->type_name("DIR");
  app.add_option("--python", flags.prompts.options.helper.python,
                 "Python that has the package tokenizers, for --tokenizer (default: "
                 "$ORCHESTRATE_PYTHON, else python3)")
      ->type_name("FILE");
  app.add_option("--tokens-per-event", flags.tokens_per_event,
                 "Count every event of a streamed answer as this many tokens, instead of its text")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
}

Result<std::vector<imports::Gathered>> read_tool_files(const std::vector<std::string>& paths,
                                                       const ToolFileFlags& flags,
                                                       imports::Together how, Notes& notes) {
  Reader reader(flags, notes);
  for (const std::string& path : paths) ORCH_TRY(reader.add(path));
  auto all = imports::gather(reader.take(), how);
  ORCH_TRY(count_tokens(all, flags));
  return all;
}

Status count_tokens(std::vector<imports::Gathered>& all, const ToolFileFlags& flags) {
  if (flags.tokens_per_event > 0)
    for (imports::Gathered& one : all) count_events(one.reading.requests, flags.tokens_per_event);
  if (flags.prompts.options.tokenizer.empty()) return {};
  ORCH_ASSIGN(const prompt::PromptOptions options, prompt_options(flags.prompts));
  static const std::atomic<bool> k_never_stopped = false;
  system::RealHost host;
  for (imports::Gathered& one : all) {
    const auto texts = imports::texts_to_count(one.reading);
    if (texts.empty()) continue;
    ORCH_ASSIGN(
        const auto counts,
        prompt::count_texts(options, texts, {.host = host.host(), .stopped = k_never_stopped}));
    imports::set_counts(one.reading, counts);
  }
  return {};
}

}  // namespace orch::cli

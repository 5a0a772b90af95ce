// Microbenchmarks of parts other than the log: deciding, scheduling, folding each view, splitting and
// decoding output, reading rows, protocol frames, looking at processes. All but the last in memory, so they
// measure our own code.
#include <benchmark/benchmark.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/agents/decoders.h"
#include "adapters/agents/text_decoder.h"
#include "adapters/launcher/process_table.h"
#include "adapters/launcher/resident_memory.h"
#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "adapters/output_log/line_splitter.h"
#include "adapters/socket/frame.h"
#include "bench/harness/history.h"
#include "bench/harness/subject.h"
#include "engine/base/ids.h"
#include "engine/queue/scheduler.h"
#include "engine/view/fold.h"
#include "projections/registry.h"

namespace luzia {
namespace {

void count_items(benchmark::State& state, std::uint64_t each = 1) {
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<std::uint64_t>(state.iterations()) * each));
}

QueueJob typical_dispatch() {
  QueueJob command;
  command.job = "0k3xmp71a0004";
  command.spec.project = "billing";
  command.spec.agent = "shell";
  command.spec.user = "alice";
  command.spec.command = {"/bin/sh", "-c", "{task}"};
  command.prompt = Blob{0, "0123456789abcdef", "make -j2 test"};
  return command;
}

void DecideDispatch(benchmark::State& state) {
  const JobState none;
  const JobCommand command = typical_dispatch();
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(decide(none, command, 1).has_value());
  count_items(state);
}
BENCHMARK(DecideDispatch);

JobState queued_job(std::string id, Position position) {
  JobState job;
  job.job = std::move(id);
  job.state = schema::JobState::queued;
  job.spec = std::make_unique<schema::JobSpecT>();
  job.spec->project = "billing";
  job.priority = static_cast<std::uint8_t>(position % 10);
  job.queued_position = position;
  return job;
}

/// Adds a job, asks the scheduler, removes the job, with a number of others waiting.
void Schedule(benchmark::State& state) {
  Queue queue({.max_running = 4});
  IdSource ids(7, "");
  const auto waiting = static_cast<Position>(state.range(0));
  for (Position i = 1; i <= waiting; ++i) queue.note(queued_job(ids.next(1), i));
  JobState job = queued_job(ids.next(1), waiting + 1);
  for ([[maybe_unused]] auto _ : state) {
    job.state = schema::JobState::queued;
    queue.note(job);
    benchmark::DoNotOptimize(queue.starts(1).size());
    job.state = schema::JobState::completed;
    queue.note(job);
  }
  count_items(state);
}
BENCHMARK(Schedule)->Arg(10)->Arg(10'000)->Arg(1'000'000);

constexpr std::uint64_t kFoldEvents = 20'000;

/// Folds a generated history into all views (0) or the registry's view of that number.
void FoldHistory(benchmark::State& state) {
  MemoryEventLog log;
  bench::HistoryShape shape;
  shape.events = kFoldEvents;
  const auto count = bench::generate_history(log, shape);
  if (!count) return state.SkipWithError("generate failed");
  ProjectionRegistry registry = all_projections();
  if (const auto one = static_cast<std::size_t>(state.range(0)); one > 0) registry = {registry.at(one - 1)};
  for ([[maybe_unused]] auto _ : state) {
    MemoryViewStore rows;
    if (!catch_up(log, registry, rows)) return state.SkipWithError("fold failed");
  }
  count_items(state, count->events);
}
BENCHMARK(FoldHistory)
    ->DenseRange(0, static_cast<int>(all_projections().size()))
    ->Unit(benchmark::kMillisecond);

std::string build_output(std::size_t bytes) {
  std::string text;
  for (int line = 0; text.size() < bytes; ++line) {
    text += line % 200 == 0 ? "::warning file=a.cc,line=3::unused variable\n"
                            : "[12/345] Building CXX object engine/part_" + std::to_string(line) + ".cc.o\n";
  }
  return text;
}

/// Receives lines, and passes them to a decoder if set.
class Sink : public LineSink {
 public:
  explicit Sink(const LineDecoder* decoder) : decoder_(decoder) {}
  bool line(const Line& line) override {
    ++lines;
    within_.clear();
    if (decoder_ != nullptr) decoder_->decode(line, findings, within_);
    return true;
  }
  void oversized(const Line& stretch) override { benchmark::DoNotOptimize(stretch.text.data()); }
  std::uint64_t lines = 0;
  std::vector<RecordOutput::Finding> findings;

 private:
  const LineDecoder* decoder_;
  std::string within_;
};

void split(benchmark::State& state, const LineDecoder* decoder, std::string_view text) {
  for ([[maybe_unused]] auto _ : state) {
    Sink sink(decoder);
    SplitPosition position;
    benchmark::DoNotOptimize(split_lines(position, text, sink));
    benchmark::DoNotOptimize(sink.lines);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
void SplitLines(benchmark::State& state) {
  split(state, nullptr, build_output(64 * 1024));
}
BENCHMARK(SplitLines);
void SplitAndDecode(benchmark::State& state) {
  const TextDecoder decoder;
  split(state, &decoder, build_output(64 * 1024));
}
BENCHMARK(SplitAndDecode);

/// Concatenates an agent's recorded runs, except the two that only print 2 MB of output.
std::string recorded_runs(const std::string& agent) {
  std::string text;
  const std::filesystem::path folder = std::string(LUZIA_SOURCE_DIR) + "/tests/adapters/agents/runs";
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".jsonl" || !name.starts_with(agent) || name.ends_with("-s11")) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    text.append((std::istreambuf_iterator<char>(in)), {});
  }
  return text;
}

/// Splits and decodes an agent's output: its whole cost before the search for known issues.
void SplitAndDecodeAgent(benchmark::State& state, const std::string& agent, const std::string& format) {
  const std::string text = recorded_runs(agent);
  if (text.empty()) return state.SkipWithError("no recorded runs");
  const auto decoder = line_decoders()(format);
  split(state, decoder.get(), text);
}
BENCHMARK_CAPTURE(SplitAndDecodeAgent, claude, "claude-", "claude-stream-json");
BENCHMARK_CAPTURE(SplitAndDecodeAgent, claude_auto, "claude-", "auto");
BENCHMARK_CAPTURE(SplitAndDecodeAgent, codex, "codex-", "codex-json");
BENCHMARK_CAPTURE(SplitAndDecodeAgent, gemini, "gemini-", "gemini-stream-json");
BENCHMARK_CAPTURE(SplitAndDecodeAgent, opencode, "opencode-", "opencode-json");

void ReadLiveRow(benchmark::State& state) {
  std::map<std::string, JobState, std::less<>> jobs;
  IdSource ids(7, "");
  std::string wanted;
  for (Position i = 1; i <= 1'000; ++i) {
    const std::string id = ids.next(1);
    if (i == 500) wanted = id;
    jobs.emplace(id, queued_job(id, i));
  }
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(jobs.find(wanted)->second.state);
  count_items(state);
}
BENCHMARK(ReadLiveRow);

/// Packs, frames, parses and verifies a dispatch: what both sides of the socket do for one request.
void FrameThereAndBack(benchmark::State& state) {
  wire::ClientFrameT frame;
  frame.id = 7;
  frame.request = bench::dispatch_request("make -j2 test");
  for ([[maybe_unused]] auto _ : state) {
    const std::string bytes = encode(frame);
    FrameReader reader;
    const Status fed = reader.feed(
        as_bytes(bytes), [](Bytes body) { benchmark::DoNotOptimize(parse_client_frame(body).has_value()); });
    benchmark::DoNotOptimize(fed.has_value());
  }
  count_items(state);
}
BENCHMARK(FrameThereAndBack);

/// One look at what an attempt's processes use, as luziad takes each second while any has a limit; per
/// process.
void LookAtProcesses(benchmark::State& state) {
  std::vector<pid_t> children;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) ::pause();
    }
    children.push_back(child);
  }
  ProcessStat self;
  if (!read_process(::getpid(), self)) state.SkipWithError("no /proc");
  const ProcessTree tree{::getpid(), self.start, false};
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(use_of_trees(std::span(&tree, 1)).front().threads);
  count_items(state, children.size());
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}
BENCHMARK(LookAtProcesses)->Arg(100)->Arg(1'000);

}  // namespace
}  // namespace luzia

BENCHMARK_MAIN();

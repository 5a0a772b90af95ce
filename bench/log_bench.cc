// Microbenchmarks of events and the log: build, verify, read, append by group size, replay with and without
// the chain. LUZIA_BENCH_DIR names the folder for stores (default: the temporary folder). On a disk, appends
// measure its fsync; in /dev/shm, our own code and RocksDB.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "adapters/memory/memory_event_log.h"
#include "engine/log/rocks_event_log.h"

namespace luzia {
namespace {

/// The most frequent kind of event: progress, with evidence from the output.
schema::EventT typical_event(Position position) {
  schema::EventT event;
  event.site = "workstation";
  event.position = position;
  event.stream = "job/0k3xmp71a0004";
  event.version = position;
  event.time_us = 1'750'000'000'000'000 + static_cast<TimeUs>(position);
  event.evidence = std::make_unique<schema::EvidenceT>();
  event.evidence->kind = schema::EvidenceKind::inferred;
  event.evidence->log_from = 1000 * position;
  event.evidence->log_to = 1000 * position + 80;
  event.evidence->rule = "osc-9-4";
  schema::ProgressReportedT progress;
  progress.progress_percent = 40;
  progress.current_step = 2;
  progress.total_steps = 5;
  progress.current_step_name = "Run tests";
  event.payload = std::move(job_event("0k3xmp71a0004", std::move(progress)).payload);
  return event;
}

Bytes encode(flatbuffers::FlatBufferBuilder& builder, const schema::EventT& event) {
  builder.Clear();
  builder.Finish(schema::Event::Pack(builder, &event), schema::EventIdentifier());
  return {builder.GetBufferPointer(), builder.GetSize()};
}

PendingGroup typical_group(Position first, std::uint32_t count) {
  flatbuffers::FlatBufferBuilder builder;
  PendingGroup group(first);
  for (std::uint32_t i = 0; i < count; ++i) group.add(encode(builder, typical_event(first + i)));
  return group;
}

/// A store in its own folder, removed at the end.
class BenchStore {
 public:
  BenchStore() {
    const char* root = std::getenv("LUZIA_BENCH_DIR");
    std::string pattern =
        ((root ? std::filesystem::path(root) : std::filesystem::temp_directory_path()) / "luzia-bench-XXXXXX")
            .string();
    folder_ = mkdtemp(pattern.data());
    log_ = open();
  }
  ~BenchStore() {
    log_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  EventLog& log() { return *log_; }
  /// Recovery writes everything into tables.
  void reopen() {
    log_.reset();
    log_ = open();
  }

 private:
  std::unique_ptr<EventLog> open() { return std::move(open_rocks_event_log(folder_ / "store", {}).value()); }
  std::filesystem::path folder_;
  std::unique_ptr<EventLog> log_;
};

struct InMemory {
  EventLog& log() { return log_; }
  MemoryEventLog log_;
};

void count_events(benchmark::State& state, std::uint64_t events) {
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}

void BuildEvent(benchmark::State& state) {
  flatbuffers::FlatBufferBuilder builder;
  const auto event = typical_event(1);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(encode(builder, event).data());
  count_events(state, static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(BuildEvent);

void VerifyEvent(benchmark::State& state) {
  const Group group = Group::stored(typical_group(1, 1), {});
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(verify_event(group.event_bytes(0)).has_value());
  count_events(state, static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(VerifyEvent);

void ReadEvent(benchmark::State& state) {
  const Group group = Group::stored(typical_group(1, 1), {});
  for ([[maybe_unused]] auto _ : state) {
    const schema::Event& event = *group.events()[0];
    benchmark::DoNotOptimize(event_type(event).data());
    benchmark::DoNotOptimize(text(event.stream()).size());
    benchmark::DoNotOptimize(event.payload_as_ReportEvent()->fact_as_ProgressReported()->current_step());
  }
  count_events(state, static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(ReadEvent);

void ParseGroup(benchmark::State& state) {
  const auto count = static_cast<std::uint32_t>(state.range(0));
  const std::string stored = Group::encode(typical_group(1, count), {});
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(Group::parse(1, as_bytes(stored)).has_value());
  count_events(state, static_cast<std::uint64_t>(state.iterations()) * count);
}
BENCHMARK(ParseGroup)->Arg(1)->Arg(128)->Arg(1024);

/// Excludes building the group: the loop thread does that while the commit thread appends.
template <class Store>
void Append(benchmark::State& state) {
  Store store;
  const auto count = static_cast<std::uint32_t>(state.range(0));
  Position next = 1;
  std::vector<PendingGroup> ready;
  for ([[maybe_unused]] auto _ : state) {
    if (ready.empty()) {
      state.PauseTiming();
      for (int i = 0; i < 256; ++i, next += count) ready.insert(ready.begin(), typical_group(next, count));
      state.ResumeTiming();
    }
    if (!store.log().append(ready.back())) return state.SkipWithError("append failed");
    ready.pop_back();
  }
  state.counters["groups"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  count_events(state, static_cast<std::uint64_t>(state.iterations()) * count);
}
BENCHMARK(Append<InMemory>)->Arg(1)->Arg(128)->Arg(1024)->UseRealTime();
BENCHMARK(Append<BenchStore>)->RangeMultiplier(4)->Range(1, 1024)->UseRealTime();

constexpr Position kReplayEvents = 262'144;

template <class Replay>
void replay(benchmark::State& state, Replay replay_once) {
  BenchStore store;
  const auto count = static_cast<std::uint32_t>(state.range(0));
  for (Position next = 1; next <= kReplayEvents; next += count) {
    if (!store.log().append(typical_group(next, count))) return state.SkipWithError("append failed");
  }
  store.reopen();
  for ([[maybe_unused]] auto _ : state) {
    if (replay_once(store.log()) != kReplayEvents) return state.SkipWithError("not all events were read");
  }
  count_events(state, static_cast<std::uint64_t>(state.iterations()) * kReplayEvents);
}

void ReplayRaw(benchmark::State& state) {
  replay(state, [](EventLog& log) {
    Position events = 0;
    const auto cursor = log.read_from(1);
    for (auto group = cursor->next(); group && *group; group = cursor->next())
      events += (*group)->events().size();
    return events;
  });
}
BENCHMARK(ReplayRaw)->Arg(1)->Arg(128)->Arg(1024)->UseRealTime()->Unit(benchmark::kMillisecond);

void ReplayWithChain(benchmark::State& state) {
  replay(state, [](EventLog& log) {
    const auto report = verify_chain(log);
    return report ? report->events : 0;
  });
}
BENCHMARK(ReplayWithChain)->Arg(1)->Arg(128)->Arg(1024)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace luzia

BENCHMARK_MAIN();

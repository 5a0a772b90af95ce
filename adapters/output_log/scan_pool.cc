#include "adapters/output_log/scan_pool.h"

#include <algorithm>
#include <cassert>

namespace luzia {
namespace {

constexpr std::size_t kBatchesAtOnce = 2;  // of libuv's 4 workers

}  // namespace

struct ScanPool::Batch {
  uv_work_t request{};
  ScanPool* pool = nullptr;
  bool under_way = false;
  std::vector<ScanTask> tasks;
  std::vector<ScanResult> results;  // for the first tasks, as many as there are results
  std::optional<ScanBuffer> buffer;
};

ScanPool::ScanPool(uv_loop_t* loop, ScanLimits limits, Done done, std::function<void()> idle)
    : loop_(loop), limits_(limits), done_(std::move(done)), idle_(std::move(idle)) {
  for (std::size_t i = 0; i < kBatchesAtOnce; ++i) {
    batches_.push_back(std::make_unique<Batch>());
    batches_.back()->pool = this;
    batches_.back()->request.data = batches_.back().get();
  }
}

ScanPool::~ScanPool() {
  assert(!under_way());
}

std::size_t ScanPool::free_batches() const {
  return static_cast<std::size_t>(
      std::count_if(batches_.begin(), batches_.end(), [](const auto& batch) { return !batch->under_way; }));
}

bool ScanPool::under_way() const {
  return free_batches() != batches_.size();
}

void ScanPool::submit(std::vector<ScanTask> tasks) {
  const auto free =
      std::find_if(batches_.begin(), batches_.end(), [](const auto& batch) { return !batch->under_way; });
  assert(free != batches_.end());
  Batch& batch = **free;
  batch.tasks = std::move(tasks);
  batch.under_way = true;
  if (!batch.buffer) batch.buffer.emplace(limits_.read_block);
  uv_queue_work(loop_, &batch.request, work, after_work);  // fails only without a work callback
}

void ScanPool::cancel() {
  for (const auto& batch : batches_) {
    if (batch->under_way) uv_cancel(reinterpret_cast<uv_req_t*>(&batch->request));
  }
}

void ScanPool::work(uv_work_t* request) {
  Batch& batch = *static_cast<Batch*>(request->data);
  const ScanLimits& limits = batch.pool->limits_;
  std::uint64_t read = 0;
  for (const ScanTask& task : batch.tasks) {
    if (read >= limits.read_at_most) break;
    ScanResult result = scan_step(task.request, limits, *batch.buffer);
    read += result.checkpoint.scanned_to - std::min(result.from, result.checkpoint.scanned_to);
    batch.results.push_back(std::move(result));
  }
}

void ScanPool::after_work(uv_work_t* request, int) {
  Batch& batch = *static_cast<Batch*>(request->data);
  const std::vector<ScanTask> tasks = std::move(batch.tasks);
  std::vector<ScanResult> results = std::move(batch.results);
  batch.tasks.clear();
  batch.results.clear();
  batch.under_way = false;
  ScanPool& pool = *batch.pool;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    pool.done_(tasks[i], i < results.size() ? std::optional(std::move(results[i])) : std::nullopt);
  }
  pool.idle_();
}

}  // namespace luzia

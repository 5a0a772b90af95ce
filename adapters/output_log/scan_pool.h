// Runs scan steps on libuv's workers: a few batches at a time, so that a flood of output leaves workers free
// for other uses. Buffers are per batch, not per job. Loop thread, except for the steps themselves.
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/output_log/scanner.h"

namespace luzia {

struct ScanTask {
  std::uint64_t watch = 0;  // the watch it belongs to
  std::uint64_t epoch = 0;  // of the watch's reading; results of an older epoch are void
  ScanRequest request;
};

class ScanPool {
 public:
  /// The result of each task; nullopt: not started, because the batch had already read its share.
  using Done = std::function<void(const ScanTask& task, std::optional<ScanResult> result)>;

  /// `idle` is called after the results of a batch were delivered.
  ScanPool(uv_loop_t* loop, ScanLimits limits, Done done, std::function<void()> idle);
  ~ScanPool();  // nothing may be under way

  /// Batches that could start now.
  std::size_t free_batches() const;
  /// Requires a free batch. The tasks belong to different jobs.
  void submit(std::vector<ScanTask> tasks);
  bool under_way() const;
  /// Batches that no worker has started come back without results.
  void cancel();

 private:
  struct Batch;
  static void work(uv_work_t* request);
  static void after_work(uv_work_t* request, int status);

  uv_loop_t* loop_;
  ScanLimits limits_;
  Done done_;
  std::function<void()> idle_;
  std::vector<std::unique_ptr<Batch>> batches_;
};

}  // namespace luzia

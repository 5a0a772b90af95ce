// A disk on which nothing waits: stores of made-up work are written through it, and what was written is made
// durable at the end, once. A machine that loses power meanwhile has half a store, which nobody misses.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace luzia::bench {

/// The default file system without its fsyncs. Outlives what is open on it.
class HastyDisk {
 public:
  HastyDisk();
  ~HastyDisk();
  rocksdb::Env* env() const { return env_.get(); }
  /// How many fsyncs were asked for and not done. Any thread.
  std::uint64_t left_out() const;
  /// Makes durable what lies on the file system of `folder`; nothing may be open on this disk any more.
  /// `not_durable` (trouble).
  static Status sync_all(const std::string& folder);

 private:
  class Files;
  std::shared_ptr<Files> files_;
  std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace luzia::bench

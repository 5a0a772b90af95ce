// A disk without fsyncs, for writing synthetic stores quickly; everything is made durable once, at the end. A
// power loss meanwhile leaves half a store, which is no loss.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace luzia::bench {

/// The default file system without fsyncs. Must outlive all files and databases opened on it.
class HastyDisk {
 public:
  HastyDisk();
  ~HastyDisk();
  rocksdb::Env* env() const { return env_.get(); }
  /// The number of fsyncs requested and skipped. Any thread.
  std::uint64_t left_out() const;
  /// Makes the file system of `folder` durable; nothing may still be open on this disk. `not_durable`
  /// (trouble).
  static Status sync_all(const std::string& folder);

 private:
  class Files;
  std::shared_ptr<Files> files_;
  std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace luzia::bench

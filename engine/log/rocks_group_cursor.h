// Reads groups from RocksDB in order. Holds an iterator only while there is more to read: an idle one would
// pin old files and memory. One thread.
#pragma once

#include <functional>

#include "engine/log/rocks_log_db.h"

namespace luzia {

class RocksGroupCursor : public GroupCursor {
 public:
  /// `tip`: returns the last durable position. The database must outlive the cursor.
  RocksGroupCursor(const RocksLogDb& db, std::function<Position()> tip, Position first);
  Result<std::shared_ptr<const Group>> next() override;

 private:
  Result<std::shared_ptr<const Group>> advance();

  const RocksLogDb& db_;
  std::function<Position()> tip_;
  std::unique_ptr<rocksdb::Iterator> at_;  // on the last returned group; null: seek next_
  Position next_;
  bool continues_ = false;  // a group was returned, so the next one must begin at next_
};

}  // namespace luzia

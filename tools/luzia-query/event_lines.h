// A resumable export of events. FILE.part holds the written lines and replaces FILE when all are there;
// FILE.part.state holds the options and store of the export. One thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/event/event.h"
#include "tools/luzia-query/export_begun.h"

namespace luzia {

class EventLines {
 public:
  /// Opens FILE.part, or creates it, and cuts off an incomplete last line. Errors:
  /// - `output_failed` (trouble).
  /// - `bad_part` (usage): the last line is not an event with a `position` in this format, or it is unknown
  ///   with which options the export was begun.
  /// - `other_export` (usage): it was begun with other options, or for another store.
  static Result<EventLines> resume(const std::string& path, bool cloud_events, const ExportBegun& begun);
  ~EventLines();
  EventLines(EventLines&& other) noexcept;
  EventLines& operator=(EventLines&&) = delete;

  /// The position of the last written event; 0: none.
  Position last() const { return last_; }
  /// The number of written events. Reads the whole file. `output_failed`.
  Result<std::uint64_t> count() const;
  /// Discards all written events. `output_failed`.
  Status begin_anew();
  Status write(std::string_view text);
  /// Makes the file durable and moves it to FILE. Without this call FILE.part stays.
  Status finish();

 private:
  EventLines() = default;
  Status find_end(bool cloud_events);
  Status begin_or_check(const ExportBegun& begun) const;
  tl::unexpected<Error> failed(int errno_value) const;

  FILE* file_ = nullptr;
  std::string path_;
  Position last_ = 0;
};

}  // namespace luzia

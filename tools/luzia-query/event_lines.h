// An export of events that goes on where it was broken off: FILE.part keeps the lines that were written, and
// takes FILE's place when all are there; FILE.part.state tells what it was begun with. One thread.
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
  /// Opens FILE.part and cuts off what is no whole line. `output_failed`; `bad_part` (usage): its last line
  /// is no exported event of this format, which its `position` tells, or nothing says what it was begun with;
  /// `other_export` (usage): with something else.
  static Result<EventLines> resume(const std::string& path, bool cloud_events, const ExportBegun& begun);
  ~EventLines();
  EventLines(EventLines&& other) noexcept;
  EventLines& operator=(EventLines&&) = delete;

  /// Of the last event that is there; 0: none.
  Position last() const { return last_; }
  /// How many are there. Reads all of them. `output_failed`.
  Result<std::uint64_t> count() const;
  /// Forgets what is there. `output_failed`.
  Status begin_anew();
  Status write(std::string_view text);
  /// Durable and in its place. Without it FILE.part stays.
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

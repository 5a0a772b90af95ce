// An export of events that goes on where it was broken off: FILE.part keeps the lines that were written, and
// takes FILE's place when all are there. One thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/event/event.h"

namespace luzia {

class EventLines {
 public:
  /// Opens FILE.part and cuts off what is no whole line. `output_failed`; `bad_part` (usage): its last line
  /// is no exported event of this format, which its `position` tells.
  static Result<EventLines> resume(const std::string& path, bool cloud_events);
  ~EventLines();
  EventLines(EventLines&& other) noexcept;
  EventLines& operator=(EventLines&&) = delete;

  /// Of the last event that is there; 0: none.
  Position last() const { return last_; }
  Status write(std::string_view text);
  /// Durable and in its place. Without it FILE.part stays.
  Status finish();

 private:
  EventLines() = default;
  Status find_end(bool cloud_events);
  tl::unexpected<Error> failed(int errno_value) const;

  FILE* file_ = nullptr;
  std::string path_;
  Position last_ = 0;
};

}  // namespace luzia

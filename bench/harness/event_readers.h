// Readers of luzia-web's stream of events (GET /v1/events), as so many open pages: all on one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/harness/web_subject.h"
#include "engine/base/descriptor.h"

namespace luzia::bench {

class EventReaders {
 public:
  /// Pairs as many devices as so many streams need, opens the streams, and waits until each has begun.
  EventReaders(const WebSubject& web, int count);
  struct Result {
    Latencies late;  // of each event at each reader, after the event's time
    double latest_s = 0;
    int behind = 0;  // readers that did not get the last event within ten seconds
  };
  /// Forgets how late events came so far.
  void begin();
  /// Waits until each reader has the event at `last`.
  Result stop(std::uint64_t last);

 private:
  struct Reader {
    Descriptor socket;
    std::string left;  // of a line that has not ended
    bool begun = false;
    std::uint64_t position = 0;
  };
  void read(const std::stop_token& stopped);
  void read_from(Reader& reader);
  void take_line(Reader& reader, std::string_view line);

  std::vector<Reader> readers_;
  Descriptor events_;  // epoll
  Result result_;
  std::atomic<bool> counts_ = false;
  std::atomic<std::uint64_t> wanted_ = 0;  // the position that each is to reach
  std::atomic<int> begun_ = 0, behind_ = 0;
  std::jthread thread_;
};

}  // namespace luzia::bench

// counted_parts PART TIMES: runs one part that many times, for a tool that counts instructions. The cost of a
// part is the difference of two runs, so that program start does not count.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/agents/text_decoder.h"
#include "adapters/memory/memory_event_log.h"
#include "adapters/output_log/line_splitter.h"
#include "adapters/socket/frame.h"
#include "bench/harness/history.h"
#include "bench/harness/subject.h"

namespace luzia::bench {
namespace {

class Decoding : public LineSink {
 public:
  bool line(const Line& line) override {
    decoder_.decode(line, findings, within_);
    return true;
  }
  void oversized(const Line&) override {}
  std::vector<RecordOutput::Finding> findings;

 private:
  TextDecoder decoder_;
  std::string within_;
};

bool split_and_decode() {
  constexpr std::string_view kText =
      "[12/345] Building CXX object engine/part_12.cc.o\n"
      "[ RUN      ] Suite.KeepsWhatItWasGiven\n"
      "::warning file=a.cc,line=3::unused variable\n";
  Decoding sink;
  SplitPosition position;
  return split_lines(position, kText, sink) == kText.size() && sink.findings.size() == 1;
}

bool dispatch_frame() {
  wire::ClientFrameT frame;
  frame.id = 7;
  frame.request = dispatch_request("make -j2 test");
  bool good = false;
  FrameReader reader;
  const Status fed =
      reader.feed(as_bytes(encode(frame)), [&](Bytes body) { good = parse_client_frame(body).has_value(); });
  return fed && good;
}

bool decide_and_append() {
  MemoryEventLog log;
  HistoryShape shape;
  shape.events = 200;
  return generate_history(log, shape).has_value();
}

bool run_part(std::string_view part) {
  if (part == "split_and_decode") return split_and_decode();
  if (part == "dispatch_frame") return dispatch_frame();
  return part == "decide_and_append" && decide_and_append();
}

}  // namespace
}  // namespace luzia::bench

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (long left = strtol(argv[2], nullptr, 10); left > 0; --left) {
    if (!luzia::bench::run_part(argv[1])) {
      fprintf(stderr, "counted_parts: %s failed\n", argv[1]);
      return 1;
    }
  }
  return 0;
}

// Recognizes progress lines of common tools. The whole line must have the shape of one: prose that mentions
// "50% of users" or "3/7" is not progress. Pure, any thread.
//
//   [12/345] text                        ninja, yarn, npm scripts          percent done = 12/345
//   Step 3/7 : text, #9 [build 3/7] text docker build, BuildKit            percent = 2/7: step 3 begins
//   3/100 Test #3: text                  ctest
//   [ 42%] Built target x, Linking ...   CMake's makefiles; not the line for each file, see below
//   Receiving objects:  42% (42/100)     git, this and its other phases, with or without "remote:"
//   42%|####    | 42/100 [00:10<...      tqdm, with or without a title
//   Building [===>   ] 42/100: text      cargo
//   Progress: [ 42%]                     apt;     tests/test_a.py ..F.  [ 42%]: pytest, one line per file
//
// Bars of downloads (pip, wget, curl) do not count: they say how far a file is, not the job.
//
// A bar that redraws itself after carriage returns counts in its last state. While it is being drawn, it
// counts each time its integer percent changes. Colors are ignored.
//
// Findings are events on disk, and one line alone cannot tell whether its value is new. So a count k/n is a
// finding only if its integer percent is greater than that of (k - 1)/n. A ninja build of 5,000 steps makes
// 100 findings, and no build makes more. Shapes with a percent but no count are accepted if a tool prints
// them once per file or phase. If it prints them once per step they are left out: the "[ 42%] Building" line
// of each file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

struct ProgressLine {
  double percent = 0;                       // 0..100
  unsigned current_step = 0, of_steps = 0;  // 0: the line has no count
  std::string step;                         // what is being done, raw bytes; empty: not stated
  std::size_t from = 0, to = 0;             // the part of the line that holds the state
};

/// A longer state is not a progress line. At most the last few times this many bytes of a line are examined.
inline constexpr std::size_t kMaxProgressLine = 512;

std::optional<ProgressLine> progress_line(std::string_view line);

/// A fast filter, since each line of every job passes it: false means that progress_line() finds nothing.
/// False for nearly every line, at the cost of a look at its beginning and one or two calls of memchr.
bool may_be_progress(std::string_view line);

}  // namespace luzia

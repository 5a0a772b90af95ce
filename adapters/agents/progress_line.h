// Progress as common tools print it for people, in lines whose whole shape is a progress line: prose that
// mentions "50% of users" or "3/7" is none. Pure, any thread.
//
//   [12/345] text                        ninja, yarn, npm scripts          percent done = 12/345
//   Step 3/7 : text, #9 [build 3/7] text docker build, BuildKit            percent = 2/7: step 3 begins
//   3/100 Test #3: text                  ctest
//   [ 42%] Built target x, Linking ...   CMake's makefiles; not the line of every file, see below
//   Receiving objects:  42% (42/100)     git, as in its other phases, "remote:" before it or not
//   42%|####    | 42/100 [00:10<...      tqdm, with a title before it or not
//   ━━━━━━━━ 1.2/3.4 MB 5.0 MB/s         pip
//   name  42%[====>     ] 4.2M           wget;    ####   42.1% and its table of twelve columns: curl
//   Building [===>   ] 42/100: text      cargo
//   Progress: [ 42%]                     apt;     tests/test_a.py ..F.  [ 42%]: pytest, one line a file
//
// A bar that redraws itself after carriage returns counts as it stood last, and while it is drawn as often as
// its integer percent is another one; colours are seen through.
// Findings are events on disk, and whether a value is new can't be known from one line. So of k of n only the
// line where the integer percent grows past that of k - 1 means anything: a ninja build of 5,000 steps makes
// 100 findings, and none makes more. Shapes with a percent and no count are printed once a file or phase, not
// once a step: the "[ 42%] Building" line of each file is left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

struct ProgressLine {
  double percent = 0;                       // 0..100
  unsigned current_step = 0, of_steps = 0;  // 0: the line counts none
  std::string step;                         // what is done, raw bytes; empty: not said
  std::size_t from = 0, to = 0;             // where the state that counts stands in the line
};

/// Longer states are no progress line; looks at no more than the line's last few times as many bytes.
inline constexpr std::size_t kMaxProgressLine = 512;

std::optional<ProgressLine> progress_line(std::string_view line);

/// False for nearly every line of output, at the cost of a look at its beginning and a memchr or two:
/// progress_line finds nothing in it. Each line of every job is looked at so.
bool may_be_progress(std::string_view line);

}  // namespace luzia

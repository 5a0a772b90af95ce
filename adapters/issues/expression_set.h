// Many expressions looked for by RE2::Set, line by line. It is ready within milliseconds where Vectorscan
// takes seconds to compile, and finds the same lines at a tenth of the speed: what the patterns in force are
// looked for with until they are compiled, so that no job's end waits for that, and where Vectorscan does not
// run.
//
// Rejected: going on with what is compiled already and looking through the stretch once more for the rest. It
// needs a second position in each checkpoint, work that outlives the job it is about, and an account of what
// was found twice.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/lines.h"

namespace re2 {
class RE2;
}

namespace luzia {

class ExpressionSet {
 public:
  /// In the syntax of RE2, each taken by it within confirming_options() and never matching the empty text.
  explicit ExpressionSet(const std::vector<std::string>& expressions);
  ~ExpressionSet();
  ExpressionSet(const ExpressionSet&) = delete;
  ExpressionSet& operator=(const ExpressionSet&) = delete;

  /// `report(expression, end)`: the line whose text ends before byte `end` matches, or may: where memory is
  /// short every expression is told. It returns whether to go on; false from scan: it did not. Any thread,
  /// many at once. Linear in the text.
  template <class Report>
  bool scan(std::string_view text, Report& report) const {
    std::vector<std::size_t> matching;
    for (std::size_t at = 0; at < text.size(); matching.clear()) {
      const std::size_t size = whole_lines(text.substr(at), 1);
      const std::string_view line = without_end(text.substr(at, size));
      if (!line.empty()) find_in(line, matching);
      for (const std::size_t expression : matching) {
        if (!report(static_cast<unsigned>(expression), at + line.size())) return false;
      }
      at += size;
    }
    return true;
  }

 private:
  struct Part;

  void add(std::span<const std::string> expressions, std::size_t first);
  /// Appends the numbers of the expressions that `line` may match.
  void find_in(std::string_view line, std::vector<std::size_t>& matching) const;

  std::vector<Part> parts_;
};

}  // namespace luzia

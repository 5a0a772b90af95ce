// Searches for many expressions with RE2::Set, line by line. It is ready within milliseconds, whereas
// Vectorscan takes seconds to compile. It finds the same lines at a tenth of the speed. It is used until the
// patterns in force are compiled, so that no job's end waits for that, and on machines where Vectorscan does
// not run.
//
// Rejected: continue with the patterns already compiled, and search the output again for the others later.
// That needs a second position in each checkpoint, work that outlives its job, and a way to avoid duplicate
// findings.
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
  /// `expressions`: RE2 syntax, each accepted by RE2 within confirming_options(); none matches the empty
  /// text.
  explicit ExpressionSet(const std::vector<std::string>& expressions);
  ~ExpressionSet();
  ExpressionSet(const ExpressionSet&) = delete;
  ExpressionSet& operator=(const ExpressionSet&) = delete;

  /// Calls `report(expression, end)` if the line whose text ends before byte `end` may match. If memory is
  /// short, it reports every expression. `report` returns whether to go on; scan() returns false if it
  /// stopped. Any number of threads at once. Linear in the text.
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

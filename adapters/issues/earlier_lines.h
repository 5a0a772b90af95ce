// Looks above a matching line for the lines that tell more: the name of the test whose assertion failed, or
// the first complaint of a command that exits with an error. Pure, any thread. Private to adapters/issues.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/issue_pattern.h"
#include "event.fb.h"

namespace re2 {
class RE2;
}

namespace luzia {

inline constexpr std::size_t kMaxEarlierBytes = 64 * 1024;  // looked at above one matching line

using IssueCaptures = std::vector<std::unique_ptr<schema::KeyValueT>>;

/// Whether `expression` matches `line`. If so, appends its captures, except those whose names are taken.
bool capture(const re2::RE2& expression, const std::vector<std::string>& names, std::string_view line,
             IssueCaptures& captures);

/// Where an issue is reported if not at the line that matches.
struct ShownLine {
  std::size_t bytes_back = 0, lines_back = 0;  // from the beginning of the matching line; 0: that line
  std::string line;                            // without terminal sequences and its end
};

/// A pattern's `earlier`, compiled.
class EarlierLines {
 public:
  explicit EarlierLines(const std::vector<EarlierLine>& rules);
  ~EarlierLines();
  EarlierLines(EarlierLines&&) noexcept;

  bool empty() const { return rules_.empty(); }
  /// Searches the end of `above`, whole lines, by the first rule that finds a line, and appends its captures.
  /// Takes what it reads from `budget`, and stops when that is used up.
  ShownLine find(std::string_view above, std::size_t& budget, IssueCaptures& captures) const;

 private:
  struct Rule;

  std::vector<Rule> rules_;
};

}  // namespace luzia

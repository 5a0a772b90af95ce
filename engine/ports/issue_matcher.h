// Port: recognizes known issues in blocks of output. Implemented in adapters/issues.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "event.fb.h"

namespace luzia {

/// Whole lines as they are in output.log, each with its newline; the last may have none. Any bytes.
struct LineBlock {
  std::string_view text;
  std::uint64_t offset = 0;      // of its first byte in the file
  std::uint64_t first_line = 1;  // number of its first line
  std::size_t looked = 0;        // bytes at its beginning, whole lines, that were looked at before
};

/// Finds known issues in a block. Called on workers, by several at once. Keeps nothing between calls, so a
/// crash between two of them loses nothing. Linear in the block's length for all patterns; throws no
/// exceptions.
class IssueMatcher {
 public:
  virtual ~IssueMatcher() = default;
  /// Appends a fact for each pattern and line that match, in order of lines; a pattern counts once per line.
  /// A fact may name an earlier line of the block that tells more than the one that matches.
  /// Sets everything but `attempt`. Stops after `most` facts. Returns how many bytes it has looked at, up to
  /// the end of a line and normally the whole block, so the caller can continue there.
  virtual std::size_t match(const LineBlock& block, std::size_t most,
                            std::vector<schema::IssueDetectedT>& found) const = 0;
};

/// Returns the matcher of a project's patterns; null: it has none. Any thread. A matcher does not change
/// while somebody holds it; after a reload the source returns a new one.
using IssueMatcherSource = std::function<std::shared_ptr<const IssueMatcher>(std::string_view project)>;

}  // namespace luzia

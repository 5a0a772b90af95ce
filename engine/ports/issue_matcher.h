// Port: recognises known problems in blocks of output. Implemented in adapters/issues.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "event.fb.h"

namespace luzia {

/// Whole lines, as they stand in output.log: each with its newline, the last perhaps without. Any bytes.
struct LineBlock {
  std::string_view text;
  std::uint64_t offset = 0;      // of its first byte in the file
  std::uint64_t first_line = 1;  // number of its first line
};

/// Known problems in `block`, in order of their lines. Called on workers, by many at once; keeps nothing
/// between calls, so that a crash between two of them loses nothing. Linear in the block's length whatever
/// the patterns are, no exceptions.
class IssueMatcher {
 public:
  virtual ~IssueMatcher() = default;
  /// Appends a fact for each pattern and line that match (a pattern counts once per line), everything but
  /// `attempt` set. Stops after `most` of them; what is behind the last line looked at is not lost, because
  /// the number of bytes that were looked at is returned (up to the end of a line, the whole block as a
  /// rule).
  virtual std::size_t match(const LineBlock& block, std::size_t most,
                            std::vector<schema::IssueDetectedT>& found) const = 0;
};

/// The matcher of a project's patterns; null: it has none. Any thread. What is returned stays as it is while
/// somebody holds it; after a reload the source gives a new one.
using IssueMatcherSource = std::function<std::shared_ptr<const IssueMatcher>(std::string_view project)>;

}  // namespace luzia

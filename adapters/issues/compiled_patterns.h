// All patterns, ready to search for. One Vectorscan database finds the lines that may match; one RE2 per
// expression confirms a match and extracts the captures. Until the database is compiled, a slower
// ExpressionSet replaces it and finds the same facts. Immutable once made: any number of threads may use it
// at once. Each call borrows its working memory from a pool.
//
// A block is scanned as a whole, in pieces of 64 KiB. The text of each expression keeps its match within one
// line (see print_finding), so the end of a hit identifies its line. Vectorscan is not asked for match
// starts, which would cost a third of its speed. Lines with terminal sequences are scanned twice, as they are
// and without the sequences. Rejected: one scan per line, which is half as fast because the calls cost more
// than the bytes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/issues/earlier_lines.h"
#include "adapters/issues/expression_set.h"
#include "adapters/issues/issue_pattern.h"
#include "adapters/issues/vectorscan.h"
#include "engine/ports/issue_matcher.h"

namespace re2 {
class RE2;
}

namespace luzia {

inline constexpr std::size_t kMaxIssueLineBytes = 4096;    // of the line in a fact
inline constexpr std::size_t kMaxIssueCaptures = 16;       // in a fact
inline constexpr std::size_t kMaxIssueCaptureBytes = 256;  // of one

/// The patterns to report, by index.
using PatternMask = std::vector<bool>;

class CompiledPatterns {
 public:
  /// Reports expressions that Vectorscan rejects in `refused`; their patterns match by their other
  /// expressions. Takes up to seconds without a cache. Errors: see ExpressionDatabase::open.
  static Result<std::shared_ptr<const CompiledPatterns>> compile(std::vector<IssuePattern> patterns,
                                                                 const std::string& cache_folder,
                                                                 std::vector<RefusedPattern>& refused,
                                                                 const std::string& made_folder = {});
  /// Never compiles: loads the database from a cache, else leaves it uncompiled (is_compiled). If loaded, the
  /// expressions that Vectorscan rejects are in `refused`; if uncompiled, they match too.
  static std::shared_ptr<const CompiledPatterns> at_once(std::vector<IssuePattern> patterns,
                                                         const std::string& cache_folder,
                                                         std::vector<RefusedPattern>& refused,
                                                         const std::string& made_folder = {});
  /// Never compiled, and needs no Vectorscan.
  static std::shared_ptr<const CompiledPatterns> uncompiled(std::vector<IssuePattern> patterns);
  ~CompiledPatterns();

  const std::vector<IssuePattern>& patterns() const { return patterns_; }
  bool is_compiled() const { return database_ != nullptr; }
  bool from_cache() const { return database_ && database_->from_cache(); }

  /// See IssueMatcher::match.
  std::size_t match(const LineBlock& block, std::size_t most, const PatternMask& mask,
                    std::vector<schema::IssueDetectedT>& found) const;

 private:
  struct Expression {
    std::size_t pattern = 0, regex = 0;
    std::unique_ptr<re2::RE2> confirming;
  };
  struct Workspace;
  struct Candidate;
  class Pass;

  explicit CompiledPatterns(std::vector<IssuePattern> patterns);
  /// With neither database_ nor set_.
  static std::shared_ptr<CompiledPatterns> bare(std::vector<IssuePattern> patterns);
  std::vector<std::string> texts(std::string LineRegex::*engine) const;
  void take(std::unique_ptr<ExpressionDatabase> database, std::vector<RefusedPattern>& refused);
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

  std::vector<IssuePattern> patterns_;
  std::vector<std::vector<std::size_t>> replaced_by_;  // per pattern; see replacements.h
  std::vector<EarlierLines> earlier_;                  // per pattern
  std::vector<Expression> expressions_;  // by their number in one of these two, which finds them:
  std::unique_ptr<ExpressionDatabase> database_;
  std::unique_ptr<ExpressionSet> set_;
  mutable std::mutex mutex_;  // guards idle_
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace luzia

// All patterns made ready to be looked for: one Vectorscan database that tells which line may have which
// pattern, one RE2 per expression that confirms it and takes the captures. Where the database is yet to be
// compiled, an ExpressionSet stands in for it, slower and with the same facts. Constant once made: any
// thread, many at once; what a call needs besides is lent from a pool.
//
// A block is scanned whole, in pieces of 64 KiB. That an expression stays within a line is in its text (see
// print_finding), so the line of a hit is where its end is, and starts of matches, which cost Vectorscan a
// third of its speed, are not asked for. Lines with terminal sequences are looked at twice, as they stand and
// without them. Rejected: a scan per line (half as fast, the calls cost more than the bytes).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

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

/// Which patterns count, by their index.
using PatternMask = std::vector<bool>;

class CompiledPatterns {
 public:
  /// Expressions that Vectorscan does not take are told in `refused`; their patterns match by their others.
  /// Takes up to seconds without a cache. Errors: see ExpressionDatabase::open.
  static Result<std::shared_ptr<const CompiledPatterns>> compile(std::vector<IssuePattern> patterns,
                                                                 const std::string& cache_folder,
                                                                 std::vector<RefusedPattern>& refused,
                                                                 const std::string& made_folder = {});
  /// Never compiles: as they came from a cache, else not compiled (is_compiled). What Vectorscan would not
  /// take is told in `refused` in the former case, and matches in the latter.
  static std::shared_ptr<const CompiledPatterns> at_once(std::vector<IssuePattern> patterns,
                                                         const std::string& cache_folder,
                                                         std::vector<RefusedPattern>& refused,
                                                         const std::string& made_folder = {});
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
  std::vector<std::string> texts(std::string LineRegex::*engine) const;
  void take(std::unique_ptr<ExpressionDatabase> database, std::vector<RefusedPattern>& refused);
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

  std::vector<IssuePattern> patterns_;
  std::vector<std::vector<std::size_t>> replaced_by_;  // each; see replacements.h
  std::vector<Expression> expressions_;  // by their number in what finds them, which is one of these:
  std::unique_ptr<ExpressionDatabase> database_;
  std::unique_ptr<ExpressionSet> set_;
  mutable std::mutex mutex_;  // of idle_
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace luzia

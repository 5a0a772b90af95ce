// Many expressions as one Vectorscan database, which quickly finds those that may match and where. The only
// wrapper of that library. A database is immutable: any thread; each concurrent scan needs its own scratch.
//
// Only open() and open_cached() need the library: programs that do without it link the rest of
// adapters/issues.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

struct hs_scratch;

namespace luzia {

class ExpressionDatabase {
 public:
  struct FreeScratch {
    void (*free)(hs_scratch* scratch) = nullptr;
    void operator()(hs_scratch* scratch) const { free(scratch); }
  };
  using Scratch = std::unique_ptr<hs_scratch, FreeScratch>;

  /// An expression that Vectorscan rejects, and Vectorscan's reason.
  struct Refusal {
    std::size_t expression = 0;
    std::string reason;
  };

  /// Loads the database from `made_folder`, a read-only cache filled when the program was built, or from the
  /// cache in `cache_folder` (empty: none). Otherwise compiles it, which takes seconds for a thousand
  /// expressions, and stores it in `cache_folder`.
  ///
  /// A cache file that is damaged, not ours or of another version is rewritten. If it cannot be written, the
  /// next call compiles again. An expression that is too large is compiled in prefilter mode, so it may
  /// report lines that it does not match. Errors (trouble): `vectorscan_platform`, `vectorscan_compile`.
  static Result<std::unique_ptr<ExpressionDatabase>> open(const std::vector<std::string>& expressions,
                                                          const std::string& cache_folder,
                                                          const std::string& made_folder = {});
  /// open() without compiling: null if neither folder has the database, or the processor cannot run it.
  static std::unique_ptr<ExpressionDatabase> open_cached(const std::vector<std::string>& expressions,
                                                         const std::string& cache_folder,
                                                         const std::string& made_folder = {});
  virtual ~ExpressionDatabase() = default;
  ExpressionDatabase(const ExpressionDatabase&) = delete;
  ExpressionDatabase& operator=(const ExpressionDatabase&) = delete;

  /// Expressions left out of the database.
  std::span<const Refusal> refusals() const { return refusals_; }
  bool from_cache() const { return from_cache_; }

  virtual Scratch new_scratch() const = 0;

  /// Calls `report(expression, end)` for every match end: the match ends before byte `end`. `report` returns
  /// whether to go on; scan() returns false if it stopped. `text` is shorter than 4 GiB.
  template <class Report>
  bool scan(std::string_view text, hs_scratch* scratch, Report& report) const {
    const auto call = [](unsigned expression, unsigned long long, unsigned long long end, unsigned,
                         void* context) {
      return (*static_cast<Report*>(context))(expression, static_cast<std::size_t>(end)) ? 0 : 1;
    };
    return scan_block(text, scratch, call, &report);
  }

 protected:
  using Call = int (*)(unsigned, unsigned long long, unsigned long long, unsigned, void*);

  ExpressionDatabase() = default;
  virtual bool scan_block(std::string_view text, hs_scratch* scratch, Call call, void* context) const = 0;

  std::vector<Refusal> refusals_;
  bool from_cache_ = false;
};

}  // namespace luzia

// Many expressions as one Vectorscan database: tells fast which of them may match where. The only face of the
// library. A database is constant: any thread; each scan needs a scratch of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

struct hs_database;
struct hs_scratch;

namespace luzia {

class ExpressionDatabase {
 public:
  struct FreeScratch {
    void operator()(hs_scratch* scratch) const;
  };
  using Scratch = std::unique_ptr<hs_scratch, FreeScratch>;

  /// An expression that Vectorscan does not take, with its words.
  struct Refusal {
    std::size_t expression = 0;
    std::string reason;
  };

  /// From `made_folder`, where a cache was filled when the program was built and which is only read, or from
  /// the cache in `cache_folder` (empty: none), else compiled, which takes seconds for a thousand
  /// expressions, and cached for the next time. A cache that is damaged, not ours or of another version is
  /// written anew; one that can't be written costs the time again. An expression that is too large is taken
  /// in prefilter mode, in which it may report lines that it does not match. Errors (trouble):
  /// `vectorscan_platform`, `vectorscan_compile`.
  static Result<std::unique_ptr<ExpressionDatabase>> open(const std::vector<std::string>& expressions,
                                                          const std::string& cache_folder,
                                                          const std::string& made_folder = {});
  /// The same without compiling: null where neither folder has it, or the processor cannot run it.
  static std::unique_ptr<ExpressionDatabase> open_cached(const std::vector<std::string>& expressions,
                                                         const std::string& cache_folder,
                                                         const std::string& made_folder = {});
  ~ExpressionDatabase();
  ExpressionDatabase(const ExpressionDatabase&) = delete;
  ExpressionDatabase& operator=(const ExpressionDatabase&) = delete;

  /// Left out of the database.
  std::span<const Refusal> refusals() const { return refusals_; }
  bool from_cache() const { return from_cache_; }

  Scratch new_scratch() const;

  /// `report(expression, end)`: a match ends before byte `end`, every end is told. It returns whether to go
  /// on; false from scan: it did not. `text` is shorter than 4 GiB.
  template <class Report>
  bool scan(std::string_view text, hs_scratch* scratch, Report& report) const {
    const auto call = [](unsigned expression, unsigned long long, unsigned long long end, unsigned,
                         void* context) {
      return (*static_cast<Report*>(context))(expression, static_cast<std::size_t>(end)) ? 0 : 1;
    };
    return scan_block(text, scratch, call, &report);
  }

 private:
  using Call = int (*)(unsigned, unsigned long long, unsigned long long, unsigned, void*);

  ExpressionDatabase() = default;
  bool take(std::string_view cached);
  Status compile(const std::vector<std::string>& expressions);
  bool scan_block(std::string_view text, hs_scratch* scratch, Call call, void* context) const;

  hs_database* database_ = nullptr;  // null: no expressions
  std::vector<Refusal> refusals_;
  bool from_cache_ = false;
};

}  // namespace luzia

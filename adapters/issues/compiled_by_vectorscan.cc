// The ways to make CompiledPatterns that need Vectorscan.
#include "adapters/issues/compiled_patterns.h"
#include "engine/base/try.h"

namespace luzia {

Result<std::shared_ptr<const CompiledPatterns>> CompiledPatterns::compile(
    std::vector<IssuePattern> patterns, const std::string& cache_folder, std::vector<RefusedPattern>& refused,
    const std::string& made_folder) {
  auto made = bare(std::move(patterns));
  auto database =
      LUZIA_TRY(ExpressionDatabase::open(made->texts(&LineRegex::finding), cache_folder, made_folder));
  made->take(std::move(database), refused);
  return std::shared_ptr<const CompiledPatterns>(std::move(made));
}

std::shared_ptr<const CompiledPatterns> CompiledPatterns::at_once(std::vector<IssuePattern> patterns,
                                                                  const std::string& cache_folder,
                                                                  std::vector<RefusedPattern>& refused,
                                                                  const std::string& made_folder) {
  auto made = bare(std::move(patterns));
  auto database =
      ExpressionDatabase::open_cached(made->texts(&LineRegex::finding), cache_folder, made_folder);
  if (database) {
    made->take(std::move(database), refused);
  } else {
    made->set_ = std::make_unique<ExpressionSet>(made->texts(&LineRegex::confirming));
  }
  return made;
}

}  // namespace luzia

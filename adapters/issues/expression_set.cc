#include "adapters/issues/expression_set.h"

#include <re2/set.h>

#include <algorithm>

#include "adapters/issues/confirmation.h"

namespace luzia {
namespace {

/// Bounds of one automaton. The shipped library fits into one; more memory would not make it faster.
constexpr std::size_t kMostInPart = 1024;
constexpr std::int64_t kPartMemory = 16 << 20;

}  // namespace

/// Expressions `first` to `first + count - 1` as one automaton.
struct ExpressionSet::Part {
  std::size_t first = 0, count = 0;
  std::unique_ptr<RE2::Set> set;  // null: cannot filter, so every expression must be confirmed
};

ExpressionSet::ExpressionSet(const std::vector<std::string>& expressions) {
  const std::span<const std::string> all(expressions);
  for (std::size_t first = 0; first < all.size(); first += kMostInPart) {
    add(all.subspan(first, std::min(kMostInPart, all.size() - first)), first);
  }
}

ExpressionSet::~ExpressionSet() = default;

void ExpressionSet::add(std::span<const std::string> expressions, std::size_t first) {
  RE2::Options options = confirming_options();
  options.set_max_mem(kPartMemory);
  auto set = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
  const bool taken =
      std::ranges::all_of(expressions, [&](const std::string& each) { return set->Add(each, nullptr) >= 0; });
  const bool ready = taken && set->Compile();
  if (!ready && expressions.size() > 1) {
    // Too large together: split in halves.
    const std::size_t half = expressions.size() / 2;
    add(expressions.first(half), first);
    add(expressions.subspan(half), first + half);
    return;
  }
  parts_.push_back({first, expressions.size(), ready ? std::move(set) : nullptr});
}

void ExpressionSet::find_in(std::string_view line, std::vector<std::size_t>& matching) const {
  std::vector<int> hits;
  for (const Part& part : parts_) {
    RE2::Set::ErrorInfo error{RE2::Set::kNoError};
    hits.clear();
    const bool found = part.set && part.set->Match({line.data(), line.size()}, &hits, &error);
    if (!part.set || error.kind != RE2::Set::kNoError) {
      // The automaton exceeded its memory on this line.
      for (std::size_t i = 0; i < part.count; ++i) matching.push_back(part.first + i);
    } else if (found) {
      for (const int hit : hits) matching.push_back(part.first + static_cast<std::size_t>(hit));
    }
  }
}

}  // namespace luzia

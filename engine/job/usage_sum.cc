#include "engine/job/usage_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace luzia {
namespace {

constexpr std::size_t kMaxSessions = 8;

/// The entry of a session, from now on the newest one.
view::SessionUsageT& touch(CountedSessions& counted, std::string_view session) {
  auto it = std::ranges::find_if(counted, [&](const auto& entry) { return entry->session_id == session; });
  if (it == counted.end()) {
    counted.push_back(std::make_unique<view::SessionUsageT>());
    counted.back()->session_id = session;
    it = counted.end() - 1;
  }
  std::rotate(it, it + 1, counted.end());
  view::SessionUsageT& entry = *counted.back();
  if (!entry.tokens) entry.tokens = std::make_unique<view::TokensT>();
  return entry;
}

const view::SessionUsageT* find(const CountedSessions& counted, std::string_view session) {
  const auto it =
      std::ranges::find_if(counted, [&](const auto& entry) { return entry->session_id == session; });
  return it == counted.end() ? nullptr : it->get();
}

/// What is counted already of that which the scope's totals are of; null: nothing.
const view::SessionUsageT* base_of(const CountedSessions& counted, schema::UsageScope scope,
                                   std::string_view session) {
  switch (scope) {
    case schema::UsageScope::turn:
      return nullptr;
    case schema::UsageScope::attempt_total:
      return find(counted, "");
    case schema::UsageScope::session_total:
      return find(counted, session);
  }
  return nullptr;
}

std::uint64_t beyond(std::uint64_t reported, std::uint64_t counted) {
  return reported > counted ? reported - counted : 0;
}

void note(CountedSessions& counted, std::string_view session, const UsageGrowth& growth) {
  view::SessionUsageT& entry = touch(counted, session);
  add_tokens(*entry.tokens, growth.tokens);
  entry.cost_usd += growth.cost_usd;
}

}  // namespace

std::uint64_t add_bounded(std::uint64_t sum, std::uint64_t more) {
  return more > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max()
                                                                : sum + more;
}

void add_tokens(view::TokensT& sum, const view::TokensT& more) {
  sum.input = add_bounded(sum.input, more.input);
  sum.output = add_bounded(sum.output, more.output);
  sum.cache_read = add_bounded(sum.cache_read, more.cache_read);
  sum.cache_write = add_bounded(sum.cache_write, more.cache_write);
}

double cost_of(const flatbuffers::Optional<double>& reported) {
  constexpr double kMostUsd = 1e9;
  return reported && std::isfinite(*reported) ? std::clamp(*reported, 0.0, kMostUsd) : 0;
}

UsageGrowth count_usage(CountedSessions& counted, const schema::UsageReportedT& fact,
                        std::string_view session) {
  if (!fact.session_id.empty()) session = fact.session_id;
  UsageGrowth growth;
  const auto* base = base_of(counted, fact.scope, session);
  const view::TokensT known = base && base->tokens ? *base->tokens : view::TokensT();
  growth.tokens.input = beyond(fact.input_tokens, known.input);
  growth.tokens.output = beyond(fact.output_tokens, known.output);
  growth.tokens.cache_read = beyond(fact.cache_read_tokens, known.cache_read);
  growth.tokens.cache_write = beyond(fact.cache_write_tokens, known.cache_write);
  const auto* cost_base = base_of(counted, fact.cost_scope, session);
  growth.cost_usd = std::max(0.0, cost_of(fact.cost_usd) - (cost_base ? cost_base->cost_usd : 0));
  if (!session.empty()) note(counted, session, growth);
  note(counted, "", growth);
  if (counted.size() > kMaxSessions) counted.erase(counted.begin());
  return growth;
}

void begin_attempt_usage(CountedSessions& counted) {
  std::erase_if(counted, [](const auto& entry) { return entry->session_id.empty(); });
}

}  // namespace luzia

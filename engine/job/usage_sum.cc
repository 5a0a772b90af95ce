#include "engine/job/usage_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace luzia {
namespace {

constexpr std::size_t kMaxSessions = 8;

/// Returns the entry of a session and makes it the newest one.
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

/// What is already counted in the scope of the report's totals; null: nothing.
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

UsageGrowth growth_by(const CountedSessions& counted, const schema::UsageReportedT& fact,
                      std::string_view session) {
  UsageGrowth growth;
  const auto* base = base_of(counted, fact.scope, session);
  const view::TokensT known = base && base->tokens ? *base->tokens : view::TokensT();
  growth.tokens.input = beyond(tokens_of(fact.input_tokens), known.input);
  growth.tokens.output = beyond(tokens_of(fact.output_tokens), known.output);
  growth.tokens.cache_read = beyond(tokens_of(fact.cache_read_tokens), known.cache_read);
  growth.tokens.cache_write = beyond(tokens_of(fact.cache_write_tokens), known.cache_write);
  const auto* cost_base = base_of(counted, fact.cost_scope, session);
  growth.cost_usd = std::max(0.0, cost_of(fact.cost_usd) - (cost_base ? cost_base->cost_usd : 0));
  return growth;
}

}  // namespace

std::uint64_t add_bounded(std::uint64_t sum, std::uint64_t more) {
  return more > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max()
                                                                : sum + more;
}

void add_tokens(view::TokensT& sum, const view::TokensT& more) {
  for (const auto field : {&view::TokensT::input, &view::TokensT::output, &view::TokensT::cache_read,
                           &view::TokensT::cache_write}) {
    sum.*field = tokens_of(add_bounded(sum.*field, more.*field));
  }
}

std::uint64_t tokens_of(std::uint64_t reported) {
  return std::min(reported, kMostTokens);
}

double cost_of(const flatbuffers::Optional<double>& reported) {
  return reported && std::isfinite(*reported) ? std::clamp(*reported, 0.0, kMostCostUsd) : 0;
}

void bound_usage(schema::UsageReportedT& fact) {
  for (std::uint64_t* figure : {&fact.input_tokens, &fact.output_tokens, &fact.cache_read_tokens,
                                &fact.cache_write_tokens, &fact.reasoning_tokens}) {
    *figure = tokens_of(*figure);
  }
  if (fact.cost_usd) fact.cost_usd = cost_of(fact.cost_usd);
  for (const auto& model : fact.by_model) {
    for (std::uint64_t* figure : {&model->input_tokens, &model->output_tokens, &model->cache_read_tokens,
                                  &model->cache_write_tokens}) {
      *figure = tokens_of(*figure);
    }
    if (model->cost_usd) model->cost_usd = cost_of(model->cost_usd);
  }
}

UsageGrowth count_usage(CountedSessions& counted, const schema::UsageReportedT& fact,
                        std::string_view session) {
  if (!fact.session_id.empty()) session = fact.session_id;
  const UsageGrowth growth = growth_by(counted, fact, session);
  if (!session.empty()) note(counted, session, growth);
  note(counted, "", growth);
  if (counted.size() > kMaxSessions) counted.erase(counted.begin());
  return growth;
}

bool is_counted(const CountedSessions& counted, const schema::UsageReportedT& fact,
                std::string_view session) {
  if (!fact.session_id.empty()) session = fact.session_id;
  const UsageGrowth growth = growth_by(counted, fact, session);
  const view::TokensT& tokens = growth.tokens;
  return tokens.input == 0 && tokens.output == 0 && tokens.cache_read == 0 && tokens.cache_write == 0 &&
         growth.cost_usd <= 0;
}

void begin_attempt_usage(CountedSessions& counted) {
  std::erase_if(counted, [](const auto& entry) { return entry->session_id.empty(); });
}

}  // namespace luzia

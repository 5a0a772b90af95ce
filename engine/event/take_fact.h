// Tells the facts of a domain's event, or the payloads of events, apart by their types. Pure, any thread.
//
//   take_fact(event, [&](const schema::FixStarted& fact) { ... }, [&](const schema::FixEnded& fact) { ... });
//
// Rejected: a switch over the kind, which names each fact three times. A fact without a case does not compile
// here either.
#pragma once

#include <cstddef>
#include <type_traits>

namespace luzia {

template <class Case, class Result, class Fact>
std::type_identity<Fact> parameter_of(Result (Case::*)(const Fact&) const);
/// The fact that a case takes.
template <class Case>
using FactOf = typename decltype(parameter_of(&Case::operator()))::type;

template <class Event>
auto kind_of(const Event& event) {
  if constexpr (requires { event.fact_type(); }) {
    return event.fact_type();
  } else {
    return event.payload_type();
  }
}
/// The event's fact or payload if it is a `Fact`, else null.
template <class Fact, class Event>
const Fact* fact_as(const Event& event) {
  if constexpr (requires { event.fact_type(); }) {
    return event.template fact_as<Fact>();
  } else {
    return event.template payload_as<Fact>();
  }
}
/// Calls `take` with the case for the event's fact, and the fact.
template <class Event, class Take, class... Cases>
void take_fact_by(const Event& event, Take take, const Cases&... cases) {
  static_assert(sizeof...(Cases) == static_cast<std::size_t>(decltype(kind_of(event))::MAX),
                "there is one case for each fact");
  const auto takes = [&](const auto& one) {
    const auto* fact = fact_as<FactOf<std::remove_cvref_t<decltype(one)>>>(event);
    if (fact != nullptr) take(one, *fact);
    return fact != nullptr;
  };
  static_cast<void>((takes(cases) || ...));
}

/// Calls the case for the event's fact; none for a fact that this program does not know.
template <class Event, class... Cases>
void take_fact(const Event& event, const Cases&... cases) {
  take_fact_by(
      event, [](const auto& one, const auto& fact) { one(fact); }, cases...);
}

/// What the case for the event's fact returns; `otherwise` for a fact that this program does not know.
template <class Result, class Event, class... Cases>
Result fact_or(Result otherwise, const Event& event, const Cases&... cases) {
  take_fact_by(
      event, [&](const auto& one, const auto& fact) { otherwise = one(fact); }, cases...);
  return otherwise;
}

}  // namespace luzia

// LUZIA_TRY: the value of a Result, or the end of the function with its error.
//
//   auto group = LUZIA_TRY(cursor->next());   // Result<Group>: the value, moved out
//   LUZIA_TRY(check_writable());              // Status: goes on if it is good
//
// It stands alone or initializes one variable: inside a larger expression it would leave the other
// temporaries half made. The function around it returns a Result, a Status or tl::unexpected<Error>.
// Rejected: one macro that declares the variable, which hides declarations from readers and tools; GCC and
// Clang both know statement expressions.
#pragma once

#include <type_traits>
#include <utility>

namespace luzia {

/// What a good Result holds: moved out of one that nobody else has, copied from others; nothing of a Status.
template <class R>
auto value_of_good(R&& result) {
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) return *std::forward<R>(result);
}

}  // namespace luzia

// Variadic because of the commas in template arguments and braces.
#define LUZIA_TRY(...)                                                                                 \
  ({                                                                                                   \
    auto&& luzia_tried = (__VA_ARGS__);                                                                \
    if (!luzia_tried) return tl::unexpected(std::forward<decltype(luzia_tried)>(luzia_tried).error()); \
    ::luzia::value_of_good(std::forward<decltype(luzia_tried)>(luzia_tried));                          \
  })

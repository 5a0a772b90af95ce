// LUZIA_TRY yields the value of a Result, or returns from the function with its error.
//
//   auto group = LUZIA_TRY(cursor->next());   // Result<Group>: the value, moved out
//   LUZIA_TRY(check_writable());              // Status: continues on success
//
// Use it as a statement of its own or to initialize one variable: in a larger expression, returning would
// leave other temporaries half constructed. The function around it returns a Result, a Status or
// tl::unexpected<Error>.
//
// Rejected: a macro that declares the variable, which hides declarations from readers and tools. GCC and
// Clang both support statement expressions.
#pragma once

#include <type_traits>
#include <utility>

namespace luzia {

/// The value of a successful Result: moved from an rvalue, copied from an lvalue; void for a Status.
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

// Result<T>: the value, or one Error that a person can act on. No exception crosses a module's face.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "engine/base/try.h"

namespace luzia {

/// What class of failure it is; the value is the exit code of the tools (contract: Conventions).
enum class ErrorKind : int {
  usage = 2,      // bad input: nothing was changed
  not_found = 3,  // no such job, flow, question
  refused = 4,    // permission, or not possible in this state
  trouble = 5,    // daemon, store or machine
};

/// One line for people (`message`: what was tried, on what, why it failed), how to fix it (`hint`, may be
/// empty) and a stable word for scripts (`code`, snake_case, never changed once released).
struct Error {
  ErrorKind kind = ErrorKind::trouble;
  std::string code;
  std::string message;
  std::string hint;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorKind kind, std::string code, std::string message,
                                                std::string hint = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(code), std::move(message), std::move(hint)});
}

/// Trouble with a system call: "<what>: <strerror>", code `code`. Reads `errno_value`, never the global.
[[nodiscard]] tl::unexpected<Error> fail_errno(int errno_value, std::string code, std::string what,
                                               std::string hint = {});

}  // namespace luzia

// Result<T>: a value, or one Error that a person can act on. No exception leaves a module.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "engine/base/try.h"

namespace luzia {

/// The class of an error. The value is the exit code of the programs.
enum class ErrorKind : int {
  usage = 2,      // bad input; nothing was changed
  not_found = 3,  // no such job, flow, question
  refused = 4,    // permission, or not possible in this state
  trouble = 5,    // daemon, store or machine
};

/// An error for people and scripts. `message`: one line saying what was tried, on what, and why it failed.
/// `hint`: how to fix it; may be empty. `code`: a stable snake_case word, never changed once released.
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

/// A failed system call: "<what>: <strerror>" with code `code`. Uses `errno_value`, never the global errno.
[[nodiscard]] tl::unexpected<Error> fail_errno(int errno_value, std::string code, std::string what,
                                               std::string hint = {});

}  // namespace luzia

#include "engine/base/result.h"

#include <cstring>

#include "engine/base/errno_hint.h"

namespace luzia {

tl::unexpected<Error> fail_errno(int errno_value, std::string code, std::string what, std::string hint) {
  char text[128];
  // GNU strerror_r may return a pointer to another buffer than `text`.
  const char* reason = strerror_r(errno_value, text, sizeof text);
  if (const std::string_view known = errno_hint(errno_value); !known.empty()) hint = known;
  return fail(ErrorKind::trouble, std::move(code), std::move(what) + ": " + reason, std::move(hint));
}

}  // namespace luzia

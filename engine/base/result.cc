#include "engine/base/result.h"

#include <cstring>

namespace luzia {

tl::unexpected<Error> fail_errno(int errno_value, std::string code, std::string what, std::string hint) {
  char text[128];
  // GNU strerror_r: the returned pointer may or may not be `text`.
  const char* reason = strerror_r(errno_value, text, sizeof text);
  return fail(ErrorKind::trouble, std::move(code), std::move(what) + ": " + reason, std::move(hint));
}

}  // namespace luzia

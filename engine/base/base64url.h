// base64url without padding (RFC 4648). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace luzia {

std::string base64url(std::string_view bytes);
/// nullopt: it is none. Padding is accepted.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace luzia

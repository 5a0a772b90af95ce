// [fleet]: which database URLs and names of sites the configuration may have. Pure; any thread.
#pragma once

#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// Whether libpq can take it as an address, and no password is in it: postgresql://..., or NAME=VALUE words
/// such as service=fleet. libpq itself knows the rest. Errors (usage), which never quote the URL, because it
/// may hold a password: `bad_database_url`.
Status check_database_url(std::string_view url);

/// Letters, digits, '.', '_' and '-', a letter or digit first, at most 63: also the name of a role.
bool is_site_name(std::string_view name);

}  // namespace luzia

// The manual as a man page, made from the table of commands: `luzia-query help --man`.
#pragma once

#include <string>

namespace luzia {

/// roff, for man(1).
std::string man_page();

}  // namespace luzia

// The text of schema.sql.
#pragma once

#include <string_view>

namespace luzia {

std::string_view schema_sql();

}  // namespace luzia

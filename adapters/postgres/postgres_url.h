// What a database URL says, and the words that libpq connects with. Any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/postgres.h"

namespace luzia {

/// Names and values for PQconnectdbParams, in its order of precedence. Errors: as Postgres::connect().
Result<std::vector<std::pair<std::string, std::string>>> connection_words(const PostgresOptions& options);

}  // namespace luzia

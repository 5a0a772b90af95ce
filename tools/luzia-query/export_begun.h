// The options and store an export was begun with. Only an export with the same ones can be resumed.
#pragma once

#include <string>

#include "tools/read/session.h"

namespace luzia {

/// The options that select rows, as text: "--project web --since 2026-11-01T00:00:00.000000Z".
std::string asked_of(const Options& options);

struct ExportBegun {
  std::string asked;
  std::string site;   // site of the store's first event
  std::string store;  // hash of the store's first event; empty: it has none
};
/// The values for the session's options and store. Queries the first event.
Result<ExportBegun> export_begun(Session& session);

std::string begun_json(const ExportBegun& begun);
/// Compares with `kept`, the line kept beside file `part`. `other_export` (usage): other options or store.
/// `bad_part` (usage): `kept` cannot be read.
Status check_begun(const ExportBegun& begun, const std::string& kept, const std::string& part);

}  // namespace luzia

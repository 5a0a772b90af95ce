// What an export was begun with: one that goes on must be asked the same, of the same store.
#pragma once

#include <string>

#include "tools/read/session.h"

namespace luzia {

/// The options that choose rows, in words: "--project web --since 2026-11-01T00:00:00.000000Z".
std::string asked_of(const Options& options);

struct ExportBegun {
  std::string asked;
  std::string site;   // where the store was made
  std::string store;  // its first event's hash; empty: it has none
};
/// Of these options and this store; asks for the first event.
Result<ExportBegun> export_begun(Session& session);

/// As it is kept beside a file that is not finished: one line of JSON.
std::string begun_json(const ExportBegun& begun);
/// `other_export` (usage): `kept`, of `part`, is not of the same options and store. `bad_part` (usage): it
/// tells nothing.
Status check_begun(const ExportBegun& begun, const std::string& kept, const std::string& part);

}  // namespace luzia

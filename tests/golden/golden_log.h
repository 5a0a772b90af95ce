// A golden log: the bytes that a release stores, and what that release reads from them. Text, one record a
// line:
//
//   group POSITION HEX    stored value of a group
//   blobs POSITION HEX    the row of texts beside it
//   blob EVENT INDEX TEXT a text of that row, or "erased"
//   event POSITION DOMAIN/FACT DUMP
//   tip POSITION HEX      last position and chain hash
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/log/group.h"

namespace luzia::test {

struct GoldenLog {
  std::map<Position, std::string> groups;
  std::map<Position, std::string> blobs;
  std::map<std::pair<Position, std::uint32_t>, std::string> blob_texts;
  std::map<Position, std::pair<std::string, std::string>> events;  // DOMAIN/FACT, dump
  Tip tip;
};

/// Writes a log from a release's schema folder: every fact once, in groups of growing size.
Result<std::string> make_golden(const std::string& schema_folder);

Result<GoldenLog> parse_golden(const std::string& text);

/// All fields that are set, by name, on one line.
std::string dump_event(Bytes encoded);

/// "JobEvent/JobQueued".
std::string domain_and_fact(const schema::Event& event);

}  // namespace luzia::test

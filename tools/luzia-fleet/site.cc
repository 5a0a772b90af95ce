#include "tools/luzia-fleet/site.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr TimeUs kPostgresEpochUs = 946'684'800 * kSecondUs;  // 2000-01-01, from which its binary times count
constexpr const char* kRejoin =
    "luzia-fleet rejoin --as NAME mirrors this log under a name of its own; init --forget SITE, with the "
    "role that owns the schema, drops what is there";

template <class Number>
void put_big_endian(std::string& to, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8) {
    to += static_cast<char>(static_cast<std::make_unsigned_t<Number>>(number) >> shift);
  }
}

void put_field(std::string& to, std::string_view bytes) {
  put_big_endian(to, static_cast<std::int32_t>(bytes.size()));
  to += bytes;
}

void put_number(std::string& to, std::int64_t number) {
  put_big_endian(to, std::int32_t{8});
  put_big_endian(to, number);
}

/// nullopt: NULL, or no number.
std::optional<Position> position_in(const std::optional<std::string>& text) {
  return text ? parse_whole_number<Position>(*text) : std::nullopt;
}

/// A hash in the form \x0011...; zeros: NULL.
Hash hash_in(const std::optional<std::string>& text) {
  Hash hash{};
  if (!text || text->size() != 2 + 2 * hash.size()) return hash;
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c >= 'a' ? c - 'a' + 10 : c - '0'); };
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<std::uint8_t>(digit((*text)[2 + 2 * i]) << 4 | digit((*text)[3 + 2 * i]));
  }
  return hash;
}

tl::unexpected<Error> is_taken(const SiteName& name) {
  return fail(ErrorKind::refused, "site_taken",
              "site " + name.site +
                  " is the log of another machine or store (LZ002): nothing of this one was mirrored",
              "give this machine a name of its own: [fleet] site; luzia-fleet rejoin says how");
}

tl::unexpected<Error> went_back(const SiteName& name, const std::string& how) {
  return fail(ErrorKind::refused, "site_went_back",
              "the log of site " + name.site + " went back (LZ003): " + how + "; nothing was mirrored since",
              kRejoin);
}

/// Whether the log begins with the first group that is mirrored.
Status check_genesis(FleetSession& daemon, const SiteName& name, const HeldSite& held) {
  const auto first = daemon.groups(held.begins_at - 1, 0, 1);
  if (!first) {
    const std::string& code = first.error().code;
    if (code == "groups_archived") return {};
    if (code == "no_such_position" || code == "inside_group") return is_taken(name);
    return tl::unexpected(first.error());
  }
  if (first->groups.empty() || first->groups.front().chain() != held.genesis) return is_taken(name);
  return {};
}

/// nullopt: there is no such row, or no valid one.
Result<std::optional<HeldSite>> read_site(Postgres& database, const std::string& from,
                                          const std::vector<PostgresValue>& values) {
  const auto found =
      database.run("SELECT begins_at, position, rows_position, genesis, chain, fault FROM " + from, values);
  if (!found) return tl::unexpected(with_schema_hint(found.error(), database.last_sqlstate()));
  const bool is_site = found->rows.size() == 1 && found->rows.front().size() == 6;
  const PostgresRow* row = is_site ? &found->rows.front() : nullptr;
  if (row == nullptr || !position_in((*row)[0]) || !position_in((*row)[1]) || !position_in((*row)[2])) {
    return std::optional<HeldSite>();
  }
  return std::optional(HeldSite{*position_in((*row)[0]), *position_in((*row)[1]), *position_in((*row)[2]),
                                hash_in((*row)[3]), hash_in((*row)[4]), (*row)[5].has_value()});
}

}  // namespace

Error with_schema_hint(Error error, const std::string& sqlstate) {
  // No such schema, table, function, column.
  constexpr std::array<std::string_view, 4> kMissing = {"3F000", "42P01", "42883", "42703"};
  if (std::ranges::find(kMissing, sqlstate) == kMissing.end()) return error;
  return {ErrorKind::refused, "no_fleet_schema",
          "the database lacks a part of the fleet's schema: " + error.message,
          "run luzia-fleet init --url URL, also after an upgrade"};
}

Result<HeldSite> enter_site(Postgres& database, const SiteName& name) {
  const auto held = LUZIA_TRY(
      read_site(database, "luzia.enter_site($1, $2, $3)", {{name.site}, {name.host}, {name.version}}));
  if (held) return *held;
  return fail(ErrorKind::trouble, "database_error", "luzia.sites has no valid row for site " + name.site,
              "run luzia-fleet init --url URL");
}

Result<HeldSite> find_site(Postgres& database, const std::string& site) {
  const auto held = LUZIA_TRY(read_site(database, "luzia.sites WHERE site = $1", {{site}}));
  return held.value_or(HeldSite());
}

Status check_continues(FleetSession& daemon, const SiteName& name, const HeldSite& held) {
  if (held.position == 0) return {};
  LUZIA_TRY(check_genesis(daemon, name, held));
  const std::string mirrored = "it is mirrored up to position " + std::to_string(held.position);
  const auto next = daemon.groups(held.position, 0, 1);
  if (!next && next.error().code == "no_such_position")
    return went_back(name, mirrored + ", and now ends before");
  if (!next && next.error().code == "inside_group") {
    return went_back(name, mirrored + ", and now holds other events there");
  }
  if (!next) return tl::unexpected(next.error());
  if (next->tip < held.position) return went_back(name, mirrored + ", and now ends before");
  if (next->previous != held.chain) return went_back(name, mirrored + ", and now holds other events there");
  return {};
}

Error refusal_of(const SiteName& name, const Error& error, const std::string& sqlstate) {
  if (sqlstate == "LZ002") return is_taken(name).value();
  // The same group is there already: its key comes before the check.
  if (sqlstate == "LZ003" || sqlstate == "23505") return went_back(name, error.message).value();
  if (sqlstate == "LZ001") {
    return {ErrorKind::refused, "site_does_not_continue",
            "the database refuses groups of site " + name.site + " (LZ001): " + error.message, kRejoin};
  }
  return error;
}

std::string fault_code(const Error& error) {
  if (error.code == "site_taken") return "LZ002";
  if (error.code == "site_went_back") return "LZ003";
  return error.code == "site_does_not_continue" || error.code == "groups_archived" ? "LZ001" : "";
}

Status note_fault(Postgres& database, const SiteName& name, const std::string& fault) {
  const std::array<PostgresValue, 2> values = {PostgresValue{name.site}, PostgresValue{fault}};
  LUZIA_TRY(database.run("SELECT luzia.note_fault($1, $2)", values));
  return {};
}

Status copy_groups(Postgres& database, const std::string& site, const GroupsRead& read) {
  constexpr std::string_view kBegin("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  constexpr std::size_t kCopyBytes = 64 << 10;  // groups are often small
  if (read.groups.empty()) return {};
  LUZIA_TRY(database.copy_begin(
      "COPY luzia.site_groups (site, first_position, last_position, previous, chain, frames, "
      "recorded_at) FROM STDIN (FORMAT binary)"));
  std::string bytes(kBegin);
  const Hash* previous = &read.previous;
  for (const Group& group : read.groups) {
    put_big_endian(bytes, std::int16_t{7});
    put_field(bytes, site);
    put_number(bytes, static_cast<std::int64_t>(group.first_position()));
    put_number(bytes, static_cast<std::int64_t>(group.last_position()));
    put_field(bytes, as_text(*previous));
    put_field(bytes, as_text(group.chain()));
    put_field(bytes, as_text(group.frames()));
    put_number(bytes, group.events().back()->time_us() - kPostgresEpochUs);
    previous = &group.chain();
    if (bytes.size() < kCopyBytes) continue;
    LUZIA_TRY(database.copy_write(bytes));
    bytes.clear();
  }
  put_big_endian(bytes, std::int16_t{-1});
  LUZIA_TRY(database.copy_write(bytes));
  return database.copy_finish();
}

}  // namespace luzia

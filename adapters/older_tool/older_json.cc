#include "adapters/older_tool/older_json.h"

#include <cmath>
#include <cstdio>
#include <ctime>

#include "adapters/older_tool/older_job.h"
#include "engine/base/ids.h"

namespace luzia {
namespace {

constexpr TimeUs kEarliest = 631'152'000LL * kSecondUs;  // 1990
constexpr TimeUs kLatest = 4'102'444'800LL * kSecondUs;  // 2100

std::optional<TimeUs> in_bounds(TimeUs time) {
  return time >= kEarliest && time <= kLatest ? std::optional(time) : std::nullopt;
}

/// Seconds since 1970, or milliseconds where they would be too many.
std::optional<TimeUs> epoch_time(double number) {
  if (!std::isfinite(number) || number < 0 || number > 1e13) return std::nullopt;
  const double seconds = number > 1e11 ? number / 1e3 : number;
  return in_bounds(static_cast<TimeUs>(std::llround(seconds * 1e6)));
}

bool names_a_zone(std::string_view text) {
  constexpr std::size_t kDate = 10;  // its dashes are no sign of an offset
  return text.size() > kDate && text.find_first_of("Zz+-", kDate) != std::string_view::npos;
}

/// Python's isoformat() without a zone is the local time of that machine.
std::optional<TimeUs> zoneless_time(std::string_view text, ZonelessTime zone) {
  std::tm parts{};
  int used = 0;
  const std::string whole(text);
  const int fields =
      std::sscanf(whole.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &used);
  if (fields != 6 || used == 0) return std::nullopt;
  const bool sane = parts.tm_mon >= 1 && parts.tm_mon <= 12 && parts.tm_mday >= 1 && parts.tm_mday <= 31 &&
                    parts.tm_hour >= 0 && parts.tm_hour <= 23 && parts.tm_min >= 0 && parts.tm_min <= 59 &&
                    parts.tm_sec >= 0 && parts.tm_sec <= 60;
  if (!sane) return std::nullopt;
  TimeUs fraction = 0;
  std::string_view rest = std::string_view(whole).substr(static_cast<std::size_t>(used));
  if (!rest.empty()) {
    if (rest.front() != '.' || rest.size() == 1 ||
        rest.find_first_not_of("0123456789", 1) != std::string_view::npos) {
      return std::nullopt;
    }
    std::string digits(rest.substr(1, 6));
    digits.resize(6, '0');
    fraction = std::stoll(digits);
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  const std::time_t seconds = zone == ZonelessTime::utc ? timegm(&parts) : std::mktime(&parts);
  return in_bounds(static_cast<TimeUs>(seconds) * kSecondUs + fraction);
}

}  // namespace

std::optional<OlderMembers> OlderMembers::parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return OlderMembers(std::move(json));
}

const OlderMembers::Json* OlderMembers::find(const char* name) const {
  const auto it = object_.find(name);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

void OlderMembers::expected(const char* name, const char* what) {
  if (wrong_.empty()) wrong_ = '"' + std::string(name) + "\" is not " + what;
}

std::string OlderMembers::text(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_number_integer()) return value->dump();
  if (value->is_string()) return value->get<std::string>();
  expected(name, "a string");
  return {};
}

std::optional<std::int64_t> OlderMembers::integer(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<std::uint64_t>() <= 0x7fffffffffffffffULL);
  if (fits) return value->get<std::int64_t>();
  expected(name, "a whole number");
  return std::nullopt;
}

std::string OlderMembers::moment(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_number()) return value->dump();
  if (value->is_string()) return value->get<std::string>();
  expected(name, "a time");
  return {};
}

std::optional<TimeUs> parse_older_time(std::string_view text, ZonelessTime zone) {
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (text.find_first_not_of("0123456789.") == std::string_view::npos) {
    char* end = nullptr;
    const std::string number(text);
    const double value = std::strtod(number.c_str(), &end);
    return *end == '\0' ? epoch_time(value) : std::nullopt;
  }
  if (!names_a_zone(text)) return zoneless_time(text, zone);
  const auto parsed = parse_time(text, kLatest);
  return parsed ? in_bounds(*parsed) : std::nullopt;
}

Result<OlderMeta> parse_older_meta(std::string_view json) {
  const auto bad = [](std::string why) {
    return fail(ErrorKind::usage, "bad_older_job", "meta.json: " + std::move(why));
  };
  auto members = OlderMembers::parse(json);
  if (!members) return bad("it is no JSON object");
  OlderMeta meta;
  meta.id = members->text("id");
  meta.project = members->text("project");
  meta.task = members->text("task");
  meta.agent = members->text("agent");
  meta.status = members->text("status");
  meta.pid = members->integer("pid").value_or(0);
  if (const auto code = members->integer("exit_code")) {
    if (*code < -2147483648LL || *code > 2147483647LL) return bad("\"exit_code\" is no exit code");
    meta.exit_code = static_cast<int>(*code);
  }
  // The last of them that is written names the job.
  const std::pair<const char*, TimeUs*> moments[] = {
      {"ended", &meta.ended_us}, {"queued", &meta.queued_us}, {"started", &meta.started_us}};
  for (const auto& [name, time] : moments) {
    const std::string written = members->moment(name);
    if (written.empty()) continue;
    const auto read = parse_older_time(written);
    if (!read) return bad('"' + std::string(name) + "\" is no time that can be read");
    *time = *read;
    meta.named_us = parse_older_time(written, ZonelessTime::utc).value_or(*read);
  }
  meta.of_luzia = is_job_id(meta.id) && members->has("attempt");
  if (!members->wrong().empty()) return bad(members->wrong());
  return meta;
}

}  // namespace luzia

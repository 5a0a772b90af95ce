#include "adapters/older_tool/older_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <tuple>

#include "adapters/older_tool/older_job.h"
#include "engine/base/characters.h"
#include "engine/base/ids.h"
#include "engine/base/lone_surrogates.h"
#include "engine/base/lower_case.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr TimeUs kEarliest = 631'152'000LL * kSecondUs;  // 1990
constexpr TimeUs kLatest = 4'102'444'800LL * kSecondUs;  // 2100

std::optional<TimeUs> in_bounds(TimeUs time) {
  return time >= kEarliest && time <= kLatest ? std::optional(time) : std::nullopt;
}

/// Seconds since 1970, or milliseconds if too large for seconds.
std::optional<TimeUs> epoch_time(double number) {
  if (!std::isfinite(number) || number < 0 || number > 1e13) return std::nullopt;
  const double seconds = number > 1e11 ? number / 1e3 : number;
  return in_bounds(static_cast<TimeUs>(std::llround(seconds * 1e6)));
}

bool names_a_zone(std::string_view text) {
  constexpr std::size_t kDate = 10;  // the date's dashes are not the sign of an offset
  return text.size() > kDate && text.find_first_of("Zz+-", kDate) != std::string_view::npos;
}

/// Python's isoformat() without a zone means that machine's local time.
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

/// Converts what Python's json writes but JSON does not allow into valid JSON.
std::string as_strict_json(std::string_view raw) {
  const std::string text = without_lone_surrogates(bounded_utf8(raw, 4 * raw.size()));
  std::string strict;
  bool in_string = false;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view put = rest.substr(0, 1);
    std::size_t taken = 1;
    if (in_string && rest.front() == '\\') {
      taken = 2;
      put = rest.substr(0, taken);
    } else if (rest.front() == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
        if (rest.starts_with(word)) std::tie(put, taken) = std::pair("null", word.size());
      }
    }
    strict += put;
    rest.remove_prefix(std::min(taken, rest.size()));
  }
  return strict;
}

std::string text_or_number(const nlohmann::json* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  return value->is_number() ? value->dump() : std::string();
}

/// "7", "-15", "7.0"; nullopt for a number with a fraction.
std::optional<std::int64_t> whole_number(std::string_view text) {
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos && text.find_first_not_of('0', dot + 1) == std::string_view::npos) {
    text = text.substr(0, dot);
  }
  return parse_number<std::int64_t>(text);
}

}  // namespace

std::optional<OlderMembers> OlderMembers::parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) json = Json::parse(as_strict_json(text), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return OlderMembers(std::move(json));
}

std::vector<std::string> OlderMembers::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : object_.items()) all.push_back(name);
  return all;
}

const OlderMembers::Json* OlderMembers::find(const char* name) const {
  const auto it = object_.find(name);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

void OlderMembers::note(const char* name, const char* what) {
  notes_.emplace_back(name, '"' + std::string(name) + "\" is " + what);
}

std::vector<std::string> OlderMembers::notes() const {
  std::vector<std::string> all;
  for (const auto& [name, what] : notes_) all.push_back(what);
  return all;
}

std::string OlderMembers::note_about(const char* name, std::string otherwise) const {
  const auto found = std::ranges::find(notes_, name, &std::pair<std::string, std::string>::first);
  return found == notes_.end() ? std::move(otherwise) : found->second;
}

std::string OlderMembers::text(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_number() || value->is_boolean()) return value->dump();
  if (value->is_string()) return value->get<std::string>();
  note(name, "not a string");
  return {};
}

std::optional<std::int64_t> OlderMembers::integer(const char* name) {
  const std::string written(trimmed(text_or_number(find(name))));
  const bool is_blank = find(name) == nullptr || (find(name)->is_string() && written.empty());
  const auto number = whole_number(written);
  if (!number && !is_blank) note(name, "not a whole number");
  return number;
}

std::optional<double> OlderMembers::number(const char* name) {
  const std::string written(trimmed(text_or_number(find(name))));
  const auto number = parse_number<double>(written);
  if (!number) note(name, "not a number");
  return number;
}

std::optional<int> OlderMembers::exit_code(const char* name) {
  const auto code = integer(name);
  if (!code) return std::nullopt;
  if (std::in_range<int>(*code)) return static_cast<int>(*code);
  note(name, "no exit code");
  return std::nullopt;
}

std::string OlderMembers::moment(const char* name) {
  const std::string written(trimmed(text_or_number(find(name))));
  const bool is_blank = find(name) == nullptr || (find(name)->is_string() && written.empty());
  if (is_blank || parse_older_time(written)) return written;
  note(name, "no time that can be read");
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
  auto members = OlderMembers::parse(json);
  if (!members) return fail(ErrorKind::usage, "bad_older_job", "meta.json: it is no JSON object");
  OlderMeta meta;
  meta.id = members->text("id");
  meta.project = members->text("project");
  meta.task = members->text("task");
  meta.agent = members->text("agent");
  meta.status = lower_case(trimmed(members->text("status")));
  meta.pid = members->integer("pid").value_or(0);
  meta.exit_code = members->exit_code("exit_code");
  // In this order, the last one present names the job.
  const std::pair<const char*, TimeUs*> moments[] = {
      {"ended", &meta.ended_us}, {"queued", &meta.queued_us}, {"started", &meta.started_us}};
  for (const auto& [name, time] : moments) {
    const std::string written = members->moment(name);
    if (written.empty()) continue;
    *time = parse_older_time(written).value_or(0);
    meta.named_us = parse_older_time(written, ZonelessTime::utc).value_or(*time);
  }
  meta.of_luzia = is_job_id(meta.id) && members->has("attempt");
  meta.notes = members->notes();
  return meta;
}

}  // namespace luzia

#include "adapters/older_tool/older_queue.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/older_tool/older_job.h"
#include "adapters/older_tool/older_json.h"
#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/lower_case.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::size_t kMostNameBytes = 100;

tl::unexpected<Error> bad_entry(std::string why) {
  return fail(ErrorKind::usage, "bad_older_entry", std::move(why));
}

/// Names of visible JSON files, sorted: the older queue's order.
std::vector<std::string> json_names(int fd) {
  std::vector<std::string> names;
  DIR* stream = fdopendir(dup(fd));
  if (stream == nullptr) return names;
  while (const dirent* entry = readdir(stream)) {
    std::string name = entry->d_name;
    if (name.front() != '.' && name.ends_with(".json")) names.push_back(std::move(name));
  }
  closedir(stream);
  std::ranges::sort(names);
  return names;
}

Result<OlderEntry> read_entry(int folder, const std::string& name) {
  const auto json = LUZIA_TRY(read_plain_file(folder, name, kMaxOlderEntry));
  if (!json) return bad_entry("it has gone");
  return parse_older_entry(*json);
}

std::string plain_name(std::string_view text) {
  std::string name(text.substr(0, kMostNameBytes));
  for (char& c : name) {
    if (!is_letter_or_digit(c) && c != '.') c = '-';
  }
  return name;
}

/// 20261122T110501123456
std::string compact_time(TimeUs time) {
  std::string digits;
  for (const char c : format_rfc3339(time)) {
    if (is_digit(c) || c == 'T') digits.push_back(c);
  }
  return digits;
}

}  // namespace

Result<OlderEntry> parse_older_entry(std::string_view json) {
  auto members = OlderMembers::parse(json);
  if (!members) return bad_entry("it is no JSON object");
  OlderEntry entry;
  entry.id = members->text("id");
  entry.project = members->text("project");
  entry.priority = members->text("priority");
  entry.prompt = members->text("prompt");
  entry.enqueued_by = members->text("enqueued_by");
  entry.status = members->text("status");
  entry.skill_match = members->text("skill_match");
  if (const std::string written = members->moment("enqueued_at"); !written.empty()) {
    entry.enqueued_us = parse_older_time(written).value_or(0);
    entry.named_us = parse_older_time(written, ZonelessTime::utc).value_or(entry.enqueued_us);
  }
  entry.notes = members->notes();
  if (entry.project.empty()) return bad_entry(members->note_about("project", "it names no project"));
  if (is_blank(entry.prompt)) return bad_entry(members->note_about("prompt", "its prompt is empty"));
  const std::string status = lower_case(entry.status);
  const bool waits = status.empty() || status == "pending" || status == "queued";
  if (!waits) return bad_entry("it does not wait any more: its status is '" + entry.status + "'");
  return entry;
}

std::string older_entry_json(const OlderEntry& entry) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["id"] = entry.id;
  json["project"] = entry.project;
  const auto number = parse_number<std::int64_t>(entry.priority);
  json["priority"] = number ? Json(*number) : Json(entry.priority);
  json["prompt"] = entry.prompt;
  json["skill_match"] = entry.skill_match.empty() ? Json(nullptr) : Json(entry.skill_match);
  json["enqueued_at"] = entry.enqueued_us == 0 ? Json(nullptr) : Json(format_rfc3339(entry.enqueued_us));
  json["enqueued_by"] = entry.enqueued_by;
  json["status"] = entry.status;
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + '\n';
}

std::string older_entry_name(int rank, const OlderEntry& entry) {
  return std::to_string(rank) + "_" + compact_time(entry.enqueued_us) + "_" + plain_name(entry.project) +
         "_" + plain_name(entry.id) + ".json";
}

std::vector<OlderPending> read_older_queue(const std::string& dir) {
  std::vector<OlderPending> pending;
  const bool is_queue = access((dir + "/pending").c_str(), F_OK) == 0;
  for (const char* group : {"high", "normal"}) {
    const std::string below = std::string(is_queue ? "pending/" : "queue/pending/") + group;
    const Descriptor folder(
        open((dir + "/" + below).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) {
      if (errno == ENOENT) continue;
      pending.push_back({below, false, bad_entry(std::string("it cannot be opened: ") + strerror(errno))});
      continue;
    }
    for (const std::string& name : json_names(folder.get())) {
      pending.push_back(
          {below + "/" + name, std::string_view(group) == "high", read_entry(folder.get(), name)});
    }
  }
  return pending;
}

std::uint8_t older_priority(std::string_view written, bool high) {
  const std::string word = lower_case(std::string(written));
  if (word == "low" && !high) return 2;
  const auto number = parse_number<std::int64_t>(word);
  const bool agrees = number && (high ? *number >= 6 && *number <= 9 : *number >= 0 && *number <= 7);
  return agrees ? static_cast<std::uint8_t>(*number) : high ? 8 : 5;
}

Result<OlderCapacity> parse_older_capacity(std::string_view json) {
  auto members = OlderMembers::parse(json);
  if (!members) return fail(ErrorKind::usage, "bad_older_capacity", "it is no JSON object");
  static const std::map<std::string, std::string> kKeys = {
      {"max_running", "max_running"},
      {"max_concurrent", "max_running"},
      {"max_concurrent_agents", "max_running"},
      {"max_agents", "max_running"},
      {"max_per_project", "max_per_project"},
      {"max_agents_per_project", "max_per_project"},
      {"max_load", "max_load"},
      {"max_load_average", "max_load"},
      {"load_limit", "max_load"},
      {"max_memory_percent", "min_free_memory_percent"},
      {"max_memory_usage_percent", "min_free_memory_percent"}};
  OlderCapacity capacity;
  for (const std::string& name : members->names()) {
    const auto key = kKeys.find(name);
    if (key == kKeys.end()) {
      capacity.left.push_back(name);
      continue;
    }
    const auto limit = members->number(name.c_str());
    if (!limit || !(*limit >= 0 && *limit <= 100'000)) {
      return fail(ErrorKind::usage, "bad_older_capacity", '"' + name + "\" is not a limit");
    }
    const auto whole = static_cast<std::int64_t>(*limit);
    const bool of_memory = key->second == "min_free_memory_percent";
    capacity.limits[key->second] =
        key->second == "max_load"
            ? nlohmann::json(*limit).dump()
            : std::to_string(of_memory ? std::max<std::int64_t>(0, 100 - whole) : whole);
  }
  return capacity;
}

}  // namespace luzia

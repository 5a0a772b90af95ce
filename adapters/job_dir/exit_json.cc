// Reads exit.json, which luzia-run writes (JobFiles::write_exit_json). Strict: rejects anything that
// luzia-run would not have written.
#include <nlohmann/json.hpp>

#include "adapters/job_dir/job_dir.h"
#include "adapters/job_dir/owned_directory.h"

namespace luzia {
namespace {

constexpr std::size_t kMostExitBytes = 8 * 1024;
constexpr std::uint64_t kMostExitCode = 255, kMostSignal = 64;

bool take_number(const nlohmann::json& record, const char* key, std::uint64_t& number) {
  const auto it = record.find(key);
  if (it == record.end() || !it->is_number_unsigned()) return false;
  number = it->get<std::uint64_t>();
  return true;
}

/// null reads as 0, not `given`.
bool take_small_number(const nlohmann::json& record, const char* key, std::uint64_t most, bool& given,
                       int& number) {
  const auto it = record.find(key);
  given = it != record.end() && !it->is_null();
  if (!given) return it != record.end();
  std::uint64_t value = 0;
  if (!take_number(record, key, value) || value > most) return false;
  number = static_cast<int>(value);
  return true;
}

bool take_fate(const nlohmann::json& record, schema::AttemptEndedT& end) {
  bool has_code = false, has_signal = false;
  int code = 0;
  if (!take_small_number(record, "exit_code", kMostExitCode, has_code, code) ||
      !take_small_number(record, "signal", kMostSignal, has_signal, end.signal)) {
    return false;
  }
  if (has_code) end.exit_code = code;
  const auto core = record.find("core_dumped"), problem = record.find("start_error");
  if (core == record.end() || !core->is_boolean() || problem == record.end()) return false;
  end.core_dumped = core->get<bool>();
  if (problem->is_string()) end.start_error = problem->get<std::string>();
  const bool one_line = end.start_error.find('\n') == std::string::npos;
  return one_line && (problem->is_null() || !end.start_error.empty()) &&
         (has_code || has_signal || !end.start_error.empty());
}

bool take_measures(const nlohmann::json& record, schema::AttemptEndedT& end) {
  std::uint64_t ended = 0, leftovers = 0;
  const bool all = take_number(record, "ended_us", ended) && take_number(record, "wall_us", end.wall_us) &&
                   take_number(record, "user_us", end.user_us) &&
                   take_number(record, "system_us", end.system_us) &&
                   take_number(record, "max_rss_kib", end.max_rss_kib) &&
                   take_number(record, "output_bytes", end.output_bytes) &&
                   take_number(record, "leftovers_killed", leftovers);
  end.ended_us = static_cast<std::int64_t>(ended);
  end.leftovers_killed = static_cast<std::uint32_t>(leftovers);
  return all && end.ended_us > 0;
}

/// Absent if no checks began; without a verdict if they did not run to their end.
bool take_proof(const nlohmann::json& record, schema::AttemptEndedT& end) {
  if (record.contains("checks_from") && !take_number(record, "checks_from", end.checks_from)) return false;
  const auto verified = record.find("verified"), error = record.find("check_error");
  if (verified == record.end()) return true;
  if (!record.contains("checks_from") || !verified->is_boolean() || error == record.end() ||
      !error->is_string()) {
    return false;
  }
  end.verified = verified->get<bool>();
  end.check_error = error->get<std::string>();
  return end.check_error.find('\n') == std::string::npos;
}

}  // namespace

std::optional<schema::AttemptEndedT> read_exit_json(const std::string& job_dir, const std::string& job,
                                                    std::uint32_t attempt, std::uint32_t uid,
                                                    std::uint32_t gid) {
  const auto directory = OwnedDirectory::open(job_dir, uid, gid);
  const auto bytes = directory ? directory->read("exit.json", kMostExitBytes) : std::nullopt;
  if (!bytes) return std::nullopt;
  const auto record = nlohmann::json::parse(*bytes, nullptr, false);
  if (!record.is_object()) return std::nullopt;
  const auto of = record.find("job");
  std::uint64_t number = 0;
  const bool is_of_it =
      of != record.end() && *of == job && take_number(record, "attempt", number) && number == attempt;
  schema::AttemptEndedT end;
  end.attempt = attempt;
  if (!is_of_it || !take_fate(record, end) || !take_measures(record, end) || !take_proof(record, end))
    return std::nullopt;
  return end;
}

}  // namespace luzia

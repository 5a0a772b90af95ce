
#include "adapters/config/byte_size.h"
#include "adapters/config/nearest.h"
#include "adapters/config/toml_tree.h"
#include "engine/base/batch_place.h"
#include "engine/base/characters.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/run/dispatch.h"

namespace luzia {
namespace {

/// Sets a field of the job; false: the value has the wrong type or range.
using Setter = bool (*)(const Json& value, wire::DispatchJobT& job);

bool set_text(const Json& value, std::string& to) {
  if (!value.is_string()) return false;
  to = value.get<std::string>();
  return true;
}

bool set_duration(const Json& value, std::uint64_t& to_ms) {
  const auto parsed =
      parse_duration_ms(value.is_string()            ? value.get<std::string>()
                        : value.is_number_unsigned() ? std::to_string(value.get<std::uint64_t>())
                                                     : "no duration");
  to_ms = parsed.value_or(0);
  return parsed.has_value();
}

bool set_texts(const Json& value, std::vector<std::string>& to) {
  std::vector<std::string> texts;
  if (value.is_string()) {
    texts = split_list(value.get<std::string>());
  } else if (value.is_array()) {
    for (const Json& item : value) {
      if (!item.is_string()) return false;
      texts.push_back(item.get<std::string>());
    }
  } else {
    return false;
  }
  to = std::move(texts);
  return true;
}

bool set_env(const Json& value, std::vector<std::string>& to) {
  if (!value.is_object()) return set_texts(value, to);
  for (const auto& [key, text] : value.items()) {
    if (key.empty() || key.find('=') != std::string::npos || !text.is_string()) return false;
    to.push_back(key + "=" + text.get<std::string>());
  }
  return true;
}

bool set_priority(const Json& value, std::uint8_t& to) {
  const std::string word = value.is_string()            ? value.get<std::string>()
                           : value.is_number_unsigned() ? std::to_string(value.get<std::uint64_t>())
                                                        : "";
  const auto priority = parse_priority(word);
  to = priority.value_or(255);
  return priority.has_value();
}

bool set_flow(const Json& value, wire::DispatchJobT& job) {
  if (!value.is_string()) return false;
  const std::string flow = value.get<std::string>();
  const std::size_t slash = flow.find('/');
  job.flow = flow.substr(0, slash);
  if (slash != std::string::npos) job.step = flow.substr(slash + 1);
  return true;
}

template <class Number>
bool set_number(const Json& value, Number& to) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<Number>::max()) {
    return false;
  }
  to = value.get<Number>();
  return true;
}

bool set_bytes(const Json& value, std::uint64_t& to) {
  const auto parsed = value.is_string() ? parse_bytes(value.get<std::string>()) : std::nullopt;
  if (parsed) to = *parsed;
  return parsed || set_number(value, to);
}

bool set_percent(const Json& value, std::uint32_t& to) {
  const auto parsed = parse_percent(value.is_string() ? value.get<std::string>() : value.dump());
  if (parsed) to = *parsed;
  return parsed.has_value();
}

bool set_real(const Json& value, double& to) {
  if (!value.is_number() || value.get<double>() < 0) return false;
  to = value.get<double>();
  return true;
}

bool set_flag(const Json& value, bool& to) {
  if (!value.is_boolean()) return false;
  to = value.get<bool>();
  return true;
}

struct Field {
  const char* name;
  const char* expected;
  Setter set;
};

using Job = wire::DispatchJobT;
constexpr Field kFields[] = {
    {"project", "a string", [](const Json& v, Job& j) { return set_text(v, j.project); }},
    {"task", "a string", [](const Json& v, Job& j) { return set_text(v, j.task); }},
    {"agent", "a string", [](const Json& v, Job& j) { return set_text(v, j.agent); }},
    {"priority", "0 to 9, high, normal or low",
     [](const Json& v, Job& j) { return set_priority(v, j.priority); }},
    {"after", "a list of job ids", [](const Json& v, Job& j) { return set_texts(v, j.after); }},
    {"timeout", "a duration", [](const Json& v, Job& j) { return set_duration(v, j.timeout_ms); }},
    {"budget_time", "a duration", [](const Json& v, Job& j) { return set_duration(v, j.budget_time_ms); }},
    {"budget_cost", "a number from 0", [](const Json& v, Job& j) { return set_real(v, j.budget_cost_usd); }},
    {"budget_tokens", "a whole number", [](const Json& v, Job& j) { return set_number(v, j.budget_tokens); }},
    {"retries", "a whole number", [](const Json& v, Job& j) { return set_number(v, j.retries); }},
    {"memory", "a size", [](const Json& v, Job& j) { return set_bytes(v, j.memory_bytes); }},
    {"cpu", "a percentage", [](const Json& v, Job& j) { return set_percent(v, j.cpu_percent); }},
    {"processes", "a whole number", [](const Json& v, Job& j) { return set_number(v, j.most_processes); }},
    {"disk", "a size", [](const Json& v, Job& j) { return set_bytes(v, j.disk_bytes); }},
    {"estimate", "a duration", [](const Json& v, Job& j) { return set_duration(v, j.estimate_ms); }},
    {"tags", "a list of strings", [](const Json& v, Job& j) { return set_texts(v, j.tags); }},
    {"env", "an object of strings", [](const Json& v, Job& j) { return set_env(v, j.env); }},
    {"dir", "a string", [](const Json& v, Job& j) { return set_text(v, j.dir); }},
    {"worktree", "true or false", [](const Json& v, Job& j) { return set_flag(v, j.worktree); }},
    {"prompt", "the name of a template",
     [](const Json& v, Job& j) { return set_text(v, j.prompt_template); }},
    {"permissions", "plan, ask, edits or bypass",
     [](const Json& v, Job& j) { return set_text(v, j.permissions); }},
    {"sandbox", "off, project or strict", [](const Json& v, Job& j) { return set_text(v, j.sandbox); }},
    {"fallback", "a list of agents", [](const Json& v, Job& j) { return set_texts(v, j.fallback); }},
    {"network", "a list of hosts", [](const Json& v, Job& j) { return set_texts(v, j.network); }},
    {"gates", "a list of strings", [](const Json& v, Job& j) { return set_texts(v, j.gates); }},
    {"verify", "a list of shell commands", [](const Json& v, Job& j) { return set_texts(v, j.verify); }},
    {"verify_clean", "true or false", [](const Json& v, Job& j) { return set_flag(v, j.verify_clean); }},
    {"verify_tries", "a whole number", [](const Json& v, Job& j) { return set_number(v, j.verify_tries); }},
    {"no_verify", "true or false", [](const Json& v, Job& j) { return set_flag(v, j.no_verify); }},
    {"callback_url", "a string", [](const Json& v, Job& j) { return set_text(v, j.callback_url); }},
    {"user", "a string", [](const Json& v, Job& j) { return set_text(v, j.user); }},
    {"flow", "a string, FLOW/STEP", set_flow},
    {"step", "a string", [](const Json& v, Job& j) { return set_text(v, j.step); }},
};

Status fill_job(const Json& line, wire::DispatchJobT& job) {
  for (const auto& [key, value] : line.items()) {
    // The spellings of the command line ("tag", "budget-time") are accepted, too.
    std::string name = key == "tag" ? "tags" : key == "gate" ? "gates" : key;
    std::replace(name.begin(), name.end(), '-', '_');
    const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const Field& each) { return name == each.name; });
    if (field == std::end(kFields)) {
      std::vector<std::string> known;
      for (const Field& each : kFields) known.emplace_back(each.name);
      const std::string near = nearest_name(name, known);
      return fail(ErrorKind::usage, "bad_batch", "unknown key '" + one_line(key) + "'",
                  near.empty() ? "luzia dispatch --help" : "did you mean " + near + "?");
    }
    if (!field->set(value, job)) {
      return fail(ErrorKind::usage, "bad_batch", key + " must be " + field->expected);
    }
  }
  if (job.project.empty() || job.task.empty()) {
    return fail(ErrorKind::usage, "bad_batch", job.project.empty() ? "project is missing" : "task is missing",
                R"(a line looks like {"project":"web","task":"fix the build"})");
  }
  return {};
}

constexpr const char* kNothingQueued = "; nothing was queued";

/// The lines that are not empty, with their numbers from 1.
std::vector<std::pair<std::size_t, std::string_view>> lines_with_jobs(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string_view>> lines;
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, end - from);
    from = end + 1;
    ++number;
    if (!is_blank(line)) lines.emplace_back(number, line);
  }
  return lines;
}

}  // namespace

Error with_batch_lines(Error error, const std::string& text, const std::string& file_name) {
  // If the daemon went away, it may have accepted the jobs.
  if (error.kind == ErrorKind::trouble) return error;
  const auto lines = lines_with_jobs(text);
  if (lines.size() == 1 && !error.message.starts_with(batch_place(1))) error = in_batch(std::move(error), 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = std::to_string(lines[i].first);
    const std::string place = batch_place(i + 1);
    if (error.message.starts_with(place)) error.message.replace(0, place.size(), file_name + ":" + line);
    error.message = replaced(std::move(error.message), place, "line " + line);
  }
  error.message += kNothingQueued;
  return error;
}

Result<std::vector<wire::DispatchJobT>> jobs_from_batch(const std::string& text, const std::string& file_name,
                                                        const wire::DispatchJobT& defaults) {
  std::vector<wire::DispatchJobT> jobs;
  for (const auto& [line_number, line] : lines_with_jobs(text)) {
    const Json parsed = Json::parse(line.begin(), line.end(), nullptr, false);
    wire::DispatchJobT job = defaults;
    Status filled = !parsed.is_object()
                        ? fail(ErrorKind::usage, "bad_batch", "not a JSON object",
                               R"(a line looks like {"project":"web","task":"fix the build"})")
                        : fill_job(parsed, job);
    if (!filled) {
      Error error = filled.error();
      error.message =
          "reading " + file_name + ":" + std::to_string(line_number) + ": " + error.message + kNothingQueued;
      return tl::unexpected(error);
    }
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) {
    return fail(ErrorKind::usage, "bad_batch", "reading " + file_name + ": it contains no job");
  }
  return jobs;
}

}  // namespace luzia

#include "tools/luzia/run/dry_run.h"

#include <algorithm>

#include "engine/base/shell_quote.h"
#include "engine/base/time.h"
#include "engine/event/limits_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_writer.h"
#include "tools/cli/json_text.h"

namespace luzia {
namespace {

constexpr std::size_t kNameWidth = 12;

Json parsed(const std::string& preview) {
  return Json::parse(preview, nullptr, false);
}

std::string joined_texts(const Json& job, const char* key, const char* between, bool quote = false) {
  std::string out;
  const auto it = job.find(key);
  if (it == job.end() || !it->is_array()) return out;
  for (const Json& word : *it) {
    const std::string text = word.is_string() ? word.get<std::string>() : word.dump();
    out += (out.empty() ? "" : between) + (quote ? shell_quote(text) : text);
  }
  return out;
}

std::string duration(const Json& job, const char* key) {
  const auto it = job.find(key);
  if (it == job.end() || !it->is_number()) return {};
  return format_duration(static_cast<TimeUs>(it->get<double>() * kSecondUs));
}

std::string number(const Json& job, const char* key) {
  const auto it = job.find(key);
  return it == job.end() || !it->is_number() ? std::string() : it->dump();
}

std::string limits(const Json& job) {
  const Json all = job.value("limits", Json::object());
  std::string out;
  const auto add = [&](const std::string& most, const std::string& of) {
    if (!most.empty()) out += (out.empty() ? "" : ", ") + most + " at once" + of;
  };
  add(number(all, "running"), "");
  add(number(all, "of_project"), " of the project");
  add(number(all, "of_agent"), " of the agent");
  const Json tags = all.value("of_tags", Json::object());
  for (const auto& [tag, most] : tags.items()) add(most.dump(), " of tag " + tag);
  return out;
}

std::string attempt_limits(const Json& job) {
  const Json all = job.value("attempt_limits", Json::object());
  schema::AttemptLimitsT limits;
  const auto most = [&all](const char* key) {
    const auto it = all.find(key);
    return it != all.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
  };
  limits.memory_bytes = most("memory_bytes");
  limits.cpu_percent = static_cast<std::uint32_t>(most("cpu_percent"));
  limits.processes = static_cast<std::uint32_t>(most("processes"));
  limits.disk_bytes = most("disk_bytes");
  const std::string words = limits_text(limits);
  return words.empty() && !all.empty() ? "what it wants: no limits" : words;
}

/// A daemon that names no sandbox at all is an older one.
std::string sandbox(const Json& job) {
  const std::string words = text_of(job, "sandbox");
  return words.empty() && job.contains("sandbox") ? "off" : words;
}

/// Each agent that stands in, with its sandbox, which is another than the job's.
std::vector<std::string> stand_ins(const Json& job) {
  const Json agents = job.value("fallback", Json::array()),
             all = job.value("fallback_sandboxes", Json::array());
  std::vector<std::string> out;
  for (std::size_t i = 0; agents.is_array() && i < agents.size(); ++i) {
    const bool known = all.is_array() && i < all.size() && all[i].is_string();
    const std::string words = known ? all[i].get<std::string>() : "";
    const std::string name = agents[i].is_string() ? agents[i].get<std::string>() : agents[i].dump();
    out.push_back(name + (!known ? "" : words.empty() ? " (sandbox off)" : " (sandbox " + words + ")"));
  }
  return out;
}

std::string budget(const Json& job) {
  const Json all = job.value("budget", Json::object());
  std::string out = duration(all, "time_seconds");
  if (const std::string cost = number(all, "cost_usd"); !cost.empty()) {
    out += (out.empty() ? "" : ", ") + cost + " USD";
  }
  if (const std::string tokens = number(all, "tokens"); !tokens.empty()) {
    out += (out.empty() ? "" : ", ") + tokens + " tokens";
  }
  return out;
}

/// The checks, each by the comment that it begins with, else by its command.
std::string named_checks(const Json& job) {
  std::string out;
  for (const Json& each : job.value("verify", Json::array())) {
    const std::string command = each.get<std::string>();
    const std::size_t end = command.find('\n');
    const bool has_name = command.starts_with("# ") && end != std::string::npos && end > 2;
    out += (out.empty() ? "" : "; ") + (has_name ? command.substr(2, end - 2) : command);
  }
  return out;
}

std::string card(const Json& job, const TableStyle& style) {
  std::string out;
  const auto line = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    std::string shown = make_harmless(value, {.keep_tabs = false, .unicode = style.unicode});
    if (style.width > kNameWidth + 8) shown = fit_width(shown, style.width - kNameWidth, style.unicode);
    std::string title = name;
    title.resize(kNameWidth, ' ');
    out += coloured(title, Colour::dim, style.colour) + shown + "\n";
  };
  line("project", text_of(job, "project"));
  line("agent", text_of(job, "agent"));
  line("task", text_of(job, "task"));
  line("command", joined_texts(job, "command", " ", true));
  line("program", text_of(job, "program"));
  const std::string from = text_of(job, "stdin");
  line("stdin", from == "prompt" ? "the task" : from == "terminal" ? "a terminal" : "/dev/null");
  line("user", text_of(job, "user"));
  line("runs in", text_of(job, "dir"));
  line("worktree", job.value("worktree", false) ? "its own, from the last commit" : "");
  line("folder", text_of(job, "job_dir"));
  line("snapshot",
       job.value("snapshot", false) ? "of the files before each attempt, in a git repository" : "");
  line("environment", joined_texts(job, "environment", " "));
  line("passed on", joined_texts(job, "passed_variables", " "));
  line("secrets", joined_texts(job, "secrets", " "));
  for (const std::string& each : stand_ins(job)) line("fallback", each);
  line("permissions", text_of(job, "permissions"));
  line("sandbox", sandbox(job));
  line("preflight", joined_texts(job, "preflight", "; "));
  line("verify", named_checks(job));
  line("priority", number(job, "priority"));
  line("after", joined_texts(job, "after", ", "));
  line("tags", joined_texts(job, "tags", ", "));
  line("gates", joined_texts(job, "gates", ", "));
  line("timeout", duration(job, "timeout_seconds"));
  line("grace", duration(job, "kill_grace_seconds"));
  line("retries", number(job, "retries"));
  line("estimate", duration(job, "estimate_seconds"));
  line("budget", budget(job));
  line("limits", limits(job));
  line("may use", attempt_limits(job));
  line("flow", text_of(job, "flow"));
  line("step", text_of(job, "step"));
  return out;
}

std::string short_line(const Json& job) {
  return text_of(job, "agent") + " in " + text_of(job, "dir") + " as " + text_of(job, "user") + ": " +
         joined_texts(job, "command", " ", true);
}

}  // namespace

std::string dry_run_text(const std::vector<std::string>& previews, const TableStyle& style) {
  std::string out;
  for (const std::string& preview : previews) {
    const Json job = parsed(preview);
    out += out.empty() ? "" : "\n";
    out += job.is_object() ? card(job, style) : make_harmless(preview) + "\n";
  }
  return out;
}

std::vector<std::string> dry_run_problems(const std::vector<std::string>& previews) {
  std::vector<std::string> problems;
  for (const std::string& preview : previews) {
    const Json job = parsed(preview);
    const Json found = job.is_object() ? job.value("problems", Json::array()) : Json::array();
    for (const Json& problem : found) {
      std::string words = problem.is_string() ? problem.get<std::string>() : problem.dump();
      if (std::ranges::find(problems, words) == problems.end()) problems.push_back(std::move(words));
    }
  }
  return problems;
}

std::string dry_run_json(const std::vector<std::string>& previews) {
  std::string lines, jobs;
  for (const std::string& preview : previews) {
    const Json job = parsed(preview);
    JsonWriter line(lines);
    lines += lines.empty() ? "" : ",";
    line.text(job.is_object() ? short_line(job) : preview);
    if (job.is_object()) jobs += (jobs.empty() ? "" : ",") + preview;
  }
  return "{\"dry_run\":[" + lines + "],\"jobs\":[" + jobs + "]}";
}

}  // namespace luzia

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "adapters/config/config_keys.h"
#include "adapters/config/config_reader.h"
#include "adapters/config/database_url.h"
#include "adapters/config/nearest.h"
#include "adapters/config/schedule_rules.h"
#include "engine/base/characters.h"
#include "engine/base/places.h"
#include "engine/base/ssh_route.h"
#include "engine/device/push.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxConfigBytes = 4 << 20;
constexpr char kSystemJobs[] = "/var/log/luz-orchestrator/jobs";

bool exists(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

/// nullopt: not there.
Result<std::optional<std::string>> read_file(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail_errno(errno, "config_unreadable", "reading the configuration " + path);
  }
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) > kMaxConfigBytes) {
    return fail(ErrorKind::usage, "config_unreadable",
                "reading the configuration " + path + ": not a file of at most 4 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file && file.gcount() != status.st_size) {
    return fail(ErrorKind::trouble, "config_unreadable",
                "reading the configuration " + path + ": cannot open it", "check its permissions");
  }
  return text;
}

bool is_of_the_older_tool(const std::string& path) {
  return path.substr(path.rfind('/') + 1) == "status_config.toml";
}

/// The configuration read so far, over the shipped defaults.
class Gathering {
 public:
  Gathering() { config_.agents = shipped_agents(); }

  void add(const std::string& text, const std::string& file_name) {
    const auto tree = parse_toml(text, file_name);
    if (!tree) {
      errors_.push_back(tree.error());
      return;
    }
    TomlCursor cursor(file_name, places_, errors_);
    ConfigReader(cursor).read(*tree, config_);
    config_.files.push_back(file_name);
  }

  void add_file(const ConfigFile& file) {
    const auto text = read_file(file.path);
    if (!text) {
      (is_of_the_older_tool(file.path) ? config_.warnings : errors_).push_back(text.error());
    } else if (text->has_value()) {
      is_of_the_older_tool(file.path) ? add_older(**text, file.path) : add(**text, file.path);
    } else if (file.required) {
      errors_.push_back(Error{ErrorKind::usage, "config_missing",
                              "reading the configuration " + file.path + ": no such file",
                              "check --config and $LUZIA_CONFIG"});
    }
  }

  /// Users of the older tool's file were never warned of keys or rules that it did not have, so errors in it
  /// become warnings. If the file as a whole makes the configuration invalid, only the older tool's own keys
  /// are used.
  void add_older(const std::string& text, const std::string& file_name) {
    Gathering with = *this;
    with.errors_.clear();
    with.add(text, file_name);
    const std::size_t misread = with.errors_.size();
    with.check_references();
    const bool makes_sense = with.errors_.size() == misread;
    std::vector<Error> warnings = config_.warnings;
    warnings.insert(warnings.end(), with.errors_.begin(), with.errors_.end());
    if (makes_sense) {
      config_ = std::move(with.config_);
      places_ = std::move(with.places_);
    } else if (const auto tree = parse_toml(text, file_name)) {
      std::vector<Error> told_above;
      TomlCursor cursor(file_name, places_, told_above);
      ConfigReader(cursor).read_older(*tree, config_);
      config_.files.push_back(file_name);
    }
    config_.warnings = std::move(warnings);
  }

  /// Checks references, once all files are read.
  void check_references() {
    std::vector<std::string> agents;
    for (const auto& [name, agent] : config_.agents) {
      agents.push_back(name);
      check_permissions(name, agent);
      if (agent.command.empty() && !is_told("agents." + name + ".command")) {
        wrong("agents." + name, "agent '" + name + "' has no command", "add command = [\"program\", ...]");
      }
    }
    check_agent("defaults.agent", config_.defaults.agent, agents);
    for (const auto& [name, profile] : config_.agents) {
      for (const std::string& other : profile.fallback)
        check_agent("agents." + name + ".fallback", other, agents);
    }
    for (const auto& [name, project] : config_.projects) {
      if (!project.agent.empty()) check_agent("projects." + name + ".agent", project.agent, agents);
    }
    check_notices();
    check_schedules(false);
    check_machines();
    check_fleet();
  }
  /// Checks what the configuration needs of this machine. A daemon runs without it.
  void check_machine() { check_schedules(true); }

  std::vector<Error>& errors() { return errors_; }

  Result<Config> take() {
    complete_agents();
    check_references();
    if (errors_.empty()) return std::move(config_);
    Error first = errors_.front();
    if (errors_.size() > 1) {
      first.message += " (and " + std::to_string(errors_.size() - 1) + " more; see luzia config check)";
    }
    return tl::unexpected(first);
  }

 private:
  /// A session is resumed by the command that is configured, with its options. Only a `resume` of its own
  /// differs.
  void complete_agents() {
    for (auto& [name, profile] : config_.agents) {
      if (!places_.contains("agents." + name + ".command")) continue;
      const Agent* agent = agent_of(name, profile.command);
      if (agent == nullptr || places_.contains("agents." + name + ".resume")) continue;
      profile.resume = resume_of(*agent, profile.command);
    }
  }
  void check_permissions(const std::string& name, const AgentProfile& agent) {
    if (agent.permissions.empty() || agent_of(name, agent.command) != nullptr) return;
    wrong("agents." + name + ".permissions",
          "agent '" + name + "': Luzia does not know how its program is given permissions",
          "write the program's own options into command");
  }
  void check_agent(const std::string& key, const std::string& agent, const std::vector<std::string>& known) {
    if (config_.agents.count(agent) == 0) {
      const std::string near = nearest_name(agent, known);
      wrong(key, key + " is '" + agent + "', which is not an agent",
            near.empty() ? "add [agents." + agent + "]" : "did you mean " + near + "?");
    }
  }
  void check_notices() {
    for (const auto& [name, hook] : config_.hooks) {
      const std::string key = "hooks." + name;
      check_channel(key, "hook", name, hook);
      const bool unreadable = hook.command.empty() && is_told(key + ".command");
      if (hook.command.empty() == !hook.desktop && !unreadable) {
        wrong(key,
              "hook '" + name + "' has " + (hook.desktop ? "a command and desktop = true" : "no command"),
              hook.desktop ? "leave one of them out" : "add command = [\"program\", ...] or desktop = true");
      }
    }
    for (const auto& [name, hook] : config_.webhooks) {
      const std::string key = "webhooks." + name;
      check_channel(key, "webhook", name, hook, !hook.callbacks);
      if (hook.callbacks) check_callbacks(key, name, hook);
      if (hook.url.empty() && !is_told(key + ".url"))
        wrong(key, "webhook '" + name + "' has no url", "add url = \"https://...\"");
      // They share one list of delivery positions.
      if (config_.hooks.contains(name)) {
        wrong(key, "'" + name + "' is the name of a hook and of a webhook", "give one of them another name");
      }
    }
    check_telegram();
    check_escalations();
    check_web();
  }
  /// A fault of a key that is missing is that of its schedule.
  void check_schedules(bool of_machine) {
    for (const ScheduleFault& fault : schedule_faults(config_)) {
      if (fault.of_machine != of_machine || is_told(fault.key)) continue;
      const std::string whole = fault.key.substr(0, fault.key.rfind('.'));
      wrong(places_.contains(fault.key) ? fault.key : whole, fault.what, fault.hint);
    }
  }
  void check_machines() {
    for (const auto& [name, machine] : config_.machines) {
      const std::string key = "machines." + name;
      const auto route = parse_ssh_route(machine.ssh);
      if (machine.ssh.empty() && !is_told(key + ".ssh")) {
        wrong(key, "machine '" + name + "' has no ssh", "add ssh = \"user@host\"");
      } else if (!machine.ssh.empty() && !route) {
        wrong(key + ".ssh", key + ".ssh: " + route.error().message, route.error().hint);
      }
      if (name == kAnyMachine) wrong(key, "'any' stands for all machines", "give it another name");
      if (name == kThisMachine) wrong(key, "'local' is this machine", "give it another name");
      if (!machine.store.empty() && (machine.store.front() != '/' || has_control_characters(machine.store))) {
        wrong(key + ".store", key + ".store is '" + machine.store + "', which is no absolute path",
              "name the store as that machine does, from / on");
      } else if (!machine.store.empty() && route && !route->store.empty()) {
        wrong(key + ".store", "machine '" + name + "' names two stores", "leave one of them out");
      }
      for (const std::string& label : machine.labels) {
        if (!label.empty() && label != kAnyMachine && !config_.machines.contains(label)) continue;
        wrong(key + ".labels",
              key + ".labels has '" + label + "', which is " +
                  (label.empty()          ? "empty"
                   : label == kAnyMachine ? "every machine's label"
                                          : "the name of a machine"),
              "choose another label");
      }
    }
  }
  void check_fleet() {
    const FleetConfig& fleet = config_.fleet;
    for (const auto& [key, url] : {std::pair("url", &fleet.url), {"people_url", &fleet.people_url}}) {
      const Status fit = url->empty() ? Status() : check_database_url(*url);
      if (!fit)
        wrong(std::string("fleet.") + key, std::string("[fleet] ") + key + " " + fit.error().message,
              fit.error().hint);
    }
    if (fleet.people_url.empty() && !fleet.people_password_file.empty()) {
      wrong("fleet.people_password_file", "[fleet] has no people_url", "password_file is the one of url");
    }
    if (!fleet.url.empty()) {
      // Without one, there is nothing to name.
    } else if (!fleet.site.empty() || !fleet.password_file.empty() || !fleet.orders.empty()) {
      wrong(!fleet.site.empty()           ? "fleet.site"
            : fleet.password_file.empty() ? "fleet.orders"
                                          : "fleet.password_file",
            "[fleet] has no url", "add url = \"postgresql://ROLE@HOST/DATABASE\"");
    }
    check_orders();
    if (fleet.site.empty() || is_site_name(fleet.site)) return;
    wrong("fleet.site", "[fleet] site is '" + fleet.site + "', which cannot be a name",
          "use up to 63 letters, digits, '.', '_' and '-', a letter or digit first");
  }
  void check_orders() {
    const FleetConfig& fleet = config_.fleet;
    for (const std::string& kind : fleet.orders) {
      if (std::ranges::find(kOrderKinds, kind) != std::end(kOrderKinds)) continue;
      wrong("fleet.orders", "[fleet] orders has '" + kind + "', which is no kind of order",
            "use dispatch, answer, approve, cancel or retry");
    }
    for (const std::string& label : fleet.labels) {
      if (is_site_name(label) && label != kAnyMachine) continue;
      wrong("fleet.labels", "[fleet] labels has '" + label + "', which cannot be a label",
            "use up to 63 letters, digits, '.', '_' and '-', a letter or digit first, and not any");
    }
  }
  /// Whoever dispatches names any address below the url, so the url must end where a name ends.
  void check_callbacks(const std::string& key, const std::string& name, const WebhookConfig& hook) {
    if (!hook.on.empty()) {
      wrong(key + ".on", "webhook '" + name + "' gets callbacks, and those are ends of jobs",
            "leave `on` out; another [[webhooks]] can be told of events");
    }
    if (!hook.digest.empty()) {
      wrong(key + ".digest", "webhook '" + name + "' gets callbacks, and a digest is none",
            "leave `digest` out; another [[webhooks]] can get it");
    }
    const bool ends_well = hook.url.ends_with('/') && hook.url.find_first_of("?#@\\") == std::string::npos &&
                           hook.url.find('/', hook.url.find("://") + 3) != std::string::npos;
    if (!hook.url.empty() && !ends_well) {
      wrong(key + ".url", "webhook '" + name + "' gets callbacks: its url must end with a slash",
            "write \"https://host/path/\", without a user, ? or #");
    }
  }
  void check_telegram() {
    const TelegramConfig& telegram = config_.telegram;
    if (!telegram.in_use()) return;
    check_channel("telegram", "the bot", "telegram", telegram);
    if (!telegram.token_file.empty() && !telegram.token_variable.empty()) {
      wrong("telegram.token_variable", "[telegram] names two places of the token", "leave one of them out");
    }
    for (const auto& key : {"hooks.telegram", "webhooks.telegram"}) {
      if (places_.contains(key)) wrong(key, "'telegram' is the name of [telegram]", "give it another name");
    }
  }
  void check_web() {
    if (const Status safe = check_listening(config_.web); !safe)
      wrong("web.listen", "[web] " + safe.error().message, safe.error().hint);
    for (const std::string& service : config_.web.push_services) {
      if (!service.empty() && push_service(service) == service) continue;
      wrong("web.push_services", "[web] push_services has '" + service + "', which is not an origin",
            "write https://HOST or https://HOST:PORT, in small letters");
    }
  }
  /// All notification channels by name.
  std::map<std::string, const ChannelConfig*> channels() const {
    std::map<std::string, const ChannelConfig*> all;
    for (const auto& [name, hook] : config_.hooks) all.emplace(name, &hook);
    for (const auto& [name, hook] : config_.webhooks) all.emplace(name, &hook);
    if (config_.telegram.in_use()) all.emplace("telegram", &config_.telegram);
    return all;
  }
  std::string key_of(const std::string& name) const {
    if (config_.hooks.contains(name)) return "hooks." + name;
    return config_.webhooks.contains(name) ? "webhooks." + name : name;
  }
  void check_escalations() {
    const auto all = channels();
    std::vector<std::string> known;
    for (const auto& [name, channel] : all) known.push_back(name);
    for (const auto& [name, channel] : all) {
      const std::string& next = channel->escalate_to;
      if (next.empty()) continue;
      const std::string key = key_of(name) + ".escalate_to";
      if (!all.contains(next)) {
        const std::string near = nearest_name(next, known);
        wrong(key, key + " is '" + next + "', which is not a notification channel",
              near.empty() ? "name one of [[hooks]] or [[webhooks]], or telegram"
                           : "did you mean " + near + "?");
        continue;
      }
      std::string at = next;
      for (std::size_t steps = 0; steps <= all.size() && at != name; ++steps) {
        const auto found = all.find(at);
        if (found == all.end()) break;
        at = found->second->escalate_to;
      }
      if (at == name) wrong(key, key + " comes back to '" + name + "' itself", "let the chain end somewhere");
    }
  }
  void check_channel(const std::string& key, const std::string& kind, const std::string& name,
                     const ChannelConfig& hook, bool needs_events = true) {
    if (hook.on.empty() && hook.digest.empty() && needs_events) {
      wrong(key, kind + " '" + name + "' names no event",
            "add on = [\"job_failed\", ...], or digest = \"07:00\"");
    }
    std::vector<std::string> known;
    for (const auto& [project, rules] : config_.projects) known.push_back(project);
    for (const std::string& project : hook.projects) {
      if (config_.projects.contains(project)) continue;
      const std::string near = nearest_name(project, known);
      wrong(key + ".projects", key + ".projects has '" + project + "', which is not a project",
            near.empty() ? "add [projects." + project + "]" : "did you mean " + near + "?");
    }
  }
  /// Whether the key's value was already reported as invalid; then it is not reported as missing too.
  bool is_told(const std::string& key) const {
    const auto place = places_.find(key);
    return place != places_.end() && std::ranges::any_of(errors_, [&](const Error& error) {
             return error.message.starts_with("reading " + place->second + ":");
           });
  }
  void wrong(const std::string& key, const std::string& what, const std::string& hint) {
    const auto place = places_.find(key);
    const std::string where = place == places_.end() ? "the configuration" : place->second;
    errors_.push_back(
        Error{ErrorKind::usage, "config_range", "reading " + where + ": " + one_line(what), one_line(hint)});
  }

  Config config_;
  std::map<std::string, std::string> places_;
  std::vector<Error> errors_;
};

}  // namespace

std::vector<ConfigFile> config_files(const std::string& explicit_file) {
  std::vector<ConfigFile> files = {{"/etc/luzia/status_config.toml", false},
                                   {"/etc/luzia/luzia.toml", false}};
  if (const std::string base = base_directory("XDG_CONFIG_HOME", "/.config"); !base.empty()) {
    files.push_back({base + "/luzia/luzia.toml", false});
  }
  const char* from_environment = std::getenv("LUZIA_CONFIG");
  if (!explicit_file.empty()) {
    files.push_back({explicit_file, true});
  } else if (from_environment != nullptr && from_environment[0] != '\0') {
    files.push_back({from_environment, true});
  }
  return files;
}

std::vector<std::pair<std::string, bool>> config_paths(const std::string& explicit_file) {
  std::vector<std::pair<std::string, bool>> paths;
  for (const ConfigFile& file : config_files(explicit_file)) paths.emplace_back(file.path, exists(file.path));
  return paths;
}

Result<Config> load_config_files(const std::vector<ConfigFile>& files) {
  Gathering gathering;
  for (const ConfigFile& file : files) gathering.add_file(file);
  return gathering.take();
}

Result<Config> load_config(const std::string& explicit_file) {
  return load_config_files(config_files(explicit_file));
}

std::vector<Error> check_config(const std::string& explicit_file) {
  Gathering gathering;
  for (const ConfigFile& file : config_files(explicit_file)) gathering.add_file(file);
  gathering.check_references();
  gathering.check_machine();
  return gathering.errors();
}

Result<Config> parse_config(const std::string& toml, const std::string& file_name) {
  Gathering gathering;
  gathering.add(toml, file_name);
  return gathering.take();
}

std::uint64_t answer_within_ms(const Config& config, const std::string& project, std::uint8_t priority) {
  const auto first = [](std::uint64_t one, std::uint64_t other) { return one != 0 ? one : other; };
  const auto found = config.projects.find(project);
  const std::uint64_t own = found == config.projects.end() ? 0 : found->second.answer_within_ms;
  const std::uint64_t own_urgent = found == config.projects.end() ? 0 : found->second.urgent_within_ms;
  const std::uint64_t usual = first(own, config.questions.answer_within_ms);
  if (priority < kUrgent) return usual;
  return first(own_urgent, first(own, first(config.questions.urgent_within_ms, usual)));
}

WhenSilent when_silent(const Config& config, const std::string& project, const std::string& agent) {
  std::string word = config.monitor.when_silent;
  if (const auto found = config.agents.find(agent); found != config.agents.end()) {
    word = found->second.when_silent.empty() ? word : found->second.when_silent;
  }
  if (const auto found = config.projects.find(project); found != config.projects.end()) {
    word = found->second.when_silent.empty() ? word : found->second.when_silent;
  }
  return word == "kill" ? WhenSilent::kill : word == "ask" ? WhenSilent::ask : WhenSilent::warn;
}

SandboxConfig configured_sandbox(const Config& config, const ProjectConfig& project,
                                 const AgentProfile& agent) {
  SandboxConfig all;
  for (const SandboxConfig* each : {&config.jobs.sandbox, &agent.sandbox, &project.sandbox}) {
    if (!each->kind.empty()) all.kind = each->kind;
    if (!each->when.empty()) all.when = each->when;
    if (!each->network.empty()) {
      all.network = each->network;
      all.hosts = each->hosts;
    }
    all.write.insert(all.write.end(), each->write.begin(), each->write.end());
    all.read.insert(all.read.end(), each->read.begin(), each->read.end());
    all.hide.insert(all.hide.end(), each->hide.begin(), each->hide.end());
  }
  return all;
}

std::string configured_permissions(const ProjectConfig& project, const AgentProfile& agent) {
  return project.permissions.empty() ? agent.permissions : project.permissions;
}

std::vector<std::string> all_passed_variables(const Config& config) {
  std::vector<std::string> all;
  const auto add_sources = [&all](const SecretPlaces& secrets) {
    for (const auto& [name, place] : secrets) {
      if (place.kind == schema::SecretKind::env) all.push_back(place.source.front());
    }
  };
  for (const auto& [name, profile] : config.agents) {
    const auto names = passed_variables(name, profile);
    all.insert(all.end(), names.begin(), names.end());
    add_sources(profile.secrets);
  }
  for (const auto& [name, project] : config.projects) add_sources(project.secrets);
  return all;
}

std::vector<std::string> all_secret_files(const Config& config, const std::string& home) {
  std::vector<std::string> all;
  const auto add_files = [&](const SecretPlaces& secrets) {
    for (const auto& [name, place] : secrets) {
      const std::string& file = place.source.front();
      if (place.kind == schema::SecretKind::file)
        all.push_back(file.starts_with("~/") ? home + file.substr(1) : file);
    }
  };
  for (const auto& [name, profile] : config.agents) add_files(profile.secrets);
  for (const auto& [name, project] : config.projects) add_files(project.secrets);
  return all;
}

std::string default_store(const Config& config) {
  if (!config.store.path.empty()) return config.store.path;
  return store_by_surroundings();
}

std::string cache_folder(const std::string& store) {
  const std::string base =
      store == kSystemStore ? std::string() : base_directory("XDG_CACHE_HOME", "/.cache");
  return base.empty() ? store + "/cache" : base + "/luzia";
}

std::string default_jobs_root(const Config& config) {
  if (!config.jobs.root.empty()) return config.jobs.root;
  std::string store = default_store(config);
  if (store == kSystemStore) return kSystemJobs;
  while (store.size() > 1 && store.back() == '/') store.pop_back();
  const std::size_t slash = store.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/jobs" : store.substr(0, slash) + "/jobs";
}

TimeUs flows_kept_since(const Config& config, TimeUs now) {
  const std::uint64_t kept_ms = config.flows.keep_ended_ms;
  if (kept_ms == 0 || now <= 0 || kept_ms >= static_cast<std::uint64_t>(now / kMillisecondUs)) return 0;
  return now - static_cast<TimeUs>(kept_ms) * kMillisecondUs;
}

}  // namespace luzia

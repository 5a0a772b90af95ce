// config: check, show and path, which need no daemon, and reload.
#include <cstdio>
#include <filesystem>

#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "tools/cli/invocation.h"
#include "tools/luzia/families.h"
#include "tools/luzia/set_up/reload.h"

namespace luzia {
namespace {

/// Warnings about valid settings that cannot work now. No errors, because a disk may be mounted later.
std::vector<Error> warnings_of(const Config& config) {
  std::vector<Error> warnings = config.warnings;
  std::error_code ignored;
  for (const auto& [name, project] : config.projects) {
    if (!project.path.empty() && !std::filesystem::is_directory(project.path, ignored)) {
      warnings.push_back({ErrorKind::usage, "no_directory",
                          "project " + name + ": there is no directory " + project.path,
                          "create it, or fix path in [projects." + name + "]"});
    }
    if (project.path.empty()) {
      warnings.push_back({ErrorKind::usage, "no_path",
                          "project " + name + " has no path: each of its jobs needs --dir",
                          "set path in [projects." + name + "]"});
    }
    if (name != kWebCommand.name && find_command(kLuzia, name) != nullptr) {
      warnings.push_back({ErrorKind::usage, "name_of_command",
                          "project " + name + ": luzia " + name + " is a command",
                          "dispatch tasks with luzia dispatch " + name + ", or rename the project"});
    }
  }
  return warnings;
}

void write_error(JsonObject& json, const Error& error) {
  json.text("code", error.code);
  json.text("message", error.message);
  json.text("hint", error.hint);
}

int check_configuration(Invocation& invocation) {
  const std::vector<Error> errors = check_config(invocation.args().text("config"));
  std::vector<Error> warnings;
  if (const auto config = invocation.config()) warnings = warnings_of(**config);
  if (invocation.json()) {
    JsonObject json;
    json.boolean("ok", errors.empty());
    json.objects("errors", errors, write_error);
    json.objects("warnings", warnings, write_error);
    print_line(json.take());
  } else {
    for (const Error& error : errors) print_error("luzia", error, false);
    for (const Error& warning : warnings) {
      invocation.say("warning: " + warning.message +
                     (warning.hint.empty() ? "" : "\n  hint: " + warning.hint));
    }
    if (errors.empty()) invocation.say("the configuration is valid");
  }
  return errors.empty() ? 0 : static_cast<int>(ErrorKind::usage);
}

int show_paths(Invocation& invocation) {
  const auto paths = config_paths(invocation.args().text("config"));
  if (!invocation.json()) {
    for (const auto& [path, exists] : paths) print_line(make_harmless(path) + (exists ? "" : " (not there)"));
    return 0;
  }
  JsonObject json;
  json.objects("files", paths, [](JsonObject& file, const auto& path) {
    file.text("path", path.first);
    file.boolean("exists", path.second);
  });
  print_line(json.take());
  return 0;
}

Result<int> run_config(Invocation& invocation) {
  const std::string& what = invocation.args().positionals().front();
  if (what == "check") return check_configuration(invocation);
  if (what == "path") return show_paths(invocation);
  if (what == "reload") return reload_daemon(invocation);
  if (what != "show") {
    return fail(ErrorKind::usage, "bad_usage", "config: '" + what + "' is not check, show, path or reload",
                "luzia config --help");
  }
  const auto config = LUZIA_TRY(invocation.config());
  if (!invocation.json()) {
    print(show_config(*config));
    return 0;
  }
  JsonObject json;
  json.strings("files", config->files);
  json.text("store", default_store(*config));
  json.text("jobs_root", default_jobs_root(*config));
  json.text("toml", show_config(*config));
  print_line(json.take());
  return 0;
}

}  // namespace

const Command kConfigCommand = {
    "config",
    "Set up",
    "check | show | path | reload",
    "check the configuration and show the values in force",
    "The files are read in the order that path prints; later ones override earlier ones key by key. check "
    "lists every mistake with its line and the nearest valid name; the exit code is then 2. It warns about "
    "a project whose directory does not exist or whose name is a command, and about mistakes in the older "
    "tool's status_config.toml. The daemon reads changed files again by itself; reload makes it do so at "
    "once, and shows the mistake if it refuses them.",
    "luzia config check\nluzia config show > luzia.toml\nluzia config check && luzia config reload\n$EDITOR "
    "\"$(luzia config path | tail -n 1)\"",
    {},
    {1, 1},
    run_config,
    false,
    {},
    "check|show|path|reload"};

}  // namespace luzia

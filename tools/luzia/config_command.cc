// config: check, show, path. Needs no daemon.
#include <cstdio>

#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_writer.h"
#include "tools/luzia/families.h"
#include "tools/luzia/invocation.h"

namespace luzia {
namespace {

int check(Invocation& invocation) {
  const std::vector<Error> errors = check_config(invocation.args().text("config"));
  if (invocation.json()) {
    std::string object;
    JsonWriter json(object);
    json.begin_object();
    json.key("ok");
    json.boolean(errors.empty());
    json.key("errors");
    json.begin_array();
    for (const Error& error : errors) {
      json.begin_object();
      json.key("code");
      json.text(error.code);
      json.key("message");
      json.text(error.message);
      json.key("hint");
      json.text(error.hint);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    print_line(object);
  } else {
    for (const Error& error : errors) {
      print_error(error, false);
    }
    if (errors.empty()) {
      invocation.say("the configuration is good");
    }
  }
  return errors.empty() ? 0 : static_cast<int>(ErrorKind::usage);
}

int show_paths(Invocation& invocation) {
  const auto paths = config_paths(invocation.args().text("config"));
  if (!invocation.json()) {
    for (const auto& [path, exists] : paths) {
      print_line(make_harmless(path) + (exists ? "" : " (not there)"));
    }
    return 0;
  }
  std::string object;
  JsonWriter json(object);
  json.begin_object();
  json.key("files");
  json.begin_array();
  for (const auto& [path, exists] : paths) {
    json.begin_object();
    json.key("path");
    json.text(path);
    json.key("exists");
    json.boolean(exists);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  print_line(object);
  return 0;
}

Result<int> run(Invocation& invocation) {
  const std::string& what = invocation.args().positionals().front();
  if (what == "check") {
    return check(invocation);
  }
  if (what == "path") {
    return show_paths(invocation);
  }
  if (what != "show") {
    return fail(ErrorKind::usage, "bad_usage", "luzia config: '" + what + "' is not check, show or path",
                "luzia config --help");
  }
  const auto config = invocation.config();
  if (!config) {
    return tl::unexpected(config.error());
  }
  if (!invocation.json()) {
    print(show_config(**config));
    return 0;
  }
  std::string object;
  JsonWriter json(object);
  json.begin_object();
  json.key("files");
  json.begin_array();
  for (const std::string& file : (*config)->files) {
    json.text(file);
  }
  json.end_array();
  json.key("store");
  json.text(default_store(**config));
  json.key("jobs_root");
  json.text(default_jobs_root(**config));
  json.key("toml");
  json.text(show_config(**config));
  json.end_object();
  print_line(object);
  return 0;
}

}  // namespace

const Command kConfigCommand = {
    "config",
    "Set up",
    "check | show | path",
    "check the configuration, show what is in force, say where it is read",
    "The files are read in the order that path prints; later ones win key by key. check names every mistake "
    "with its "
    "line and the nearest valid name, and ends with exit code 2 when there is one.",
    "luzia config check\nluzia config show > luzia.toml\n$EDITOR \"$(luzia config path | tail -n 1)\"",
    {},
    1,
    1,
    Completes::nothing,
    run};

}  // namespace luzia

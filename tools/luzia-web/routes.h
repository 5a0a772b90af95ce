// The one table of what the server answers. The router, the checks of parameters and bodies, and
// /v1/openapi.json come from it. Constants; any thread.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"
#include "tools/luzia-web/exchange.h"

namespace luzia::web {

/// Who may ask. Each role may do what those before it may.
enum class Role { anyone, viewer, op, admin };
std::string_view name_of(Role role);

/// What answers a route; one case each in door.cc.
enum class Handler {
  health,
  metrics,
  openapi,
  pair,
  me,
  read,  // runs a read command
  events,
  output,
  prompt,
  find,    // words in a job's output
  search,  // words in the outputs of all jobs
  changes,
  projects,
  agents,
  machine,
  machines,  // other ones
  fleet,
  offer_pairing,
  revoke,
  dispatch,
  batch,
  create_flow,
  act_on_job,
  tell,
  act_on_queue,
  act_on_flow,
  act_on_schedule,
  answer,
  decide,
  push_state,
  push_change,  // subscribe, unsubscribe
  push_test,
};

enum class FieldKind { text, whole, real, flag, texts, objects };

/// A parameter of the address, or a field of a body.
struct Field {
  std::string_view name;
  FieldKind kind;
  std::string_view meaning;
  bool required = false;
  std::span<const Field> items = {};  // objects: the fields of each
};

struct Route {
  std::string_view method, pattern;  // a part of the path in braces is a value: /v1/jobs/{job}
  Role role;
  Handler handler;
  std::string_view summary;
  const Command* command = nullptr;        // read: its options are the parameters
  std::string_view words = {};             // read: more words for the command
  std::span<const Field> parameters = {};  // if there is no command
  std::span<const Field> body = {};        // POST
  std::string_view type = "application/json";
  int success = 200;
};

std::span<const Route> all_routes();

struct Match {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> values;  // of the parts in braces
};

/// `no_such_route` (not_found), `bad_method` (usage).
Result<Match> find_route(std::string_view method, std::string_view path);

/// The options of a command that are parameters. Others are about terminals and files.
std::vector<Field> parameters_of(const Command& command);
/// The parameters that a route takes, those of its command included.
std::vector<Field> parameters_of(const Route& route);

/// The body as an object that has only fields of the route, each of its kind. `bad_json`, `bad_field`
/// (usage).
Result<nlohmann::json> checked_body(const Route& route, std::string_view body);
/// `unknown_parameter`, `repeated_parameter` (usage): a parameter that the route does not take.
Status checked_parameters(const Route& route, const Request& request);

/// The OpenAPI 3.1 document of the table.
std::string openapi_document();

}  // namespace luzia::web

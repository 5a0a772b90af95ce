// A request to luzia-web, as bytes of a stranger: whatever they are, it is refused or it is one of the table,
// no token is made up, and no answer has a header that the request has written. Input: "METHOD PATH", lines
// "name: value", lines "?name=value", an empty line, the body.
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia-web/actions.h"
#include "tools/luzia-web/gate.h"
#include "tools/luzia-web/http_head.h"
#include "tools/luzia-web/output.h"
#include "tools/luzia-web/readings.h"
#include "tools/luzia-web/routes.h"
#include "tools/luzia-web/search.h"

namespace luzia::web {
namespace {

/// Takes the text before `end` away.
std::string_view cut(std::string_view& text, char end) {
  const std::string_view piece = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), piece.size() + 1));
  return piece;
}

Request request_in(std::string_view input) {
  Request request;
  std::string_view line = cut(input, '\n');
  request.method = cut(line, ' ');
  request.path = line;
  while (!input.empty()) {
    line = cut(input, '\n');
    if (line.empty()) break;
    if (line.front() == '?') {
      line.remove_prefix(1);
      const std::string name(cut(line, '='));
      request.query.emplace_back(name, line);
    } else {
      const std::string name = lower_case_of(cut(line, ':'));
      request.headers.emplace(name, line.substr(std::min(line.size(), line.find_first_not_of(' '))));
    }
  }
  request.body = input;
  return request;
}

void check_answer(const Answer& answer) {
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  require(json.is_object() && json.contains("code"), "a problem is JSON with a code");
  std::string_view head = answer.body;
  const std::string text = head_of(answer, BodyForm::whole, true);
  head = text;
  std::size_t lines = 0;
  while (!head.empty()) {
    const std::string_view line = cut(head, '\n');
    require(line.ends_with('\r') && line.find('\r') == line.size() - 1, "lines of a head end in CR LF");
    require(lines == 0 || line == "\r" || line.find(": ") != std::string_view::npos, "a header has a name");
    ++lines;
  }
  require(text.find("\r\n\r\n") == text.size() - 4, "a head ends once");
}

void check_gate(const Request& request) {
  GatePolicy policy;
  policy.hosts = {"luzia.example"};
  const auto refused = refused_at_gate(policy, request);
  if (refused) return check_answer(problem(refused->error, refused->status));
  const auto host = host_name(request.header("host"));
  require(host && (*host == "localhost" || *host == "luzia.example" || is_address(*host)), "a known host");
  const std::string_view origin = request.header("origin"), site = request.header("sec-fetch-site");
  require(origin.empty() || lower_case_of(origin) == "http://" + lower_case_of(request.header("host")),
          "its own page");
  const bool near = site.empty() || site == "same-origin" || site == "none";
  require(near || !request.path.starts_with("/v1/"), "no other site");
  require(request.method == "GET" || request.method == "HEAD" ||
              lower_case_of(request.header("content-type")).starts_with("application/json"),
          "a body is JSON");
}

void check_secrets(const Request& request) {
  const std::string token = token_in(request, "luzia-8737");
  const bool shown = !request.header("authorization").empty() ||
                     (request.header("cookie").find("luzia-8737=") != std::string_view::npos &&
                      !request.header(kPageHeader).empty());
  require(token.empty() || (token.size() == kHalfBytes && shown), "a token was shown");
  const std::string forwarded = forwarded_address(request.header("x-forwarded-for"), "127.0.0.1");
  require(is_address(forwarded) || is_address("[" + forwarded + "]"), "a client has an address");
  const auto length = body_length(request);
  require(!length || *length <= kMostBodyBytes, "a bounded body");
  const auto id = command_id_of("d-1", request);
  require(!id || id->starts_with("d-1:"), "a device speaks for its own commands");
}

/// Cursors, and what a search looks for.
void check_places(const Request& request) {
  if (const auto cursor = output_cursor_of(request)) {
    Request again;
    again.query.emplace_back("cursor", cursor->text());
    const auto same = output_cursor_of(again);
    require(same && same->behind == cursor->behind && same->within == cursor->within &&
                same->offset == cursor->offset,
            "a cursor that is written is read");
  }
  const std::string link = next_page(request, next_cursor(request.body));
  require(link.find_first_of("\r\n") == std::string::npos, "a link is one line");
  const auto asked = find_query_of(request);
  require(!asked || (!asked->words.empty() && asked->words.size() <= 256 && asked->limit <= 1'000),
          "a bounded search");
}

/// Bodies of routes that change something. There is no daemon to ask.
void check_command(const Match& match, const nlohmann::json& body) {
  const DaemonDoor none("");
  if (match.route->handler == Handler::dispatch) {
    const auto job = dispatch_of(body, "d-1:a");
    return require(!job || (job->user.empty() && job->permissions != "bypass" && job->command_id == "d-1:a"),
                   "nobody else's job");
  }
  if (match.route->handler == Handler::create_flow) {
    const auto flow = flow_of(body, "d-1:a");
    return require(!flow || (flow->runs && flow->command_id == "d-1:a"), "nobody else's flow");
  }
  const auto request = request_for(none, "d-1", match, body, "d-1:a");
  if (!request) return check_answer(problem(request.error()));
  flatbuffers::FlatBufferBuilder builder;
  const auto packed = request->Pack(builder);
  builder.Finish(wire::CreateClientFrame(builder, 1, request->type, packed));
  std::vector<std::uint64_t> frame((builder.GetSize() + 7) / 8);  // aligned
  std::memcpy(frame.data(), builder.GetBufferPointer(), builder.GetSize());
  require(parse_client_frame({reinterpret_cast<const std::uint8_t*>(frame.data()), builder.GetSize()})
              .has_value(),
          "the daemon can read it");
}

void check_route(const Request& request) {
  const auto match = find_route(request.method, request.path);
  if (!match) return check_answer(problem(match.error()));
  require(request.path.starts_with('/'), "a path begins with a slash");
  for (const auto& [name, value] : match->values)
    require(!value.empty() && value.find('/') == std::string::npos, "a value is one part of the path");
  if (const Status fit = checked_parameters(*match->route, request); !fit)
    return check_answer(problem(fit.error()));
  if (match->route->command != nullptr) {
    const auto words = words_of(*match->route->command, request);
    for (std::size_t i = 0; words && i < words->size(); ++i)
      require((*words)[i].starts_with("--"), "parameters are options");
  }
  check_places(request);
  const auto range = range_of(request);
  require(!range || (range->limit > 0 && range->limit <= 1 << 20), "a bounded range");
  if (match->route->method != "POST") return;
  const auto body = checked_body(*match->route, request.body);
  if (!body) return check_answer(problem(body.error()));
  check_command(*match, *body);
}

}  // namespace
}  // namespace luzia::web

void luzia::fuzz(std::string_view input) {
  const auto request = web::request_in(input);
  web::check_gate(request);
  web::check_secrets(request);
  web::check_route(request);
}

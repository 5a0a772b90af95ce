#include "tools/luzia-web/exchange.h"

#include <algorithm>
#include <array>

#include "projections/rows/json_object.h"

namespace luzia::web {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 19> kReasons{{
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {206, "Partial Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
}};

/// Refusals that are about who asks. The others are about the state of what is asked for.
constexpr std::array<std::string_view, 6> kForbidden{"not_allowed",      "device_not_allowed",
                                                     "socket_refused",   "bad_push_endpoint",
                                                     "not_from_the_web", "cross_site"};

int status_of(const Error& error) {
  if (error.code == "device_unknown") return 401;
  switch (error.kind) {
    case ErrorKind::usage:
      return 400;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::refused:
      return std::ranges::find(kForbidden, error.code) != kForbidden.end() ? 403 : 409;
    case ErrorKind::trouble:
      return 503;
  }
  return 500;
}

}  // namespace

std::string_view reason_of(int status) {
  const auto* found = std::ranges::find(kReasons, status, [](const auto& reason) { return reason.first; });
  return found == kReasons.end() ? "Error" : found->second;
}

std::string lower_case_of(std::string_view text) {
  std::string lower(text);
  for (char& each : lower) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return lower;
}

Answer answer_with(Result<std::string> json) {
  if (!json) return problem(json.error());
  Answer answer;
  answer.body = std::move(*json);
  return answer;
}

Answer problem(const Error& error, int status) {
  Answer answer;
  answer.status = status != 0 ? status : status_of(error);
  answer.type = "application/problem+json";
  JsonObject object(answer.body);
  object.text("type", "about:blank");
  object.text("title", reason_of(answer.status));
  object.number("status", static_cast<std::int64_t>(answer.status));
  object.text("code", error.code);
  object.text("detail", error.message);
  object.text_or_null("hint", error.hint);
  object.end();
  answer.body += '\n';
  if (answer.status == 503) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace luzia::web

#include "tools/luzia/learn/solutions.h"

#include <sstream>

#include "engine/base/characters.h"
#include "engine/base/hash.h"
#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/learn/recording.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

tl::unexpected<Error> bad_solution(const std::string& where, const std::string& what) {
  return fail(ErrorKind::usage, "bad_solution", where + ": " + what,
              "a line is an object with problem and text, as luzia solution export writes it; nothing was "
              "recorded");
}

std::optional<std::string> text_field(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return std::string();
  return it->is_string() ? std::optional(it->get<std::string>()) : std::nullopt;
}

std::optional<std::vector<std::string>> list_field(const Json& object, const char* key) {
  std::vector<std::string> list;
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return list;
  if (!it->is_array()) return std::nullopt;
  for (const Json& each : *it) {
    if (!each.is_string()) return std::nullopt;
    list.push_back(each.get<std::string>());
  }
  return list;
}

/// The exported trust becomes the stated confidence, because trials are not imported.
Result<wire::RecordSolutionT> solution_of(const Json& object, const std::string& where, TimeUs now) {
  if (!object.is_object()) return bad_solution(where, "it is not an object");
  wire::RecordSolutionT request;
  for (const auto& [key, value] :
       {std::pair("problem", &request.problem), {"text", &request.text}, {"project", &request.project}}) {
    const auto field = text_field(object, key);
    if (!field) return bad_solution(where, std::string(key) + " is not a text");
    *value = *field;
  }
  if (request.problem.empty() || request.text.empty())
    return bad_solution(where, "problem or text is missing");
  for (const auto& [key, value] : {std::pair("tags", &request.tags), {"references", &request.references}}) {
    auto field = list_field(object, key);
    if (!field) return bad_solution(where, std::string(key) + " is not a list of texts");
    *value = std::move(*field);
  }
  const Json confidence = object.value("confidence", Json(request.confidence));
  if (!confidence.is_number()) return bad_solution(where, "confidence is not a number");
  request.confidence = confidence.get<double>();
  const auto expires = text_field(object, "expires_at");
  if (!expires) return bad_solution(where, "expires_at is not a time");
  if (expires->empty()) return request;
  const auto moment = parse_local_time(*expires, now);
  if (!moment) return bad_solution(where, "expires_at is not a time");
  request.expires_us = *moment;
  if (*moment <= now) request.problem.clear();  // nobody would be offered it
  return request;
}

}  // namespace

Result<std::vector<wire::RecordSolutionT>> solutions_from_text(const std::string& text,
                                                               const std::string& file_name, TimeUs now) {
  std::vector<wire::RecordSolutionT> requests;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_blank(line)) continue;
    const std::string where = file_name + ":" + std::to_string(number);
    const auto object = parse_json(line);
    if (!object) return bad_solution(where, object.error().message);
    auto request = LUZIA_TRY(solution_of(*object, where, now));
    if (request.problem.empty()) continue;
    request.command_id = "import/" + to_hex(Bytes(blake2b({as_bytes(line)})).first(16));
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<std::vector<wire::RecordSolutionT>> solutions_from_file(const std::string& path, const Arguments& args,
                                                               TimeUs now) {
  const auto text = LUZIA_TRY(read_text(path));
  auto requests = solutions_from_text(text, path == "-" ? "standard input" : path, now);
  if (!requests || (!args.has("project") && !args.has("everywhere"))) return requests;
  const auto project = LUZIA_TRY(project_to_record(args));
  for (wire::RecordSolutionT& request : *requests) {
    request.project = project;
    request.command_id += "/" + project;
  }
  return requests;
}

std::string judgement_id(const std::string& solution, const std::string& job, bool helped) {
  return "judge/" + solution + "/" + job + (helped ? "/helped" : "/failed");
}

}  // namespace luzia

#include "tools/luzia/learn/recording.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/try.h"
#include "projections/rows/json_object.h"

namespace luzia {

Result<std::string> project_to_record(const Arguments& args) {
  const auto named = args.texts("project");
  if (args.has("everywhere")) {
    if (named.empty()) return std::string();
    return fail(ErrorKind::usage, "bad_usage", "--everywhere and --project exclude each other");
  }
  if (named.size() > 1) {
    return fail(ErrorKind::usage, "bad_usage", "one project at a time",
                "record it once for each, or --everywhere");
  }
  if (!named.empty()) return named.front();
  const char* own = std::getenv("LUZIA_PROJECT");
  if (own != nullptr && *own != '\0') return std::string(own);
  return fail(ErrorKind::usage, "no_project", "for which project?",
              "--project NAME, or --everywhere where it holds in every one");
}

void print_recorded_ids(const Invocation& invocation, const wire::AcceptedT& accepted) {
  if (!invocation.json()) {
    for (const std::string& id : accepted.ids) print_line(id);
    return;
  }
  JsonObject object;
  object.strings("ids", accepted.ids);
  object.number("position", accepted.position);
  object.boolean("repeated", accepted.repeated);
  object.boolean("known", accepted.known);
  print_line(object.take());
}

Result<int> send_and_report(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                            const std::string& done, const std::string& known) {
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request));
  std::string ids;
  for (const std::string& id : accepted.ids) ids += (ids.empty() ? "" : " ") + id;
  print_recorded_ids(invocation, accepted);
  const bool is_known = accepted.known && !known.empty();
  invocation.say((ids.empty() ? "" : ids + ": ") + (is_known ? known : done));
  return 0;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::uint32_t limit_to_list(const Arguments& args, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(args.number("limit").value_or(otherwise), 1, 1'000));
}

}  // namespace luzia

#include "tools/luzia-web/find.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-web/clock.h"
#include "tools/luzia-web/output.h"
#include "tools/read/found_line.h"

namespace luzia::web {
namespace {

constexpr std::int64_t kFindPatienceUs = 400'000;
constexpr std::size_t kMostWordBytes = 256;
constexpr std::uint64_t kMostLines = 1'000, kUsualLines = 50;

Result<std::uint64_t> whole_parameter(const Request& request, std::string_view name, std::uint64_t otherwise,
                                      std::uint64_t most) {
  const std::string* value = request.parameter(name);
  if (value == nullptr) return otherwise;
  const auto number = parse_whole_number(*value);
  if (number && *number <= most) return *number;
  return fail(ErrorKind::usage, "bad_value",
              std::string(name) + ": a number from 0 to " + std::to_string(most));
}

Answer found_answer(const wire::FoundWordsT& found, std::size_t words_size) {
  Answer answer;
  JsonObject object(answer.body);
  object.array("lines", found.lines, [&](const auto& line) { return found_line_json(*line, words_size); });
  object.number("count", found.count);
  object.number("reached", found.reached);
  object.boolean("over", found.over);
  object.number("size", found.size);
  object.end();
  answer.body += '\n';
  return answer;
}

}  // namespace

Result<std::string> words_to_find(const Request& request) {
  const std::string* words = request.parameter("words");
  if (words != nullptr && !words->empty() && words->size() <= kMostWordBytes &&
      words->find('\n') == std::string::npos)
    return *words;
  return fail(ErrorKind::usage, "bad_words",
              "words: what to find, one line of 1 to " + std::to_string(kMostWordBytes) + " bytes");
}

Result<FindQuery> find_query_of(const Request& request) {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  FindQuery asked;
  asked.words = LUZIA_TRY(words_to_find(request));
  const std::string* direction = request.parameter("direction");
  asked.backward = direction != nullptr && *direction == "previous";
  if (direction != nullptr && !asked.backward && *direction != "next")
    return fail(ErrorKind::usage, "bad_value", "direction: next or previous");
  asked.from = LUZIA_TRY(whole_parameter(request, "from", asked.backward ? kAny : 0, kAny));
  const auto limit = LUZIA_TRY(whole_parameter(request, "limit", kUsualLines, kMostLines));
  asked.limit = static_cast<std::uint32_t>(limit);
  const auto attempt = LUZIA_TRY(whole_parameter(request, "attempt", 0, ~std::uint32_t{0}));
  asked.attempt = static_cast<std::uint32_t>(attempt);
  return asked;
}

Result<wire::FoundWordsT> find_words(Client& client, FindQuery asked, std::int64_t until_us,
                                     const Unwanted& unwanted) {
  wire::FoundWordsT all;
  const std::uint32_t limit = asked.limit;
  while (true) {
    wire::TailT tail;
    tail.job = asked.job;
    tail.attempt = asked.attempt;
    tail.find = asked.words;
    tail.offset = asked.from;
    tail.until = asked.until;
    tail.backward = asked.backward;
    tail.limit = asked.limit;
    auto reply = LUZIA_TRY(client.ask(request_of(std::move(tail))));
    auto* const output = reply->reply.AsOutput();
    if (output == nullptr || output->found == nullptr) {
      return fail(ErrorKind::trouble, "daemon_too_old", "the daemon that runs cannot search output",
                  "luzia daemon restart starts the installed version; running jobs are not touched");
    }
    wire::FoundWordsT& found = *output->found;
    all.count += found.count;
    all.reached = asked.from = found.reached;
    all.over = found.over;
    all.size = found.size;
    asked.limit -= std::min(asked.limit, static_cast<std::uint32_t>(found.lines.size()));
    std::ranges::move(found.lines, std::back_inserter(all.lines));
    const bool enough = limit != 0 && asked.limit == 0;
    if (all.over || enough || *unwanted || steady_us() >= until_us) return all;
  }
}

Answer find(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request,
            const Unwanted& unwanted) {
  auto asked = find_query_of(request);
  if (!asked) return problem(asked.error());
  asked->job = match.values.find("job")->second;
  const std::size_t words_size = asked->words.size();
  if (request.parameter("at") != nullptr) {
    const auto known = known_output(door, device, asked->job, asked->attempt, request);
    if (!known) return problem(known.error());
    asked->attempt = known->attempt;
    asked->until = known->end == kNoEnd ? 0 : known->end;
    if (known->end == 0) {
      wire::FoundWordsT none;
      none.over = true;
      return found_answer(none, words_size);
    }
  }
  auto client = door.take(device);
  if (!client) return problem(client.error());
  const std::uint64_t until = asked->until;
  auto found = find_words(*client, std::move(*asked), steady_us() + kFindPatienceUs, unwanted);
  if (!found) return problem(found.error());
  if (until != 0) found->size = std::min(found->size, until);
  door.keep(device, std::move(*client));
  return found_answer(*found, words_size);
}

}  // namespace luzia::web

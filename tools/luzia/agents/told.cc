#include "tools/luzia/agents/told.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include "adapters/files/out_file.h"
#include "engine/base/counted.h"
#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/base/utf8.h"
#include "tools/luzia/asking.h"

namespace luzia {
namespace {

/// Claude Code (2.1.332) shows 2 KB of what has over 10,000 characters; Codex (0.171) and Qwen Code (0.24)
/// omit parts of longer texts.
constexpr std::size_t kMostForModel = 8'000, kShownBeginning = 1'000;

Status leave_in_file(const std::string& path, const std::string& words) {
  auto file = LUZIA_TRY(OutFile::create(path));
  LUZIA_TRY(file.write(words));
  return file.finish();
}

}  // namespace

Result<ToldWords> take_told(SendCommand send, const OwnJob& own, const std::string& event) {
  wire::TakeToldT request;
  request.job = own.job;
  request.attempt = LUZIA_TRY(Result<std::uint32_t>(own.attempt));
  request.event = event;
  request.command_id = fresh_command_id();
  request.confirms = true;
  auto accepted = LUZIA_TRY(send(request_of(request)));
  ToldWords told;
  if (accepted.ids.empty()) return told;
  failpoint("told.taken");
  told.text = std::move(accepted.ids.front());
  request.shown.assign(std::make_move_iterator(accepted.ids.begin() + 1),
                       std::make_move_iterator(accepted.ids.end()));
  // An older daemon names none: they count as read already.
  if (request.shown.empty()) return told;
  request.confirms = false;
  request.command_id = fresh_command_id();
  told.confirm = [send = std::move(send), request = std::move(request)] {
    failpoint("told.shown");
    // If this fails, the agent is told it once more.
    [[maybe_unused]] const auto confirmed = send(request_of(request));
  };
  return told;
}

std::string fit_for_model(std::string told) {
  const char* folder = std::getenv("LUZIA_JOB_DIR");
  if (told.size() <= kMostForModel || folder == nullptr || *folder != '/') return told;
  const std::string path = std::string(folder) + "/told-" + fresh_command_id() + ".txt";
  if (!leave_in_file(path, told)) return told;
  return bounded_utf8(told, kShownBeginning) + "\n\nThis is only the beginning of " +
         counted(told.size(), "byte") + ". Read the whole text before you go on: it is in the file " + path +
         "\n";
}

}  // namespace luzia

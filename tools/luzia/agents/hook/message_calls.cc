#include "tools/luzia/agents/hook/message_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tools/cli/json_text.h"

namespace luzia::hook {
namespace {

/// The part of a transcript that is searched: a call's message is near its end.
constexpr std::size_t kMostTranscript = 16 << 20;
/// Claude Code writes its buffer every tenth of a second, so a file unchanged for kSettled is complete.
constexpr std::chrono::milliseconds kLookEvery{50}, kSettled{600}, kPatience{5'000};

/// The part of an assistant's message in one line of the transcript.
struct Part {
  std::string message;
  bool complete = false;  // it says why the message ended
  std::vector<std::string> calls;
};

Part part_of(std::string_view line) {
  Part part;
  const auto entry = parse_json(line);
  if (!entry || !entry->is_object() || text_of(*entry, "type") != "assistant") return part;
  const auto message = entry->find("message");
  if (message == entry->end() || !message->is_object()) return part;
  part.message = text_of(*message, "id");
  part.complete = !text_of(*message, "stop_reason").empty();
  const auto content = message->find("content");
  if (content == message->end() || !content->is_array()) return part;
  for (const Json& block : *content) {
    if (block.is_object() && text_of(block, "type") == "tool_use") part.calls.push_back(text_of(block, "id"));
  }
  return part;
}

/// Visits the lines that contain `word`. Parses only these, because a transcript can be long.
template <class Visit>
void for_lines_with(std::string_view transcript, std::string_view word, Visit visit) {
  for (std::size_t at = transcript.find(word); at != std::string_view::npos; at = transcript.find(word, at)) {
    const std::size_t begin = transcript.rfind('\n', at) + 1;  // npos + 1 is the beginning
    const std::size_t end = std::min(transcript.find('\n', at), transcript.size());
    visit(part_of(transcript.substr(begin, end - begin)));
    at = end;
  }
}

}  // namespace

Company company_of(std::string_view transcript, std::string_view call_id) {
  if (call_id.empty()) return Company::unknown;
  std::string message;
  for_lines_with(transcript, call_id, [&](Part part) {
    if (std::ranges::find(part.calls, call_id) != part.calls.end()) message = std::move(part.message);
  });
  if (message.empty()) return Company::unknown;
  std::set<std::string> calls;
  bool complete = true;
  for_lines_with(transcript, message, [&](const Part& part) {
    if (part.message != message) return;
    complete = complete && part.complete;
    calls.insert(part.calls.begin(), part.calls.end());
  });
  if (calls.size() > 1) return Company::others;
  return complete ? Company::alone : Company::unknown;
}

bool is_alone_in_message(const std::string& transcript_path, std::string_view call_id) {
  using Clock = std::chrono::steady_clock;
  if (transcript_path.empty()) return false;
  const auto deadline = Clock::now() + kPatience;
  std::string before;
  for (auto changed = Clock::now(); Clock::now() < deadline; std::this_thread::sleep_for(kLookEvery)) {
    std::string transcript = read_transcript(transcript_path);
    if (transcript != before) changed = Clock::now();
    before = std::move(transcript);
    const bool is_whole = Clock::now() - changed >= kSettled;
    switch (company_of(before, call_id)) {
      case Company::others:
        return false;
      case Company::alone:
        if (is_whole) return true;
        break;
      case Company::unknown:
        break;
    }
  }
  return false;
}

std::string read_transcript(const std::string& path) {
  const int fd = path.empty() ? -1 : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  std::string bytes;
  if (fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    bytes.resize(std::min(size, kMostTranscript));
    const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(size - bytes.size()));
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  if (fd >= 0) ::close(fd);
  return bytes;
}

}  // namespace luzia::hook

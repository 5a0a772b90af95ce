#include "tools/luzia-web/daemon_lines.h"

#include <algorithm>

#include "tools/read/pages.h"

namespace luzia::web {
namespace {

void report_answers(std::vector<std::pair<DaemonLines::Answered, std::optional<Result<RowPage>>>> done) {
  for (auto& [answered, answer] : done) answered(std::move(answer));
}

}  // namespace

/// False: every connection is in use.
bool DaemonLines::make_room() {
  if (lines_.size() < kMostLines) return true;
  auto oldest = lines_.end();
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    const bool idle = line->second->sent.empty() && line->second->waiting.empty();
    if (idle && (oldest == lines_.end() || line->second->used < oldest->second->used)) oldest = line;
  }
  if (oldest == lines_.end()) return false;
  lines_.erase(oldest);
  return true;
}

bool DaemonLines::can_ask(const std::string& device, Clock::time_point now) {
  if (const auto found = lines_.find(device); found != lines_.end())
    return found->second->waiting.size() < kMostWaiting;
  auto client = door_.take_kept(device);
  if (!client) return false;
  if (!make_room()) {
    door_.keep(device, std::move(*client));
    return false;
  }
  auto line = std::make_unique<Line>(std::move(*client));
  line->heard = line->used = now;
  line->watch = watch_(line->client.fd(), [this, device] { readable(device); });
  lines_.emplace(device, std::move(line));
  return true;
}

void DaemonLines::ask(const std::string& device, wire::QueryT query, Answered answered,
                      Clock::time_point now) {
  const auto found = lines_.find(device);
  if (found == lines_.end()) return answered(std::nullopt);
  Line& line = *found->second;
  line.used = now;
  if (line.sent.empty()) line.heard = now;
  line.waiting.push_back({std::move(query), std::move(answered)});
  if (send_waiting(line)) return;
  Done done;
  end(device, done);
  report_answers(std::move(done));
}

/// False: the connection is lost.
bool DaemonLines::send_waiting(Line& line) {
  if (line.waiting.empty() || line.sent.size() >= kMostSent) return true;
  while (!line.waiting.empty() && line.sent.size() < kMostSent) {
    const auto id = line.client.post(request_of(wire::QueryT(line.waiting.front().query)));
    if (!id) return false;
    line.sent.emplace(*id, std::move(line.waiting.front()));
    line.waiting.pop_front();
  }
  return line.client.flush().has_value();
}

/// False: the connection is lost.
bool DaemonLines::take(Line& line, const wire::ServerFrame& frame, Done& done) {
  const auto found = line.sent.find(frame.id());
  const wire::Refused* refused = frame.reply_as_Refused();
  if (found == line.sent.end()) return refused == nullptr;  // a refusal of the connection
  Result<RowPage> answer = RowPage();
  if (refused != nullptr) {
    answer = tl::unexpected(error_from(*refused));
    if (starts_over(answer.error())) return false;
  } else if (const wire::Rows* rows = frame.reply_as_Rows(); rows != nullptr) {
    append_rows(found->second.rows, *rows);
    if (!rows->last()) return true;
    answer = std::move(found->second.rows);
  } else {
    return false;
  }
  done.emplace_back(std::move(found->second.answered), std::move(answer));
  line.sent.erase(found);
  return true;
}

/// False: the connection is lost.
bool DaemonLines::receive(Line& line, Done& done) {
  do {
    const auto frame = line.client.receive(std::chrono::milliseconds(0));
    if (!frame) return false;
    if (*frame == nullptr) break;
    line.heard = Clock::now();
    if (!take(line, **frame, done)) return false;
  } while (!line.sent.empty());
  return send_waiting(line);
}

void DaemonLines::readable(const std::string& device) {
  const std::string own = device;  // what it belongs to may end here
  const auto found = lines_.find(own);
  if (found == lines_.end()) return;
  Done done;
  Line& line = *found->second;
  const bool goes_on = receive(line, done);
  // After a large answer its buffers are large.
  if (!goes_on || (line.sent.empty() && !line.client.holds_little())) end(own, done);
  report_answers(std::move(done));
}

void DaemonLines::end(const std::string& device, Done& done) {
  const auto found = lines_.find(device);
  const std::unique_ptr<Line> line = std::move(found->second);
  lines_.erase(found);
  for (auto& [id, question] : line->sent) done.emplace_back(std::move(question.answered), std::nullopt);
  for (Question& question : line->waiting) done.emplace_back(std::move(question.answered), std::nullopt);
}

void DaemonLines::tick(Clock::time_point now) {
  std::vector<std::string> over;
  for (const auto& [device, line] : lines_) {
    const bool silent = !line->sent.empty() && now - line->heard > kPatience;
    if (silent || (line->sent.empty() && now - line->used > kMostIdle)) over.push_back(device);
  }
  Done done;
  for (const std::string& device : over) end(device, done);
  report_answers(std::move(done));
}

}  // namespace luzia::web

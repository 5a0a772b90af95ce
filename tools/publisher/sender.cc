#include "tools/publisher/sender.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "adapters/socket/socket_path.h"
#include "engine/base/hash.h"
#include "engine/base/places.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetryAfter{20}, kLongestRetryAfter{250};
constexpr std::size_t kIdBytes = 12;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

Result<std::string> socket_of(const Destination& destination) {
  if (!destination.socket.empty()) return destination.socket;
  std::error_code ignored;
  return socket_path(std::filesystem::absolute(destination.store, ignored).lexically_normal().string());
}

PublishResult failure(const Error& error) {
  return {0, error.code, error.message, error.hint};
}

PublishResult no_job() {
  return {0, "no_job", "publishing: no job given and $LUZIA_JOB_ID is not set",
          "set PublisherOptions::job, or task_id and project"};
}

/// Uses $LUZIA_ATTEMPT. Fencing: publications of a stopped attempt must not count for the next attempt.
void take_own_attempt(Destination& to) {
  const std::string attempt = variable("LUZIA_ATTEMPT");
  if (attempt.empty()) return;
  if (const auto number = parse_whole_number(attempt)) {
    to.attempt = static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, ~0U));
    return;
  }
  to.mistake = PublishResult{0, "bad_value",
                             "publishing: $LUZIA_ATTEMPT: '" + attempt + "' is not a whole number from 0",
                             "leave it as luzia set it for the job, or set PublisherOptions::attempt"};
}

}  // namespace

Destination destination_of(const PublisherOptions& options) {
  Destination to{options.job, options.attempt, options.socket, options.store};
  const std::string own_job = variable("LUZIA_JOB_ID");
  if (to.job.empty()) to.job = own_job;
  if (to.attempt == 0 && to.job == own_job) take_own_attempt(to);
  if (to.job.empty()) {
    to.task_id = options.task_id;
    to.project = options.project;
    if (to.task_id.empty()) to.mistake = no_job();
  }
  if (to.socket.empty() && to.store.empty()) to.socket = variable("LUZIA_SOCKET");
  if (to.socket.empty() && to.store.empty()) to.store = variable("LUZIA_STORE");
  if (to.socket.empty() && to.store.empty()) to.store = store_by_surroundings();
  return to;
}

Sender::Sender(Destination destination) : destination_(std::move(destination)) {
  const std::string random = random_bytes(kIdBytes);
  id_prefix_ = "pub-" + to_hex(as_bytes(random)) + "-";
}

wire::RequestUnion Sender::request_for(const Outgoing& outgoing) const {
  wire::PublishT publish;
  publish.job = destination_.job;
  publish.attempt = destination_.attempt;
  publish.task_id = destination_.task_id;
  publish.project = destination_.project;
  publish.report = report_of(outgoing.publication);
  publish.command_id = id_prefix_ + std::to_string(outgoing.number);
  return request_of(std::move(publish));
}

bool Sender::connect() {
  if (Clock::now() < retry_at_) return false;
  const auto path = socket_of(destination_);
  auto client = path ? Client::connect(*path) : Result<Client>(tl::unexpected(path.error()));
  if (!client) {
    lose(client.error());
    return false;
  }
  const std::lock_guard lock(client_mutex_);
  client_.emplace(std::move(*client));
  return true;
}

void Sender::lose(const Error& why) {
  {
    const std::lock_guard lock(client_mutex_);
    client_.reset();
  }
  trouble_ = why.message;
  for (Outgoing& outgoing : under_way_) outgoing.request = 0;
  sent_ = 0;
  // The first retry is immediate: after a restart the daemon is back already.
  retry_at_ = Clock::now() + retry_after_;
  retry_after_ = std::clamp(retry_after_ * 2, kFirstRetryAfter, kLongestRetryAfter);
}

Status Sender::send_new() {
  for (; sent_ < under_way_.size(); ++sent_) {
    Outgoing& outgoing = under_way_[sent_];
    if (outgoing.result) continue;
    auto id = client_->post(request_for(outgoing));
    if (id) {
      outgoing.request = *id;
    } else if (id.error().kind == ErrorKind::usage) {
      outgoing.result = failure(id.error());
    } else {
      return tl::unexpected(id.error());
    }
  }
  skip_answered();
  return {};
}

void Sender::skip_answered() {
  while (answered_ < under_way_.size() && under_way_[answered_].result) ++answered_;
}

Status Sender::take(const wire::ServerFrame& frame) {
  const auto* accepted = frame.reply_as_Accepted();
  const auto* refused = frame.reply_as_Refused();
  if (accepted == nullptr && refused == nullptr) {
    return fail(ErrorKind::trouble, "unexpected_reply", "publishing: the daemon sent an unexpected answer",
                "luzia daemon restart starts the installed version");
  }
  if (refused != nullptr) {
    Error error = error_from(*refused);
    if (frame.id() == 0 || starts_over(error)) return tl::unexpected(std::move(error));
  }
  const auto first = under_way_.begin() + static_cast<std::ptrdiff_t>(answered_);
  const auto found = std::find_if(first, under_way_.end(), [&](const Outgoing& outgoing) {
    return outgoing.request == frame.id() && !outgoing.result;
  });
  if (found == under_way_.end()) return {};
  if (accepted != nullptr) {
    found->result = PublishResult{accepted->position(), {}, {}, {}};
  } else {
    found->result = failure(error_from(*refused));
  }
  skip_answered();
  retry_after_ = milliseconds(0);
  trouble_.clear();
  return {};
}

Status Sender::receive_all() {
  while (true) {
    const auto frame = LUZIA_TRY(client_->receive(milliseconds(0)));
    if (frame == nullptr) return {};
    LUZIA_TRY(take(*frame));
  }
}

Sender::Pending Sender::advance() {
  if (answered_ == under_way_.size()) return {};
  if (!client_ && !connect()) return {-1, retry_at_};
  Status done = send_new();
  if (done) done = receive_all();
  if (!done) {
    lose(done.error());
    return {-1, retry_at_};
  }
  return {client_->fd(), Clock::time_point::max()};
}

std::optional<Outgoing> Sender::take_answered() {
  if (under_way_.empty() || !under_way_.front().result) return std::nullopt;
  std::optional<Outgoing> oldest(std::move(under_way_.front()));
  under_way_.pop_front();
  --answered_;
  if (sent_ > 0) --sent_;
  return oldest;
}

std::deque<Outgoing> Sender::give_up() {
  const std::lock_guard lock(client_mutex_);
  client_.reset();
  answered_ = sent_ = 0;
  return std::exchange(under_way_, {});
}

void Sender::cut() {
  const std::lock_guard lock(client_mutex_);
  if (client_) ::shutdown(client_->fd(), SHUT_RDWR);
}

}  // namespace luzia

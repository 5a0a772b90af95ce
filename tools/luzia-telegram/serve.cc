#include "tools/luzia-telegram/serve.h"

#include <curl/curl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <set>

#include "adapters/notify/post_request.h"
#include "adapters/notify/telegram_answers.h"
#include "adapters/notify/telegram_settings.h"
#include "adapters/notify/telegram_store.h"
#include "adapters/socket/client.h"
#include "projections/rows/harmless.h"
#include "projections/rows/row_bytes.h"
#include "tools/luzia-telegram/bot_api.h"
#include "tools/luzia-telegram/outcome.h"
#include "tools/luzia-telegram/poller.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kReconnect = std::chrono::seconds(1);
/// A person may press a button before the sending program has recorded its message.
constexpr auto kUntilNoted = std::chrono::seconds(5);
constexpr std::uint64_t kFirstPauseS = 1, kLongestPauseS = 60;

/// Writes a line to the daemon's log.
void say(const std::string& what) {
  std::puts(make_harmless(what).c_str());
  std::fflush(stdout);
}

class Bot {
 public:
  Bot(TelegramSettings settings, std::string token)
      : settings_(std::move(settings)),
        number_(bot_number(token)),
        api_(settings_.api, std::move(token)),
        poller_(api_),
        store_(settings_.folder) {}

  int run();

 private:
  void connect();
  void lost(const Error& why);
  void look_at_messages();
  void await_decisions();
  void take_frames();
  void take_frame(const wire::ServerFrame& frame);
  void write_outcomes();
  void take_updates();
  bool carry_out(const TelegramUpdate& update);
  bool submit(const TelegramUpdate& update, const std::string& request, const wire::RequestUnion& body);
  void speak(const TelegramUpdate& update, const std::string& text);
  void poll_again(const CallResult& result);
  int patience_ms() const;
  bool wait();

  TelegramSettings settings_;
  std::string number_;
  BotApi api_;
  Poller poller_;
  TelegramStore store_;
  int watch_ = -1;  // on the store's folder
  std::optional<Client> client_;
  Clock::time_point connect_at_{};
  std::map<std::pair<std::int64_t, std::int64_t>, TelegramMessage> messages_;
  std::map<std::uint64_t, std::string> awaited_;   // the request, by the frame that awaits it
  std::set<std::string> asked_;                    // requests that are awaited or decided
  std::map<std::string, std::string> outcomes_;    // by request, once it is decided
  std::map<std::string, std::string> decided_by_;  // people who decided here, by request
  Clock::time_point write_at_{};                   // earliest time to write outcomes
  std::uint64_t write_pause_s_ = kFirstPauseS;
  std::deque<TelegramUpdate> updates_;
  Clock::time_point noted_by_{};  // the first update's message may become known until then; zero: it is known
  std::int64_t offset_ = 0;
  std::uint64_t poll_pause_s_ = 0;
  bool useless_ = false;              // this token does not work
  std::set<std::int64_t> strangers_;  // chats already mentioned in the log
};

// ------------------------------------------------------------------------------------------- the daemon

void Bot::connect() {
  if (client_ || Clock::now() < connect_at_) return;
  auto client = Client::connect(settings_.socket);
  if (!client) {
    connect_at_ = Clock::now() + kReconnect;
    return;
  }
  client_.emplace(std::move(*client));
  awaited_.clear();
  asked_.clear();
  for (const auto& [request, outcome] : outcomes_) asked_.insert(request);
}

void Bot::lost(const Error& why) {
  say("the connection to the daemon is lost: " + why.message);
  client_.reset();
  connect_at_ = Clock::now() + kReconnect;
}

void Bot::look_at_messages() {
  messages_ = store_.all();
  if (messages_.size() > TelegramStore::kKept * 5 / 4) {
    store_.prune();
    messages_ = store_.all();
  }
}

/// The daemon answers each when it is decided, or at once if that was long ago.
void Bot::await_decisions() {
  if (!client_) return;
  for (const auto& [key, message] : messages_) {
    if (message.closed || message.request.empty() || !asked_.insert(message.request).second) continue;
    wire::AwaitInputT await;
    await.job = message.job;
    await.id = message.request;
    const auto sent = client_->post(request_of(std::move(await)));
    if (!sent) return lost(sent.error());
    awaited_.emplace(*sent, message.request);
  }
  if (const Status flushed = client_->flush(); !flushed) lost(flushed.error());
}

void Bot::take_frames() {
  while (client_) {
    const auto frame = client_->receive(std::chrono::milliseconds(0));
    if (!frame) return lost(frame.error());
    if (*frame == nullptr) return;
    take_frame(**frame);
  }
}

void Bot::take_frame(const wire::ServerFrame& frame) {
  const auto awaited = awaited_.find(frame.id());
  if (awaited == awaited_.end()) return;
  const std::string request = awaited->second;
  awaited_.erase(awaited);
  const auto outcome = outcome_in(frame);
  if (!outcome)
    return say("what became of " + request + " is not known");  // asked again on the next connection
  const auto who = decided_by_.find(request);
  outcomes_[request] = *outcome + (who == decided_by_.end() ? "" : " (" + who->second + ")");
  if (who != decided_by_.end()) decided_by_.erase(who);
}

// ----------------------------------------------------------------------------------- outcomes

void Bot::write_outcomes() {
  if (outcomes_.empty() || Clock::now() < write_at_) return;
  for (auto& [key, message] : messages_) {
    const auto outcome = outcomes_.find(message.request);
    if (message.closed || outcome == outcomes_.end()) continue;
    const CallResult edited =
        api_.call("editMessageText", edit_body(message, outcome->second), settings_.timeout_ms);
    if (edited.how == CallResult::How::later) {
      const std::uint64_t pause = std::max(write_pause_s_, edited.retry_after_s);
      say("writing what became of " + message.request + ": " + edited.detail + "; again in " +
          std::to_string(pause) + " s");
      write_at_ = Clock::now() + std::chrono::seconds(pause);
      write_pause_s_ = std::min(kLongestPauseS, write_pause_s_ * 2);
      return;
    }
    write_pause_s_ = kFirstPauseS;
    // A message that was deleted there, or already shows the outcome, is finished too.
    if (edited.how == CallResult::How::never) say("message of " + message.request + ": " + edited.detail);
    message.closed = true;
    if (const Status kept = store_.keep(message); !kept) say(kept.error().message);
  }
  // Forget these requests, so that a message recorded only now is asked about again.
  for (const auto& [request, outcome] : outcomes_) asked_.erase(request);
  outcomes_.clear();
}

// ----------------------------------------------------------------------------------- people's messages

void Bot::speak(const TelegramUpdate& update, const std::string& text) {
  const CallResult said =
      update.callback.empty()
          ? api_.call("sendMessage", reply_body(update.chat, update.message, text), settings_.timeout_ms)
          : api_.call("answerCallbackQuery", callback_body(update.callback, text), settings_.timeout_ms);
  if (said.how != CallResult::How::done) say("answering " + update.from + ": " + said.detail);
}

/// False: the daemon is not available now; retry later.
bool Bot::submit(const TelegramUpdate& update, const std::string& request, const wire::RequestUnion& body) {
  if (!client_) return false;
  const auto reply = client_->ask(body);
  if (reply) {
    decided_by_[request] = update.from + " by Telegram";
    say(update.from + " has decided " + request);
    if (!update.callback.empty()) speak(update, {});
    return true;
  }
  if (reply.error().kind == ErrorKind::trouble) {
    lost(reply.error());
    return false;
  }
  speak(update, reply.error().message);
  return true;
}

bool Bot::carry_out(const TelegramUpdate& update) {
  const TelegramKnown known{[this](std::int64_t chat, std::int64_t message) -> const TelegramMessage* {
    const auto found = messages_.find({chat, message});
    return found == messages_.end() ? nullptr : &found->second;
  }};
  const TelegramAction action = act_on(update, settings_.chats, known);
  const std::string command_id = "telegram-" + number_ + "-" + std::to_string(update.id);
  if (const auto* ignore = std::get_if<TelegramIgnore>(&action)) {
    if (strangers_.size() < 100 && strangers_.insert(update.chat).second) say("left out: " + ignore->why);
    return true;
  }
  if (const auto* word = std::get_if<TelegramSay>(&action)) {
    if (word->unknown && noted_by_ == Clock::time_point{}) noted_by_ = Clock::now() + kUntilNoted;
    if (word->unknown && Clock::now() < noted_by_) return false;
    speak(update, word->text);
    return true;
  }
  if (const auto* reply = std::get_if<TelegramReply>(&action)) {
    wire::AnswerQuestionT answer;
    answer.job = reply->job;
    answer.question = reply->question;
    answer.answer = reply->answer;
    answer.command_id = command_id;
    answer.person = telegram_person(update);
    return submit(update, reply->question, request_of(std::move(answer)));
  }
  const auto& decision = std::get<TelegramDecision>(action);
  wire::DecideApprovalT decide;
  decide.job = decision.job;
  decide.gate = decision.approval;
  decide.approve = decision.approve;
  decide.command_id = command_id;
  decide.person = telegram_person(update);
  return submit(update, decision.approval, request_of(std::move(decide)));
}

void Bot::poll_again(const CallResult& result) {
  if (result.how == CallResult::How::never) {
    // The token may have changed by the time the daemon starts us again.
    say("asking for updates: " + result.detail);
    useless_ = true;
    return;
  }
  if (result.how == CallResult::How::done) {
    poll_pause_s_ = 0;
  } else {
    poll_pause_s_ = std::clamp(poll_pause_s_ * 2, kFirstPauseS, kLongestPauseS);
    poll_pause_s_ = std::max(poll_pause_s_, result.retry_after_s);
    say("asking for updates: " + result.detail + "; again in " + std::to_string(poll_pause_s_) + " s");
  }
  poller_.ask(offset_, poll_pause_s_);
}

void Bot::take_updates() {
  if (const auto result = poller_.result()) {
    auto updates = result->how == CallResult::How::done ? parse_updates(result->body)
                                                        : Result<std::vector<TelegramUpdate>>();
    if (!updates) {
      CallResult bad = *result;
      bad.how = CallResult::How::later;
      bad.detail = updates.error().message;
      return poll_again(bad);
    }
    updates_.assign(updates->begin(), updates->end());
    if (updates_.empty()) return poll_again(*result);
    // A message may have been sent just before the watch on the folder reports it.
    look_at_messages();
  }
  while (!updates_.empty()) {
    const TelegramUpdate& update = updates_.front();
    if (update.id >= offset_ && !carry_out(update)) return;
    noted_by_ = {};
    offset_ = std::max(offset_, update.id + 1);
    if (const Status kept = store_.keep_offset(offset_); !kept) say(kept.error().message);
    updates_.pop_front();
    if (updates_.empty()) {
      poll_pause_s_ = 0;
      poller_.ask(offset_, 0);
    }
  }
}

// --------------------------------------------------------------------------------------------- main loop

int Bot::patience_ms() const {
  auto until = Clock::time_point::max();
  if (!client_) until = std::min(until, connect_at_);
  if (noted_by_ != Clock::time_point{}) until = std::min(until, noted_by_);
  if (!outcomes_.empty()) until = std::min(until, write_at_);
  if (until == Clock::time_point::max()) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left + 1, 0, 60'000));
}

/// False: the daemon wants us to end, or is gone.
bool Bot::wait() {
  pollfd look[4] = {{STDIN_FILENO, POLLIN, 0},
                    {poller_.fd(), POLLIN, 0},
                    {watch_, POLLIN, 0},
                    {client_ ? client_->fd() : -1, POLLIN, 0}};
  if (::poll(look, 4, patience_ms()) < 0) return errno == EINTR;
  if (look[2].revents != 0) {
    char events[4096];
    while (::read(watch_, events, sizeof events) > 0) {
    }
    look_at_messages();
  }
  if (look[0].revents == 0) return true;
  char byte = 0;
  return ::read(STDIN_FILENO, &byte, 1) > 0;
}

int Bot::run() {
  if (const Status open = store_.open(); !open) {
    say(open.error().message);
    return post_request::kTryAgain;
  }
  watch_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch_ < 0 || ::inotify_add_watch(watch_, store_.folder().c_str(), IN_MOVED_TO) < 0) {
    say("watching " + store_.folder() + " is not possible: answers elsewhere are seen late");
  }
  offset_ = store_.offset();
  look_at_messages();
  poller_.ask(offset_, 0);
  do {
    connect();
    await_decisions();
    take_frames();
    take_updates();
    await_decisions();
    take_frames();
    write_outcomes();
  } while (!useless_ && wait());
  return useless_ ? post_request::kNever : 0;
}

}  // namespace

int serve_bot(const std::string& line) {
  const auto settings = parse_settings(line);
  if (!settings) {
    say("the settings are not whole");
    return post_request::kNever;
  }
  const auto token = read_token(settings->token_file, settings->token_variable);
  if (!token) {
    say(token.error().message + "; " + token.error().hint);
    return post_request::kNever;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  auto bot = std::make_unique<Bot>(*settings, *token);
  const int status = bot->run();
  (void)bot.release();  // its poller's thread may use it until the process ends
  return status;
}

}  // namespace luzia

// The connection of luzia top to the daemon: follows events, asks again when something has changed, and sends
// what a person decides. Nothing here blocks: the caller waits for fd(). One thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/cli/display.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/look/top/model.h"

namespace luzia {

class TopLink {
 public:
  using Clock = std::chrono::steady_clock;
  /// Where a connection comes from.
  using Connect = std::function<Result<Client>()>;

  /// What has come in.
  struct News {
    bool heard = false;    // anything at all
    bool changed = false;  // something that is shown
    std::shared_ptr<const Overview> overview = {};
    std::optional<TopDetail> detail = {};
    std::string said = {};  // the answer to a command, or that the daemon is away
  };

  TopLink(Connect connect, wire::FilterT filter, ShownLimits limits = {});

  /// -1 while the daemon is away.
  int fd() const { return client_ ? client_->fd() : -1; }
  bool is_away() const { return !client_; }
  /// Whether what was asked for last has not come yet.
  bool is_asking() const { return asking_; }
  /// Whether the daemon owes an answer.
  bool is_waiting() const { return is_asking() || probing_; }
  /// Asks for a sign of life, unless one is asked for.
  void probe();
  /// Closes the connection, for as long as nobody looks.
  void hang_up();
  /// Connects again; commands without an answer are sent again, under the same id.
  void try_again();
  /// Asks for everything that is shown, unless it has been asked for and not come.
  void ask();
  /// Whether ask() asks for more of the jobs that have ended, for who looks for one. True: that is new.
  bool look_further(bool further) { return std::exchange(looks_further_, further) != further; }
  /// From now on details of that job come, too; empty: of none.
  void show_detail(const std::string& job);
  /// Sends the command of an action. The answer, in words, comes with take().
  void carry_out(const TopAction& action);
  /// Everything that has come since. An error: the daemon does not let this caller look.
  Result<News> take();

 private:
  enum class About { overview, why, follow, tail, command, probe };
  /// A command that the daemon has not answered yet.
  struct Sent {
    wire::RequestUnion request;
    std::string done;  // in words
  };

  void send(const wire::RequestUnion& request, About about);
  wire::QueryT overview_query() const;
  void ask_why();
  void ask_tail();
  void place(const Sent& sent);
  void lose();
  Status take_frame(const wire::ServerFrame& frame, News& news);
  Status take_refusal(About about, std::uint64_t id, const wire::Refused& refused, News& news);
  Status take_overview(const wire::Rows& rows, News& news);
  void take_output(const wire::Output& output, News& news);
  void take_why(const Page& page);

  Connect connect_;
  wire::FilterT filter_;
  ShownLimits limits_;
  std::optional<Client> client_;
  std::map<std::uint64_t, About> open_;  // requests without an answer, and streams
  std::map<std::uint64_t, std::shared_ptr<Sent>> commands_;
  std::deque<std::shared_ptr<Sent>> lost_commands_;
  bool asking_ = false;  // for the overview
  bool why_missing_ = false;
  bool probing_ = false;
  bool looks_further_ = false;
  std::uint64_t tail_ = 0;  // request of the stream; 0: none
  TopDetail detail_;
  std::string said_;
};

}  // namespace luzia

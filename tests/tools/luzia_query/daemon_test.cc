// With a daemon on the store's socket, luzia-query asks it and shows its answers like those of the store.
#include <sys/wait.h>

#include "projections/query.h"
#include "tests/tools/luzia_query/fake_daemon.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

using Answer = FakeDaemon::Answer;

std::string socket_of(const SmallStore& store) {
  return store.path() + "/socket";
}

Answer answer(wire::ReplyUnion one, bool hang_up = false) {
  Answer result;
  result.replies.push_back(std::move(one));
  result.hang_up = hang_up;
  return result;
}

std::vector<wire::ReplyUnion> rows_in_frames(const RowPage& page, std::size_t rows_a_frame) {
  std::vector<wire::ReplyUnion> frames;
  std::size_t at = 0;
  do {
    wire::RowsT rows;
    rows.type = page.type;
    rows.position = page.position;
    for (std::size_t i = 0; i < rows_a_frame && at < page.rows.size(); ++i, ++at) {
      auto row = std::make_unique<wire::RowT>();
      row->data.assign(page.rows[at].begin(), page.rows[at].end());
      rows.rows.push_back(std::move(row));
    }
    rows.last = at == page.rows.size();
    if (rows.last) rows.next = page.next;
    for (const RowPage& part : page.parts) {
      if (rows.last)
        rows.parts.push_back(
            std::make_unique<wire::RowsT>(*rows_in_frames(part, part.rows.size()).front().AsRows()));
    }
    frames.push_back(reply(std::move(rows)));
  } while (at < page.rows.size());
  return frames;
}

/// Answers queries from a store's log and rows, as the daemon does.
class QueryDaemon {
 public:
  explicit QueryDaemon(const SmallStore& store)
      : log_(store.open_log()),
        views_(store.open_views()),
        daemon_(socket_of(store),
                [this](const auto& frame) { return answer_query(*frame.request_as_Query()); }) {}
  int asked() const { return asked_; }

 private:
  Answer answer_query(const wire::Query& query) {
    ++asked_;
    wire::QueryT native;
    query.UnPackTo(&native);
    const auto page = run_query(*views_->snapshot(), {*log_, {}, {}}, native);
    if (page) return {rows_in_frames(*page, 2), false};
    wire::RefusedT refusal = refused(page.error().kind, page.error().code);
    refusal.message = page.error().message;
    refusal.hint = page.error().hint;
    return answer(reply(std::move(refusal)));
  }

  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ViewStore> views_;
  std::atomic<int> asked_ = 0;
  FakeDaemon daemon_;
};

TEST(Daemon, AnswersEqualTheStores) {
  const SmallStore store;
  const QueryDaemon daemon(store);
  int asked = 0;
  // Without a daemon, durations count up to the last event, so make that the present time.
  Circumstances at_the_end;
  at_the_end.now = time_at(17);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status", "--json"},
                                             {"jobs", "--all"},
                                             {"jobs", "--all", "--limit", "1", "--csv"},
                                             {"job", kBuild, "--json"},
                                             {"job", kBuild, "--at", "5"},
                                             {"job", "zzzz"},
                                             {"queue", "--json"},
                                             {"events", "--json"},
                                             {"events", "--project", "api"},
                                             {"stats", "--json"},
                                             {"why", kBroken},
                                             {"export", "events", "--format", "cloudevents"},
                                             {"status", "--at", "2026-01-01T00:00:12Z"}}) {
    const Ran through_daemon = ask(store, words, at_the_end);
    EXPECT_GT(daemon.asked(), asked) << words[0];
    asked = daemon.asked();
    std::vector<std::string> offline = words;
    offline.emplace_back("--offline");
    const Ran of_store = ask(store, offline, at_the_end);
    EXPECT_EQ(daemon.asked(), asked) << "--offline does not ask";
    EXPECT_EQ(through_daemon.out, of_store.out) << words[0];
    EXPECT_EQ(through_daemon.err, of_store.err) << words[0];
    EXPECT_EQ(through_daemon.code, of_store.code) << words[0];
  }
}

TEST(Daemon, RefusalKeepsItsExitCode) {
  const SmallStore store;
  const FakeDaemon daemon(socket_of(store), [](const auto&) {
    return answer(reply(refused(ErrorKind::refused, "not_allowed")));
  });
  const Ran ran = ask(store, {"jobs", "--json"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(Json::parse(ran.err),
            (Json{{"error", {{"code", "not_allowed"}, {"message", "no"}, {"hint", "ask root"}}}}));
}

TEST(Daemon, LostDaemonIsAnError) {
  const SmallStore store;
  const FakeDaemon daemon(socket_of(store), [](const auto&) { return Answer{{}, true}; });
  const Ran ran = ask(store, {"jobs", "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "connection_lost");
}

TEST(Daemon, UnexpectedReplyIsAnError) {
  const SmallStore store;
  const FakeDaemon daemon(socket_of(store), [](const auto&) { return answer(reply(progressed("hello"))); });
  const Ran ran = ask(store, {"jobs", "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "protocol");
}

TEST(Daemon, DamagedRowIsAnError) {
  const SmallStore store;
  const FakeDaemon daemon(socket_of(store), [](const auto&) {
    return Answer{rows_in_frames({wire::RowType::job, {std::string(64, '\xff')}, "", 3}, 1), false};
  });
  for (const char* command : {"jobs", "status", "events"}) {
    EXPECT_EQ(ask(store, {command}).code, 5) << command;
  }
}

TEST(Daemon, VerifyReportsTheResult) {
  const SmallStore store;
  const FakeDaemon daemon(socket_of(store), [](const wire::ClientFrame& frame) {
    EXPECT_EQ(frame.request_as_Control()->action(), wire::ControlAction::verify);
    Answer result;
    result.replies.push_back(reply(progressed("walking the chain", false)));
    result.replies.push_back(reply(progressed("all is well")));
    return result;
  });
  const Ran ran = ask(store, {"verify", "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.json().at("message"), "all is well");
}

TEST(Daemon, VerifyExitsWithOneOnlyOnDamage) {
  const SmallStore store;
  std::string code = "views_differ";
  const FakeDaemon daemon(socket_of(store),
                          [&](const auto&) { return answer(reply(refused(ErrorKind::trouble, code))); });
  EXPECT_EQ(ask(store, {"verify"}).code, 1);
  code = "log_corrupt";
  EXPECT_EQ(ask(store, {"verify"}).code, 1);
  code = "views_failed";
  EXPECT_EQ(ask(store, {"verify"}).code, 5) << "the problem that prevented the check";
}

TEST(Daemon, BacksUpToAnAbsolutePath) {
  const SmallStore store;
  std::string target;
  const FakeDaemon daemon(socket_of(store), [&](const wire::ClientFrame& frame) {
    target = frame.request_as_Control()->argument()->str();
    return answer(reply(progressed("copied")));
  });
  const Ran ran = ask(store, {"backup", "some/where/../folder", "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(target, (std::filesystem::current_path() / "some/folder").string());
  EXPECT_EQ(ran.json().at("target"), target);
}

/// Starts over once, as luziad does: hangs up, then answers new connections.
Answer start_over(const wire::ClientFrame& frame, std::uint32_t pid,
                  std::vector<wire::ControlAction>& asked) {
  asked.push_back(frame.request_as_Control()->action());
  if (asked.back() == wire::ControlAction::rebuild) return answer(reply(progressed("replaying")), true);
  wire::WelcomeT welcome;
  welcome.pid = pid;
  return answer(reply(std::move(welcome)));
}

TEST(Daemon, RebuildEndsWhenItAnswersAgain) {
  const SmallStore store;
  std::vector<wire::ControlAction> asked;
  const FakeDaemon daemon(socket_of(store), [&](const wire::ClientFrame& frame) {
    return start_over(frame, static_cast<std::uint32_t>(getpid()), asked);
  });
  const Ran ran = ask(store, {"replay", "--rebuild"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  using enum wire::ControlAction;
  EXPECT_EQ(asked, (std::vector{ping, rebuild, ping}));
  EXPECT_THAT(ran.out, testing::HasSubstr("answers again"));
}

TEST(Daemon, RebuildGivesUpWhenTheDaemonEnded) {
  const SmallStore store;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::vector<wire::ControlAction> asked;
  const FakeDaemon daemon(socket_of(store), [&](const wire::ClientFrame& frame) {
    if (frame.request_as_Control()->action() == wire::ControlAction::rebuild) {
      std::filesystem::remove(socket_of(store));
    }
    return start_over(frame, static_cast<std::uint32_t>(child), asked);
  });
  const Ran ran = ask(store, {"replay", "--rebuild", "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "daemon_gone");
}

}  // namespace
}  // namespace luzia::test

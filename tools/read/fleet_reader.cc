#include "tools/read/fleet_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "adapters/socket/client.h"
#include "engine/base/spawning.h"
#include "engine/base/try.h"
#include "projections/rows/times.h"
#include "tools/cli/start_daemon.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

Error fleet_gone() {
  return {ErrorKind::trouble, "fleet_gone", "luzia-fleet read has ended without an answer",
          "luzia-fleet status says what is wrong; all programs of luzia must be of the same version"};
}

/// A machine of that name would pass for this one.
std::string shown_name(const std::string& site) {
  return site == kThisMachine ? site + " (site)" : site;
}

/// The file actions of the program, freed with their owner.
class FleetFiles {
 public:
  explicit FleetFiles(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    // What is wrong, it says in its answers.
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~FleetFiles() { ::posix_spawn_file_actions_destroy(&actions_); }
  FleetFiles(const FleetFiles&) = delete;
  FleetFiles& operator=(const FleetFiles&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

/// One site, as a machine that is asked.
class SiteOfFleet : public AskedMachine {
 public:
  SiteOfFleet(std::shared_ptr<FleetReader> reader, std::size_t place)
      : reader_(std::move(reader)), place_(place) {}
  void ask(wire::QueryT query, std::size_t limit) override {
    query.limit = static_cast<std::uint32_t>(limit);
    site().answer.reset();
    site().wanted = std::move(query);
  }
  int fd() const override { return reader_->socket_.get(); }
  std::optional<Result<RowPage>> take() override {
    reader_->ask_wanted();
    reader_->take_arrived();
    return std::exchange(site().answer, std::nullopt);
  }
  bool speaks_for_all() const override { return true; }
  Known known() const override {
    const wire::FleetSiteT& said = *site().said;
    Known known{said.as_of_us, std::nullopt};
    if (said.unreachable) {
      known.silent =
          Error{ErrorKind::trouble, "unreachable", "unreachable since " + second_time(said.as_of_us),
                "luzia-fleet status shows all sites"};
    } else if (!said.fault.empty()) {
      known.silent = Error{ErrorKind::refused, "log_refused", "the database refuses its log: " + said.fault,
                           "luzia-fleet status says what to do"};
    }
    return known;
  }

 private:
  FleetReader::Site& site() const { return reader_->sites_[place_]; }

  std::shared_ptr<FleetReader> reader_;
  std::size_t place_;
};

Result<std::shared_ptr<FleetReader>> FleetReader::start(const std::string& config_file) {
  const std::string program = find_own_program("luzia-fleet");
  if (program.empty()) {
    return fail(ErrorKind::trouble, "no_fleet_program",
                "luzia-fleet, which reads the fleet's database, is not installed",
                "install the whole package; a build needs libpq-dev");
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno(errno, "no_fleet_program", "starting luzia-fleet");
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  std::vector<std::string> words = {program, "read"};
  if (!config_file.empty()) words.insert(words.end(), {"--config", config_file});
  const std::vector<char*> pointers = exec_pointers(words);
  const SpawnAttributes attributes;
  const FleetFiles files(theirs.get());
  pid_t pid = 0;
  const int trouble =
      ::posix_spawn(&pid, program.c_str(), files.get(), attributes.get(), pointers.data(), ::environ);
  if (trouble != 0) return fail_errno(trouble, "no_fleet_program", "starting luzia-fleet");
  return std::shared_ptr<FleetReader>(new FleetReader(std::move(ours), pid));
}

/// It has nothing to finish, and may wait for the database.
FleetReader::~FleetReader() {
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Status FleetReader::send(wire::FleetQuestionT question) {
  question.id = ++asked_;
  const std::string bytes = encode(question);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return tl::unexpected(fleet_gone());
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  open_.push_back(question.id);
  return {};
}

Status FleetReader::find_sites(milliseconds most) {
  found_.clear();
  refused_.reset();
  LUZIA_TRY(send({}));
  listing_ = asked_;
  const auto end = std::chrono::steady_clock::now() + most;
  while (!refused_ && std::ranges::find(open_, listing_) != open_.end()) {
    pollfd readable{socket_.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return fail(
          ErrorKind::trouble, "fleet_silent",
          "the fleet's database has not answered within " + format_duration(most.count() * kMillisecondUs),
          "--patience D waits longer; luzia-fleet status says more");
    }
    if (::poll(&readable, 1, static_cast<int>(left.count())) > 0) take_arrived();
  }
  if (refused_) return tl::unexpected(*refused_);
  sites_ = std::move(found_);
  return {};
}

std::vector<const wire::FleetSiteT*> FleetReader::sites() const {
  std::vector<const wire::FleetSiteT*> all;
  for (const Site& site : sites_) all.push_back(site.said.get());
  return all;
}

std::vector<MachineToAsk> FleetReader::to_ask() {
  std::vector<MachineToAsk> machines;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    machines.push_back({shown_name(sites_[i].said->name), {}, {}, [reader = shared_from_this(), i] {
                          return std::make_unique<SiteOfFleet>(reader, i);
                        }});
  }
  return machines;
}

void FleetReader::ask_wanted() {
  std::map<std::string, std::vector<Site*>> by_question;
  for (Site& site : sites_) {
    if (!site.wanted) continue;
    wire::FleetQuestionT question;
    question.query = std::make_unique<wire::QueryT>(*site.wanted);
    by_question[encode(question)].push_back(&site);
  }
  for (const auto& [bytes, of_sites] : by_question) {
    wire::FleetQuestionT question;
    question.query = std::make_unique<wire::QueryT>(std::move(*of_sites.front()->wanted));
    for (Site* site : of_sites) {
      if (of_sites.size() < sites_.size()) question.sites.push_back(site->said->name);
      site->wanted.reset();
    }
    const Status sent = send(std::move(question));
    for (Site* site : of_sites) {
      site->question = asked_;
      if (!sent) site->answer = tl::unexpected(sent.error());
    }
  }
}

void FleetReader::take_arrived() {
  std::array<std::uint8_t, 64 << 10> bytes;
  while (!is_broken_) {
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return break_off(fleet_gone());
    std::optional<Error> damage;
    const Status fed = reader_.feed({bytes.data(), static_cast<std::size_t>(got)}, [&](Bytes frame) {
      const auto answer = parse_fleet_answer(frame);
      if (!answer) damage = answer.error();
      if (answer) take_answer(*std::unique_ptr<wire::FleetAnswerT>((*answer)->UnPack()));
    });
    if (!fed || damage) return break_off(fed ? *damage : fed.error());
  }
}

void FleetReader::take_answer(wire::FleetAnswerT& answer) {
  for (auto& said : answer.sites) {
    if (answer.id == listing_) {
      found_.push_back({std::move(said)});
    } else {
      take_site(answer.id, std::move(said));
    }
  }
  if (!answer.last) return;
  std::erase(open_, answer.id);
  const Error refusal = answer.refused ? error_from(*answer.refused) : fleet_gone();
  if (answer.id == listing_ && answer.refused) refused_ = refusal;
  // A site that nothing was said of has left the fleet meanwhile.
  for (Site& site : sites_) {
    if (site.question == answer.id && !site.answer) site.answer = tl::unexpected(refusal);
  }
}

void FleetReader::take_site(std::uint64_t question, std::unique_ptr<wire::FleetSiteT> said) {
  const auto site = std::ranges::find_if(
      sites_, [&](const Site& each) { return each.question == question && each.said->name == said->name; });
  if (site == sites_.end() || site->answer) return;
  if (said->refused) {
    site->answer = tl::unexpected(error_from(*said->refused));
  } else if (said->rows) {
    RowPage page{said->rows->type, {}, std::move(said->rows->next), said->rows->position};
    for (const auto& row : said->rows->rows) page.rows.emplace_back(row->data.begin(), row->data.end());
    site->answer = std::move(page);
  }
  said->rows.reset();
  site->said = std::move(said);
}

void FleetReader::break_off(const Error& error) {
  is_broken_ = true;
  refused_ = error;
  for (Site& site : sites_) {
    if (!site.answer) site.answer = tl::unexpected(error);
  }
}

Result<std::vector<MachineToAsk>> fleet_sites(const std::string& config_file, milliseconds most) {
  const auto reader = LUZIA_TRY(FleetReader::start(config_file));
  LUZIA_TRY(reader->find_sites(most));
  return reader->to_ask();
}

}  // namespace luzia

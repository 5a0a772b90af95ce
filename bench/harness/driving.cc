#include "bench/harness/driving.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "bench/harness/progress.h"

namespace luzia::bench {
namespace {

constexpr int kUnderWay = 128;

const wire::Accepted& accepted(Client& client, std::uint64_t& id) {
  auto frame = client.receive();
  if (!frame) give_up("no answer to a dispatch: " + frame.error().message);
  if (*frame == nullptr || (*frame)->reply_type() != wire::Reply::Accepted) give_up("a dispatch was refused");
  id = (*frame)->id();
  return *(*frame)->reply_as_Accepted();
}

std::uint64_t post(Client& client, const wire::RequestUnion& request) {
  auto id = client.post(request);
  if (!id) give_up(id.error().message);
  return *id;
}

/// Servers would go on, and keep the standard error open on whose end a caller waits.
void end_children() {
  const std::string self = std::to_string(getpid());
  std::ifstream children("/proc/" + self + "/task/" + self + "/children");
  for (pid_t child = 0; children >> child;) kill(child, SIGTERM);
}

}  // namespace

void give_up(const std::string& what) {
  fprintf(stderr, "luzia-bench: %s\n", what.c_str());
  end_children();
  exit(5);
}

HistoryCount fill_store(const Subject& subject, const HistoryShape& shape) {
  const auto count = generate_store(subject.store(), shape, true, [](std::uint64_t events) {
    show_progress("generating a store: " + std::to_string(events) + " events");
  });
  if (!count) give_up(count.error().message);
  return *count;
}

std::vector<std::string> dispatch_all(Client& client, const std::string& task, int count) {
  std::vector<std::string> ids;
  const wire::RequestUnion request = dispatch_request(task);
  int sent = 0;
  while (static_cast<int>(ids.size()) < count) {
    for (; sent < count && sent - static_cast<int>(ids.size()) < kUnderWay; ++sent) post(client, request);
    std::uint64_t id = 0;
    ids.push_back(accepted(client, id).ids()->Get(0)->str());
  }
  return ids;
}

namespace {

Rate dispatch_over(Client client, int outstanding, double seconds) {
  const wire::RequestUnion request = dispatch_request("true");
  Rate rate;
  std::unordered_map<std::uint64_t, double> sent;
  const double start = now_seconds();
  double now = start;
  std::uint64_t done = 0;
  for (int i = 0; i < outstanding; ++i) sent.emplace(post(client, request), now_seconds());
  while (!sent.empty()) {
    std::uint64_t id = 0;
    accepted(client, id);
    now = now_seconds();
    const auto it = sent.find(id);
    if (it == sent.end()) continue;
    rate.latencies.add(now - it->second);
    sent.erase(it);
    ++done;
    if (now - start < seconds) sent.emplace(post(client, request), now_seconds());
  }
  rate.per_second = static_cast<double>(done) / (now - start);
  return rate;
}

}  // namespace

Rate dispatch_for(const Subject& subject, int outstanding, double seconds) {
  return dispatch_over(subject.connect(), outstanding, seconds);
}

Rate dispatch_from_many(const Subject& subject, int clients, int outstanding, double seconds) {
  return dispatch_to(subject.socket(), clients, outstanding, seconds);
}

Rate dispatch_to(const std::string& socket, int clients, int outstanding, double seconds) {
  std::vector<Rate> rates(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  for (Rate& rate : rates) {
    threads.emplace_back([&rate, &socket, outstanding, seconds] {
      auto client = Client::connect(socket);
      if (!client) give_up(client.error().message);
      rate = dispatch_over(std::move(*client), outstanding, seconds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Rate sum;
  for (const Rate& rate : rates) {
    sum.per_second += rate.per_second;
    sum.latencies.add_all(rate.latencies);
  }
  return sum;
}

void wait_for_all(Client& client, std::vector<std::string> ids, std::vector<schema::JobState> until) {
  wire::WaitT wait;
  wait.jobs = std::move(ids);
  wait.until = std::move(until);
  wire::RequestUnion request;
  request.Set(std::move(wait));
  if (auto reply = client.ask(request); !reply) give_up(reply.error().message);
}

void cancel_all(Client& client, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    wire::ActOnJobsT cancel;
    cancel.jobs = {id};
    cancel.grace_ms = 0;
    wire::RequestUnion request;
    request.Set(std::move(cancel));
    const auto reply = client.ask(request);
    const bool has_ended = !reply && reply.error().kind == ErrorKind::refused;  // meanwhile, by itself
    if (!reply && !has_ended) give_up(reply.error().message);
  }
  wait_for_all(client, ids);
}

wire::RequestUnion job_query(const std::string& id) {
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {id};
  wire::RequestUnion request;
  request.Set(std::move(query));
  return request;
}

Latencies ask_for_job(Client& client, const std::string& id, double seconds) {
  const wire::RequestUnion query = job_query(id);
  Latencies latencies;
  const double start = now_seconds();
  while (now_seconds() - start < seconds) {
    const double begin = now_seconds();
    if (auto reply = client.ask(query); !reply) give_up(reply.error().message);
    latencies.add(now_seconds() - begin);
  }
  return latencies;
}

Latencies run_program(const std::vector<std::string>& words, double seconds, int code) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  Latencies latencies;
  const double start = now_seconds();
  do {
    const double begin = now_seconds();
    pid_t pid = 0;
    if (posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
      give_up("cannot run " + words.front());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code) give_up(words.front() + " failed");
    latencies.add(now_seconds() - begin);
  } while (now_seconds() - start < seconds);
  posix_spawn_file_actions_destroy(&actions);
  return latencies;
}

ProcessUse use_of(pid_t pid) {
  ProcessUse use;
  const std::string base = "/proc/" + std::to_string(pid);
  std::ifstream stat(base + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  if (text.empty()) give_up("the daemon is gone");
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  double user = 0, system = 0;
  fields >> user >> system;
  use.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream status(base + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) use.rss_kib = std::stod(line.substr(6));
    if (line.starts_with("RssAnon:")) use.anonymous_kib = std::stod(line.substr(8));
  }
  for (const auto& task : std::filesystem::directory_iterator(base + "/task")) {
    std::ifstream switches(task.path() / "status");
    for (std::string line; std::getline(switches, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) use.wakeups += std::stoull(line.substr(24));
    }
  }
  return use;
}

double folder_bytes(const std::string& folder) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  }
  return bytes;
}

}  // namespace luzia::bench

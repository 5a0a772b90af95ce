#include "bench/harness/subject.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/harness/driving.h"

namespace luzia::bench {

Subject::Subject(std::string bin, std::string scratch, int max_running)
    : bin_(std::move(bin)), home_(std::move(scratch)) {
  std::filesystem::remove_all(home_);
  std::filesystem::create_directories(home_ + "/project");
  std::ofstream(config()) << "[queue]\nmax_running = " << max_running << "\n[store]\npath = \"" << store()
                          << "\"\n[jobs]\nroot = \"" << home_ << "/jobs\"\n[projects.bench]\npath = \""
                          << home_ << "/project\"\n";
}

Subject::~Subject() {
  kill_hard();
  std::filesystem::remove_all(home_);
}

std::string Subject::program(const std::string& name) const {
  for (const std::string& path :
       {bin_ + "/" + name, bin_ + "/" + name + "/" + name, bin_ + "/../libexec/luzia/" + name}) {
    if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path)) return path;
  }
  give_up("no program " + name + " in " + bin_ + " (give its folder with --bin)");
}

double Subject::start() {
  const std::string daemon = program("luziad");
  const double begin = now_seconds();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const std::string config_file = config();
  const char* arguments[] = {daemon.c_str(), "--config", config_file.c_str(), nullptr};
  const int failed =
      posix_spawn(&pid_, daemon.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) give_up("cannot start " + daemon);
  for (int tries = 0; tries < 600'000; ++tries) {
    if (auto client = Client::connect(socket())) {
      wire::RequestUnion ping;
      ping.Set(wire::ControlT{});
      if (client->ask(ping)) return now_seconds() - begin;
    }
    usleep(100);
  }
  give_up("the daemon does not answer at " + socket());
}

void Subject::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void Subject::kill_hard() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

Client Subject::connect() const {
  auto client = Client::connect(socket());
  if (!client) give_up(client.error().message);
  return std::move(*client);
}

wire::RequestUnion dispatch_request(const std::string& task) {
  wire::DispatchT dispatch;
  auto job = std::make_unique<wire::DispatchJobT>();
  job->project = "bench";
  job->task = task;
  dispatch.jobs.push_back(std::move(job));
  wire::RequestUnion request;
  request.Set(std::move(dispatch));
  return request;
}

void pause(const Subject& subject) {
  wire::RequestUnion request;
  request.Set(wire::ActOnQueueT{});
  Client client = subject.connect();
  if (auto reply = client.ask(request); !reply) give_up(reply.error().message);
}

}  // namespace luzia::bench

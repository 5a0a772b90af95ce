#include "tools/luzia-web/far_machines.h"

#include <sys/eventfd.h>

#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>

#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/read/machine_source.h"

namespace luzia::web {
namespace {

/// Longer than a list waits: the next list has the answer of a slow machine.
constexpr std::chrono::milliseconds kFarPatience{10'000};
constexpr std::size_t kMostFarQuestions = 8;

}  // namespace

/// One question to a machine, between the thread that asks and the one that answers.
struct FarQuestion {
  wire::QueryT query;
  std::size_t limit = 0;
  Descriptor ready{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::optional<Result<RowPage>> answer;

  void give(Result<RowPage> given) {
    {
      const std::lock_guard lock(mutex);
      answer = std::move(given);
    }
    ::eventfd_write(ready.get(), 1);
  }
};

/// A connection to one machine, and its thread, which lives as long as it is asked.
class FarMachine : public std::enable_shared_from_this<FarMachine> {
 public:
  explicit FarMachine(Machine machine) : machine_(std::move(machine)) {}

  std::string place() const { return place_text(machine_); }

  void add(std::shared_ptr<FarQuestion> question) {
    const std::lock_guard lock(mutex_);
    if (ended_ || questions_.size() >= kMostFarQuestions) {
      return question->give(
          fail(ErrorKind::trouble, "machine_silent", "it has not answered earlier questions"));
    }
    questions_.push_back(std::move(question));
    changed_.notify_one();
    // The thread is nobody's to wait for: it may wait for ssh.
    if (!std::exchange(runs_, true)) std::thread([self = shared_from_this()] { self->run(); }).detach();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }

  void write(JsonObject& json) {
    const std::lock_guard lock(mutex_);
    json.boolean("connected", greeting_.has_value());
    json.text_or_null("version", greeting_ ? greeting_->version : std::string());
    json.number_or_null("slots", greeting_ ? greeting_->slots : 0U);
    json.number_or_null("load_percent", greeting_ ? greeting_->load_percent : 0U);
    json.seconds("clock_ahead_seconds", clock_ahead_);
  }

 private:
  /// The next question; null: nobody asks any more.
  std::shared_ptr<FarQuestion> next() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, FarMachines::kFarIdle, [this] { return ended_ || !questions_.empty(); });
    if (ended_ || questions_.empty()) {
      for (const auto& question : questions_)
        question->give(fail(ErrorKind::trouble, "machine_gone", "it ended"));
      questions_.clear();
      greeting_.reset();
      runs_ = false;
      return nullptr;
    }
    auto question = std::move(questions_.front());
    questions_.pop_front();
    return question;
  }

  Result<Client> connect() {
    auto far = LUZIA_TRY(connect_by_ssh(machine_, {kFarPatience, {}}));
    const std::lock_guard lock(mutex_);
    greeting_ = std::move(far.greeting);
    clock_ahead_ = far.clock_ahead.count();
    return std::move(far.client);
  }

  void run() {
    std::unique_ptr<Source> source;
    while (const auto question = next()) {
      if (question.use_count() == 1) continue;  // its list has ended without it
      if (!source) {
        auto client = connect();
        if (!client) {
          question->give(tl::unexpected(client.error()));
          continue;
        }
        source = far_source(
            std::move(*client), [this] { return connect(); }, kMaxFrameBytes);
      }
      auto answer = answer_of(*source, std::move(question->query), question->limit);
      const bool is_broken = !answer && answer.error().kind == ErrorKind::trouble;
      question->give(std::move(answer));
      if (!is_broken) continue;
      source.reset();
      const std::lock_guard lock(mutex_);
      greeting_.reset();
    }
  }

  const Machine machine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<FarQuestion>> questions_;
  bool runs_ = false, ended_ = false;
  std::optional<ProxyGreeting> greeting_;  // of the connection
  TimeUs clock_ahead_ = 0;
};

namespace {

/// The kept machine, for one list.
class KeptMachine : public AskedMachine {
 public:
  explicit KeptMachine(std::shared_ptr<FarMachine> machine) : machine_(std::move(machine)) {}
  void ask(wire::QueryT query, std::size_t limit) override {
    question_ = std::make_shared<FarQuestion>();
    question_->query = std::move(query);
    question_->limit = limit;
    machine_->add(question_);
  }
  int fd() const override { return question_->ready.get(); }
  std::optional<Result<RowPage>> take() override {
    const std::lock_guard lock(question_->mutex);
    return std::exchange(question_->answer, std::nullopt);
  }

 private:
  std::shared_ptr<FarMachine> machine_;
  std::shared_ptr<FarQuestion> question_;
};

}  // namespace

FarMachines::~FarMachines() {
  for (const auto& [name, machine] : kept_) machine->end();
}

std::shared_ptr<FarMachine> FarMachines::kept(const Machine& machine) {
  std::shared_ptr<FarMachine>& far = kept_[machine.name];
  if (far && far->place() == place_text(machine)) return far;
  if (far) far->end();
  far = std::make_shared<FarMachine>(machine);
  return far;
}

Result<std::vector<MachineToAsk>> FarMachines::to_ask() {
  const auto config = LUZIA_TRY(load_config(config_file_));
  const auto machines = configured_machines(config);
  if (machines.size() > kMostFar) {
    return fail(ErrorKind::refused, "too_many_machines",
                "more than " + std::to_string(kMostFar) + " machines are configured",
                "luzia jobs --machines lists them in a terminal");
  }
  const std::lock_guard lock(mutex_);
  for (auto at = kept_.begin(); at != kept_.end();) {
    if (config.machines.contains(at->first)) {
      ++at;
      continue;
    }
    at->second->end();
    at = kept_.erase(at);
  }
  std::vector<MachineToAsk> all;
  for (const Machine& machine : machines) {
    const auto far = kept(machine);
    all.push_back(
        {machine.name, place_text(machine), {}, [far] { return std::make_unique<KeptMachine>(far); }});
  }
  return all;
}

Answer FarMachines::list(const Device& device) {
  const auto config = load_config(config_file_);
  if (!config) return problem(config.error());
  Answer answer;
  JsonObject object(answer.body);
  const auto machines = may_ask_far(device) ? configured_machines(*config) : std::vector<Machine>();
  object.objects("machines", machines, [this](JsonObject& json, const Machine& machine) {
    json.text("name", machine.name);
    json.text("ssh", machine.destination + (machine.port == 0 ? "" : ":" + std::to_string(machine.port)));
    json.strings("labels", machine.labels);
    json.number_or_null("max_running", machine.max_running);
    const std::lock_guard lock(mutex_);
    kept(machine)->write(json);
  });
  object.end();
  answer.body += '\n';
  return answer;
}

Result<std::unique_ptr<wire::ServerFrameT>> FarMachines::ask(const std::string& machine,
                                                             const wire::RequestUnion& request) const {
  const auto config = LUZIA_TRY(load_config(config_file_));
  const auto named = LUZIA_TRY(machine_named(config, machine));
  auto far = LUZIA_TRY(connect_by_ssh(named, {kFarPatience, {}}));
  return far.client.ask(request);
}

Status may_ask_far(const Device& device) {
  if (device.projects.empty()) return {};
  return fail(ErrorKind::refused, "device_not_allowed",
              "device " + device.name + " sees some projects of this machine, and no other machines",
              "pair it again without projects: luzia web pair");
}

}  // namespace luzia::web

#include "tools/luzia/agents/mcp/session.h"

#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/ports/agent.h"

namespace luzia::mcp {
namespace {

/// Supported protocol versions, newest first.
constexpr std::array<std::string_view, 2> kVersions = {"2025-11-25", "2025-06-18"};

std::string instructions(ClientKind client) {
  const std::string ask(client == ClientKind::peculiar ? kAskPerson : "ask_user");
  return "Luzia runs you as a job in the background; a person may look at it now and then. Report progress "
         "when a step begins or ends. Ask with " +
         ask +
         " when you need an answer to continue well, and request an approval before you do anything that "
         "cannot be undone; both wait until a person has decided.";
}

/// Recognizes the kind of client by its name: clients give no other hint of what they need.
ClientKind client_of(const Json& params) {
  const auto client = params.find("clientInfo");
  const Json name = client != params.end() && client->is_object() ? client->value("name", Json()) : Json();
  const auto is_named = [&](const Agent& agent) {
    return !agent.peculiar_mcp_client.empty() && name.is_string() &&
           name.get_ref<const std::string&>().starts_with(agent.peculiar_mcp_client);
  };
  return std::ranges::any_of(known_agents(), is_named) ? ClientKind::peculiar : ClientKind::usual;
}

Json initialized(const Json& params, ClientKind client) {
  const auto asked = params.find("protocolVersion");
  const bool known =
      asked != params.end() && asked->is_string() &&
      std::find(kVersions.begin(), kVersions.end(), asked->get_ref<const std::string&>()) != kVersions.end();
  return {{"protocolVersion", known ? *asked : Json(kVersions.front())},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", "luzia"}, {"title", "Luzia"}, {"version", LUZIA_VERSION}}},
          {"instructions", instructions(client)}};
}

/// The token for progress notifications; null: the client wants none.
Json progress_token(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return nullptr;
  const Json token = meta->value("progressToken", Json());
  return token.is_string() || token.is_number_integer() ? token : Json();
}

/// Peculiar clients interpret a text that happens to be JSON (the answer 8080, or a list) as the missing
/// structured content, and refuse the result if that is not an object. So they get structured content. Other
/// clients get none, because they may show it to their models instead of the text.
Json result_of(const ToolResult& result, ClientKind client) {
  Json reply = {{"content", Json::array({{{"type", "text"}, {"text", result.text}}})},
                {"isError", result.is_error}};
  if (client == ClientKind::peculiar) reply["structuredContent"] = {{"text", result.text}};
  if (result.told.text.empty()) return reply;
  reply["content"].push_back({{"type", "text"}, {"text", result.told.text}});
  if (client == ClientKind::peculiar) reply["structuredContent"]["told"] = result.told.text;
  return reply;
}

}  // namespace

struct Session::Call {
  Json id;
  ClientKind client;
  const Tool* tool;
  Json arguments;
  Json progress_token;
  CallStop stop;
};

Session::Session(JobDoor& door, Write write) : door_(door), write_(std::move(write)) {}

Session::~Session() {
  end();
}

void Session::take(std::string_view line) {
  if (is_blank(line)) return;
  const auto message = read_message(line);
  if (!message) {
    const Malformed& why = message.error();
    write(error_line(why.id, why.code, why.message));
    return;
  }
  if (*message) answer(**message);
}

void Session::refuse_long_line() {
  write(error_line(nullptr, ErrorCode::invalid_request, "a message is longer than 4 MiB"));
}

void Session::answer(const Message& message) {
  if (!message.id) return message.method == "notifications/cancelled" ? cancel(message) : void();
  const Json& id = *message.id;
  if (message.method == "initialize") {
    client_ = client_of(message.params);
    write(result_line(id, initialized(message.params, client_)));
  } else if (message.method == "ping") {
    write(result_line(id, Json::object()));
  } else if (message.method == "tools/list") {
    write(result_line(id, tools_list(client_)));
  } else if (message.method == "tools/call") {
    start_call(message);
  } else {
    write(error_line(id, ErrorCode::method_not_found, "no such method: " + shortened(message.method, 100)));
  }
}

void Session::start_call(const Message& message) {
  const auto refuse = [&](const std::string& why) {
    write(error_line(*message.id, ErrorCode::invalid_params, why));
  };
  const auto name = message.params.find("name");
  if (name == message.params.end() || !name->is_string()) return refuse("the call does not name a tool");
  const Tool* tool = find_tool(name->get_ref<const std::string&>());
  if (tool == nullptr) return refuse("no such tool: " + shortened(name->get_ref<const std::string&>(), 100));
  Json arguments = message.params.value("arguments", Json::object());
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) return refuse("arguments is not an object");
  // Mistakes are returned as the tool's result, because then models see and fix them.
  if (const auto mistake = argument_mistake(*tool, arguments)) {
    write(result_line(*message.id, result_of({std::string(tool->name) + ": " + *mistake, true}, client_)));
    return;
  }
  auto call = std::make_shared<Call>();
  call->id = *message.id;
  call->client = client_;
  call->tool = tool;
  call->arguments = std::move(arguments);
  call->progress_token = progress_token(message.params);
  begin(std::move(call));
}

void Session::begin(std::shared_ptr<Call> call) {
  join_ended();
  const std::lock_guard lock(mutex_);
  const bool full = calls_.size() >= kMostCalls;
  if (full || !calls_.emplace(json_line(call->id), call).second) {
    write(error_line(call->id, ErrorCode::invalid_request,
                     full ? "too many calls at the same time: " + std::to_string(kMostCalls)
                          : "a call with this id is still running"));
    return;
  }
  if (call->tool->waits) {
    std::thread thread([this, call] {
      run(*call);
      const std::lock_guard ended(mutex_);
      ended_threads_.push_back(std::this_thread::get_id());
    });
    const auto id = thread.get_id();
    waiting_.emplace(id, std::move(thread));
    return;
  }
  quick_.push_back(std::move(call));
  if (!quick_thread_.joinable()) quick_thread_ = std::thread([this] { run_quick_calls(); });
  changed_.notify_one();
}

void Session::cancel(const Message& message) {
  const auto id = message.params.find("requestId");
  if (id == message.params.end()) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(json_line(*id)); found != calls_.end()) {
    found->second->stop.stop(StopReason::cancelled);
  }
}

void Session::run_quick_calls() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !quick_.empty(); });
    if (quick_.empty()) return;
    const auto call = std::move(quick_.front());
    quick_.pop_front();
    lock.unlock();
    const bool done = run(*call);
    lock.lock();
    // The client is gone and the daemon is not available: do not let every remaining call wait for it.
    if (ending_ && !done) quick_.clear();
  }
}

bool Session::run(const Call& call) {
  CallWait wait{call.stop, {}};
  int reports = 0;
  if (!call.progress_token.is_null()) {
    wait.on_tick = [&] {
      write(notification_line("notifications/progress", {{"progressToken", call.progress_token},
                                                         {"progress", ++reports},
                                                         {"message", "waiting for a person"}}));
    };
  }
  ToolResult result = run_tool(call.tool->kind, call.arguments, door_, wait);
  // The answer about another tool's call is for the agent's program, which shows it to no model.
  const bool is_for_model = call.tool->kind != ToolKind::permission_prompt;
  if (is_for_model && !result.is_error && !call.stop.stopped()) result.told = door_.told();
  finish(call, result);
  return !result.is_error;
}

void Session::finish(const Call& call, const ToolResult& result) {
  forget(call);
  if (call.stop.reason() == StopReason::cancelled) return;
  const bool received = write(result_line(call.id, result_of(result, call.client)));
  // A client that is gone has not received the answer.
  if (!received || call.stop.stopped()) return;
  if (!result.told.text.empty()) result.told.confirm();
  for (const auto& answer : result.answers) {
    door_.confirm(answer.job, answer.id);
  }
}

void Session::forget(const Call& call) {
  const std::lock_guard lock(mutex_);
  calls_.erase(json_line(call.id));
}

void Session::join_ended() {
  std::deque<std::thread> ended;
  {
    const std::lock_guard lock(mutex_);
    for (const auto id : ended_threads_) {
      const auto found = waiting_.find(id);
      ended.push_back(std::move(found->second));
      waiting_.erase(found);
    }
    ended_threads_.clear();
  }
  for (std::thread& thread : ended) thread.join();
}

void Session::end() {
  std::map<std::thread::id, std::thread> waiting;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& [id, call] : calls_) {
      if (call->tool->waits) call->stop.stop(StopReason::ended);
    }
    waiting.swap(waiting_);
  }
  changed_.notify_all();
  if (quick_thread_.joinable()) quick_thread_.join();
  for (auto& [id, thread] : waiting) thread.join();
  const std::lock_guard lock(mutex_);
  ended_threads_.clear();
}

bool Session::write(const std::string& line) {
  const std::lock_guard lock(writing_);
  return write_(line);
}

}  // namespace luzia::mcp

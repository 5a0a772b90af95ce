// An agent's input to `luzia mcp`, line by line. Each reply is one line of valid JSON-RPC; each request gets
// at most one reply; denials and errors say so; the session continues after any input.
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/agents/mcp/session.h"

namespace luzia::mcp {
namespace {

/// A fake daemon that accepts everything and answers to match the request.
class CompliantDoor final : public JobDoor {
 public:
  Workplace workplace() const override { return {"1qj0e9q800ajj", "web", "f-1qj0e9q800ajj", "build"}; }
  Result<std::vector<std::string>> teach(wire::RequestUnion request) override {
    require(request.type != wire::Request::NONE, "what is taught is a request");
    return std::vector<std::string>{"s-1qj0e9q800ajj"};
  }
  Result<std::string> learned(const wire::QueryT& query) override {
    require(query.view == wire::View::solutions || query.view == wire::View::facts,
            "what was learned are solutions or facts");
    return json_line({{"solutions", Json::array()}});
  }
  Result<std::string> tools(const std::string& project, const std::string& task) override {
    return json_line({{"tools", Json::array()}, {"project", project}, {"task", task}});
  }
  Result<std::string> context(const std::string& flow) override { return json_line({{"flow", flow}}); }
  Status report(schema::ReportFactUnion) override { return {}; }
  ToldWords told() override { return {.text = "a person says: \"go on\"\n"}; }
  Result<std::string> job(const std::string& name) override { return json_line({{"id", name}}); }
  Result<std::string> requests(const std::string& name, bool) override { return json_line({{"job", name}}); }
  Result<view::QuestionT> ask(wire::AskQuestionT question, const CallWait& wait) override {
    if (wait.on_tick) wait.on_tick();
    require(question.options.size() != 1 && question.options.size() <= 64,
            "a question has no or several options");
    require(question.question.size() <= 64 * 1024, "a question fits the daemon's limit");
    for (const std::string& option : question.options) {
      require(!option.empty() && option.size() <= 1024, "an option fits the daemon's limit");
    }
    view::QuestionT row;
    row.state = static_cast<view::QuestionState>(question.question.size() % 4);
    row.answer = question.question;
    return row;
  }
  Result<view::ApprovalT> request(wire::RequestApprovalT approval, const CallWait&) override {
    require(approval.tool_input.size() <= 64 * 1024 && approval.description.size() <= 64 * 1024,
            "an approval fits the daemon's limit");
    require(approval.tool_input.empty() || Json::accept(approval.tool_input), "a tool's input is JSON");
    view::ApprovalT row;
    row.decision = static_cast<schema::Decision>(approval.gate.size() % 4);
    return row;
  }
  void confirm(const std::string&, const std::string&) override {}
};

void check_answer(const std::string& line, std::map<std::string, int>& answered) {
  require(line.find('\n') == std::string::npos, "an answer is one line");
  const Json answer = Json::parse(line, nullptr, false);
  require(answer.is_object() && answer.value("jsonrpc", "") == "2.0", "an answer is a message");
  if (answer.contains("method")) {
    require(!answer.contains("id"), "the server asks for nothing");
    return;
  }
  require(answer.contains("id") && answer.contains("result") != answer.contains("error"),
          "an answer is a result or an error");
  if (answer.contains("error")) require(answer["error"]["code"].is_number_integer(), "an error has a code");
  if (!answer["id"].is_null()) ++answered[answer["id"].dump()];
}

void converse(const std::vector<std::string>& lines) {
  CompliantDoor door;
  std::map<std::string, int> answered, asked;
  {
    Session session(door, [&](const std::string& line) {
      check_answer(line, answered);
      return true;
    });
    for (const std::string& line : lines) {
      if (const auto message = read_message(line); message && *message && (*message)->id) {
        ++asked[(*message)->id->dump()];
      } else if (!message && !message.error().id.is_null()) {
        ++asked[message.error().id.dump()];
      }
      session.take(line);
    }
  }
  for (const auto& [id, count] : answered) require(count <= asked[id], "a request is answered once");
}

}  // namespace
}  // namespace luzia::mcp

void luzia::fuzz(std::string_view input) {
  mcp::converse(lines_in(input));
}

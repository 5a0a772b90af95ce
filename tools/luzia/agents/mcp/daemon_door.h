// The JobDoor that uses the daemon. It keeps one connection for reports and one for reads, and opens one for
// each call that waits.
#pragma once

#include <mutex>
#include <optional>

#include "tools/luzia/agents/mcp/job_door.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/person.h"

namespace luzia::mcp {

class DaemonDoor final : public JobDoor {
 public:
  /// `invocation` must outlive it; nobody else may use it meanwhile.
  explicit DaemonDoor(Invocation& invocation);

  Workplace workplace() const override;
  Status report(schema::ReportFactUnion fact) override;
  Result<std::string> job(const std::string& name) override;
  Result<std::string> requests(const std::string& name, bool all) override;
  Result<std::vector<std::string>> teach(wire::RequestUnion request) override;
  Result<std::string> learned(const wire::QueryT& query) override;
  Result<std::string> tools(const std::string& project, const std::string& task) override;
  Result<std::string> context(const std::string& flow) override;
  Result<view::QuestionT> ask(wire::AskQuestionT question, const CallWait& wait) override;
  Result<view::ApprovalT> request(wire::RequestApprovalT approval, const CallWait& wait) override;
  ToldWords told() override;
  void confirm(const std::string& job, const std::string& id) override;

 private:
  DaemonLink new_link();
  /// The rows of a view about a job, as requests() names them.
  Result<Page> rows_about(const std::string& name, wire::View view, bool ended);
  Result<Page> read(const wire::QueryT& query);

  Invocation& invocation_;
  std::mutex connecting_;  // an Invocation is for one thread at a time
  const OwnJob own_;
  DaemonLink reports_;  // like reads_, used only by the thread of quick calls
  std::optional<Client> reads_;
};

}  // namespace luzia::mcp

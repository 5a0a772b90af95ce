#include "tools/luzia-web/stepped_reading.h"

#include "engine/base/try.h"
#include "tools/luzia-web/daemon_lines.h"
#include "tools/read/source.h"

namespace luzia::web {
namespace {

constexpr std::size_t kMostSteps = 3, kMostLightBytes = 64 << 10;

using OpenOthers = std::function<Result<std::unique_ptr<Source>>()>;

/// Gives the answers that there are; asks others what they do not contain, or notes it as the next question.
class AnsweredSource : public Source {
 public:
  AnsweredSource(const std::vector<Result<RowPage>>& answers, const OpenOthers& others,
                 std::optional<wire::QueryT>* question)
      : answers_(answers), others_(others), question_(question) {}

  bool is_daemon() const override { return true; }
  Result<Position> end() override { return Position{0}; }
  Result<RowPage> query(const wire::QueryT& query) override {
    if (at_ < answers_.size()) return answers_[at_++];
    if (question_ != nullptr && !*question_) *question_ = query;
    Source* const source = LUZIA_TRY(other());
    return source->query(query);
  }
  Result<std::string> output_from(const std::string& job, std::uint64_t offset) override {
    Source* const source = LUZIA_TRY(other());
    return source->output_from(job, offset);
  }
  Result<std::string> verify(const ProgressSink& /*progress*/) override { return not_read(); }
  Result<std::string> rebuild(const ProgressSink& /*progress*/) override { return not_read(); }
  Result<std::string> backup(const std::string& /*target*/, const ProgressSink& /*progress*/) override {
    return not_read();
  }

 private:
  static tl::unexpected<Error> not_read() {
    return fail(ErrorKind::trouble, "not_answered", "there is no answer to this yet");
  }
  Result<Source*> other() {
    if (!others_) return not_read();
    if (!other_) other_ = LUZIA_TRY(others_());
    return other_.get();
  }

  const std::vector<Result<RowPage>>& answers_;
  const OpenOthers& others_;
  std::optional<wire::QueryT>* question_;  // null: others are asked
  std::size_t at_ = 0;
  std::unique_ptr<Source> other_;
};

std::size_t bytes_of(const RowPage& page) {
  std::size_t bytes = 0;
  for (const std::string& row : page.rows) bytes += row.size();
  for (const RowPage& part : page.parts) bytes += bytes_of(part);
  return bytes;
}

/// Words that are short, about what is now: the past is rebuilt first.
bool asks_little(const Request& request) {
  std::size_t bytes = request.path.size();
  for (const auto& [name, value] : request.query) bytes += value.size();
  return bytes <= DaemonLines::kMostQueryBytes && request.parameter("at") == nullptr;
}

}  // namespace

SteppedReading::SteppedReading(std::string socket, const Match& match, const Request& request)
    : socket_(std::move(socket)), command_(ReadCommand::parse(match, request)), small_(asks_little(request)) {
  request_.path = request.path;
  request_.query = request.query;
}

bool SteppedReading::is_light() const {
  return small_ && answers_.size() < kMostSteps && bytes_ <= kMostLightBytes;
}

Result<std::string> SteppedReading::run(const OpenOthers& others, std::optional<wire::QueryT>* question) {
  if (!command_) return tl::unexpected(command_.error());
  const auto open = [&]() -> Result<std::unique_ptr<Source>> {
    return std::make_unique<AnsweredSource>(answers_, others, question);
  };
  return command_->run({socket_, open});
}

std::variant<Answer, wire::QueryT> SteppedReading::step() {
  std::optional<wire::QueryT> question;
  auto printed = run({}, &question);
  if (question) return std::move(*question);
  return answer_of(std::move(printed), request_);
}

void SteppedReading::take(Result<RowPage> page) {
  if (page) bytes_ += bytes_of(*page);
  answers_.push_back(std::move(page));
}

Answer SteppedReading::finish(const ReadPlace& place) {
  return answer_of(run(place.open, nullptr), request_);
}

}  // namespace luzia::web

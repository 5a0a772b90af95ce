#include "tools/luziad/inputs/input_rows.h"

#include "projections/inputs.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

/// An erased text reads as empty; a client that waits still learns that there is an answer.
Result<std::string> text_at(const EventLog& log, Position event, const schema::BlobRefT* ref) {
  if (ref == nullptr || event == 0) return std::string();
  auto content = log.blob(event, ref->index);
  if (!content && content.error().code == "blob_erased") return std::string("(erased)");
  return content;
}

/// The row of one request; an empty id: none.
template <class Row>
Result<Row> fold_stream(const ViewReader& rows, const EventLog& log, std::string_view job,
                        std::string_view id) {
  Row row;
  std::string project, agent;
  const auto positions = stream_positions(rows, std::string("job/").append(job));
  LUZIA_TRY(rows.status());
  LUZIA_TRY(visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    const auto* life = event.payload_as_JobEvent();
    if (const auto* queued = life != nullptr ? life->fact_as_JobQueued() : nullptr) {
      project = text(queued->spec()->project());
      agent = text(queued->spec()->agent());
    }
    if (input_of_event(event) != id) return true;
    if (row.id.empty()) row.position = event.position();
    row.id = id;
    row.job = job;
    fold_input_row(row, event);
    return true;
  }));
  row.project = std::move(project);
  row.agent = std::move(agent);
  return row;
}

}  // namespace

std::optional<view::InputKind> kind_of_input(std::string_view id) {
  if (id.starts_with("q-")) return view::InputKind::question;
  if (id.starts_with("a-")) return view::InputKind::approval;
  return std::nullopt;
}

Result<std::optional<view::QuestionT>> read_question(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id) {
  auto row = LUZIA_TRY(fold_stream<view::QuestionT>(rows, log, job, id));
  if (row.id.empty()) return std::optional<view::QuestionT>();
  row.question = LUZIA_TRY(text_at(log, row.position, row.text.get()));
  row.answer = LUZIA_TRY(row.by_default ? Result<std::string>(row.default_answer)
                                        : text_at(log, row.answer_position, row.answer_text.get()));
  return std::optional<view::QuestionT>(std::move(row));
}

Result<std::optional<view::ApprovalT>> read_approval(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id) {
  auto row = LUZIA_TRY(fold_stream<view::ApprovalT>(rows, log, job, id));
  if (row.id.empty()) return std::optional<view::ApprovalT>();
  row.description = LUZIA_TRY(text_at(log, row.position, row.description_text.get()));
  row.tool_input = LUZIA_TRY(text_at(log, row.position, row.input_text.get()));
  return std::optional<view::ApprovalT>(std::move(row));
}

}  // namespace luzia

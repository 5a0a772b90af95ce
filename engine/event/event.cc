#include "engine/event/event.h"

namespace luzia {
namespace {

constexpr flatbuffers::uoffset_t kVerifyDepth = 16;
constexpr flatbuffers::uoffset_t kVerifyTables = 10'000;
constexpr std::string_view kUnknown = "unknown";

/// Generated EnumName functions return "" for a member that a newer program added, and "NONE" for none.
std::string_view known(const char* name) {
  const std::string_view text = name;
  return text.empty() || text == "NONE" ? kUnknown : text;
}

/// Calls `take` with the event's payload (null: it has a type but no value) and the names of its facts.
/// Returns `otherwise` without a payload, or with one of a newer program.
auto with_payload(const schema::Event& event, auto otherwise, auto take) {
  using schema::Payload;
  switch (event.payload_type()) {
    case Payload::NONE:
      break;
    case Payload::JobEvent:
      return take(event.payload_as_JobEvent(), schema::EnumNameJobFact);
    case Payload::OutputEvent:
      return take(event.payload_as_OutputEvent(), schema::EnumNameOutputFact);
    case Payload::ReportEvent:
      return take(event.payload_as_ReportEvent(), schema::EnumNameReportFact);
    case Payload::QuestionEvent:
      return take(event.payload_as_QuestionEvent(), schema::EnumNameQuestionFact);
    case Payload::ApprovalEvent:
      return take(event.payload_as_ApprovalEvent(), schema::EnumNameApprovalFact);
    case Payload::FlowEvent:
      return take(event.payload_as_FlowEvent(), schema::EnumNameFlowFact);
    case Payload::IssueEvent:
      return take(event.payload_as_IssueEvent(), schema::EnumNameIssueFact);
    case Payload::ToolEvent:
      return take(event.payload_as_ToolEvent(), schema::EnumNameToolFact);
    case Payload::LearningEvent:
      return take(event.payload_as_LearningEvent(), schema::EnumNameLearningFact);
    case Payload::UsageEvent:
      return take(event.payload_as_UsageEvent(), schema::EnumNameUsageFact);
    case Payload::AlertEvent:
      return take(event.payload_as_AlertEvent(), schema::EnumNameAlertFact);
    case Payload::QueueEvent:
      return take(event.payload_as_QueueEvent(), schema::EnumNameQueueFact);
    case Payload::SystemEvent:
      return take(event.payload_as_SystemEvent(), schema::EnumNameSystemFact);
    case Payload::WorkspaceEvent:
      return take(event.payload_as_WorkspaceEvent(), schema::EnumNameWorkspaceFact);
    case Payload::DeviceEvent:
      return take(event.payload_as_DeviceEvent(), schema::EnumNameDeviceFact);
    case Payload::ScheduleEvent:
      return take(event.payload_as_ScheduleEvent(), schema::EnumNameScheduleFact);
  }
  return otherwise;
}

/// The verifier accepts a union that has a type but no value. Members of newer programs are not checked.
bool is_whole(const schema::Event& event) {
  return with_payload(event, true, [](const auto* domain, auto) {
    return domain != nullptr &&
           (domain->fact_type() == decltype(domain->fact_type()){} || domain->fact() != nullptr);
  });
}

}  // namespace

schema::BlobRefT blob_ref(const Blob& blob) {
  const Hash hash = blake2b({as_bytes(blob.salt), as_bytes(blob.content)});
  schema::BlobRefT ref;
  ref.index = blob.index;
  ref.size = blob.content.size();
  ref.hash.assign(hash.begin(), hash.end());
  return ref;
}

Result<const schema::Event*> verify_event(Bytes bytes) {
  if (bytes.size() > kMaxEventBytes) {
    return fail(ErrorKind::trouble, "event_too_large",
                "an event of " + std::to_string(bytes.size()) + " bytes is over the limit of " +
                    std::to_string(kMaxEventBytes));
  }
  // At a misaligned address the bytes can pass the verifier, but reading them is undefined behavior.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    return fail(ErrorKind::trouble, "event_misaligned", "an event's bytes do not begin at a multiple of 8");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kVerifyDepth, kVerifyTables);
  if (!schema::VerifyEventBuffer(verifier) || !is_whole(*schema::GetEvent(bytes.data()))) {
    return fail(
        ErrorKind::trouble, "event_corrupt",
        "an event of " + std::to_string(bytes.size()) + " bytes is not a valid event (verifier refused it)");
  }
  return schema::GetEvent(bytes.data());
}

std::string_view event_type(const schema::Event& event) {
  return with_payload(event, kUnknown, [](const auto* domain, auto name_of) {
    return domain ? known(name_of(domain->fact_type())) : kUnknown;
  });
}

std::string actor_name(const schema::Event& event) {
  const auto* actor = event.actor();
  if (actor == nullptr) return {};
  std::string name(text(actor->name()));
  if (!text(actor->device()).empty())
    name.append(name.empty() ? "" : " ").append("at ").append(text(actor->device()));
  return name;
}

std::string_view job_of_stream(std::string_view stream) {
  constexpr std::string_view kPrefix = "job/";
  return stream.starts_with(kPrefix) ? stream.substr(kPrefix.size()) : std::string_view{};
}

}  // namespace luzia

#include "engine/event/event.h"

namespace luzia {
namespace {

constexpr flatbuffers::uoffset_t kVerifyDepth = 16;
constexpr flatbuffers::uoffset_t kVerifyTables = 10'000;
constexpr std::string_view kUnknown = "unknown";

template <class DomainEventT, class FactUnion>
NewEvent wrap(std::string stream, FactUnion fact) {
  DomainEventT domain;
  domain.fact = std::move(fact);
  NewEvent event;
  event.stream = std::move(stream);
  event.payload.Set(std::move(domain));
  return event;
}

/// Generated EnumName functions return "" for a member that a newer program added, and "NONE" for none.
std::string_view known(const char* name) {
  const std::string_view text = name;
  return text.empty() || text == "NONE" ? kUnknown : text;
}

template <class DomainEvent, class NameOf>
std::string_view fact_name(const DomainEvent* domain, NameOf name_of) {
  return domain ? known(name_of(domain->fact_type())) : kUnknown;
}

template <class DomainEvent>
bool has_its_fact(const DomainEvent* domain) {
  return domain != nullptr &&
         (domain->fact_type() == decltype(domain->fact_type()){} || domain->fact() != nullptr);
}

/// The verifier accepts a union that has a type but no value. Members of newer programs are not checked.
bool is_whole(const schema::Event& event) {
  using schema::Payload;
  switch (event.payload_type()) {
    case Payload::NONE:
      return true;
    case Payload::JobEvent:
      return has_its_fact(event.payload_as_JobEvent());
    case Payload::OutputEvent:
      return has_its_fact(event.payload_as_OutputEvent());
    case Payload::ReportEvent:
      return has_its_fact(event.payload_as_ReportEvent());
    case Payload::QuestionEvent:
      return has_its_fact(event.payload_as_QuestionEvent());
    case Payload::ApprovalEvent:
      return has_its_fact(event.payload_as_ApprovalEvent());
    case Payload::FlowEvent:
      return has_its_fact(event.payload_as_FlowEvent());
    case Payload::IssueEvent:
      return has_its_fact(event.payload_as_IssueEvent());
    case Payload::ToolEvent:
      return has_its_fact(event.payload_as_ToolEvent());
    case Payload::LearningEvent:
      return has_its_fact(event.payload_as_LearningEvent());
    case Payload::UsageEvent:
      return has_its_fact(event.payload_as_UsageEvent());
    case Payload::AlertEvent:
      return has_its_fact(event.payload_as_AlertEvent());
    case Payload::QueueEvent:
      return has_its_fact(event.payload_as_QueueEvent());
    case Payload::SystemEvent:
      return has_its_fact(event.payload_as_SystemEvent());
    case Payload::WorkspaceEvent:
      return has_its_fact(event.payload_as_WorkspaceEvent());
    case Payload::DeviceEvent:
      return has_its_fact(event.payload_as_DeviceEvent());
  }
  return true;
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

NewEvent new_event(std::string stream, schema::JobFactUnion fact) {
  return wrap<schema::JobEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::OutputFactUnion fact) {
  return wrap<schema::OutputEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::ReportFactUnion fact) {
  return wrap<schema::ReportEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::QueueFactUnion fact) {
  return wrap<schema::QueueEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::SystemFactUnion fact) {
  return wrap<schema::SystemEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::AlertFactUnion fact) {
  return wrap<schema::AlertEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::ToolFactUnion fact) {
  return wrap<schema::ToolEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::UsageFactUnion fact) {
  return wrap<schema::UsageEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::IssueFactUnion fact) {
  return wrap<schema::IssueEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::QuestionFactUnion fact) {
  return wrap<schema::QuestionEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::ApprovalFactUnion fact) {
  return wrap<schema::ApprovalEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::WorkspaceFactUnion fact) {
  return wrap<schema::WorkspaceEventT>(std::move(stream), std::move(fact));
}
NewEvent new_event(std::string stream, schema::DeviceFactUnion fact) {
  return wrap<schema::DeviceEventT>(std::move(stream), std::move(fact));
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
        "an event of " + std::to_string(bytes.size()) + " bytes is no valid event (verifier refused it)");
  }
  return schema::GetEvent(bytes.data());
}

std::string_view event_type(const schema::Event& event) {
  using schema::Payload;
  switch (event.payload_type()) {
    case Payload::NONE:
      return kUnknown;
    case Payload::JobEvent:
      return fact_name(event.payload_as_JobEvent(), schema::EnumNameJobFact);
    case Payload::OutputEvent:
      return fact_name(event.payload_as_OutputEvent(), schema::EnumNameOutputFact);
    case Payload::ReportEvent:
      return fact_name(event.payload_as_ReportEvent(), schema::EnumNameReportFact);
    case Payload::QuestionEvent:
      return fact_name(event.payload_as_QuestionEvent(), schema::EnumNameQuestionFact);
    case Payload::ApprovalEvent:
      return fact_name(event.payload_as_ApprovalEvent(), schema::EnumNameApprovalFact);
    case Payload::FlowEvent:
      return fact_name(event.payload_as_FlowEvent(), schema::EnumNameFlowFact);
    case Payload::IssueEvent:
      return fact_name(event.payload_as_IssueEvent(), schema::EnumNameIssueFact);
    case Payload::ToolEvent:
      return fact_name(event.payload_as_ToolEvent(), schema::EnumNameToolFact);
    case Payload::LearningEvent:
      return fact_name(event.payload_as_LearningEvent(), schema::EnumNameLearningFact);
    case Payload::UsageEvent:
      return fact_name(event.payload_as_UsageEvent(), schema::EnumNameUsageFact);
    case Payload::AlertEvent:
      return fact_name(event.payload_as_AlertEvent(), schema::EnumNameAlertFact);
    case Payload::QueueEvent:
      return fact_name(event.payload_as_QueueEvent(), schema::EnumNameQueueFact);
    case Payload::SystemEvent:
      return fact_name(event.payload_as_SystemEvent(), schema::EnumNameSystemFact);
    case Payload::WorkspaceEvent:
      return fact_name(event.payload_as_WorkspaceEvent(), schema::EnumNameWorkspaceFact);
    case Payload::DeviceEvent:
      return fact_name(event.payload_as_DeviceEvent(), schema::EnumNameDeviceFact);
  }
  return kUnknown;
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

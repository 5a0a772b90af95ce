// One event: NewEvent, which a decider returns, and schema::Event, the stored envelope it becomes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/base/time.h"
#include "event.fb.h"

namespace luzia {

/// Position of an event in the log: from 1, without gaps. 0: before the first.
using Position = std::uint64_t;

/// Maximum size of one event and of one blob.
constexpr std::size_t kMaxEventBytes = 256 * 1024;
constexpr std::size_t kMaxBlobBytes = 8 * 1024 * 1024;

/// An erasable text that is stored beside an event. `index` counts within the event.
struct Blob {
  std::uint32_t index = 0;
  std::string salt;  // 16 random bytes; they come with the command
  std::string content;
};

/// The reference that the event keeps: the text's size and salted hash.
schema::BlobRefT blob_ref(const Blob& blob);

/// A decided event, not yet stored. `stream` is "job/ID", "project/NAME" or "system". GroupWriter adds
/// position, version, time, cause and actor. `evidence` unset: asserted.
struct NewEvent {
  std::string stream;
  schema::PayloadUnion payload;
  std::unique_ptr<schema::EvidenceT> evidence;
  std::vector<Blob> blobs;
};

/// Evidence rule of an end that was read from exit.json because the exit record is gone.
inline constexpr const char* kExitCopyRule = "exit-json";
/// Evidence rule of an end without an exit record after a stop was requested: the stop is taken as its cause.
inline constexpr const char* kStoppedUnseenRule = "stop-without-exit-record";
/// `limit` of an AgentParked whose agent's login is refused.
inline constexpr const char* kLoginLimit = "login";

/// Whether `Fact` is a fact of the domain, or the union of all its facts.
template <class Fact, class DomainEventT, class FactTraits>
constexpr bool kIsOf = FactTraits::enum_value != decltype(FactTraits::enum_value){} ||
                       std::is_same_v<Fact, decltype(DomainEventT::fact)>;
/// The event of the domain that the fact is of.
template <class Fact>
constexpr auto domain_of() {
  using namespace schema;
  if constexpr (kIsOf<Fact, JobEventT, JobFactUnionTraits<Fact>>) return std::type_identity<JobEventT>();
  if constexpr (kIsOf<Fact, OutputEventT, OutputFactUnionTraits<Fact>>)
    return std::type_identity<OutputEventT>();
  if constexpr (kIsOf<Fact, ReportEventT, ReportFactUnionTraits<Fact>>)
    return std::type_identity<ReportEventT>();
  if constexpr (kIsOf<Fact, QueueEventT, QueueFactUnionTraits<Fact>>)
    return std::type_identity<QueueEventT>();
  if constexpr (kIsOf<Fact, SystemEventT, SystemFactUnionTraits<Fact>>)
    return std::type_identity<SystemEventT>();
  if constexpr (kIsOf<Fact, AlertEventT, AlertFactUnionTraits<Fact>>)
    return std::type_identity<AlertEventT>();
  if constexpr (kIsOf<Fact, ToolEventT, ToolFactUnionTraits<Fact>>) return std::type_identity<ToolEventT>();
  if constexpr (kIsOf<Fact, UsageEventT, UsageFactUnionTraits<Fact>>)
    return std::type_identity<UsageEventT>();
  if constexpr (kIsOf<Fact, IssueEventT, IssueFactUnionTraits<Fact>>)
    return std::type_identity<IssueEventT>();
  if constexpr (kIsOf<Fact, QuestionEventT, QuestionFactUnionTraits<Fact>>)
    return std::type_identity<QuestionEventT>();
  if constexpr (kIsOf<Fact, ApprovalEventT, ApprovalFactUnionTraits<Fact>>)
    return std::type_identity<ApprovalEventT>();
  if constexpr (kIsOf<Fact, WorkspaceEventT, WorkspaceFactUnionTraits<Fact>>)
    return std::type_identity<WorkspaceEventT>();
  if constexpr (kIsOf<Fact, DeviceEventT, DeviceFactUnionTraits<Fact>>)
    return std::type_identity<DeviceEventT>();
  if constexpr (kIsOf<Fact, ScheduleEventT, ScheduleFactUnionTraits<Fact>>)
    return std::type_identity<ScheduleEventT>();
  if constexpr (kIsOf<Fact, FlowEventT, FlowFactUnionTraits<Fact>>) return std::type_identity<FlowEventT>();
  if constexpr (kIsOf<Fact, LearningEventT, LearningFactUnionTraits<Fact>>)
    return std::type_identity<LearningEventT>();
}

/// The union of its domain that holds `fact`.
template <class Fact>
auto domain_fact(Fact fact) {
  typename decltype(domain_of<Fact>())::type domain;
  domain.fact.Set(std::move(fact));
  return std::move(domain.fact);
}

/// Wraps a fact, or a union with a fact, into a NewEvent of that stream.
template <class Fact>
NewEvent new_event(std::string stream, Fact fact) {
  typename decltype(domain_of<Fact>())::type domain;
  if constexpr (std::is_same_v<Fact, decltype(domain.fact)>)
    domain.fact = std::move(fact);
  else
    domain.fact.Set(std::move(fact));
  NewEvent event;
  event.stream = std::move(stream);
  event.payload.Set(std::move(domain));
  return event;
}

/// `job_event("k3…", JobEndedT{…})`: the fact in stream "job/k3…".
template <class Fact>
NewEvent job_event(std::string_view job, Fact fact) {
  return new_event(std::string("job/").append(job), std::move(fact));
}

/// Checks the length, then runs the FlatBuffers verifier (depth 16, 10,000 tables) and checks the identifier.
/// `bytes` must be aligned to 8. The result points into `bytes`.
Result<const schema::Event*> verify_event(Bytes bytes);

/// Name of the fact in the payload ("JobQueued"). "unknown": a member that this program does not know.
std::string_view event_type(const schema::Event& event);

/// The id after "job/"; empty: another stream.
std::string_view job_of_stream(std::string_view stream);
inline std::string_view text(const flatbuffers::String* s) {
  return s ? s->string_view() : std::string_view{};
}

/// The texts of a list, which may be null.
inline std::vector<std::string> texts(
    const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list) {
  std::vector<std::string> all;
  if (list == nullptr) return all;
  for (const auto* each : *list) all.push_back(each->str());
  return all;
}

/// Who caused the event, as rows name them: "anna", "anna at phone"; empty: the daemon by itself.
std::string actor_name(const schema::Event& event);

}  // namespace luzia

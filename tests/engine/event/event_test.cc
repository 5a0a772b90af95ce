#include "engine/event/event.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/engine/log/log_events.h"

namespace luzia::test {
namespace {

/// Bytes at a chosen distance from a multiple of 8.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::string& bytes, std::size_t shift = 0)
      : memory_((bytes.size() + shift) / 8 + 1), shift_(shift), size_(bytes.size()) {
    std::memcpy(data(), bytes.data(), bytes.size());
  }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(memory_.data()) + shift_; }
  Bytes bytes() { return {data(), size_}; }

 private:
  std::vector<std::uint64_t> memory_;
  std::size_t shift_, size_;
};

/// The buffer of a builder may begin at any address, so copy it.
AlignedBytes aligned(const flatbuffers::FlatBufferBuilder& builder) {
  return AlignedBytes(std::string(as_text({builder.GetBufferPointer(), builder.GetSize()})));
}

TEST(VerifyEvent, AcceptsAnEncodedEvent) {
  AlignedBytes bytes(encoded_event(42, "hello"));
  auto event = verify_event(bytes.bytes());
  ASSERT_TRUE(event);
  EXPECT_EQ((*event)->position(), 42U);
  EXPECT_EQ(note_of(**event), "hello");
}

TEST(VerifyEvent, RefusesEveryCutEvent) {
  const std::string encoded = encoded_event(1);
  for (std::size_t size = 0; size < encoded.size(); ++size) {
    AlignedBytes bytes(encoded.substr(0, size));
    auto event = verify_event(bytes.bytes());
    // Losing padding at the end may do no harm.
    if (size + 8 < encoded.size()) {
      ASSERT_FALSE(event) << size;
      EXPECT_EQ(event.error().code, "event_corrupt");
    }
  }
}

TEST(VerifyEvent, RefusesAnotherFileIdentifier) {
  std::string encoded = encoded_event(1);
  encoded[4] = 'X';
  AlignedBytes bytes(encoded);
  EXPECT_EQ(verify_event(bytes.bytes()).error().code, "event_corrupt");
}

TEST(VerifyEvent, RefusesOddAddresses) {
  for (std::size_t shift = 1; shift < 8; ++shift) {
    AlignedBytes bytes(encoded_event(1), shift);
    EXPECT_EQ(verify_event(bytes.bytes()).error().code, "event_misaligned");
  }
}

TEST(VerifyEvent, RefusesOversizedInputUnread) {
  AlignedBytes bytes(std::string(kMaxEventBytes + 1, '\0'));
  EXPECT_EQ(verify_event(bytes.bytes()).error().code, "event_too_large");
}

TEST(VerifyEvent, RefusesTooManyTables) {
  schema::EventT event;
  schema::JobQueuedT queued;
  queued.spec = std::make_unique<schema::JobSpecT>();
  for (int i = 0; i < 10'001; ++i) queued.spec->exit_codes.push_back(std::make_unique<schema::ExitCodeT>());
  event.payload = std::move(job_event("abc", std::move(queued)).payload);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Event::Pack(builder, &event), schema::EventIdentifier());
  ASSERT_LT(builder.GetSize(), kMaxEventBytes);
  AlignedBytes bytes = aligned(builder);
  EXPECT_EQ(verify_event(bytes.bytes()).error().code, "event_corrupt");
}

TEST(EventType, NamesTheFact) {
  AlignedBytes bytes(encoded_event(1));
  EXPECT_EQ(event_type(**verify_event(bytes.bytes())), "JobHeld");
}

TEST(EventType, FactOfANewerProgramIsUnknown) {
  flatbuffers::FlatBufferBuilder builder;
  const auto domain =
      schema::CreateJobEvent(builder, static_cast<schema::JobFact>(250), builder.CreateString("x").Union());
  schema::EventBuilder known(builder);
  known.add_payload_type(schema::Payload::JobEvent);
  known.add_payload(domain.Union());
  schema::FinishEventBuffer(builder, known.Finish());
  AlignedBytes bytes = aligned(builder);
  auto event = verify_event(bytes.bytes());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event_type(**event), "unknown");
}

TEST(EventType, DomainOfANewerProgramIsUnknown) {
  flatbuffers::FlatBufferBuilder builder;
  const auto payload = builder.CreateString("something");
  schema::EventBuilder newer(builder);
  newer.add_payload_type(static_cast<schema::Payload>(250));
  newer.add_payload(payload.Union());
  schema::FinishEventBuffer(builder, newer.Finish());
  AlignedBytes bytes = aligned(builder);
  auto event = verify_event(bytes.bytes());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event_type(**event), "unknown");
}

TEST(VerifyEvent, RefusesATypeWithoutItsPayload) {
  for (const schema::Payload type : schema::EnumValuesPayload()) {
    flatbuffers::FlatBufferBuilder builder;
    schema::EventBuilder empty(builder);
    empty.add_payload_type(type);
    schema::FinishEventBuffer(builder, empty.Finish());
    AlignedBytes bytes = aligned(builder);
    const auto event = verify_event(bytes.bytes());
    EXPECT_EQ(event.has_value(), type == schema::Payload::NONE) << schema::EnumNamePayload(type);
  }
}

TEST(VerifyEvent, RefusesATypeWithoutItsFact) {
  flatbuffers::FlatBufferBuilder builder;
  const auto domain = schema::CreateJobEvent(builder, schema::JobFact::JobQueued);
  schema::EventBuilder event(builder);
  event.add_payload_type(schema::Payload::JobEvent);
  event.add_payload(domain.Union());
  schema::FinishEventBuffer(builder, event.Finish());
  AlignedBytes bytes = aligned(builder);
  EXPECT_EQ(verify_event(bytes.bytes()).error().code, "event_corrupt");
}

TEST(NewEvent, WrapsAFactInItsDomain) {
  auto job = job_event("abc", schema::JobHeldT{});
  EXPECT_EQ(job.stream, "job/abc");
  ASSERT_NE(job.payload.AsJobEvent(), nullptr);
  EXPECT_NE(job.payload.AsJobEvent()->fact.AsJobHeld(), nullptr);
  EXPECT_EQ(job.evidence, nullptr);

  schema::SystemFactUnion fact;
  fact.Set(schema::DaemonStoppedT{});
  const auto system = new_event("system", std::move(fact));
  EXPECT_EQ(system.stream, "system");
  EXPECT_NE(system.payload.AsSystemEvent()->fact.AsDaemonStopped(), nullptr);
  EXPECT_NE(job_event("abc", schema::OutputAppendedT{}).payload.AsOutputEvent(), nullptr);
  EXPECT_NE(job_event("abc", schema::TaskStartedT{}).payload.AsReportEvent(), nullptr);
}

TEST(BlobRef, HashesSaltAndText) {
  const auto ref = blob_ref({2, "salt", "text"});
  EXPECT_EQ(ref.index, 2U);
  EXPECT_EQ(ref.size, 4U);
  const Hash hash = blake2b({as_bytes("salttext")});
  EXPECT_EQ(ref.hash, std::vector<std::uint8_t>(hash.begin(), hash.end()));
  EXPECT_NE(ref.hash, blob_ref({2, "SALT", "text"}).hash);
}

TEST(JobOfStream, IsTheIdAfterThePrefix) {
  EXPECT_EQ(job_of_stream("job/k3x"), "k3x");
  EXPECT_EQ(job_of_stream("job/"), "");
  EXPECT_EQ(job_of_stream("project/k3x"), "");
  EXPECT_EQ(job_of_stream("system"), "");
  EXPECT_EQ(job_of_stream(""), "");
}

}  // namespace
}  // namespace luzia::test

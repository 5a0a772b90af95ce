// The program writes the worked example of schema/LOG_FORMAT.md byte for byte.
#include <sstream>

#include "engine/base/base64url.h"
#include "engine/log/blob_row.h"
#include "engine/log/rocks_log_db.h"
#include "engine/log/seal.h"
#include "engine/log/watermark.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"
#include "tests/paths.h"

namespace luzia::test {
namespace {

/// The example: one group of one event, with the texts that it refers to.
class Example {
 public:
  Example() {
    group_.add(as_bytes(event_));
    group_.add_blob(1, {0, "0123456789abcdef", "hi"});
  }
  std::string key() const { return position_key(1); }
  std::string group() const { return Group::encode(group_, chain()); }
  std::string blobs() const { return encode_blob_row(group_.blobs()); }
  std::string watermark_slot() const { return encode_watermark_slot({1, chain()}); }

 private:
  static std::string encode() {
    flatbuffers::FlatBufferBuilder builder;
    const auto site = builder.CreateString("desk");
    const auto stream = builder.CreateString("system");
    const auto stopped = schema::CreateDaemonStopped(builder, builder.CreateString("bye"));
    const auto system =
        schema::CreateSystemEvent(builder, schema::SystemFact::DaemonStopped, stopped.Union());
    schema::EventBuilder event(builder);
    event.add_site(site);
    event.add_position(1);
    event.add_stream(stream);
    event.add_version(1);
    event.add_time_us(1'750'000'000'000'000);
    event.add_payload_type(schema::Payload::SystemEvent);
    event.add_payload(system.Union());
    schema::FinishEventBuffer(builder, event.Finish());
    return std::string(as_text({builder.GetBufferPointer(), builder.GetSize()}));
  }
  Hash chain() const { return chain_hash({}, 1, group_.count(), group_.frames()); }

  std::string event_ = encode();
  PendingGroup group_{1};
};

/// The bytes of the code block that begins with "```hex NAME": hexadecimal pairs, comments from '#'.
std::string block(const std::string& name) {
  std::istringstream lines(read_file(source_path("schema/LOG_FORMAT.md")));
  std::string digits;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) inside = line == "```hex " + name;
    if (!inside || line.starts_with("```")) continue;
    for (const char c : line.substr(0, line.find('#'))) {
      if (c != ' ') digits += c;
    }
  }
  return digits;
}

std::string hex(const std::string& bytes) {
  return to_hex(as_bytes(bytes));
}

TEST(LogFormat, ExampleKeyIsCorrect) {
  EXPECT_EQ(block("key"), hex(Example().key()));
}
TEST(LogFormat, ExampleGroupIsCorrect) {
  EXPECT_EQ(block("group"), hex(Example().group()));
}
TEST(LogFormat, ExampleBlobsAreCorrect) {
  EXPECT_EQ(block("blobs"), hex(Example().blobs()));
}
TEST(LogFormat, ExampleWatermarkIsCorrect) {
  EXPECT_EQ(block("watermark slot"), hex(Example().watermark_slot()));
}

TEST(LogFormat, ExampleSealIsCorrect) {
  std::string seed;
  for (char byte = 0; byte < 32; ++byte) seed += byte;
  const auto key = SealKey::parse_file("luzia-seal-key 1 " + base64url(seed) + "\n");
  ASSERT_TRUE(key);
  const std::string value = Example().group();
  const auto group = Group::parse(1, as_bytes(value));
  ASSERT_TRUE(group);
  const std::string line =
      key->sign({{"desk", "000102030405060708090a0b0c0d0e0f"}, {1, group->chain()}, 1'750'000'000'000'000});
  EXPECT_THAT(read_file(source_path("schema/LOG_FORMAT.md")), HasSubstr("\n    " + line + "\n"));
}

TEST(LogFormat, ExampleReadsBack) {
  const std::string value = Example().group();
  auto group = Group::parse(1, as_bytes(value));
  ASSERT_TRUE(group);
  EXPECT_EQ(event_type(*group->events()[0]), "DaemonStopped");
  EXPECT_EQ(text(group->events()[0]->stream()), "system");
}

}  // namespace
}  // namespace luzia::test

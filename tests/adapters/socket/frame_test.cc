#include "adapters/socket/frame.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

std::string dispatch_frame(std::uint64_t id, const std::string& task) {
  wire::ClientFrameT frame;
  frame.id = id;
  wire::DispatchT dispatch;
  auto job = std::make_unique<wire::DispatchJobT>();
  job->project = "p";
  job->task = task;
  dispatch.jobs.push_back(std::move(job));
  frame.request.Set(std::move(dispatch));
  return encode(frame);
}

std::vector<std::uint64_t> ids_when_fed_in_pieces_of(const std::string& bytes, std::size_t piece) {
  FrameReader reader;
  std::vector<std::uint64_t> ids;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const Status fed = reader.feed(as_bytes(std::string_view(bytes).substr(at, piece)), [&](Bytes frame) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame.data()) % 8, 0u);
      const auto parsed = parse_client_frame(frame);
      ASSERT_TRUE(parsed.has_value());
      ids.push_back((*parsed)->id());
    });
    EXPECT_TRUE(fed.has_value());
  }
  return ids;
}

TEST(Frame, DoesNotDependOnHowBytesArrive) {
  std::string bytes;
  std::vector<std::uint64_t> sent;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    bytes += dispatch_frame(id, std::string(id * 7, 'x'));
    sent.push_back(id);
  }
  for (const std::size_t piece : std::initializer_list<std::size_t>{1, 2, 3, 5, 8, 13, 64, 1000, 100000}) {
    EXPECT_EQ(ids_when_fed_in_pieces_of(bytes, piece), sent) << "pieces of " << piece;
  }
}

TEST(Frame, CarriesItsContent) {
  const std::string encoded = dispatch_frame(7, "say \"hi\"\n");
  FrameReader reader;
  int seen = 0;
  ASSERT_TRUE(reader.feed(as_bytes(encoded), [&](Bytes frame) {
    ++seen;
    const auto parsed = parse_client_frame(frame);
    ASSERT_TRUE(parsed.has_value());
    const auto* dispatch = (*parsed)->request_as_Dispatch();
    ASSERT_NE(dispatch, nullptr);
    EXPECT_EQ(dispatch->jobs()->Get(0)->task()->str(), "say \"hi\"\n");
  }));
  EXPECT_EQ(seen, 1);
}

TEST(Frame, ImpossibleSizesAreRefused) {
  for (const std::uint32_t size :
       {0u, 1u, 11u, static_cast<std::uint32_t>(kMaxFrameBytes) + 1, 0xffffffffu}) {
    std::uint8_t header[4];
    flatbuffers::WriteScalar(header, size);
    FrameReader reader;
    const Status fed = reader.feed({header, 4}, [](Bytes) { FAIL() << "no frame was sent"; });
    ASSERT_FALSE(fed.has_value()) << size;
    EXPECT_EQ(fed.error().code, "bad_frame");
    EXPECT_EQ(fed.error().kind, ErrorKind::usage);
  }
}

TEST(Frame, EveryFlippedBitIsRefusedOrStillReadable) {
  const std::string encoded = dispatch_frame(1, "task");
  std::vector<std::uint64_t> memory((encoded.size() + 7) / 8);
  auto* body = reinterpret_cast<std::uint8_t*>(memory.data());
  const std::size_t size = encoded.size() - kFrameHeaderBytes;
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < size * 8; ++bit) {
    std::memcpy(body, encoded.data() + kFrameHeaderBytes, size);
    body[bit / 8] = static_cast<std::uint8_t>(body[bit / 8] ^ (1u << (bit % 8)));
    const auto parsed = parse_client_frame({body, size});
    if (!parsed) {
      ++refused;
    } else {
      std::unique_ptr<wire::ClientFrameT>((*parsed)->UnPack());
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(Frame, TypeWithoutItsRequestIsRefused) {
  for (const wire::Request type : wire::EnumValuesRequest()) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(wire::CreateClientFrame(builder, 1, type));
    const auto frame = parse_client_frame({builder.GetBufferPointer(), builder.GetSize()});
    ASSERT_EQ(frame.has_value(), type == wire::Request::NONE) << wire::EnumNameRequest(type);
    EXPECT_TRUE(frame || frame.error().code == "bad_frame");
  }
}

TEST(Frame, TypeWithoutItsFactIsRefused) {
  const auto is_read = [](wire::Request type, auto create) {
    flatbuffers::FlatBufferBuilder builder;
    const auto request = create(builder).Union();
    builder.Finish(wire::CreateClientFrame(builder, 1, type, request));
    return parse_client_frame({builder.GetBufferPointer(), builder.GetSize()}).has_value();
  };
  for (const schema::ReportFact type : schema::EnumValuesReportFact()) {
    const auto publish = [type](auto& builder) { return wire::CreatePublish(builder, 0, 1, type); };
    EXPECT_EQ(is_read(wire::Request::Publish, publish), type == schema::ReportFact::NONE);
  }
  for (const schema::WorkspaceFact type : schema::EnumValuesWorkspaceFact()) {
    const auto note = [type](auto& builder) { return wire::CreateNoteWorkspace(builder, 0, type); };
    EXPECT_EQ(is_read(wire::Request::NoteWorkspace, note), type == schema::WorkspaceFact::NONE);
  }
}

TEST(Frame, TruncatedBodyIsRefused) {
  const std::string encoded = dispatch_frame(1, "task");
  std::vector<std::uint64_t> memory((encoded.size() + 7) / 8);
  auto* body = reinterpret_cast<std::uint8_t*>(memory.data());
  std::memcpy(body, encoded.data() + kFrameHeaderBytes, encoded.size() - kFrameHeaderBytes);
  EXPECT_TRUE(parse_client_frame({body, encoded.size() - kFrameHeaderBytes}));
  const auto half = parse_client_frame({body, (encoded.size() - kFrameHeaderBytes) / 2});
  ASSERT_FALSE(half.has_value());
  EXPECT_EQ(half.error().code, "bad_frame");
}

}  // namespace
}  // namespace luzia

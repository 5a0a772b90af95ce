#include "tests/golden/golden_log.h"

#include <flatbuffers/minireflect.h>

#include <algorithm>
#include <sstream>

#include "engine/log/blob_row.h"
#include "tests/golden/sample_events.h"

namespace luzia::test {
namespace {

constexpr Position kBlobEvent = 2;
constexpr char kBlobText[] = "the prompt of a job";

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string record(const std::string& kind, Position position, const std::string& rest) {
  return kind + " " + std::to_string(position) + " " + rest + "\n";
}

/// Two texts beside the group's first event, the second one erased.
std::string write_blobs(const PendingGroup& group) {
  const std::vector<BlobEntry> entries = {{kBlobEvent, 0, BlobState::present, "0123456789abcdef", kBlobText},
                                          {kBlobEvent, 1, BlobState::erased, {}, {}}};
  return record("blobs", group.first_position(), to_hex(as_bytes(encode_blob_row(entries)))) +
         record("blob", kBlobEvent, "0 " + std::string(kBlobText)) + record("blob", kBlobEvent, "1 erased");
}

std::string write_group(const PendingGroup& pending, const Hash& chain) {
  std::string text =
      record("group", pending.first_position(), to_hex(as_bytes(Group::encode(pending, chain))));
  if (pending.first_position() == kBlobEvent) text += write_blobs(pending);
  const Group group = Group::stored(pending, chain);
  for (std::size_t i = 0; i < group.events().size(); ++i) {
    text += record("event", group.first_position() + i,
                   domain_and_fact(*group.events()[i]) + " " + dump_event(group.event_bytes(i)));
  }
  return text;
}

Status parse_record(const std::string& line, GoldenLog& golden) {
  std::istringstream in(line);
  std::string kind, rest;
  Position position = 0;
  in >> kind >> position >> std::ws;
  std::getline(in, rest);
  if (kind == "group") {
    golden.groups[position] = from_hex(rest);
  } else if (kind == "blobs") {
    golden.blobs[position] = from_hex(rest);
  } else if (kind == "blob") {
    golden.blob_texts[{position, static_cast<std::uint32_t>(std::stoul(rest))}] =
        rest.substr(rest.find(' ') + 1);
  } else if (kind == "event") {
    golden.events[position] = {rest.substr(0, rest.find(' ')), rest.substr(rest.find(' ') + 1)};
  } else if (kind == "tip") {
    golden.tip.position = position;
    const std::string chain = from_hex(rest);
    std::copy_n(chain.begin(), std::min(chain.size(), sizeof(Hash)), golden.tip.chain.begin());
  } else {
    return fail(ErrorKind::trouble, "golden_invalid", "no record of a golden log: " + line);
  }
  return {};
}

}  // namespace

std::string dump_event(Bytes encoded) {
  return flatbuffers::FlatBufferToString(encoded.data(), schema::EventTypeTable());
}

std::string domain_and_fact(const schema::Event& event) {
  return std::string(schema::EnumNamePayload(event.payload_type())) + "/" + std::string(event_type(event));
}

Result<std::string> make_golden(const std::string& schema_folder) {
  auto events = sample_events(schema_folder);
  if (!events) return tl::unexpected(events.error());
  std::string text;
  Tip tip;
  for (std::uint32_t size = 1; tip.position < events->size(); ++size) {
    PendingGroup group(tip.position + 1);
    while (group.count() < size && group.next_position() <= events->size()) {
      group.add(as_bytes((*events)[group.next_position() - 1]));
    }
    tip.chain = chain_hash(tip.chain, group.first_position(), group.count(), group.frames());
    tip.position = group.next_position() - 1;
    text += write_group(group, tip.chain);
  }
  return text + record("tip", tip.position, to_hex(tip.chain));
}

Result<GoldenLog> parse_golden(const std::string& text) {
  GoldenLog golden;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto parsed = parse_record(line, golden); !parsed) return tl::unexpected(parsed.error());
  }
  return golden;
}

}  // namespace luzia::test

#include "adapters/output_log/redacted_facts.h"

#include <memory>
#include <span>
#include <utility>

#include "engine/event/event.h"

namespace luzia {
namespace {

/// In its packed form, in which texts stand as they are and keep their sizes. False: that broke the form.
template <class FactUnion>
bool black_out_fact(const Redactor& redactor, FactUnion& fact) {
  using Domain = typename decltype(domain_of<FactUnion>())::type;
  using Table = typename Domain::TableType;
  Domain domain;
  domain.fact = std::move(fact);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Table::Pack(builder, &domain));
  fact = std::move(domain.fact);
  std::uint8_t* const packed = builder.GetBufferPointer();
  if (!redactor.black_out(std::span(reinterpret_cast<char*>(packed), builder.GetSize()), false)) return true;
  flatbuffers::Verifier verifier(packed, builder.GetSize());
  if (!verifier.VerifyBuffer<Table>()) return false;
  const std::unique_ptr<Domain> shown(flatbuffers::GetRoot<Table>(packed)->UnPack());
  fact = std::move(shown->fact);
  return true;
}

}  // namespace

void black_out_findings(const Redactor& redactor, std::vector<RecordOutput::Finding>& findings) {
  std::erase_if(findings, [&redactor](RecordOutput::Finding& finding) {
    return !std::visit([&redactor](auto& fact) { return black_out_fact(redactor, fact); }, finding.fact);
  });
}

}  // namespace luzia

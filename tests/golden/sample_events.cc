#include "tests/golden/sample_events.h"

#include <flatbuffers/idl.h>

#include <cstdint>

#include "tests/schema/schema_listing.h"

namespace luzia::test {
namespace {

using flatbuffers::FieldDef;
using flatbuffers::StructDef;
using flatbuffers::Type;

constexpr std::int64_t kSomeTimeUs = 1'750'000'000'000'000;

std::string filled_table(const StructDef& table);

std::string filled_value(const Type& type, const std::string& name, int id) {
  if (type.base_type == flatbuffers::BASE_TYPE_STRING) return '"' + name + " text\"";
  if (type.base_type == flatbuffers::BASE_TYPE_STRUCT) return filled_table(*type.struct_def);
  if (type.base_type == flatbuffers::BASE_TYPE_BOOL) return "true";
  if (type.enum_def) return std::to_string(type.enum_def->Vals().back()->GetAsInt64());
  if (flatbuffers::IsFloat(type.base_type)) return std::to_string(id) + ".5";
  // Each field has its own number, so that exchanged fields are noticed.
  return name.ends_with("_us") ? std::to_string(kSomeTimeUs + id) : std::to_string(id + 1);
}

std::string filled_field(const FieldDef& field) {
  const Type& type = field.value.type;
  const int id = (field.value.offset - 4) / 2;
  if (!flatbuffers::IsVector(type)) return filled_value(type, field.name, id);
  const Type element = type.VectorType();
  return "[" + filled_value(element, field.name + " first", id) + ", " +
         filled_value(element, field.name + " second", id + 100) + "]";
}

std::string filled_table(const StructDef& table) {
  std::string json;
  for (const FieldDef* field : table.fields.vec) {
    const auto type = field->value.type.base_type;
    if (field->deprecated || type == flatbuffers::BASE_TYPE_UNION || type == flatbuffers::BASE_TYPE_UTYPE)
      continue;
    json += (json.empty() ? "{" : ", ") + field->name + ": " + filled_field(*field);
  }
  return json.empty() ? "{}" : json + "}";
}

const FieldDef& payload_of(const StructDef& event) {
  return *event.fields.Lookup("payload");
}

/// Calls `visit(domain, fact)` for all facts of all domains.
template <class Visit>
void for_each_fact(const flatbuffers::Parser& schema, Visit visit) {
  for (const auto* domain : payload_of(*schema.root_struct_def_).value.type.enum_def->Vals()) {
    if (!domain->union_type.struct_def) continue;
    const auto* facts = domain->union_type.struct_def->fields.Lookup("fact")->value.type.enum_def;
    for (const auto* fact : facts->Vals()) {
      if (fact->union_type.struct_def) visit(*domain, *fact);
    }
  }
}

/// The envelope with its own position and stream; filled_table() fills everything else.
std::string event_json(const StructDef& event, std::uint64_t position, const flatbuffers::EnumVal& domain,
                       const flatbuffers::EnumVal& fact) {
  std::string json = "{";
  for (const FieldDef* field : event.fields.vec) {
    const auto type = field->value.type.base_type;
    if (type == flatbuffers::BASE_TYPE_UNION || type == flatbuffers::BASE_TYPE_UTYPE) continue;
    const std::string value = field->name == "position" || field->name == "version" ? std::to_string(position)
                              : field->name == "stream"                             ? "\"job/0k3xmp71a0004\""
                                                                                    : filled_field(*field);
    json += field->name + ": " + value + ", ";
  }
  return json + "payload_type: " + domain.name + ", payload: {fact_type: " + fact.name +
         ", fact: " + filled_table(*fact.union_type.struct_def) + "}}";
}

}  // namespace

std::vector<std::string> fact_names(const flatbuffers::Parser& event_schema) {
  std::vector<std::string> names;
  for_each_fact(event_schema, [&](const auto& domain, const auto& fact) {
    names.push_back(domain.name + "/" + fact.name);
  });
  return names;
}

Result<std::vector<std::string>> sample_events(const std::string& schema_folder) {
  auto schema = load_schema(schema_folder, "event.fbs");
  if (!schema) return tl::unexpected(schema.error());
  std::vector<std::string> jsons;
  for_each_fact(**schema, [&](const auto& domain, const auto& fact) {
    jsons.push_back(event_json(*(*schema)->root_struct_def_, jsons.size() + 1, domain, fact));
  });
  std::vector<std::string> events;
  for (const std::string& json : jsons) {
    if (!(*schema)->Parse(json.c_str())) {
      return fail(ErrorKind::trouble, "sample_invalid", "cannot encode " + json + ": " + (*schema)->error_);
    }
    const auto& builder = (*schema)->builder_;
    events.emplace_back(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  }
  return events;
}

}  // namespace luzia::test

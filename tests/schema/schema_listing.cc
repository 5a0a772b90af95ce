#include "tests/schema/schema_listing.h"

#include <flatbuffers/idl.h>
#include <flatbuffers/util.h>

namespace luzia::test {
namespace {

std::string full_name(const flatbuffers::Definition& definition) {
  return definition.defined_namespace->GetFullyQualifiedName(definition.name);
}

std::string type_name(const flatbuffers::Type& type) {
  if (flatbuffers::IsVector(type)) return "[" + type_name(type.VectorType()) + "]";
  if (type.struct_def) return full_name(*type.struct_def);
  const std::string base = flatbuffers::kTypeNames[type.base_type];
  return type.enum_def ? full_name(*type.enum_def) + " as " + base : base;
}

std::string field_text(const flatbuffers::FieldDef& field) {
  std::string text = field.name + ": " + type_name(field.value.type);
  if (field.IsOptional()) text += " or null";
  if (field.IsRequired()) text += " required";
  if (flatbuffers::IsScalar(field.value.type.base_type)) text += " = " + field.value.constant;
  return text;
}

void list_fields(const flatbuffers::StructDef& definition, std::map<std::string, std::string>& list) {
  const std::string name = full_name(definition);
  list[(definition.fixed ? "struct " : "table ") + name] =
      definition.fixed ? std::to_string(definition.bytesize) + " bytes" : "";
  for (const flatbuffers::FieldDef* field : definition.fields.vec) {
    // Tables: the field with id 0 is at offset 4 of the vtable, each next one 2 bytes further.
    const int place = definition.fixed ? field->value.offset : (field->value.offset - 4) / 2;
    list["table " + name + " field " + std::to_string(place)] = field_text(*field);
  }
}

void list_values(const flatbuffers::EnumDef& definition, std::map<std::string, std::string>& list) {
  const std::string name = full_name(definition);
  list["enum " + name] = (definition.is_union ? "union as " : "enum as ") +
                         std::string(flatbuffers::kTypeNames[definition.underlying_type.base_type]);
  for (const flatbuffers::EnumVal* value : definition.Vals()) {
    std::string text = value->name;
    if (value->union_type.struct_def) text += " of " + full_name(*value->union_type.struct_def);
    list["enum " + name + " value " + std::to_string(value->GetAsInt64())] = text;
  }
}

}  // namespace

Result<std::shared_ptr<flatbuffers::Parser>> load_schema(const std::string& folder, const std::string& file) {
  std::string source;
  const std::string path = folder + "/" + file;
  if (!flatbuffers::LoadFile(path.c_str(), false, &source)) {
    return fail(ErrorKind::trouble, "schema_unreadable", "cannot read " + path);
  }
  auto parser = std::make_shared<flatbuffers::Parser>();
  const char* includes[] = {folder.c_str(), nullptr};
  if (!parser->Parse(source.c_str(), includes, path.c_str())) {
    return fail(ErrorKind::trouble, "schema_invalid", "cannot parse " + path + ": " + parser->error_);
  }
  return parser;
}

std::map<std::string, std::string> list_schema(const flatbuffers::Parser& schema) {
  std::map<std::string, std::string> list;
  for (const flatbuffers::StructDef* definition : schema.structs_.vec) list_fields(*definition, list);
  for (const flatbuffers::EnumDef* definition : schema.enums_.vec) list_values(*definition, list);
  if (schema.root_struct_def_) list["root type"] = full_name(*schema.root_struct_def_);
  list["file identifier"] = schema.file_identifier_;
  return list;
}

std::vector<std::string> schema_faults(const std::map<std::string, std::string>& released,
                                       const std::map<std::string, std::string>& current) {
  std::vector<std::string> faults;
  for (const auto& [place, meaning] : released) {
    const auto now = current.find(place);
    if (now == current.end()) {
      faults.push_back(place + " (" + meaning + ") is gone");
    } else if (now->second != meaning) {
      faults.push_back(place + " was '" + meaning + "', is '" + now->second + "'");
    }
  }
  return faults;
}

}  // namespace luzia::test

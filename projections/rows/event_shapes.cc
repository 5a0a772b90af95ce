#include "projections/rows/event_shapes.h"

#include <flatbuffers/reflection.h>

#include <algorithm>
#include <array>

#include "engine/base/hash.h"
#include "engine/base/time.h"
#include "event_bfbs.fb.h"

namespace luzia {
namespace {

using reflection::BaseType;

/// Fields that are shown to nobody.
constexpr std::array<std::string_view, 4> kSecrets = {"secret_hash", "push_endpoint", "push_key",
                                                      "push_auth"};

struct EnumShape {
  std::map<std::int64_t, std::string> names;
};

struct TableShape;

struct FieldShape {
  std::string name;
  std::string time_name;  // of the RFC 3339 twin; empty: not a wall time
  std::uint16_t offset = 0;
  BaseType type = BaseType::None;
  BaseType element = BaseType::None;
  const EnumShape* enumeration = nullptr;             // for scalars and a union's type
  const TableShape* table = nullptr;                  // for tables and vectors of tables
  std::map<std::uint8_t, const TableShape*> members;  // for unions
  std::int64_t default_integer = 0;
  double default_real = 0;
  bool optional = false;
};

struct TableShape {
  std::vector<FieldShape> fields;
};

/// Signed fields x_us are wall times, and unsigned ones are durations. The two signed fields below are
/// durations too.
std::string time_name_of(const reflection::Field& field) {
  const std::string name = field.name()->str();
  const bool wall = field.type()->base_type() == BaseType::Long && name.ends_with("_us") && name != "by_us" &&
                    name != "step_us" && name != "auto_after_us";
  return wall ? name.substr(0, name.size() - 3) + "_at" : std::string();
}

class EventShapes {
 public:
  EventShapes() {
    const auto& schema = *reflection::GetSchema(schema::EventBinarySchema::data());
    enums_.resize(schema.enums()->size());
    tables_.resize(schema.objects()->size());
    for (flatbuffers::uoffset_t i = 0; i < schema.enums()->size(); ++i) {
      for (const auto* value : *schema.enums()->Get(i)->values()) {
        enums_[i].names.emplace(value->value(), value->name()->str());
      }
    }
    for (flatbuffers::uoffset_t i = 0; i < schema.objects()->size(); ++i) {
      const auto& object = *schema.objects()->Get(i);
      for (const auto* field : *object.fields()) {
        const bool shown = std::ranges::find(kSecrets, field->name()->string_view()) == kSecrets.end();
        if (shown && !field->deprecated()) tables_[i].fields.push_back(shape_of(schema, *field));
      }
      std::sort(tables_[i].fields.begin(), tables_[i].fields.end(),
                [](const auto& a, const auto& b) { return a.offset < b.offset; });
      if (object.name()->string_view() == "luzia.schema.Event") event_ = &tables_[i];
    }
  }

  /// Follows the union field of the envelope, then that of its domain: the table of this fact.
  const TableShape* domain(std::uint8_t payload_type) const {
    return member(*std::find_if(event_->fields.begin(), event_->fields.end(), is_union), payload_type);
  }
  static const FieldShape* fact_field(const TableShape& domain) {
    const auto it = std::find_if(domain.fields.begin(), domain.fields.end(), is_union);
    return it == domain.fields.end() ? nullptr : &*it;
  }
  static const TableShape* member(const FieldShape& field, std::uint8_t type) {
    const auto it = field.members.find(type);
    return it == field.members.end() ? nullptr : it->second;
  }

 private:
  static bool is_union(const FieldShape& field) { return field.type == BaseType::Union; }

  FieldShape shape_of(const reflection::Schema& schema, const reflection::Field& field) {
    const auto& type = *field.type();
    FieldShape shape;
    shape.name = field.name()->str();
    shape.time_name = time_name_of(field);
    shape.offset = field.offset();
    shape.type = type.base_type();
    shape.element = type.element();
    shape.default_integer = field.default_integer();
    shape.default_real = field.default_real();
    shape.optional = field.optional();
    if (type.index() < 0) return shape;
    const auto index = static_cast<flatbuffers::uoffset_t>(type.index());
    if (shape.type == BaseType::Obj || shape.element == BaseType::Obj) {
      shape.table = &tables_[index];
    } else {
      shape.enumeration = &enums_[index];
    }
    if (shape.type == BaseType::Union) {
      for (const auto* value : *schema.enums()->Get(index)->values()) {
        const auto* of_member = value->union_type();
        if (!of_member || of_member->base_type() != BaseType::Obj) continue;
        shape.members.emplace(static_cast<std::uint8_t>(value->value()),
                              &tables_[static_cast<std::size_t>(of_member->index())]);
      }
    }
    return shape;
  }

  std::vector<EnumShape> enums_;
  std::vector<TableShape> tables_;
  const TableShape* event_ = nullptr;
};

const EventShapes& shapes() {
  static const EventShapes built;
  return built;
}

void write_table(JsonWriter& json, const TableShape& shape, const flatbuffers::Table& table);

std::int64_t integer(const flatbuffers::Table& table, const FieldShape& field) {
  const auto read = [&]<class T>(T) {
    return static_cast<std::int64_t>(table.GetField<T>(field.offset, static_cast<T>(field.default_integer)));
  };
  switch (field.type) {
    case BaseType::Bool:
    case BaseType::UType:
    case BaseType::UByte:
      return read(std::uint8_t{});
    case BaseType::Byte:
      return read(std::int8_t{});
    case BaseType::Short:
      return read(std::int16_t{});
    case BaseType::UShort:
      return read(std::uint16_t{});
    case BaseType::Int:
      return read(std::int32_t{});
    case BaseType::UInt:
      return read(std::uint32_t{});
    default:  // reflection's enum, not ours: the others have 64 bits
      return read(std::int64_t{});
  }
}

void write_integer(JsonWriter& json, const FieldShape& field, std::int64_t value) {
  if (field.enumeration) {
    const auto name = field.enumeration->names.find(value);
    if (name != field.enumeration->names.end()) return json.text(name->second);
    return json.number(value);
  }
  if (field.type == BaseType::Bool) return json.boolean(value != 0);
  if (field.type == BaseType::ULong) return json.number(static_cast<std::uint64_t>(value));
  json.number(value);
}

void write_vector(JsonWriter& json, const FieldShape& field, const flatbuffers::Table& table) {
  if (field.element == BaseType::UByte) {
    const auto* bytes = table.GetPointer<const flatbuffers::Vector<std::uint8_t>*>(field.offset);
    return json.text(bytes ? to_hex({bytes->data(), bytes->size()}) : std::string());
  }
  json.begin_array();
  if (field.element == BaseType::String) {
    using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
    if (const auto* strings = table.GetPointer<const Strings*>(field.offset)) {
      for (const auto* string : *strings) json.text(string->string_view());
    }
  } else if (field.element == BaseType::Obj) {
    using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
    if (const auto* tables = table.GetPointer<const Tables*>(field.offset)) {
      for (const auto* element : *tables) write_table(json, *field.table, *element);
    }
  } else if (field.element == BaseType::ULong) {
    if (const auto* numbers = table.GetPointer<const flatbuffers::Vector<std::uint64_t>*>(field.offset)) {
      for (const std::uint64_t number : *numbers) json.number(number);
    }
  }
  json.end_array();
}

void write_union(JsonWriter& json, const FieldShape& field, const flatbuffers::Table& table) {
  const auto type = table.GetField<std::uint8_t>(static_cast<std::uint16_t>(field.offset - 2), 0);
  const auto* member = EventShapes::member(field, type);
  const auto* value = table.GetPointer<const flatbuffers::Table*>(field.offset);
  if (!member || !value) return json.null();
  write_table(json, *member, *value);
}

void write_field(JsonWriter& json, const FieldShape& field, const flatbuffers::Table& table) {
  json.key(field.name);
  const bool missing = !table.CheckField(field.offset);
  if (missing && field.optional && field.type != BaseType::String && field.type != BaseType::Vector) {
    return json.null();
  }
  switch (field.type) {
    case BaseType::String: {
      const auto* string = table.GetPointer<const flatbuffers::String*>(field.offset);
      return json.text(string ? string->string_view() : std::string_view{});
    }
    case BaseType::Obj: {
      const auto* inner = table.GetPointer<const flatbuffers::Table*>(field.offset);
      if (!inner) return json.null();
      return write_table(json, *field.table, *inner);
    }
    case BaseType::Vector:
      return write_vector(json, field, table);
    case BaseType::Union:
      return write_union(json, field, table);
    case BaseType::Double:
      return json.number(table.GetField<double>(field.offset, field.default_real));
    case BaseType::Float:
      return json.number(
          static_cast<double>(table.GetField<float>(field.offset, static_cast<float>(field.default_real))));
    default:  // reflection's enum, not ours: only integers are left
      return write_integer(json, field, integer(table, field));
  }
}

void write_table(JsonWriter& json, const TableShape& shape, const flatbuffers::Table& table) {
  json.begin_object();
  for (const FieldShape& field : shape.fields) {
    write_field(json, field, table);
    if (field.time_name.empty()) continue;
    const std::int64_t time = integer(table, field);
    json.key(field.time_name);
    json.text_or_null(time == 0 ? std::string() : format_rfc3339(time));
  }
  json.end_object();
}

}  // namespace

void write_fact(JsonWriter& json, std::uint8_t payload_type, const void* payload) {
  const TableShape* domain = shapes().domain(payload_type);
  const FieldShape* fact = domain ? EventShapes::fact_field(*domain) : nullptr;
  if (!fact || !payload) return json.null();
  write_union(json, *fact, *static_cast<const flatbuffers::Table*>(payload));
}

}  // namespace luzia

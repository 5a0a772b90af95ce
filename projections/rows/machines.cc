#include "projections/rows/machines.h"

#include <algorithm>

#include "projections/rows/json_object.h"

namespace luzia {

const RowMachine* RowMachines::find(std::string_view id) const {
  if (const auto several = contested.find(id); several != contested.end()) return &several->second;
  const auto found = of_id.find(id);
  return found == of_id.end() ? nullptr : &machines[found->second];
}

const RowMachine* RowMachines::find_row(const void* row) const {
  const auto found = of_row.find(row);
  return found == of_row.end() ? nullptr : &machines[found->second];
}

std::string machine_text(const RowMachine& machine, TimeUs now) {
  if (machine.as_of_us == 0 && machine.answered()) return machine.name;
  return machine.name + ", " + format_duration(std::max<TimeUs>(0, now - machine.as_of_us)) + " ago";
}

namespace {

std::string joined_objects(std::string object, const std::string& more) {
  if (!object.ends_with('}')) return object;
  object.pop_back();
  if (!object.ends_with('{')) object += ',';
  return object.append(more, 1);
}

}  // namespace

std::string with_machine(std::string object, const RowMachine* machine) {
  if (machine == nullptr) return object;
  JsonObject more;
  more.text("machine", machine->name);
  if (machine->as_of_us != 0 || !machine->answered()) more.time("as_of", "as_of_us", machine->as_of_us);
  return joined_objects(std::move(object), more.take());
}

std::string with_machines(std::string object, const RowMachines& machines) {
  JsonObject more;
  more.objects("machines", machines.machines, [](JsonObject& json, const RowMachine& machine) {
    json.text("machine", machine.name);
    json.boolean("answered", machine.answered());
    json.number_or_null("position", machine.position);
    json.time("as_of", "as_of_us", machine.as_of_us);
    if (!machine.failed) return json.at("error").null();
    json.begin("error");
    json.text("code", machine.failed->code);
    json.text("message", machine.failed->message);
    json.text_or_null("hint", machine.failed->hint);
    json.end();
  });
  return joined_objects(std::move(object), more.take());
}

}  // namespace luzia

#include "projections/devices.h"

namespace luzia {
namespace {

class DevicesProjection : public OneView<Projection, view::Device, kDevicesView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    if (event.payload_as_DeviceEvent() == nullptr) return;
    const std::string_view id = device_of_stream(text(event.stream()));
    if (!id.empty()) evolve(rows_.edit(id), event);
  }
};

}  // namespace

std::unique_ptr<Projection> make_devices_projection(ViewReaderSource rows) {
  return std::make_unique<DevicesProjection>(std::move(rows));
}

void visit_devices(const ViewReader& rows, const std::function<void(Device)>& visit) {
  for (Device& device : all_rows<view::Device>(rows, kDevicesView)) visit(std::move(device));
}

}  // namespace luzia

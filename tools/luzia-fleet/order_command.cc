// order: passes on orders, as `luzia proxy` passes on requests to a daemon. orders, withdraw: what became of
// them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <deque>

#include "adapters/config/database_url.h"
#include "adapters/socket/frame.h"
#include "adapters/socket/readable.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/order_placing.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {
namespace {

constexpr std::chrono::seconds kLookAtOrderEvery{5};
constexpr std::uint64_t kExpiresMs = 3'600'000, kMostExpiresMs = 30ULL * 24 * kExpiresMs;

/// One client on standard input and output, which waits for the answer to each request.
class OrderDesk {
 public:
  OrderDesk(Invocation& invocation, std::string to, std::chrono::seconds expires)
      : invocation_(invocation), to_(std::move(to)), expires_(expires) {}

  /// Until the client ends.
  Status serve() {
    while (true) {
      while (!requests_.empty()) {
        const auto request = std::move(requests_.front());
        requests_.pop_front();
        LUZIA_TRY(answer(*request));
      }
      if (is_over_) return {};
      LUZIA_TRY(read_more());
    }
  }

 private:
  using Request = std::unique_ptr<wire::ClientFrameT>;

  /// Reads what is there; waits for it.
  Status read_more() {
    std::array<std::uint8_t, 64 << 10> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return {};
    is_over_ = count <= 0;
    if (is_over_) return {};
    Status parsed;
    LUZIA_TRY(reader_.feed({bytes.data(), static_cast<std::size_t>(count)}, [&](Bytes bytes_of_frame) {
      const auto frame = parse_client_frame(bytes_of_frame);
      if (!frame) {
        parsed = tl::unexpected(frame.error());
      } else {
        requests_.emplace_back((*frame)->UnPack());
      }
    }));
    return parsed;
  }

  Status answer(const wire::ClientFrameT& request) {
    if (request.request.type == wire::Request::Hello) return welcome(request.id);
    auto reply = reply_for(request.request);
    if (!reply) return send(request.id, reply_of(reply.error()));
    // The client has gone: what it ordered stands.
    return *reply ? send(request.id, std::move(**reply)) : Status();
  }

  Status welcome(std::uint64_t id) {
    wire::WelcomeT welcome;
    welcome.protocol = kProtocolVersion;
    welcome.version = LUZIA_VERSION;
    welcome.pid = static_cast<std::uint32_t>(::getpid());
    wire::ReplyUnion reply;
    reply.Set(std::move(welcome));
    return send(id, std::move(reply));
  }

  /// nullopt: the client has not waited for it.
  Result<std::optional<wire::ReplyUnion>> reply_for(const wire::RequestUnion& request) {
    LUZIA_TRY(order_of(request));
    if (!is_site_name(to_)) {
      return fail(ErrorKind::usage, "bad_usage", "'" + to_ + "' is neither a site, nor a label, nor any",
                  "luzia --on fleet:build1, or fleet:any");
    }
    if (!database_ || !database_->is_usable()) {
      database_ = LUZIA_TRY(connect_as_people(invocation_, "orders"));
      LUZIA_TRY(database_->script("LISTEN luzia_replies"));
    }
    std::string note;
    PlacedOrder order = LUZIA_TRY(place_order(*database_, request, to_, expires_, note));
    if (!note.empty()) invocation_.say(note);
    while (!order.is_over()) {
      if (is_over_) {
        invocation_.say("order " + order.id + " stands (" + order.state +
                        "): luzia-fleet orders shows it, "
                        "luzia-fleet withdraw " +
                        order.id + " takes it back");
        return std::optional<wire::ReplyUnion>();
      }
      LUZIA_TRY(database_->wait_notified(kLookAtOrderEvery, STDIN_FILENO));
      if (is_readable(STDIN_FILENO)) LUZIA_TRY(take_pings());
      order = LUZIA_TRY(look_order(*database_, order.id));
    }
    return std::optional(reply_to(order));
  }

  /// A client that waits asks whether somebody is there. Only the machine can say that, so its patience
  /// counts.
  Status take_pings() {
    LUZIA_TRY(read_more());
    std::erase_if(requests_, [](const Request& each) {
      const auto* control = each->request.AsControl();
      return control != nullptr && control->action == wire::ControlAction::ping;
    });
    return {};
  }

  Status send(std::uint64_t id, wire::ReplyUnion reply) {
    wire::ServerFrameT frame;
    frame.id = id;
    frame.reply = std::move(reply);
    const std::string bytes = encode(frame);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        is_over_ = true;
        return {};
      }
      done += static_cast<std::size_t>(count);
    }
    return {};
  }

  Invocation& invocation_;
  std::string to_;
  std::chrono::seconds expires_;
  FrameReader reader_;
  std::deque<Request> requests_;
  std::optional<Postgres> database_;
  bool is_over_ = false;
};

constexpr const char* kOrdersQuery =
    "SELECT id, CASE WHEN state = 'open' AND expires_at <= now() THEN 'expired' ELSE state END, kind, "
    "project, "
    "coalesce(claimed_by, site, 'label ' || label, 'any'), coalesce(job, about), placed_by, "
    "to_char(placed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), "
    "to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), error "
    "FROM luzia.orders ORDER BY placed_at DESC LIMIT $1";
constexpr const char* kOrderKeys[] = {"id",  "state",     "kind",      "project",    "site",
                                      "job", "placed_by", "placed_at", "expires_at", "error"};

std::string order_json(const PostgresRow& row) {
  JsonObject object;
  for (std::size_t i = 0; i < std::size(kOrderKeys); ++i) {
    object.text_or_null(kOrderKeys[i], row[i].value_or(""));
  }
  return object.take();
}

std::string orders_table(const PostgresRows& orders, const TableStyle& style) {
  Table table({{.title = "ORDER"},
               {.title = "STATE"},
               {.title = "KIND", .drops = 2},
               {.title = "PROJECT", .drops = 3},
               {.title = "SITE"},
               {.title = "JOB"},
               {.title = "BY", .drops = 4},
               {.title = "SINCE", .drops = 1},
               {.title = "RESULT", .shrinks = true}});
  for (const PostgresRow& row : orders.rows) {
    const auto cell = [&row](std::size_t column) { return Cell{row[column].value_or("")}; };
    table.add({cell(0),
               cell(1),
               cell(2),
               cell(3),
               cell(4),
               cell(5),
               cell(6),
               cell(7),
               {row[9].value_or(""), Colour::red}});
  }
  return table.text(style);
}

}  // namespace

Result<int> pass_on_orders(Invocation& invocation) {
  const std::uint64_t expires = invocation.args().duration_ms("expires").value_or(kExpiresMs);
  if (!invocation.args().has("to") || ::isatty(STDIN_FILENO) != 0) {
    return fail(ErrorKind::usage, "bad_usage", "order needs --to, and requests on standard input",
                "luzia --on fleet:NAME COMMAND runs it");
  }
  if (expires < 1'000 || expires > kMostExpiresMs) {
    return fail(ErrorKind::usage, "bad_value", "--expires: an order may wait for a second to 30 days");
  }
  std::signal(SIGPIPE, SIG_IGN);
  OrderDesk desk(invocation, invocation.args().text("to"), std::chrono::seconds(expires / 1'000));
  LUZIA_TRY(desk.serve());
  return 0;
}

Result<int> list_orders(Invocation& invocation) {
  Postgres database = LUZIA_TRY(connect_as_people(invocation, "orders"));
  const std::array<PostgresValue, 1> limit = {PostgresValue{
      std::to_string(std::min<std::uint64_t>(invocation.args().number("limit").value_or(50), 100'000))}};
  const auto orders = database.run(kOrdersQuery, limit);
  if (!orders) return tl::unexpected(with_schema_hint(orders.error(), database.last_sqlstate()));
  Console& console = invocation.console();
  if (invocation.json()) {
    JsonObject object;
    object.array("orders", orders->rows, [](const PostgresRow& row) { return order_json(row); });
    LUZIA_TRY(console.write_line(object.take()));
  } else if (orders->rows.empty()) {
    invocation.say("no orders in your projects; luzia --on fleet:any PROJECT \"TASK\" places one");
  } else {
    LUZIA_TRY(console.write(orders_table(*orders, console.style())));
  }
  return 0;
}

Result<int> withdraw_order(Invocation& invocation) {
  const std::string& id = invocation.args().positionals().front();
  Postgres database = LUZIA_TRY(connect_as_people(invocation, "orders"));
  const auto order = LUZIA_TRY(withdraw_order(database, id));
  if (invocation.json()) {
    JsonObject object;
    object.text("id", order.id);
    object.text("state", order.state);
    LUZIA_TRY(invocation.console().write_line(object.take()));
  }
  invocation.say("order " + order.id + " is " + (order.error.empty() ? order.state : order.error));
  return 0;
}

}  // namespace luzia

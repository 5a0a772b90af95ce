#include "tools/luzia-web/settings.h"

#include "adapters/socket/socket_path.h"
#include "engine/base/try.h"
#include "tools/cli/surroundings.h"

namespace luzia::web {

const char kUsage[] =
    "luzia-web: the page and the HTTP API of Luzia. Started by luzia web, or by the daemon ([web] enabled).\n"
    "\n"
    "  luzia-web --store STORE [--config FILE] [--listen ADDRESS:PORT] [--tls-cert FILE --tls-key FILE]\n"
    "            [--behind-proxy] [--host NAME]...\n"
    "\n"
    "  --store STORE          the store whose daemon it asks\n"
    "  --socket SOCKET        the daemon's socket, if the store's own is elsewhere\n"
    "  --config FILE          the daemon's configuration, if it was started with one\n"
    "  --listen ADDRESS:PORT  default 127.0.0.1:8737; port 0: any\n"
    "  --tls-cert, --tls-key  files in PEM; needed on addresses other than loopback\n"
    "  --behind-proxy         a proxy on the way adds TLS\n"
    "  --host NAME            a name under which browsers reach it; addresses and localhost always do\n";

Result<Settings> settings_of(const std::vector<std::string>& words) {
  Settings settings;
  WebListening& web = settings.listening;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") settings.help = true;
    if (word == "--version") settings.version = true;
    if (settings.help || settings.version) return settings;
    if (word == "--behind-proxy") {
      web.behind_proxy = true;
      continue;
    }
    std::string host;
    std::string* const value = word == "--store"      ? &settings.store
                               : word == "--socket"   ? &settings.socket
                               : word == "--config"   ? &settings.config_file
                               : word == "--listen"   ? &web.listen
                               : word == "--tls-cert" ? &web.tls_cert
                               : word == "--tls-key"  ? &web.tls_key
                               : word == "--host"     ? &host
                                                      : nullptr;
    if (value == nullptr)
      return fail(ErrorKind::usage, "bad_usage", "no such option: " + word, "luzia-web --help");
    if (++i == words.size())
      return fail(ErrorKind::usage, "bad_usage", word + " needs a value", "luzia-web --help");
    *value = words[i];
    if (!host.empty()) web.hosts.push_back(host);
  }
  if (settings.store.empty() && settings.socket.empty())
    return fail(ErrorKind::usage, "bad_usage", "luzia-web needs --store or --socket", "luzia web start");
  LUZIA_TRY(check_listening(web));
  settings.store = absolute_path(settings.store);
  if (settings.socket.empty()) settings.socket = LUZIA_TRY(socket_path(settings.store));
  settings.socket = absolute_path(settings.socket);
  settings.config_file = absolute_path(settings.config_file);
  return settings;
}

}  // namespace luzia::web

#include "cli/settings/running_servers.hpp"

#include "base/quoted.hpp"
#include "client/document_reader.hpp"
#include "document/document.hpp"
#include "files/private_file.hpp"
#include "files/private_folder.hpp"
#include "files/trusted_owner.hpp"

#include <arpa/inet.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view machine_data = "/var/lib/carillon";
constexpr std::string_view usual_data_folder = "carillon-data";
/// The stores of folders of pipelines, seen from a project or from such a folder itself; the nearest last.
constexpr std::array<std::string_view, 3> pipeline_data{".carillon", "pipelines/.carillon",
                                                        ".vscode/pipelines/.carillon"};
constexpr std::size_t record_size_max = 64 * 1024;

std::optional<std::string> text_of_file(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{stream}, {}};
}

bool is_running(pid_t pid) {
  if (pid <= 0) return false;
  if (::kill(pid, 0) != 0 && errno != EPERM) return false;
  // A number may have been given to another program since.
  const auto name = text_of_file("/proc/" + std::to_string(pid) + "/comm");
  return !name || name->starts_with("carillon");
}

/// `http://127.0.0.1:7070`, `https://[::1]:7070`: an address that leads nowhere else, with nothing behind the port.
bool is_loopback_url(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    url.remove_prefix(scheme.size());
    const std::size_t colon = url.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view host = url.substr(0, colon);
    const std::string_view port = url.substr(colon + 1);
    in_addr address{};
    const bool is_four = ::inet_pton(AF_INET, std::string{host}.c_str(), &address) == 1 && host.starts_with("127.");
    const bool is_port = !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
    return (is_four || host == "[::1]") && is_port;
  }
  return false;
}

/// A server that listens at every address of the machine is reached at its own.
std::string own_url(std::string url) {
  for (const auto& [every, own] : {std::pair{"://0.0.0.0:", "://127.0.0.1:"}, std::pair{"://[::]:", "://[::1]:"}}) {
    const std::size_t place = url.find(every);
    if (place != std::string::npos) return url.replace(place, std::string_view{every}.size(), own);
  }
  return url;
}

struct RecordPlace {
  fs::path file{};
  fs::path data{};  // empty: the record names it
  std::optional<uid_t> other_owner = {};
};

/// What a server wrote down about itself.
struct Record {
  std::string url{};
  std::string data{};
  std::int64_t pid = 0;
  Instant started_at{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("url", self.url);
    visitor.optional("data", self.data);
    visitor.optional("pid", self.pid);
    visitor.optional("startedAt", self.started_at);
  }
};

Result<RunningServer> parse_record(const std::string& text, const RecordPlace& place) {
  const auto document = TRY(parse_json(text));
  const auto record = TRY(client::read_document<Record>(document));
  RunningServer server{.url = own_url(record.url),
                       .data = place.data.empty() ? fs::path{record.data} : place.data,
                       .pid = static_cast<pid_t>(record.pid),
                       .started_at = record.started_at,
                       .other_owner = place.other_owner};
  if (!is_running(server.pid)) return fail(ErrorCode::not_found, "the server has ended");
  if (!is_loopback_url(server.url))
    return untrusted(fmt::format("{} is not a local address of this machine", carillon::quoted(server.url)),
                     "name the server: --server URL --token-file FILE");
  return server;
}

Result<RunningServer> read_record(const RecordPlace& place) {
  const fs::path folder = place.file.parent_path();
  // First, so that a folder of others without a record is no matter.
  const FileDescriptor file = TRY(open_private_file(place.file, place.other_owner));
  TRY(check_private_folder(folder, place.other_owner));
  return parse_record(TRY(read_open_file(file.get(), place.file, record_size_max)), place);
}

/// /var/lib belongs to root, so whoever has the folder in it was given it by root.
std::optional<uid_t> owner_of(const fs::path& folder) {
  struct stat facts{};
  if (::lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return std::nullopt;
  return facts.st_uid;
}

/// Whoever is there already stays, unless the new one is to be the first.
void add(RunningServers& found, const RecordPlace& place, bool is_first = false) {
  auto server = read_record(place);
  if (!server && server.error().rule == "untrusted-file")
    found.warnings.push_back(fmt::format("{} is ignored: {}", place.file.string(), server.error().message));
  if (!server) return;
  auto& servers = found.servers;
  const auto is_same = [&](const RunningServer& known) { return known.pid == server->pid; };
  server->is_of_this_folder = is_first;
  if (is_first) std::erase_if(servers, is_same);
  if (std::ranges::none_of(servers, is_same))
    servers.insert(is_first ? servers.begin() : servers.end(), *std::move(server));
}

}  // namespace

fs::path record_in(const fs::path& data) { return data / "server.json"; }

fs::path record_folder(const Console& console) {
  const auto state = console.environment("XDG_STATE_HOME");
  if (state && state->starts_with('/')) return fs::path{*state} / "carillon" / "servers";
  const auto home = console.environment("HOME");
  if (!home || !home->starts_with('/')) return {};
  return fs::path{*home} / ".local" / "state" / "carillon" / "servers";
}

std::string to_record(const RunningServer& server) {
  return boost::json::serialize(boost::json::object{{"url", server.url},
                                                    {"tokenFile", server.token_file().string()},
                                                    {"data", server.data.string()},
                                                    {"pid", server.pid},
                                                    {"startedAt", to_text(server.started_at)}}) +
         "\n";
}

RunningServers find_running_servers(const Console& console) {
  RunningServers found;
  std::error_code unknown;
  if (const fs::path folder = record_folder(console); !folder.empty()) {
    for (const auto& entry : fs::directory_iterator{folder, unknown}) {
      if (entry.path().extension() == ".json") add(found, {.file = entry.path()});
    }
  }
  std::ranges::sort(found.servers, std::ranges::greater{}, &RunningServer::started_at);
  const fs::path machine{machine_data};
  add(found, {.file = record_in(machine), .data = machine, .other_owner = owner_of(machine)});
  for (const std::string_view data : pipeline_data) {
    const fs::path folder = fs::absolute(data, unknown);
    add(found, {.file = record_in(folder), .data = folder}, true);
  }
  const fs::path here = fs::absolute(usual_data_folder, unknown);
  add(found, {.file = record_in(here), .data = here}, true);
  return found;
}

std::vector<RunningServer> running_servers(const Console& console) { return find_running_servers(console).servers; }

}  // namespace carillon::cli

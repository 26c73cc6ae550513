#include "cli/running_servers.hpp"

#include "cli/json_view.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

namespace carillon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view machine_data = "/var/lib/carillon";
constexpr std::string_view default_data = "carillon-data";

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

std::optional<RunningServer> read_record(const fs::path& file) {
  const auto text = text_of_file(file);
  if (!text) return std::nullopt;
  const auto document = parse_json(*text);
  if (!document) return std::nullopt;
  const JsonView record{*document};
  RunningServer server{.url = record.text("url"),
                       .token_file = record.text("tokenFile"),
                       .data = record.text("data"),
                       .pid = static_cast<pid_t>(record.number("pid").value_or(0)),
                       .started_at = record.instant("startedAt").value_or(Instant{})};
  if (server.url.empty() || !is_running(server.pid)) return std::nullopt;
  return server;
}

void add(std::vector<RunningServer>& servers, std::optional<RunningServer> server) {
  if (!server) return;
  const bool is_known = std::ranges::any_of(servers, [&](const auto& known) { return known.pid == server->pid; });
  if (!is_known) servers.push_back(*std::move(server));
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
                                                    {"tokenFile", server.token_file.string()},
                                                    {"data", server.data.string()},
                                                    {"pid", server.pid},
                                                    {"startedAt", to_text(server.started_at)}}) +
         "\n";
}

std::vector<RunningServer> running_servers(const Console& console) {
  std::vector<RunningServer> servers;
  if (const fs::path folder = record_folder(console); !folder.empty()) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{folder, none}) add(servers, read_record(entry.path()));
  }
  std::ranges::sort(servers, std::ranges::greater{}, &RunningServer::started_at);
  add(servers, read_record(record_in(machine_data)));
  const auto here = read_record(record_in(default_data));
  if (!here) return servers;
  std::erase_if(servers, [&](const RunningServer& server) { return server.pid == here->pid; });
  servers.insert(servers.begin(), *here);
  return servers;
}

}  // namespace carillon

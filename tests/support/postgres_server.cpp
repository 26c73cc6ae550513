#include "support/postgres_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace carillon {
namespace {

constexpr const char* unprivileged_user = "nobody";
constexpr int ready_tries_max = 600;
constexpr const char* pooler_program = "/usr/sbin/pgbouncer";

/// In a child: becomes somebody who may run a database, if we are root.
void drop_privileges() {
  if (::geteuid() != 0) return;
  const passwd* user = ::getpwnam(unprivileged_user);
  if (user == nullptr || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0) ::_exit(126);
}

pid_t start_program(const std::vector<std::string>& words, const std::filesystem::path& log) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  drop_privileges();
  // It never outlives the test program, however that ends. After the change of user, which takes this back.
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() != parent) ::_exit(125);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (::chdir("/tmp") == 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

int exit_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// If we are root, the programs are somebody else.
void give_away(const std::filesystem::path& path) {
  if (::geteuid() != 0) return;
  const passwd* user = ::getpwnam(unprivileged_user);
  if (user == nullptr || ::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error{path.string() + " cannot be given away"};
}

/// Whether somebody listens on a socket for clients of PostgreSQL in this folder.
bool is_listening(const std::filesystem::path& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = folder / ".s.PGSQL.5432";
  std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_there = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return is_there;
}

std::string url_of(const std::filesystem::path& folder, const std::string& schema) {
  std::string host;
  for (const char c : folder.string()) host += c == '/' ? std::string{"%2F"} : std::string{c};
  return "postgres://postgres@" + host + "/postgres?schema=" + schema;
}

}  // namespace

std::filesystem::path PostgresServer::programs() {
  std::filesystem::path found;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator{"/usr/lib/postgresql", ignored})
    if (std::filesystem::exists(version.path() / "bin" / "postgres") && version.path() / "bin" > found)
      found = version.path() / "bin";
  return found;
}

PostgresServer::PostgresServer(const std::vector<std::string>& settings) : settings_{settings} {
  if (programs().empty()) throw std::runtime_error{"PostgreSQL is not installed"};
  give_away(folder_.path());
  const auto log = folder_.path() / "initdb.log";
  const int made = exit_of(start_program({programs() / "initdb", "--no-sync", "--auth=trust", "--encoding=UTF8",
                                          "--locale=C", "--username=postgres", "-D", folder_.path() / "data"},
                                         log));
  if (made != 0) throw std::runtime_error{"initdb failed: see " + log.string()};
  start();
}

PostgresServer::~PostgresServer() { stop(SIGQUIT); }

void PostgresServer::start() {
  std::vector<std::string> words{programs() / "postgres",
                                 "-D",
                                 folder_.path() / "data",
                                 "-c",
                                 "listen_addresses=",
                                 "-c",
                                 "unix_socket_directories=" + folder_.path().string(),
                                 "-c",
                                 "autovacuum=off",
                                 "-c",
                                 "max_connections=200"};
  for (const std::string& setting : settings_) {
    words.emplace_back("-c");
    words.push_back(setting);
  }
  process_ = start_program(words, folder_.path() / "server.log");
  wait_until_ready();
}

void PostgresServer::stop(int signal) {
  if (process_ < 0) return;
  ::kill(process_, signal);
  exit_of(process_);
  process_ = -1;
}

// The server says nothing when it is ready but that it answers; poll() sleeps in between.
void PostgresServer::wait_until_ready() const {
  const auto pid_file = folder_.path() / "data" / "postmaster.pid";
  for (int i = 0; i < ready_tries_max; ++i) {
    if (is_listening(folder_.path())) {
      std::ifstream file{pid_file};
      std::string line;
      while (std::getline(file, line))
        if (line.starts_with("ready")) return;
    }
    (void)::poll(nullptr, 0, 50);
  }
  throw std::runtime_error{"PostgreSQL does not start: see server.log in " + folder_.path().string()};
}

std::string PostgresServer::url(const std::string& schema) const { return url_of(folder_.path(), schema); }

void PostgresServer::crash_and_restart() {
  stop(SIGQUIT);
  start();
}

PostgresPooler::PostgresPooler(const PostgresServer& server) {
  if (!std::filesystem::exists(pooler_program)) throw std::runtime_error{"PgBouncer is not installed"};
  const auto settings = folder_.path() / "pgbouncer.ini";
  std::ofstream{settings} << "[databases]\npostgres = host=" << server.folder() << " user=postgres\n[pgbouncer]\n"
                          << "unix_socket_dir = " << folder_.path().string() << "\nlisten_addr =\nlisten_port = 5432\n"
                          << "auth_type = any\npool_mode = transaction\n";
  give_away(folder_.path());
  give_away(settings);
  process_ = start_program({pooler_program, settings}, folder_.path() / "log");
  for (int i = 0; i < ready_tries_max; ++i) {
    if (is_listening(folder_.path())) return;
    (void)::poll(nullptr, 0, 50);
  }
  throw std::runtime_error{"PgBouncer does not start: see log in " + folder_.path().string()};
}

PostgresPooler::~PostgresPooler() {
  ::kill(process_, SIGQUIT);
  exit_of(process_);
}

std::string PostgresPooler::url(const std::string& schema) const { return url_of(folder_.path(), schema); }

}  // namespace carillon

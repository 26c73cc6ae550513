"""The server that is measured and the one beside it, each for as long as a `with` lasts, and what the kernel knows of
a process."""
import http.client
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")
PACKAGES = ("wrk", "libluajit-5.1-2", "nginx")
NGINX_SETTINGS = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=16;
  types {{ application/json json; }}
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    root {folder};
  }}
}}
"""


def install(home):
    """Debian's packages are unpacked, not installed: no service starts, and nothing of the system changes."""
    shutil.rmtree(home, ignore_errors=True)
    archives = home / "archives" / "partial"
    archives.mkdir(parents=True)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--reinstall", "--download-only", "--no-install-recommends",
                    "-o", f"Dir::Cache::archives={archives.parent}", "-o", "Debug::NoLocking=1", *PACKAGES],
                   check=True, stdout=sys.stderr)
    for package in sorted(archives.parent.glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, home / "root"], check=True)


def program(name, home):
    """The unpacked one, else that of the system; None if there is neither."""
    found = [path for folder in ("bin", "sbin") if (path := home / "root" / "usr" / folder / name).exists()]
    return found[0] if found else shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def environment(home):
    libraries = home / "root" / "usr" / "lib"
    return {**os.environ, "LD_LIBRARY_PATH": str(next(libraries.glob("*-linux-gnu"), libraries))}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def socket_memory_kb():
    """What the kernel holds for all TCP connections of the machine: sent and not yet taken, mostly."""
    words = pathlib.Path("/proc/net/sockstat").read_text().partition("TCP:")[2].splitlines()[0].split()
    return int(words[words.index("mem") + 1]) * resource.getpagesize() // 1024


class Process:
    """A server of its own process, stopped by its id."""

    def __init__(self, command, **options):
        self.child = subprocess.Popen(command, **options)

    def cpu_seconds(self):
        """Of all threads. The name in front of the numbers may have blanks in it."""
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def rss_kb(self):
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def stop(self):
        self.child.terminate()
        try:
            self.child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


class Carillon(Process):
    """`carillon serve` with a store of its own, called over one connection with its admin token."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        folder.mkdir()
        self.data = folder / "data"
        with open(folder / "log", "wb") as log:
            super().__init__([binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], text=True,
                             stdout=subprocess.PIPE, stderr=log)
        self.connection = None

    def __enter__(self):
        line = self.child.stdout.readline()
        if " at http" not in line:
            self.stop()
            sys.exit(f"carillon did not start: {line}{(self.folder / 'log').read_text()}")
        self.url = line.rstrip().rpartition(" at ")[2]
        self.port = int(self.url.rpartition(":")[2])
        self.token = (self.data / "admin.token").read_text().strip()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        return self

    def __exit__(self, *_):
        if self.connection:
            self.connection.close()
        self.stop()

    def request(self, method, path, body=None):
        """The text of the answer; one that is a refusal ends the benchmark."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {text.decode()}")
        return text

    def call(self, method, path, body=None):
        return json.loads(self.request(method, "/api/v1" + path, body) or b"null")

    def metric(self, name):
        lines = self.request("GET", "/metrics").decode().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))


class Nginx(Process):
    """One process that serves one file of so many bytes, which it keeps open."""

    def __init__(self, binary, variables, folder, size):
        folder.mkdir()
        # A value of JSON, as ours is.
        (folder / "file.json").write_text('"' + "x" * (size - 2) + '"')
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        settings = folder / "settings"
        settings.write_text(NGINX_SETTINGS.format(folder=folder, port=self.port))
        super().__init__([binary, "-p", folder, "-c", settings, "-e", folder / "errors"], env=variables,
                         stderr=subprocess.DEVNULL)

    def __enter__(self):
        while True:
            if self.child.poll() is not None:
                sys.exit("nginx has ended at once")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.05)

    def __exit__(self, *_):
        self.stop()

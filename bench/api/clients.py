"""Many clients in one process, for what wrk cannot play: those who wait for events, and those who mean harm."""
import select
import socket
import threading
import time


def connect(port, receive_buffer=None):
    client = socket.socket()
    if receive_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.settimeout(30)
    client.connect(("127.0.0.1", port))
    return client


def event_request(token, query=""):
    return f"GET /api/v1/events{query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


class Watchers:
    """Clients of the event stream that read what they get."""

    def __init__(self, port, token, query, count):
        self.poll = select.epoll()
        self.sockets = {}
        for _ in range(count):
            client = connect(port)
            client.sendall(event_request(token, query))
            client.setblocking(False)
            self.sockets[client.fileno()] = client
            self.poll.register(client.fileno(), select.EPOLLIN)

    def seconds_until_all_have(self, mark, since, seconds_max=30):
        """From `since` until each of them has read `mark`; None if one was cut off, or had to wait too long."""
        missing = set(self.sockets)
        tails = dict.fromkeys(missing, b"")
        while missing:
            if time.monotonic() - since > seconds_max:
                return None
            for number, _ in self.poll.poll(1, len(self.sockets)):
                content = self.sockets[number].recv(65536)
                if not content:
                    return None
                if number in missing:
                    tails[number] = tails[number][-len(mark):] + content
                    if mark in tails[number]:
                        missing.discard(number)
        return time.monotonic() - since

    def close(self):
        self.poll.close()
        for client in self.sockets.values():
            client.close()


class SlowClients:
    """Clients that send a byte of a request now and then, and come back when they are cut off."""

    LETTER = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 10_000

    def __init__(self, port, count, bytes_per_second=1):
        self.port = port
        self.cut_count = 0
        self.clients = [[connect(port), 0] for _ in range(count)]
        self.pause = 1 / (count * bytes_per_second)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.send)
        self.thread.start()

    def send(self):
        while not self.is_over.is_set():
            for client in self.clients:
                if self.is_over.wait(self.pause):
                    return
                self.send_byte(client)

    def send_byte(self, client):
        try:
            client[0].sendall(self.LETTER[client[1]:client[1] + 1])
            client[1] += 1
        except OSError:
            self.cut_count += 1
            client[0].close()
            client[0], client[1] = connect(self.port), 0

    def close(self):
        self.is_over.set()
        self.thread.join()
        for client, _ in self.clients:
            client.close()


class DeafWatchers:
    """Clients of the event stream that never read, and leave little room for what they do not read."""

    def __init__(self, port, token, count):
        self.sockets = [connect(port, receive_buffer=4096) for _ in range(count)]
        for client in self.sockets:
            client.sendall(event_request(token))

    def close(self):
        for client in self.sockets:
            client.close()

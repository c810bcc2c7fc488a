# SPDX-License-Identifier: GPL-2.0-or-later
"""The host end of docs/PROTOCOL.md, written from that text alone: the agent's oracle."""

import collections
import os
import select
import struct
import time

HEADER = struct.Struct("<IHHIIIIQQI")
MAGIC = 0x5253544B
PAYLOAD_MAX = 256 * 1024
WINDOW = 256 * 1024

TYPES = {
    "hello": 0x001, "run": 0x002, "stdin": 0x003, "stdin-end": 0x004, "signal": 0x005, "resize": 0x006,
    "put": 0x007, "put-data": 0x008, "put-end": 0x009, "get-topology": 0x00A, "power-off": 0x00B, "limit": 0x010,
    "settle": 0x00C, "measure": 0x00D,
    "ready": 0x101, "started": 0x102, "stdout": 0x103, "stderr": 0x104, "exited": 0x105, "window": 0x106,
    "put-done": 0x107, "topology": 0x108, "heartbeat": 0x109, "log": 0x10A, "failed": 0x10B, "bye": 0x10C, "report": 0x10D,
    "settled": 0x10E, "measured": 0x10F,
}
WORDS = {number: word for word, number in TYPES.items()}

RUN_STDIN, RUN_PTY = 1, 2
EXITED, SIGNALLED, NOT_STARTED, TIMED_OUT = 0, 1, 2, 3

Frame = collections.namedtuple("Frame", "type session channel sequence time_ns payload")


def crc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = crc_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    table = TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def frame(kind, session, channel, sequence, payload, time_ns=0):
    header = HEADER.pack(MAGIC, 1, TYPES[kind], session, channel, len(payload), crc32c(payload), sequence, time_ns, 0)
    return header + struct.pack("<I", crc32c(header)) + payload


def hello_payload(realtime_ns=None, entropy=None, nonce=bytes(16), heartbeat_ms=0, protocol=1):
    realtime_ns = time.time_ns() if realtime_ns is None else realtime_ns
    entropy = os.urandom(32) if entropy is None else entropy
    return struct.pack("<IIQ", protocol, heartbeat_ms, realtime_ns) + entropy + nonce


def run_payload(argv, env=(), cwd="", cgroup="", flags=0, cols=0, rows=0):
    head = struct.pack("<IHHII", flags, cols, rows, len(argv), len(env))
    return head + b"".join(os.fsencode(s) + b"\0" for s in [cwd, cgroup, *argv, *env])


class Ready:
    def __init__(self, payload):
        (self.protocol, self.generation, self.nonce, self.nonce_phys, self.monotonic_ns,
         self.online_cpus) = struct.unpack_from("<II16sQQI", payload)
        self.release = payload[44:-1].decode()


class Result:
    """All that came back from one command."""

    def __init__(self):
        self.pid = None
        self.out, self.err, self.log = b"", b"", []
        self.how = self.value = None
        self.ended = []

    def __repr__(self):
        return f"how {self.how}, value {self.value}, out {self.out[:200]!r}, err {self.err[:200]!r}, log {self.log}"


class Host:
    """One session after another over a stream socket (or anything with recv and sendall)."""

    def __init__(self, sock, limit_s=60):
        self.sock, self.limit_s = sock, limit_s
        self.buffer = bytearray()
        self.session, self.sent, self.received = 0, 0, 0
        self.dropped = 0
        self.beats, self.logs = [], []
        self.channel = 0

    def send(self, kind, channel=0, payload=b""):
        self.sock.sendall(frame(kind, self.session, channel, self.sent, payload))
        self.sent += 1

    def take(self):
        """The next frame in the buffer or None; anything wrong with it is an AssertionError."""
        if len(self.buffer) < 48:
            return None
        magic, version, kind, session, channel, length, crc, sequence, time_ns, reserved = HEADER.unpack_from(self.buffer)
        assert magic == MAGIC and version == 1 and reserved == 0, self.buffer[:48]
        assert struct.unpack_from("<I", self.buffer, 44)[0] == crc32c(self.buffer[:44])
        assert length <= PAYLOAD_MAX
        if len(self.buffer) < 48 + length:
            return None
        payload = bytes(self.buffer[48:48 + length])
        del self.buffer[:48 + length]
        assert crc32c(payload) == crc
        return Frame(WORDS[kind], session, channel, sequence, time_ns, payload)

    def receive(self, limit_s=None):
        """The next frame of this session; heartbeats and logs are kept aside, None at the end."""
        until = time.monotonic() + (limit_s or self.limit_s)
        while True:
            got = self.take()
            if got is None:
                if not select.select([self.sock], [], [], max(0, until - time.monotonic()))[0]:
                    raise TimeoutError("no frame came")
                data = self.sock.recv(1 << 20)
                if not data:
                    return None
                self.buffer += data
                continue
            if got.session != self.session:
                self.dropped += 1
                continue
            assert got.sequence == self.received, (got, self.received)
            self.received += 1
            if got.type == "heartbeat":
                self.beats.append(struct.unpack("<QQQI", got.payload))
            elif got.type == "log" and got.channel == 0:
                self.logs.append(got.payload.decode())
            else:
                return got

    def hello(self, session, **fields):
        self.session, self.sent, self.received = session, 0, 0
        self.send("hello", 0, hello_payload(**fields))
        ready = self.receive()
        assert ready.type == "ready", ready
        return Ready(ready.payload)

    def start(self, argv, **options):
        self.channel += 1
        self.send("run", self.channel, run_payload(argv, **options))
        return self.channel

    def finish(self, channel, stdin=None, result=None, until=None):
        """Feeds stdin as the window allows and collects until EXITED (or until(result) is true)."""
        result = result or Result()
        window, at = 0, 0
        while True:
            while stdin is not None and window and at < len(stdin):
                n = min(window, len(stdin) - at, PAYLOAD_MAX)
                self.send("stdin", channel, stdin[at:at + n])
                window, at = window - n, at + n
            if stdin is not None and result.pid and at == len(stdin):
                self.send("stdin-end", channel)
                stdin = None
            if until and until(result):
                return result
            got = self.receive()
            assert got and got.channel == channel, got
            if got.type == "started":
                result.pid, = struct.unpack("<I", got.payload)
            elif got.type == "window":
                window += struct.unpack("<I", got.payload)[0]
            elif got.type in ("stdout", "stderr"):
                assert got.type not in result.ended
                if not got.payload:
                    result.ended.append(got.type)
                elif got.type == "stdout":
                    result.out += got.payload
                else:
                    result.err += got.payload
            elif got.type == "log":
                result.log.append(got.payload.decode())
            elif got.type == "exited":
                (result.how, result.value, result.utime_us, result.stime_us,
                 result.maxrss_kb) = struct.unpack("<IIQQQ", got.payload)
                return result
            else:
                raise AssertionError(got)

    def run(self, argv, stdin=None, **options):
        if stdin is not None:
            options["flags"] = options.get("flags", 0) | RUN_STDIN
        return self.finish(self.start(argv, **options), stdin)

    def settle(self, limit_ms, window_ms=20, permille=100):
        """(waited_ns, quiet_ns, cpu, permille), or the words of FAILED as a RuntimeError."""
        self.channel += 1
        self.send("settle", self.channel, struct.pack("<III", limit_ms, window_ms, permille))
        got = self.receive()
        assert got.channel == self.channel, got
        if got.type == "failed":
            raise RuntimeError(got.payload.decode().replace("\0", " "))
        assert got.type == "settled", got
        return struct.unpack("<QQII", got.payload)

    def put(self, root, archive):
        self.channel += 1
        self.send("put", self.channel, root.encode() + b"\0")
        for at in range(0, len(archive), PAYLOAD_MAX):
            self.send("put-data", self.channel, archive[at:at + PAYLOAD_MAX])
        self.send("put-end", self.channel, struct.pack("<QI", len(archive), crc32c(archive)))
        got = self.receive()
        assert got.channel == self.channel
        if got.type == "failed":
            tag, text = got.payload.rstrip(b"\0").decode().split("\0")
            raise RuntimeError(f"[{tag}] {text}")
        return struct.unpack("<QQ", got.payload)


def cpio(entries):
    """newc archive of (name, mode, bytes[, mtime])."""
    out = b""
    for i, (name, mode, data, *rest) in enumerate([*entries, ("TRAILER!!!", 0, b"")]):
        name = name.encode() + b"\0"
        mtime = rest[0] if rest else 0
        fields = [i + 1 if mode else 0, mode, 0, 0, 1, mtime, len(data), 0, 0, 0, 0, len(name), 0]
        head = b"070701" + b"".join(b"%08X" % f for f in fields)
        out += head + name + bytes(-(len(head) + len(name)) % 4) + data + bytes(-len(data) % 4)
    return out + bytes(-len(out) % 512)

# SPDX-License-Identifier: MIT
"""Real programs, from Debian's source packages (`apt-get source`, or a folder that has
them), built natively, with clang's ThreadSanitizer and with `deadheat cc`, and what they
take under each. One that cannot be had or built is named and left out."""
import os
import socket
import subprocess

from measuring import CLANG, MEASURE, RACES, Failed, least, run_measured
from missing import real
from missing.real import Unavailable, shell

FLAGS = "-O2 -g -w"
THREADS = 4
SIZE = 1500000  # bytes of text to compress


class Program(real.Program):
    """Built once for each compiler, `kind`; run(command before it, kind, folder with
    `measure`) gives CPU seconds and KiB."""

    def __init__(self, deadheat, where, sources):
        super().__init__(deadheat, where, sources)
        self.compilers = {"native": (CLANG, "clang++-22"),
                          "clang": (f"{CLANG} -fsanitize=thread",
                                    "clang++-22 -fsanitize=thread"),
                          "deadheat": (f"{deadheat} cc", f"{deadheat} c++")}

    def fresh(self, kind):
        """Sets the compiler, and undoes what another one has made."""
        self.cc, self.cxx = self.compilers[kind]
        if os.path.exists(os.path.join(self.folder, "Makefile")):
            subprocess.run(["make", "-s", "distclean"], cwd=self.folder, capture_output=True)

    def configure(self, *options):
        shell(self.folder, "./configure", "-q", f"CC={self.cc}", *options)
        self.make("clean")

    def run(self, prefix, kind, where, env):
        command = [*prefix, *self.command(kind)]
        return run_measured(where, command, env, (0, RACES), 300)[0]


class Pigz(Program):
    package = "pigz"

    def build(self, kind):
        self.make("clean")
        self.make(f"CC={self.cc}", f"CFLAGS={FLAGS}", "pigz")
        self.keep(kind, "pigz")

    def command(self, kind):
        return [self.made(kind), "-c", f"-p{THREADS}", self.text(SIZE)]


class Pbzip2(Program):
    package = "pbzip2"

    def build(self, kind):
        sources = [n for n in os.listdir(self.folder) if n.endswith(".cpp")]
        shell(self.folder, *self.cxx.split(), *FLAGS.split(), "-D_LARGEFILE64_SOURCE",
              "-D_FILE_OFFSET_BITS=64", "-Wno-reserved-user-defined-literal", *sources,
              "-o", self.made(kind), "-lbz2", "-pthread")

    def command(self, kind):
        return [self.made(kind), "-c", "-k", f"-p{THREADS}", "-b1", self.text(SIZE)]


class Lbzip2(Program):
    package = "lbzip2"

    def build(self, kind):
        # An old gnulib wants to be told that this is glibc.
        self.configure(f"CFLAGS={FLAGS} -D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100")
        self.make()
        self.keep(kind, "src/lbzip2")

    def command(self, kind):
        return [self.made(kind), "-c", "-k", f"-n{THREADS}", self.text(SIZE)]


class Zstd(Program):
    package = "libzstd"

    def build(self, kind):
        self.make("clean")
        self.make("-C", "programs", f"CC={self.cc}", f"CFLAGS={FLAGS}", "HAVE_ZLIB=0",
                  "HAVE_LZMA=0", "HAVE_LZ4=0", "ZSTD_LEGACY_SUPPORT=0", "zstd")
        self.keep(kind, "programs/zstd")

    def command(self, kind):
        return [self.made(kind), "-q", "-c", f"-T{THREADS}", "-B262144", "-9",
                self.text(SIZE)]


class Xz(Program):
    package = "xz-utils"

    def build(self, kind):
        self.configure("--disable-nls", "--disable-doc", "--disable-scripts",
                       "--disable-shared", f"CFLAGS={FLAGS}")
        self.make()
        self.keep(kind, "src/xz/xz")

    def command(self, kind):
        return [self.made(kind), "-c", f"-T{THREADS}", "--block-size=300000", "-2",
                self.text(SIZE)]


class Sqlite(Program):
    package = "sqlite3"

    def build(self, kind):
        source = os.path.join(self.folder, "sqlite3.c")
        if not os.path.exists(source):
            shell(self.folder, "./configure", "-q")
            self.make("sqlite3.c")
        shell(self.folder, *self.cc.split(), *FLAGS.split(), *real.Sqlite.plain, source,
              os.path.join(real.HERE, "sqlite.c"), "-I" + self.folder, "-pthread", "-lm",
              "-o", self.made(kind))

    def fresh(self, kind):
        self.cc, self.cxx = self.compilers[kind]

    def command(self, kind):
        return [self.made(kind), os.path.join(self.where, "sqlite.db"), "20"]


class Server(Program):
    """Is asked things until it is told to end. Each has `port`, work() and goodbye()."""

    def run(self, prefix, kind, where, env):
        command = [os.path.join(where, MEASURE), *prefix, *self.command(kind)]
        child = subprocess.Popen(command, env=env, text=True, errors="replace",
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            self.work()
            self.goodbye()
            errors = child.communicate(timeout=300)[1]
        finally:
            child.kill()
        if child.returncode not in (0, RACES):
            raise Failed(command, child.returncode, errors)
        return tuple(float(n) for n in errors.split("\n")[-2].split())

    def say(self, text):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as s:
            s.sendall(text)


class Memcached(Server):
    package = "memcached"
    port = 21311
    connected, ask = real.Memcached.connected, real.Memcached.ask

    def build(self, kind):
        self.configure("--disable-docs", f"CFLAGS={FLAGS}")
        self.make("memcached")
        self.keep(kind, "memcached")

    def command(self, kind):
        user = ["-u", "root"] if os.geteuid() == 0 else []
        return [self.made(kind), *user, "-A", "-t", str(THREADS), "-p", str(self.port), "-l",
                "127.0.0.1", "-m", "64"]

    def work(self):
        self.ask(8, 200)

    def goodbye(self):
        self.say(b"shutdown\r\n")


class Redis(Server):
    package = "redis"
    port = 21312
    connected = real.Memcached.connected

    def build(self, kind):
        self.make("-C", "src", "clean")
        self.make("-C", "src", f"CC={self.cc}", "MALLOC=libc", "OPTIMIZATION=-O2",
                  "REDIS_CFLAGS=-g -w", "redis-server")
        self.keep(kind, "src/redis-server")

    def command(self, kind):
        return [self.made(kind), "--port", str(self.port), "--io-threads", str(THREADS),
                "--io-threads-do-reads", "yes", "--save", ""]

    def work(self):
        files = [self.connected().makefile("rwb") for _ in range(8)]
        for i in range(100):
            for k, f in enumerate(files):
                f.write(b"".join(b"SET k%d:%d %d\r\nINCR c\r\nGET k%d:%d\r\n"
                                 % (i, n, k, i, n) for n in range(8)))
                f.flush()
            for f in files:
                for _ in range(8 * 4):  # an answer to GET has two lines
                    f.readline()
        for f in files:
            f.close()

    def goodbye(self):
        self.say(b"SHUTDOWN NOSAVE\r\n")


PROGRAMS = (Pigz, Pbzip2, Lbzip2, Zstd, Xz, Sqlite, Memcached, Redis)


def available(lab, kinds):
    """Those that can be had and built, one at a time."""
    sources = lab.args.sources or os.path.join(lab.where, "sources")
    for made in PROGRAMS:
        try:
            program = made(lab.deadheat, lab.where, os.path.abspath(sources))
            for kind in kinds:
                program.fresh(kind)
                program.build(kind)
            yield program
        except Unavailable as why:
            lab.note(f"{made.__name__.lower()} is left out: {str(why).splitlines()[0]}")


def best(lab, program, ways):
    """The least that was used, by name of the way; a way whose run failed is left out."""
    used = {}
    for _ in range(lab.args.rounds):
        for way in ways:
            try:
                now = program.run(way.prefix, way.built, lab.where, way.env)
                used[way.name] = least(used.get(way.name, now), now)
            except (Failed, subprocess.TimeoutExpired, OSError) as failure:
                lab.note(f"{program.name} under `{way.name}`: {str(failure).splitlines()[0]}")
    return used

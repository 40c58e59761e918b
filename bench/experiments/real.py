# SPDX-License-Identifier: MIT
"""Real programs, from Debian's source packages (`apt-get source`, or a folder that has
them), built by one compiler natively, with its ThreadSanitizer and with `deadheat cc`, and
what they take under each. Compressors have 12 MB to compress, servers a data set of 60
and 30 MB. One that cannot be had or built is named with what is missing, and left out."""
import os
import shutil
import signal
import subprocess

from measuring import CLANG, MEASURE, RACES, Failed, least, run_measured
from missing import real
from missing.real import Unavailable, shell

FLAGS = "-O2 -g -w"
CLANGXX = CLANG.replace("clang", "clang++")
THREADS = 4
SIZE = 12000000  # bytes of text to compress
VALUE = 1000  # bytes of each value that servers are given
CLIENTS, BATCH = 8, 250  # by so many connections, and so many at a time


def is_there(what):
    """A header that is included without a folder, or a command."""
    if not what.endswith(".h"):
        return shutil.which(what)
    return not subprocess.run([CLANG, "-E", "-include", what, "-x", "c", os.devnull],
                              capture_output=True).returncode


class Program(real.Program):
    """Built once for each compiler, `kind`; run(command before it, kind, folder with
    `measure`) gives CPU seconds and KiB. `needs` are packages to build it with, by what
    each is known to be there: a header, or a command."""
    needs = {}

    def __init__(self, deadheat, where, sources):
        for what, package in self.needs.items():
            if not is_there(what):
                raise Unavailable(f"{what} is missing: install {package}")
        super().__init__(deadheat, where, sources)
        ours = f"env DEADHEAT_CC={CLANG} {deadheat}"
        self.compilers = {"native": (CLANG, CLANGXX),
                          "clang": (f"{CLANG} -fsanitize=thread",
                                    f"{CLANGXX} -fsanitize=thread"),
                          "deadheat": (f"{ours} cc", f"{ours} c++")}

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
    needs = {"zlib.h": "zlib1g-dev"}

    def build(self, kind):
        self.make("clean")
        self.make(f"CC={self.cc}", f"CFLAGS={FLAGS}", "pigz")
        self.keep(kind, "pigz")

    def command(self, kind):
        return [self.made(kind), "-c", "-9", "-b1024", f"-p{THREADS}", self.text(SIZE)]


class Pbzip2(Program):
    package = "pbzip2"
    needs = {"bzlib.h": "libbz2-dev"}

    def build(self, kind):
        sources = [n for n in os.listdir(self.folder) if n.endswith(".cpp")]
        shell(self.folder, *self.cxx.split(), *FLAGS.split(), "-D_LARGEFILE64_SOURCE",
              "-D_FILE_OFFSET_BITS=64", "-Wno-reserved-user-defined-literal", *sources,
              "-o", self.made(kind), "-lbz2", "-pthread")

    def command(self, kind):
        return [self.made(kind), "-c", "-k", f"-p{THREADS}", self.text(SIZE)]


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
        return [self.made(kind), "-q", "-c", f"-T{THREADS}", "-B1048576", "-9",
                self.text(SIZE)]


class Xz(Program):
    package = "xz-utils"

    def build(self, kind):
        self.configure("--disable-nls", "--disable-doc", "--disable-scripts",
                       "--disable-shared", f"CFLAGS={FLAGS}")
        self.make()
        self.keep(kind, "src/xz/xz")

    def command(self, kind):
        return [self.made(kind), "-c", f"-T{THREADS}", "--block-size=3000000", "-2",
                self.text(SIZE)]


class Sqlite(Program):
    package = "sqlite3"
    needs = {"tclsh": "tcl"}

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
        return [self.made(kind), os.path.join(self.where, "sqlite.db"), "20", "40000"]


class Server(Program):
    """Is filled, asked for all of it and told to end. Each has `port`, `keys` (how many
    values), `farewell`, and put(n) and get(n), what to say for the value n, with the lines
    of an answer to each."""
    connected = real.Memcached.connected

    def run(self, prefix, kind, where, env):
        command = [os.path.join(where, MEASURE), *prefix, *self.command(kind)]
        child = subprocess.Popen(command, env=env, text=True, errors="replace",
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 start_new_session=True)
        try:
            self.work()
            with self.connected() as s:
                s.sendall(self.farewell)
            errors = child.communicate(timeout=300)[1]
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        if child.returncode not in (0, RACES):
            raise Failed(command, child.returncode, errors)
        return tuple(float(n) for n in errors.split("\n")[-2].split())

    def work(self):
        files = [self.connected().makefile("rwb") for _ in range(CLIENTS)]
        for ask, lines in ((self.put, self.put_lines), (self.get, self.get_lines)):
            for first in range(0, self.keys, CLIENTS * BATCH):
                for k, f in enumerate(files):
                    f.write(b"".join(ask(first + k * BATCH + n) for n in range(BATCH)))
                    f.flush()
                for f in files:
                    for _ in range(BATCH * lines):
                        f.readline()
        for f in files:
            f.close()


class Memcached(Server):
    package = "memcached"
    needs = {"event.h": "libevent-dev"}
    port = 21311
    keys = 60000
    farewell = b"shutdown\r\n"
    put_lines, get_lines = 1, 3

    def build(self, kind):
        self.configure("--disable-docs", f"CFLAGS={FLAGS}")
        self.make("memcached")
        self.keep(kind, "memcached")

    def command(self, kind):
        user = ["-u", "root"] if os.geteuid() == 0 else []
        return [self.made(kind), *user, "-A", "-t", str(THREADS), "-p", str(self.port), "-l",
                "127.0.0.1", "-m", "128"]

    def put(self, n):
        return b"set k%d 0 0 %d\r\n%s\r\n" % (n, VALUE, b"v" * VALUE)

    def get(self, n):
        return b"get k%d\r\n" % n


class Redis(Server):
    package = "redis"
    port = 21312
    keys = 30000
    farewell = b"SHUTDOWN NOSAVE\r\n"
    put_lines, get_lines = 1, 2

    def build(self, kind):
        self.make("-C", "src", "clean")
        self.make("-C", "src", f"CC={self.cc}", "MALLOC=libc", "OPTIMIZATION=-O2",
                  "REDIS_CFLAGS=-g -w", "redis-server")
        self.keep(kind, "src/redis-server")

    def command(self, kind):
        # Its threads spin while they wait: no more than there are processors.
        return [self.made(kind), "--port", str(self.port), "--io-threads", "2",
                "--io-threads-do-reads", "yes", "--save", ""]

    def put(self, n):
        return self.request(b"SET", b"k%d" % n, b"v" * VALUE)

    def get(self, n):
        return self.request(b"GET", b"k%d" % n)

    def request(self, *words):
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w)
                                                   for w in words)


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
            except (Failed, Unavailable, subprocess.TimeoutExpired, OSError) as failure:
                lab.note(f"{program.name} under `{way.name}`: {str(failure).splitlines()[0]}")
    return used

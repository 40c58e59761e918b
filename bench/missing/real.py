# SPDX-License-Identifier: MIT
"""Real programs for bench/run_missing, from Debian's source packages (`apt-get source`).
Each is built in two ways:

  pairs    all of it instrumented, every call that synchronises a missing method whose
           inside is recorded as well (pairs.h)
  library  the library that does its work left as it is, so that calls of it are missing
           methods; only where it has one

and knows how to run itself on a little work. Nothing of them is kept in this repository.
"""
import glob
import os
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = "-include " + os.path.join(HERE, "pairs.h")


class Unavailable(Exception):
    """The sources, or a package to build them, are not to be had."""


def shell(folder, *command, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-3:])
        raise Unavailable(f"{command[0]}: status {done.returncode}: {last}")


class Program:
    """One of them: `folder` has its sources, `where` is for what is made. Each has
    `package`, of Debian; `kinds`, the ways that it can be built; build(kind); and
    command(kind, size), or run() anew."""
    package = None
    kinds = ()

    def __init__(self, deadheat, where, sources):
        self.deadheat, self.where = deadheat, where
        self.name = type(self).__name__.lower()
        self.folder = self.unpacked(sources)

    def unpacked(self, sources):
        """The upstream sources, without Debian's changes to them."""
        os.makedirs(sources, exist_ok=True)
        pattern = os.path.join(sources, f"{self.package}_*.orig.tar.*[z2]")
        if not glob.glob(pattern):
            subprocess.run(["apt-get", "-q", "source", "--download-only", self.package],
                           cwd=sources, capture_output=True)
        found = glob.glob(pattern)
        if not found:
            raise Unavailable(f"no {self.package}_*.orig.tar.* in {sources}, and `apt-get "
                              f"source {self.package}` does not get it")
        folder = os.path.join(self.where, self.name)
        os.makedirs(folder)
        shell(folder, "tar", "xf", found[0], "--strip-components=1")
        return folder

    def made(self, kind):
        return os.path.join(self.where, f"{self.name}.{kind}")

    def cc(self, kind):
        return f"-g -O1 {PAIRS if kind == 'pairs' else ''}"

    def make(self, *args, **more):
        shell(self.folder, "make", "-s", "-j2", *args, **more)

    def keep(self, kind, built):
        os.rename(os.path.join(self.folder, built), self.made(kind))

    def text(self, size):
        """Something to compress."""
        path = os.path.join(self.where, f"text.{size}")
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as out:
                out.write("".join(f"{i * i} line {i % 97}\n" for i in range(size // 8))[:size])
        return path

    def run(self, prefix, kind, size):
        """Runs it, and returns when it has ended."""
        command = [*prefix, *self.command(kind, size)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


class Pbzip2(Program):
    package = "pbzip2"
    kinds = ("pairs", "library")

    def build(self, kind):
        flags = self.cc(kind) + " -w -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64"
        shell(self.folder, self.deadheat, "c++", *flags.split(),
              *glob.glob(os.path.join(self.folder, "*.cpp")), "-o", self.made(kind), "-lbz2",
              "-pthread")

    def command(self, kind, size):
        return [self.made(kind), "-p3", "-b1", "-1", "-c", "-k", self.text(400000 * size)]


class Lbzip2(Program):
    package = "lbzip2"
    kinds = ("pairs",)

    def build(self, kind):
        shell(self.folder, "./configure", "-q", f"CC={self.deadheat} cc", "CFLAGS=-g -O1")
        # An old gnulib wants to be told that this is glibc.
        self.make(f"CFLAGS={self.cc(kind)} -D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100")
        self.keep(kind, "src/lbzip2")

    def command(self, kind, size):
        return [self.made(kind), "-n3", "-1", "-c", "-k", self.text(200000 * size)]


class Zstd(Program):
    package = "libzstd"
    kinds = ("pairs",)

    def build(self, kind):
        self.make("-C", "programs", f"CC={self.deadheat} cc", f"CFLAGS={self.cc(kind)}",
                  "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0", "ZSTD_NO_ASM=1",
                  "ZSTD_LEGACY_SUPPORT=0", "zstd")
        self.keep(kind, "programs/zstd")

    def command(self, kind, size):
        return [self.made(kind), "-T3", "-B131072", "-1", "-c", "-q",
                self.text(600000 * size)]


class Sqlite(Program):
    package = "sqlite3"
    kinds = ("pairs", "library")
    plain = ["-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION"]

    def build(self, kind):
        source = os.path.join(self.folder, "sqlite3.c")
        if not os.path.exists(source):
            shell(self.folder, "./configure", "-q")
            self.make("sqlite3.c")
        driver = [os.path.join(HERE, "sqlite.c"), "-I" + self.folder, "-pthread", "-o",
                  self.made(kind)]
        flags = self.cc(kind).split()
        if kind == "pairs":
            shell(self.folder, self.deadheat, "cc", *flags, *self.plain, source, *driver)
            return
        shell(self.folder, "cc", "-O1", "-fPIC", "-shared", *self.plain, source, "-o",
              os.path.join(self.folder, "libsqlite.so"))
        shell(self.folder, self.deadheat, "cc", *flags, *driver, "-L" + self.folder,
              "-lsqlite", "-Wl,-rpath," + self.folder)

    def command(self, kind, size):
        return [self.made(kind), os.path.join(self.where, "sqlite.db"), str(3 * size)]


class Memcached(Program):
    package = "memcached"
    kinds = ("pairs", "library")
    port = 21211

    def build(self, kind):
        if not os.path.exists(os.path.join(self.folder, "Makefile")):
            shell(self.folder, "./configure", "-q", f"CC={self.deadheat} cc", "CFLAGS=-g -O1",
                  "--disable-docs")
        self.make("clean")
        self.make(f"CFLAGS={self.cc(kind)} -w -pthread", "memcached")
        self.keep(kind, "memcached")

    def run(self, prefix, kind, size):
        user = ["-u", "root"] if os.geteuid() == 0 else []
        child = subprocess.Popen([*prefix, self.made(kind), *user, "-t", "3", "-p",
                                  str(self.port), "-l", "127.0.0.1", "-m", "8"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.ask(4, 5 * size)
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(timeout=600)

    def connected(self):
        for _ in range(600):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=60)
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise Unavailable(f"{self.name} does not answer")

    def ask(self, clients, rounds):
        """Sets, gets and counts, by several connections in turn."""
        files = [self.connected().makefile("rwb") for _ in range(clients)]
        for i in range(rounds):
            for k, f in enumerate(files):
                f.write(b"set k%d 0 0 4\r\nabcd\r\nget k%d\r\nget none\r\n" % (i % 7, k))
                f.write(b"add c 0 0 1\r\n0\r\nincr c 1\r\n")
                f.flush()
            for f in files:
                ends = 0
                while ends < 2:
                    ends += f.readline() == b"END\r\n"
                f.readline()
                f.readline()
        for f in files:
            f.close()


PROGRAMS = (Pbzip2, Lbzip2, Zstd, Sqlite, Memcached)

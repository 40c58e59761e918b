#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat cc` and `deadheat c++`: take what a compiler takes, and what comes out is
# instrumented, linked with the runtime, and runs.
use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use File::Temp 'tempdir';
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS CC CXX CFLAGS CXXFLAGS LDFLAGS)};

sub put
{
	my ($name, $text) = @_;
	open my $out, '>', $name or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
}

sub slurp
{
	my ($name) = @_;
	open my $in, '<', $name or return '';
	local $/ = undef;
	return <$in>;
}

sub have { return grep { -x "$_/$_[0]" } split /:/, $ENV{PATH} }

# Runs the wrapper; the result must be silent success.
sub compiles
{
	my ($what, @args) = @_;
	my $r = deadheat(@args);
	is("$r->{status} $r->{out}$r->{err}", '0 ', $what);
}

sub dynamic { return join '', `readelf -d '$_[0]' 2>&1` }
sub symbols { return join '', `nm '$_[0]' 2>&1` }

sub runs
{
	my ($what, $program, $status) = @_;
	system "./$program >out 2>&1 </dev/null";
	is($? >> 8, $status || 0, $what) or diag(`cat out`);
}

put('a.c', <<'C');
#include <string.h>
int lib(int);
char from[64], to[64];
int main(void)
{
	memcpy(to, from, sizeof to);
	memset(from, 1, 24);
	return lib(3) - 3;
}
C
put('b.c', "int seen;\nint lib(int a)\n{\n\tseen++;\n\treturn a;\n}\n");
put('race.c', <<'C');
#include <pthread.h>
int shared;
static void *run(void *arg)
{
	shared = 1;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	shared = 2;
	return pthread_join(t, NULL) + (shared > 2);
}
C
put('race.cc', <<'C');
#include <stdexcept>
#include <thread>
int shared;
int main()
{
	std::thread t([] { shared = 1; });
	shared = 2;
	t.join();
	try {
		throw std::runtime_error("x");
	} catch (const std::exception &) {
		return 0;
	}
}
C

put('loops.c', <<'C');
#include <pthread.h>
struct pair { int a, b; } pairs[1024];
int firsts[1024], seconds[1024];
void choose(void)
{
	for (int i = 0; i < 1024; i++)
		if (firsts[i])
			seconds[i] = 2 * pairs[i].a;
}
static void *part(void *arg)
{
	for (int i = 0; i < 1024; i++) {
		firsts[i] = pairs[i].a + 1;
		seconds[i] = pairs[i].b * 2;
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, part, NULL);
	pairs[40].b = 1;
	return pthread_join(t, NULL);
}
C

# Vectors of more than 16 bytes, and masked ones, would be accesses that nobody tells of.
sub check_loops
{
	my ($name) = @_;
	compiles("$name: a loop", 'cc', qw(-O2 loops.c -o loops));
	runs("$name: a race with a loop is found", 'loops', 66);
	return unless `uname -m` eq "x86_64\n";
	for my $machine (qw(-mavx2 -march=skylake-avx512)) {
		compiles("$name: a loop, $machine", 'cc', qw(-O3 -S loops.c), $machine);
		unlike(slurp('loops.s'), qr/%[yz]mm|vpmask/, "$name: no large vectors, $machine");
	}
}

sub check_compiler
{
	my ($name) = @_;
	compiles("$name: compile", 'cc', qw(-Wall -Wextra -Werror -O2 -c a.c));
	like(symbols('a.o'), qr/ U __tsan_func_entry$/m, "$name: instrumented");
	like(symbols('a.o'), qr/ U (__tsan_)?memcpy$/m, "$name: memcpy of known size is a call");
	like(symbols('a.o'), qr/ U (__tsan_)?memset$/m, "$name: memset of known size is a call");
	compiles("$name: compile another", 'cc', qw(-c b.c -o b.o));
	compiles("$name: link", 'cc', qw(a.o b.o -o prog));
	like(dynamic('prog'), qr/NEEDED.*libdeadheat-fasttrack\.so/, "$name: our library");
	unlike(dynamic('prog'), qr/libtsan/, "$name: not the compiler's");
	runs("$name: runs", 'prog');
	compiles("$name: compile and link", 'cc', qw(race.c -o race));
	runs("$name: a race is found without `deadheat run`", 'race', 66);
	compiles("$name: a shared library, all symbols defined", 'cc',
		qw(-shared -fPIC b.c -o libb.so -Wl,-z,defs));
	compiles("$name: a program that uses it", 'cc', qw(a.c -L. -lb -o uses),
		'-Wl,-rpath,$ORIGIN');
	runs("$name: runs with it", 'uses');
	compiles("$name: without PIE", 'cc', qw(-no-pie race.c -o fixed));
	runs("$name: runs without PIE", 'fixed', 66);
	compiles("$name: the user has the last word", 'cc',
		qw(-fno-sanitize=thread -c a.c -o plain.o));
	unlike(symbols('plain.o'), qr/__tsan/, "$name: not instrumented when told so");
	compiles("$name: ... to link too", 'cc', qw(-fno-sanitize=thread a.o b.o -o some));
	runs("$name: what is instrumented finds its library", 'some');
	compiles("$name: with coverage", 'cc', qw(--coverage race.c -o covered));
	my $covered = deadheat('run', '--verbose', './covered');
	is(scalar(() = $covered->{err} =~ /^deadheat: data race/gm), 1,
		"$name: its counters are no race");
	compiles("$name: link as needed", 'cc', qw(-Wl,--as-needed a.o b.o -o needed));
	like(dynamic('needed'), qr/libdeadheat/, "$name: needed in any case");
	put('fence.c', "void f(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }\n");
	compiles("$name: fences, no warning", 'cc', qw(-Werror -Wall -c fence.c));
	compiles("$name: with other checks", 'cc', qw(-fsanitize=undefined race.c -o checked));
	runs("$name: a race is found with them", 'checked', 66);
	put('asm.s', "\t.globl f\nf:\n\tret\n");
	compiles("$name: assembler", 'cc', qw(-Werror -c asm.s));
	check_loops($name);
}

part('gcc', sub { check_compiler('gcc') });
for my $clang (grep { have($_) } qw(clang clang-22)) {
	local $ENV{DEADHEAT_CC} = $clang;
	part($clang, sub { check_compiler($clang) });
}

# ---- inline assembly ----

put('lock.c', <<'C');
#include <pthread.h>
int lock, data;
static void *run(void *arg)
{
	int old;
	do {
		old = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(lock) : : "memory");
	} while (old);
	data++;
	__asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	return data - 2;
}
C

# What the assembler does not take with our calls in it: a loop reaches 128 bytes.
put('near.c', <<'C');
int main(void)
{
	static int count;
	long n = 3;
	__asm__ volatile("77:" : "+c"(n));
	__asm__ volatile("lock incl %0" : "+m"(count));
	__asm__ volatile("lock incl %0" : "+m"(count));
	__asm__ volatile("loop 77b" : "+c"(n));
	return count - 6;
}
C
put('wrong.c', "void f(int *a)\n{\n\t__asm__(\"lock nosuch %0\" : \"+m\"(*a));\n"
	. "\t__asm__(\"lock incl %0\" : \"+m\"(*a));\n}\n");

sub check_asm
{
	my ($name, $linker) = @_;
	for my $flags ([], [qw(-O2 -pipe)], [qw(-O1 -no-pie)], [qw(-g0 -save-temps -fPIC)]) {
		compiles("$name: inline assembly @$flags", 'cc', @$flags, qw(lock.c -o lock));
		runs("$name: its lock is seen", 'lock');
	}
	unlike(join('', map { slurp($_) } glob '*lock.s'), qr/deadheat_asm/,
		"$name: not in what -save-temps keeps");
	like(symbols('lock'), qr/ t __deadheat_asm_tell$/im, "$name: it tells");
	compiles("$name: into an object", 'cc', qw(-c lock.c));
	compiles("$name: which links", 'cc', qw(lock.o -o lock));
	runs("$name: its lock is seen", 'lock');
	is(system("$linker -fsanitize=thread lock.o -o stock 2>&1"), 0,
		"$name: also with another runtime");
	compiles("$name: into a shared library", 'cc',
		qw(-shared -fPIC lock.c -o liblock.so -Wl,-z,defs));
	compiles("$name: not instrumented", 'cc', qw(-fno-sanitize=thread -c lock.c -o off.o));
	unlike(symbols('off.o'), qr/deadheat/, "$name: then it does not tell");
	compiles("$name: what the assembler would refuse", 'cc', qw(-O1 near.c -o near));
	runs("$name: stays as it was", 'near');
	my $r = deadheat('cc', qw(-c wrong.c));
	is($r->{status}, 1, "$name: an error in assembly: status");
	is(scalar(() = $r->{err} =~ /rror: .*nosuch/g), 1, "$name: ... told once");
	local $ENV{DEADHEAT_ASM} = 'no';
	compiles("$name: inline assembly, unseen", 'cc', qw(lock.c -o unseen));
	runs("$name: its lock is not seen", 'unseen', 66);
}

SKIP: {
	skip 'inline assembly is that of x86-64', 1 unless `uname -m` eq "x86_64\n";
	part('inline assembly, gcc', sub {
		check_asm('gcc', 'gcc');
		compiles('with link-time optimisation', 'cc', qw(-O2 -flto lock.c -o lto));
		runs('its lock is seen', 'lto');
		local $ENV{DEADHEAT_ASM} = 'maybe';
		my $r = deadheat('cc', qw(-c lock.c));
		is("$r->{status} $r->{err}",
			"2 deadheat: cc: DEADHEAT_ASM is neither yes nor no: maybe\n", 'yes or no');
	});
	if (have('clang-22')) {
		local $ENV{DEADHEAT_CC} = 'clang-22';
		local $ENV{DEADHEAT_CXX} = 'clang++-22';
		part('inline assembly, clang', sub {
			check_asm('clang', 'clang-22');
			put('headers.cc', "#include <cmath>\nint main() { return std::abs(0); }\n");
			my $r = deadheat('c++', qw(-g -c headers.cc));
			is("$r->{status} $r->{err}", '0 ',
				'no warnings of what clang itself writes');
			for my $option ('-ffile-prefix-map=/nowhere=/x',
				'-fdebug-prefix-map=/nowhere=/x', '-Wa,--defsym,nothing=1',
				'-fintegrated-as') {
				compiles($option, 'cc', qw(-O2 -g), $option, qw(-c lock.c -o o.o));
				compiles("... and links", 'cc', qw(o.o -o prefixed));
				my $unseen = $option eq '-fintegrated-as';
				runs('... and runs', 'prefixed', $unseen ? 66 : 0);
			}
		});
	}
}

# ---- what clang's code tells ----

# What a function of an object does until it returns, by what it calls.
sub calls_of
{
	my ($object, $function) = @_;
	my ($text) = qx(objdump -dr --no-show-raw-insn $object)
		=~ /^[0-9a-f]+ <$function>:\n(.*?)(?:\n\n|\z)/ms;
	return join ' ', $text =~ /R_X86_64_PLT32\s+__(\w+)/g;
}


put('loop.c', <<'END');
#include <pthread.h>
static int cell[1000];
__attribute__((noinline)) static int sum(const int *from, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += from[i];
	return s;
}
static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++)
		cell[i] = i;
	return arg;
}
void add(double *to, const double *from)
{
	for (int i = 0; i < 221; i++)
		to[i] += from[i];
}
long product(const long *of)
{
	long all = 1;
	for (int i = 0; i < 24; i++)
		all = (all ^ of[i]) * 31;
	return all;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	pthread_create(&t, 0, work, 0);
	int before = sum(cell, argc * 1000);
	pthread_join(t, 0);
	return sum(cell, 1000) != 499500 || before < 0;
}
END

sub check_told
{
	my $rounds = qr/ __deadheat_rounds_/;
	compiles('a loop', 'cc', qw(-O2 -c loop.c));
	like(symbols('loop.o'), $rounds, 'tells of all its rounds');
	my $calls = calls_of('loop.o', 'add');
	like($calls, qr/rounds_part_read16.*rounds_parts/, 'of vectors, too');
	unlike($calls, qr/tsan_(read|write)16/, 'though it could be unrolled');
	like(calls_of('loop.o', 'product'), qr/rounds_read8 tsan_func_exit\z/,
		'or be no loop any more');
	is(system('clang-22 -fsanitize=thread loop.o -o stock 2>&1'), 0,
		'links with another runtime');
	is(system('TSAN_OPTIONS=exitcode=0 ./stock 2>/dev/null'), 0, 'and runs there');
	compiles('linked', 'cc', qw(-O2 loop.c -o loop));
	my $r = deadheat(qw(run ./loop));
	is($r->{status}, 66, 'its race is found');
	like($r->{err}, qr/read of \d+ bytes by the main thread at \S*loop\.c:7:/,
		'the one access');
	like($r->{err}, qr/write of \d+ bytes by thread 1 at \S*loop\.c:13:/, 'the other');
	for my $flags (['-O0'], [qw(-O2 -S)], [qw(-O2 -emit-llvm -S)], [qw(-O2 -flto -c)]) {
		compiles("@$flags", 'cc', @$flags, qw(loop.c -o as-it-was));
		unlike(slurp('as-it-was'), $rounds, 'leaves the loop');
	}
	for my $flags ([qw(-O1 -ffunction-sections -fPIC)], [qw(-O3 -g3 -save-temps)],
		[qw(-Os -mcmodel=medium)], [qw(-O2 -fno-omit-frame-pointer -gdwarf-4)]) {
		compiles("@$flags", 'cc', @$flags, qw(-c loop.c -o other.o));
		compiles('links', 'cc', qw(other.o -o other));
		runs('is watched', 'other', 66);
	}
	compiles('sections', 'cc', qw(-O2 -ffunction-sections -c loop.c -o sections.o));
	like(qx(readelf -SW sections.o), qr/ \.text\.main /, 'are as they were asked for');
	local $ENV{DEADHEAT_LOOPS} = 'no';
	compiles('a loop', 'cc', qw(-O2 -c loop.c));
	unlike(symbols('loop.o'), $rounds, 'may have a call for each access');
	$ENV{DEADHEAT_LOOPS} = 'perhaps';
	$r = deadheat('cc', qw(-c loop.c));
	is("$r->{status} $r->{err}",
		"2 deadheat: cc: DEADHEAT_LOOPS is neither yes nor no: perhaps\n", 'yes or no');
}

put('leaf.c', <<'END');
#include <pthread.h>
struct node { struct node *next; long key; } node[4];
long late;
__attribute__((noinline)) void put(long *to, long n)
{
	*to = n;
}
__attribute__((noinline)) long find(const struct node *n, long key)
{
	if (!n)
		return -1;
	for (; n; n = n->next)
		if (n->key == key)
			return late;
	return 0;
}
__attribute__((noinline)) void caller(void)
{
	put(&node[2].key, 7);
}
static void *work(void *arg)
{
	caller();
	put(&late, find(0, 3));
	return arg;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		node[i].next = &node[i + 1];
	node[3].key = 3;
	pthread_create(&t, 0, work, 0);
	long found = find(node, 3);
	pthread_join(t, 0);
	return found == 9;
}
END

my @stacks = (
	qr/^ +#0 \S+:13:\S* in find\n +#1 \S+ in main\n +no locks/m,
	qr/^ +#0 \S+:6:\S* in put\n +#1 \S+:19:\S* in caller\n +#2 \S+:23:\S* in work\n +no/m,
	qr/^ +#0 \S+:6:\S* in put\n +#1 \S+:24:\S* in work\n +no locks/m);

sub check_frames
{
	compiles('small functions', 'cc', qw(-O2 -c leaf.c));
	is(calls_of('leaf.o', 'put'), 'deadheat_leaf_write8', 'one call for an access');
	like(calls_of('leaf.o', 'find'), qr/\Atsan_func_entry.* tsan_func_exit\z/,
		'a loop needs to be entered');
	compiles('linked', 'cc', qw(leaf.o -o leaf));
	my $r = deadheat(qw(run ./leaf));
	is($r->{status}, 66, 'its races are found');
	like($r->{err}, $_, 'with whole stacks') for @stacks;
	is(system('clang-22 -fsanitize=thread leaf.o -o stock 2>&1'), 0,
		'links with another runtime');
	my $theirs = qx(TSAN_OPTIONS=exitcode=0 ./stock 2>&1);
	like($theirs, qr/#0 put .*\n +#1 caller .*\n +#2 work /, 'which has whole stacks, too');
	compiles('a shared library', 'cc', qw(-O2 -shared -fPIC leaf.c -o leaf.so));
	unlike(dynamic('leaf.so') . qx(nm -D leaf.so), qr/deadheat_leaf/, 'keeps them to itself');
	local $ENV{DEADHEAT_LOOPS} = 'no';
	compiles('small functions', 'cc', qw(-O2 -c leaf.c));
	is(calls_of('leaf.o', 'put'), 'tsan_func_entry tsan_write8 tsan_func_exit',
		'may have all of their calls');
}

if (have('clang-22') && `uname -m` eq "x86_64\n") {
	local $ENV{DEADHEAT_CC} = 'clang-22';
	part('loops, clang', \&check_told);
	part('frames, clang', \&check_frames);
}

part('arguments', sub {
	put('args', "-O1 'a.c' b.c\n-o \"spaced name\"\n");
	compiles('a response file', 'cc', '@args');
	runs('what it made', "'spaced name'");
	put('only', '-c a.c');
	compiles('a response file that does not link', 'cc', '@only', '-Werror');
	compiles('link-time optimisation', 'cc', qw(-O2 -flto race.c -o lto));
	runs('with it a race is found', 'lto', 66);
	compiles('-static-libgcc', 'cc', qw(-static-libgcc -static-libtsan race.c -o libgcc));
	runs('with it a race is found', 'libgcc', 66);
	put('throw.cc', "int main() { try { throw 1; } catch (int) { return 7; } }\n");
	compiles('-static-libstdc++', 'c++', qw(-static-libstdc++ throw.cc -o libstdcxx));
	runs('with it exceptions work', 'libstdcxx', 7);
	compiles('relocatable', 'cc', qw(-r a.o b.o -o both.o));
	my $r = deadheat({in => "int main(void) { return 5; }\n"}, 'cc', qw(-x c - -o stdin));
	is("$r->{status}$r->{err}", '0', 'standard input');
	runs('what it made', 'stdin', 5);
	like(deadheat('cc', qw(-E a.c))->{out}, qr/int main/, '-E');
	like(deadheat('cc', qw(-M a.c))->{out}, qr/\Aa\.o: a\.c/, '-M');
	like(deadheat('cc', qw(-S -o - a.c))->{out}, qr/__tsan_func_entry/, '-S');
	like(deadheat('cc', '-print-file-name=libc.so')->{out}, qr{/libc\.so$}, '-print-file-name');
	is(deadheat('cc', '--version')->{out}, join('', `gcc --version`), '--version');
	is(deadheat('cc', '-dumpmachine')->{out}, join('', `gcc -dumpmachine`), '-dumpmachine');
	like(deadheat('cc', qw(-dM -E -x c /dev/null))->{out}, qr/__SANITIZE_THREAD__/, '-dM');
	like(`readelf -S a.o 2>&1`, qr/debug_line/, 'debug information without being asked');
	compiles('-g0', 'cc', qw(-g0 -c a.c -o g0.o));
	unlike(`readelf -S g0.o`, qr/debug_line/, 'none when told so');
	put('uses.c', "#include <deadheat.h>\n");
	compiles('deadheat.h is found', 'cc', qw(-Wall -Wextra -Werror -c uses.c));
	put('pre.h', "int declared;\n");
	compiles('a header to precompile', 'cc', qw(-Werror pre.h -o pre.h.gch));
	compiles('... as a language', 'cc', qw(-Werror -x c-header b.c -o b.gch));
	my $bad = deadheat('cc', qw(-static a.c b.c -o static));
	is($bad->{status}, 2, '-static: refused');
	like($bad->{err}, qr/\Adeadheat: cc: a static program .*\n\z/, '-static: why');
	is(deadheat('cc', qw(-c nosuch.c))->{status}, 1, 'errors of the compiler: its status');
	like(deadheat('cc', '--help')->{out}, qr/\Ausage: deadheat cc/, '--help');
	like(deadheat('cc')->{err}, qr/no input files/, 'no arguments: the compiler says');
});

part('which compiler', sub {
	compiles('c++', 'c++', qw(race.cc -o cxx));
	runs('a race is found', 'cxx', 66);
	local $ENV{DEADHEAT_CC} = '/nosuch/gcc-99';
	my $r = deadheat('cc', qw(-c a.c));
	is($r->{status}, 127, 'a compiler that is not there: status');
	like($r->{err}, qr{\Adeadheat: cc: cannot run /nosuch/gcc-99: }, '... what');
	$r = deadheat('c++', qw(-c race.cc));
	like($r->{err}, qr{cannot run /nosuch/g\+\+-99: }, 'c++ goes with cc');
	$ENV{DEADHEAT_CXX} = 'env g++';
	compiles('unless told otherwise, in words', 'c++', qw(race.cc -o cxx));
	delete $ENV{DEADHEAT_CXX};
	$ENV{DEADHEAT_CC} = 'cc';
	compiles('a name that tells nothing', 'cc', qw(race.c -o race));
	put('ccache', "#!/bin/sh\necho \"\$*\" >>called\nexec \"\$@\"\n");
	chmod 0755, 'ccache';
	for my $words ('./ccache cc', './ccache gcc -I/opt/clang', './ccache gcc -I/clang++/cc') {
		$ENV{DEADHEAT_CC} = $words;
		unlink 'called';
		compiles("$words: c++", 'c++', qw(race.cc -o cxx));
		my ($called) = slurp('called') =~ /\A(\S+)/;
		is($called, $words =~ /gcc/ ? 'g++' : 'c++', '... what was called');
		runs('... a race is found', 'cxx', 66);
	}
});

part('build systems', sub {
	local $ENV{CC} = "$ENV{DEADHEAT} cc";
	local $ENV{CXX} = "$ENV{DEADHEAT} c++";
	mkdir $_ for qw(make cmake meson autoconf);
	put('make/Makefile', "all: prog cprog\nprog: ../race.o\n\t\$(CC) \$^ -o \$@ -lpthread\n"
		. "cprog: ../race.cc\n\t\$(CXX) \$(CXXFLAGS) \$^ -o \$@\n");
	is(system('make -s -C make CC="$CC" CXX="$CXX" >make/log 2>&1'), 0, 'make')
		or diag(`cat make/log`);
	runs('what it made', 'make/prog', 66);
	runs('what it made of C++', 'make/cprog', 66);
SKIP: {
	skip 'no cmake', 2 unless have('cmake');
	put('cmake/CMakeLists.txt', <<'TEXT');
cmake_minimum_required(VERSION 3.5)
project(demo C)
find_package(Threads REQUIRED)
add_library(b SHARED ../b.c)
add_executable(race ../race.c)
target_link_libraries(race b Threads::Threads)
TEXT
	is(system('cmake -S cmake -B cmake/build >cmake/log 2>&1 && '
		. 'cmake --build cmake/build >>cmake/log 2>&1'), 0, 'cmake')
		or diag(`cat cmake/log`);
	runs('what it made', 'cmake/build/race', 66);
}
SKIP: {
	skip 'no meson', 2 unless have('meson');
	put('meson/meson.build', <<'TEXT');
project('demo', 'c')
executable('race', 'race.c', dependencies: dependency('threads'))
TEXT
	put('meson/race.c', "#include \"../race.c\"\n");
	is(system('meson setup meson/build meson >meson/log 2>&1 && '
		. 'ninja -C meson/build >>meson/log 2>&1'), 0, 'meson')
		or diag(`cat meson/log`);
	runs('what it made', 'meson/build/race', 66);
}
SKIP: {
	skip 'no autoconf', 2 unless have('autoconf');
	put('autoconf/configure.ac', <<'TEXT');
AC_INIT([demo], [1])
AC_PROG_CC
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_CHECK_FUNCS([memcpy nosuchfunction])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
TEXT
	put('autoconf/Makefile.in', "race: ../race.c\n\t\@CC\@ \@CFLAGS\@ \@DEFS\@ ../race.c -o "
		. "\$\@ \@LIBS\@\n");
	is(system('cd autoconf && autoconf && ./configure >log 2>&1 && make >>log 2>&1'), 0,
		'autoconf') or diag(`cat autoconf/log`);
	runs('what it made', 'autoconf/race', 66);
}
});

done_testing;

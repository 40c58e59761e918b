#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat run`: options, reports, exit status, and that the helper process stays out of
# the program's way. Standard error is read to its end through a pipe, which the helper
# holds open: so a report is complete when the reading is.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use File::Copy 'copy';
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS DEADHEAT_HELPER LD_LIBRARY_PATH
	TSAN_OPTIONS)};

sub put
{
	my ($name, $text) = @_;
	open my $out, '>', $name or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
}

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or return undef;
	local $/;
	return scalar <$in>;
}

# A command; status, standard output and standard error.
sub command
{
	my (@command) = @_;
	pipe my $in, my $out or die "pipe: $!\n";
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	if ($pid == 0) {
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', 'stdout';
		open STDERR, '>&', $out;
		close $in;
		close $out;
		exec { $command[0] } @command or die "$command[0]: $!\n";
	}
	close $out;
	my $err = do { local $/; <$in> };
	waitpid $pid, 0;
	return {
		status => $? & 127 ? 'signal ' . ($? & 127) : $? >> 8,
		out => slurp('stdout'),
		err => defined $err ? $err : '',
	};
}

sub says { my ($r, $what, $name) = @_; like($r->{err}, $what, $name) }
sub run { return command($ENV{DEADHEAT}, 'run', @_) }

sub build
{
	my ($name, @flags) = @_;
	my $r = deadheat('cc', @flags, '-o', $name, "$name.c");
	is("$r->{status}$r->{err}", '0', "$name.c compiles");
}

# The lines of a report, and of JSON, that begin so.
sub lines { my ($r, $with) = @_; return grep { /$with/ } split /\n/, $r->{err} }
sub json { return map { JSON::PP->new->utf8->decode($_) } split /\n/, slurp($_[0]) }
sub place { my ($f) = @_; return "$f->{function} $f->{line}:$f->{column}" }

put('bank.c', <<'C');
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct account {
	long id;
	struct {
		long last, sums[4];
	} log;
};
struct account accounts[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void put(struct account *a, long n)
{
	a->log.sums[2] = n;
}
static void *teller(void *arg)
{
	pthread_setname_np(pthread_self(), "teller");
	put(&accounts[1], 5);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, teller, NULL);
	pthread_mutex_lock(&lock);
	put(&accounts[1], argc);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	printf("done %s", argc > 1 ? argv[1] : "");
	return argc > 1 ? atoi(argv[1]) : 0;
}
C
put('clean.c', "#include <stdio.h>\nint main(void)\n{\n\tputs(\"clean\");\n\treturn 7;\n}\n");

build('bank');
build('clean');

part('a report', sub {
	my $r = run('./bank');
	is($r->{status}, 66, 'status');
	is($r->{out}, 'done ', "the program's output is whole");
	says($r, qr/\Adeadheat: data race \(observed\) on accounts\[1\]\.log\.sums\[2\]\n/,
		'the object, to the element');
	my $thread = qr/thread 1 "teller"|the main thread/;
	my $side = qr/  write of 8 bytes by ($thread) at bank\.c:15:17 in put/;
	is(scalar(lines($r, qr/^$side(, earlier)?$/)), 2, 'both accesses');
	is(scalar(lines($r, qr/^$side, earlier$/)), 1, 'one was earlier');
	is(scalar(lines($r, qr/^      #0 bank\.c:15:17 in put$/)), 2, 'both stacks: the access');
	says($r, qr/^      #1 bank\.c:20:2 in teller$/m, '... the call in the thread');
	says($r, qr/^      #1 bank\.c:28:2 in main$/m, '... the call in main');
	says($r, qr/accounts is a global variable of 144 bytes, declared at bank\.c:11 /,
		'its declaration');
	says($r, qr/^  thread 1 "teller" (\(ended\) )?was created by the main thread at
      #0 bank\.c:26:2 in main$/m,
		'the creation of the thread');
	says($r, qr/^deadheat: 1 distinct race, met \d+ times?
  nothing was lost
  not instrumented: \d+ system libraries
\z/m,
		'the summary');
	unlike($r->{err}, qr/\033/, 'no colours in a pipe');
	says(run('--colour', 'always', './bank'), qr/\033\[/, 'colours when told so');
	my $alone = command('./bank');
	is($alone->{status}, 66, 'without `deadheat run`: status');
	like($alone->{err}, qr/at bank\.c:15:17 in put/, '... and names');
});

part('locks', sub {
	put('locks.c', <<'C');
#include <pthread.h>
int x, unseen;
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t inner = PTHREAD_RWLOCK_INITIALIZER;
/* An order of events that is not told to the detector. */
__attribute__((no_sanitize("thread"))) static void tell(void)
{
	__atomic_store_n(&unseen, 1, __ATOMIC_RELEASE);
}
__attribute__((no_sanitize("thread"))) static void await(void)
{
	while (!__atomic_load_n(&unseen, __ATOMIC_ACQUIRE))
		;
}
static void *run(void *arg)
{
	x = 1;
	tell();
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	await();
	pthread_mutex_lock(&outer);
	pthread_rwlock_rdlock(&inner);
	x = 2;
	pthread_rwlock_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return pthread_join(t, NULL);
}
C
	build('locks');
	says(run('./locks'), qr/^  write of 4 bytes by the main thread at locks\.c:28:4 in main
      #0 locks\.c:28:4 in main
    holding the lock outer, taken at
      #0 locks\.c:26:2 in main
    holding, for reading, the lock inner, taken at
      #0 locks\.c:27:2 in main

  write of 4 bytes by thread 1 at locks\.c:17:4 in run, earlier
      #0 locks\.c:17:4 in run
    no locks held

  x is a global/m, 'what each held');
	put('earlier.c', slurp('locks.c') =~ s/\tx = 1;\n/
\tpthread_rwlock_t *l = &inner;
\tpthread_rwlock_rdlock(l);
\tx = 1;
\tpthread_rwlock_unlock(l);
/r);
	build('earlier');
	says(run('--json', 'earlier.json', './earlier'),
		qr/ at earlier\.c:20:4 in run, earlier
      #0 earlier\.c:20:4 in run
    holding, for reading, the lock inner, taken at
      #0 earlier\.c:19:2 in run

  x is a global/m, 'what the first held');
	my ($race) = grep { $_->{type} eq 'race' } json('earlier.json');
	is($race->{first}{locks}[0]{global}{name}, 'inner', 'JSON: the lock of the first');
	ok(!exists $race->{first}{locks_maybe}, '... and no others');
});

part('evidence', sub {
	put('later.c', slurp('locks.c') =~ s/\treturn pthread_join.*/
\tpthread_join(t, NULL);
\tfor (int i = 0; i < 100; i++) {
\t\tpthread_mutex_lock(&outer);
\t\tx++;
\t\tpthread_mutex_unlock(&outer);
\t}
\treturn x;
/r);
	build('later');
	run('--json', 'later.json', './later');
	my @lines = json('later.json');
	my ($race) = grep { $_->{type} eq 'race' } @lines;
	my ($e, @more) = grep { $_->{type} eq 'evidence' } @lines;
	is(scalar @more, 0, 'one line');
	is($e->{serial}, $race->{serial}, '... of the race');
	is($e->{base}, $race->{address}, '... and its bytes');
	is("$e->{reads} $e->{writes} $e->{read_then_write}", '101 100 100', 'accesses after it');
	is(join(' ', map { "$_->{lock}{global}{name} $_->{count}" } @{$e->{held}}), 'outer 200',
		'the lock that they hold');
	is($e->{unlocked}, 1, '... but for one');
	is(join(' ', map { "$_->{by}x$_->{count}" } @{$e->{steps}}), '1x100', 'how the value went');
	is($e->{same_value}, 0, 'never was the same written again');
	is($e->{threads}, 1, 'by one thread');
});

part('exit status', sub {
	is(run('./bank', 3)->{status}, 66, 'races before the program\'s own');
	is(run('--exit-code', 0, './bank', 3)->{status}, 3, '--exit-code 0: its own');
	is(run('--exit-code=9', './bank', 3)->{status}, 9, '--exit-code 9');
	my $r = run('--fail-on', 'potential', './bank');
	is($r->{status}, 2, '--fail-on potential: not with this engine');
	says($r, qr/the engine fasttrack has no findings of the grade 'potential'/, '... says why');
	{
		local $ENV{DEADHEAT_OPTIONS} = 'fail-on=potential';
		is(command('./bank')->{status}, 2, '... also in the environment');
	}
	$r = run('--halt', './bank', 3);
	is("$r->{status}|$r->{out}", '66|', '--halt: ends at the first race');
	says($r, qr/^deadheat: 1 distinct race/m, '... with a summary');
	is(run('--halt', './clean')->{status}, 7, '... and not without one');
	{
		local $ENV{TSAN_OPTIONS} = 'history_size=7:exitcode=8';
		is(run('./bank', 3)->{status}, 8, 'TSAN_OPTIONS');
		is(run('--exit-code=9', './bank', 3)->{status}, 9, '... count for less');
	}
	is(run('./clean')->{status}, 7, 'no races: its own');
	is(run('--', './clean')->{status}, 7, '-- before the program');
});

part('a clean run', sub {
	my $r = run('./clean');
	is("$r->{out}|$r->{err}", "clean\n|", 'nothing but the program\'s output');
	says(run('--verbose', './clean'), qr/\Adeadheat: no races\n  nothing was lost\n/,
		'--verbose: a summary');
	says(run('--stats', './clean'), qr/^    threads +1$/m, '--stats: counters');
});

part('where it goes', sub {
	is(run('--quiet', './bank')->{err}, '', '--quiet');
	is(run('--quiet', './bank')->{status}, 66, '--quiet: status');
	is(run('--log', 'my log', './bank')->{err}, '', '--log: nothing on standard error');
	like(slurp('my log'), qr/\Adeadheat: data race.*\ndeadheat: 1 distinct race/s,
		'--log: the file');
	run('--log', 'my log', './bank');
	is(() = slurp('my log') =~ /distinct/g, 1, '--log: each run anew');
	run('--log', 'log.%p', './bank');
	my @logs = glob 'log.[0-9]*';
	is(scalar @logs, 1, '--log: %p is the process id');
	is(run('--log', '/nosuch/log', './bank')->{status}, 2, '--log: not writable');
	run('--json', 'j', './clean');
	is_deeply([map { $_->{type} } json('j')], ['run', 'summary'],
		'--json of a clean run')
		or diag(slurp('j'));
});

SKIP: {
	skip 'no /dev/full', 1 unless -c '/dev/full';
	part('a full disk', sub {
		my $r = run('--log', '/dev/full', './bank');
		is($r->{status}, 66, 'status');
		like($r->{err}, qr{\Adeadheat: cannot write /dev/full: .*\ndeadheat: data race},
			'the report goes on elsewhere');
		like($r->{err}, qr/^deadheat: 1 distinct race/m, 'all of it');
		$r = run('--json', '/dev/full', './bank');
		is($r->{status}, 66, 'status with --json');
		is(scalar(() = $r->{err} =~ /cannot write/g), 1, 'says so once');
		like($r->{err}, qr/^deadheat: data race/m, 'the report is there');
	});
}

part('json', sub {
	my $r = run('--json', 'j', './bank');
	my ($start, $race, $end) = json('j');
	is($start->{type}, 'run', 'the run');
	is($start->{engine}, 'fasttrack', 'its engine');
	is($race->{type}, 'race', 'the race');
	is($race->{grade}, 'observed', 'its grade');
	is($race->{size}, 8, 'its size');
	is("$race->{$_}{op} $race->{$_}{size}", 'write 8', "$_: the access") for qw(first second);
	is(place($race->{$_}{stack}[0]), 'put 15:17', "$_: where") for qw(first second);
	like($race->{first}{stack}[0]{file}, qr{/bank\.c$}, 'the file');
	is(join(' ', sort map { place($race->{$_}{stack}[1]) } qw(first second)),
		'main 28:2 teller 20:2', 'the callers');
	is(join(' ', sort map { $race->{$_}{thread} } qw(first second)), '0 1', 'the threads');
	is(exists $race->{second}{locks}, 1, 'locks of the second');
	is(exists $race->{first}{locks}, 1, '... and of the first');
	my $o = $race->{object};
	is("$o->{kind} $o->{name}$o->{part} $o->{size} $o->{offset} $o->{line}",
		'global accounts[1].log.sums[2] 144 80 11', 'the object');
	my ($thread) = grep { $_->{id} == 1 } @{$race->{threads}};
	is("$thread->{name} $thread->{parent} " . place($thread->{created}[0]),
		'teller 0 main 26:2', 'the thread');
	is($end->{type}, 'summary', 'the summary');
	is($end->{races}, 1, 'one race');
	is_deeply($end->{losses}, {}, 'no losses');
	my %kind = map { $_->{path} =~ m{([^/]*)$}, $_->{kind} } @{$end->{modules}};
	is($kind{bank}, 'instrumented', 'the program is instrumented');
	is($kind{'libc.so.6'}, 'system', 'libc is not');
	is($kind{'libdeadheat-fasttrack.so'}, 'runtime', 'the runtime');
});

part('objects', sub {
	put('heap.c', <<'C');
#include <pthread.h>
#include <stdlib.h>
int *block;
static void *run(void *arg)
{
	block[3] = 1;
	*(int *)arg = 2;
	return arg;
}
int main(void)
{
	pthread_t t;
	int local = 0;
	block = malloc(40);
	pthread_create(&t, NULL, run, &local);
	block[3] = 2;
	local = 1;
	pthread_join(t, NULL);
	return 0;
}
C
	build('heap', '-O0');
	my $r = run('./heap');
	says($r, qr/^deadheat: data race \(observed\) on a heap block of 40 bytes$/m, 'heap');
	says($r, qr/is byte 12 of a heap block of 40 bytes,
  allocated by the main thread at
      #0 heap\.c:14:10 in main$/m,
		'its allocation');
	says($r, qr/^deadheat: data race \(observed\) on the stack of the main thread$/m,
		'stack');
	put('twice.c', <<'C');
#include <pthread.h>
int n;
static void *run(void *arg)
{
	n++;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	return 0;
}
C
	build('twice', '-O0');
	$r = run('--json', 'j', './twice');
	is(scalar(lines($r, qr/^deadheat: data race/)), 1, 'the same lines are shown once');
	my @races = grep { $_->{type} eq 'race' } json('j');
	my ($said) = $r->{err} =~ /^  (\d+) not shown/m;
	is(1 + ($said || 0), scalar @races, 'the rest is counted, and in the JSON');
	is(scalar(lines(run('--verbose', './twice'), qr/^deadheat: data race/)), scalar @races,
		'--verbose shows all') or diag(slurp('j'));
});

part('calls by way of the runtime', sub {
	put('initialiser.c', <<'C');
#include <pthread.h>
int n;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void)
{
	n = 1;
}
static void *run(void *arg)
{
	n = 2;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	pthread_once(&once, initialise);
	pthread_join(t, NULL);
	return 0;
}
C
	build('initialiser', '-O0');
	my $r = run('--json', 'j', './initialiser');
	my ($race) = grep { $_->{type} eq 'race' } json('j');
	my ($stack) = grep { $_->[0]{function} eq 'initialise' }
		map { $_->{stack} } @$race{qw(first second)};
	is_deeply([map { $_->{function} } grep { $_->{module} !~ m{/libc\.so} } @$stack],
		['initialise', 'main'], 'the stack of an initialiser');
	put('opened.c', <<'C');
extern int n;
__attribute__((constructor)) static void construct(void)
{
	n = 1;
}
C
	build('opened', qw(-O0 -fPIC -shared));
	put('opener.c', <<'C');
#include <dlfcn.h>
#include <pthread.h>
int n;
static void *run(void *arg)
{
	n = 2;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	void *library = dlopen("./opened", RTLD_NOW);
	pthread_join(t, NULL);
	return !library;
}
C
	build('opener', qw(-O0 -rdynamic -ldl));
	$r = run('--json', 'j', './opener');
	($race) = grep { $_->{type} eq 'race' } json('j');
	($stack) = grep { $_->[0]{function} eq 'construct' }
		map { $_->{stack} } @$race{qw(first second)};
	is_deeply([map { $_->{function} } grep { $_->{module} !~ m{/ld-linux} } @$stack],
		['construct', 'main'], 'and of a constructor');
});

part('forms of debug information', sub {
	put('form.c', slurp('bank.c'));
	my $zstd = '-Wl,--compress-debug-sections=zstd';
	my @zstd = system("gcc -pthread -o form $zstd form.c 2>/dev/null") ? () : $zstd;
	for my $form ('-gdwarf-2', '-gdwarf-4', '-gsplit-dwarf', '-gsplit-dwarf -gdwarf-4',
		'-fdebug-types-section', '-gz', @zstd) {
		build('form', '-O2', '-g', split ' ', $form);
		my $r = run('./form');
		says($r, qr/on accounts\[1\]\.log\.sums\[2\]$/m, "$form: the object");
		says($r, qr/^      #0 form\.c:\d+:\d+ in put \(inlined\)$/m, '... and the code');
	}
});

part('without debug information', sub {
	put('plain.c', slurp('bank.c'));
	build('plain', '-g0');
	my $r = run('./plain');
	says($r, qr/on accounts\+80$/m, 'symbol and offset of the object');
	says($r, qr{^      #0 put\+0x[0-9a-f]+ in \S*/plain\+0x[0-9a-f]+$}m,
		'symbol and offset of the code');
});

part('drop-in', sub {
SKIP: {
	skip 'no libtsan', 3 if system 'gcc -g -fsanitize=thread -o dropin bank.c 2>/dev/null';
	like(`readelf -d dropin`, qr/libtsan\.so/, "linked with gcc's libtsan");
	my $r = run('./dropin');
	is($r->{status}, 66, 'status');
	says($r, qr/\Adeadheat: data race .*accounts/, 'our report');
	unlike($r->{err}, qr/ThreadSanitizer/, 'and only ours');
}
});

part('what cannot be run', sub {
	my $r = run('/bin/true');
	is($r->{status}, 0, 'not instrumented: it runs');
	says($r, qr/\Adeadheat: \/bin\/true is not instrumented: .*deadheat cc/,
		'... with a word');
	is(run('nosuch-program')->{status}, 127, 'not found');
	is(run('./bank.c')->{status}, 126, 'not executable');
	$r = run('/tmp');
	is($r->{status} . $r->{err}, "126deadheat: run: /tmp: not executable\n", 'a folder');
	is(run('.')->{status}, 127, 'no program of that name');
	is(run()->{status}, 2, 'no program');
	put('own.c', "void __tsan_init(void);\nvoid __tsan_init(void) {}\n"
		. "int main(void) { return 0; }\n");
	system 'gcc -rdynamic -o own own.c';
	$r = run('./own');
	is($r->{status}, 2, 'a runtime of its own: refused');
	says($r, qr/ThreadSanitizer of its own.*deadheat cc/, '... why, and what to do');
	put('script', "#!/bin/sh\nexec ./clean\n");
	chmod 0755, 'script';
	$r = run('./script');
	is("$r->{status} $r->{err}", '7 ', 'a script is run');
});

part('options', sub {
	my $r = run('--exit-cod', 3, './bank');
	is($r->{status}, 2, 'unknown: status');
	says($r, qr/\Adeadheat: run: no option 'exit-cod'; did you mean 'exit-code'\?/,
		'unknown: the nearest');
	$r = run('--exit-code', 'many', './bank');
	says($r, qr/'exit-code' takes a whole number from 0 to 255, not 'many'/, 'a bad value');
	says(run('--exit-code'), qr/needs an argument/, 'a missing value');
	says(run('-x', './bank'), qr/option '-x' is not known/, 'no short ones');
	says(run('--engine', 'nosuch', './bank'), qr/'engine' takes fasttrack\|.*, not 'nosuch'/,
		'no such engine');
	is(run('--engine', 'null', './bank', 3)->{status}, 3, 'an engine that finds nothing');
	$r = run('--engine', 'count', '--stats', './bank', 3);
	says($r, qr/seen_starts +[2-9]/, 'one that counts: threads');
	says($r, qr/seen_writes +[1-9]/, '... and accesses');
	is(run('--engine', 'fasttrack', './clean')->{status}, 7, 'the engine that there is');
	local $ENV{DEADHEAT_OPTIONS} = "exit_code=5:log='a b',verbose";
	$r = command('./bank');
	is("$r->{status}$r->{err}", '5', 'DEADHEAT_OPTIONS');
	like(slurp('a b'), qr/data race/, '... with quotes');
	is(run('--exit-code', 6, './bank')->{status}, 6, 'the command line counts for more');
	$ENV{DEADHEAT_OPTIONS} = 'vebrose';
	$r = command('./clean');
	is("$r->{status} $r->{out}", '2 ', 'wrong in the environment: the program does not start');
	is($r->{err}, "deadheat: DEADHEAT_OPTIONS: no option 'vebrose'; did you mean 'verbose'?\n",
		'... and why');
	is(run('./clean')->{status}, 2, '... nor under `deadheat run`');
});

part('living with the program', sub {
	put('life.c', <<'C');
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int x;
static volatile int children;
static void on_child(int sig)
{
	(void)sig;
	children++;
}
static void *run(void *arg)
{
	x = 1;
	return arg;
}
static void race(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	x = 2;
	pthread_join(t, NULL);
}
static int y;
static void *run_in_child(void *arg)
{
	y++;
	return arg;
}
static int child(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run_in_child, NULL);
	y = 5;
	pthread_join(t, NULL);
	return y > 9;
}
static void fork_one(void)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0)
		exit(child());
	pid = waitpid(pid, &status, 0);
	printf("%d %d", pid > 0, WEXITSTATUS(status));
}
static void close_all(void)
{
	int fd;
	for (int i = 3; i < 1024; i++)
		close(i);
	do
		fd = open("precious", O_RDWR | O_CREAT, 0600);
	while (fd >= 0 && fd < 1000);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	signal(SIGCHLD, on_child);
	race();
	if (!strcmp(what, "wait")) {
		int got = wait(NULL);
		printf("%d %d %d", got, errno == ECHILD, children);
	} else if (!strcmp(what, "abort")) {
		abort();
	} else if (!strcmp(what, "kill")) {
		raise(SIGKILL);
	} else if (!strcmp(what, "crash")) {
		*(volatile int *)1 = 1;
	} else if (!strcmp(what, "close")) {
		close_all();
	} else if (!strcmp(what, "exec")) {
		execl("/bin/echo", "echo", "other", NULL);
	} else if (!strcmp(what, "fork")) {
		fork_one();
	} else if (!strcmp(what, "_exit")) {
		_exit(4);
	} else if (!strcmp(what, "open")) {
		printf("%d", open("/dev/null", O_RDONLY));
	}
	return 0;
}
C
	build('life');
	my $r = run('./life', 'wait');
	is($r->{out}, '-1 1 0', 'no child to wait for, no SIGCHLD');
	is(run('./life', 'open')->{out}, 3, 'low file numbers stay free');
	for my $how (['abort', 6], ['kill', 9], ['crash', 11]) {
		my $crash = run('./life', $how->[0]);
		is($crash->{status}, "signal $how->[1]", "$how->[0]: status");
		says($crash, qr/^deadheat: data race .* on x$/m, "$how->[0]: the report");
		says($crash, qr/^deadheat: 1 distinct race.*\n  the program ended without/m,
			"$how->[0]: and a summary");
	}
	$r = run('./life', 'close');
	is($r->{status}, 66, 'a program that closes all files: status');
	says($r, qr/^deadheat: data race .* on x$/m, '... the report');
	is(slurp('precious'), '', '... nothing in its own files');
	$r = run('./life', 'exec');
	is("$r->{status} $r->{out}", "0 other\n", 'exec: the other program\'s');
	says($r, qr/^deadheat: data race .* on x$/m, 'exec: the report');
	is(run('./life', '_exit')->{status}, 66, '_exit: status');
	$r = run('--log', 'forked', './life', 'fork');
	is("$r->{status} $r->{out}", '66 1 66', 'fork: a status for each process');
	is(() = slurp('forked') =~ /^deadheat: data race .* on x$/mg, 1, 'fork: of the parent');
	is(() = slurp('forked') =~ /^deadheat: data race .* on y$/mg, 1, 'fork: of the child');
	is(() = slurp('forked') =~ /^deadheat: \d distinct race/mg, 2, 'fork: two summaries');
});

part('standard error closed', sub {
	put('mute.c', <<'C');
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int x;
static void *run(void *arg)
{
	x = 1;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	if (!strcmp(argv[1], "fclose"))
		fclose(stderr);
	else if (!strcmp(argv[1], "close"))
		close(2);
	else if (!strcmp(argv[1], "close_range"))
		close_range(2, 20, 0);
	else if (!strcmp(argv[1], "closefrom"))
		closefrom(2);
	printf("%d", open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600));
	pthread_create(&t, NULL, run, NULL);
	x = argc;
	pthread_join(t, NULL);
	return 0;
}
C
	build('mute');
	for my $way (qw(fclose close close_range closefrom)) {
		my $r = run('./mute', $way);
		is("$r->{status} $r->{out}", '66 2', "$way: the number is free");
		says($r, qr/^deadheat: data race .* on x$/m, '... the report comes all the same');
		is(slurp('mine'), '', '... and not in the file that has the number now');
	}
});

part('without a helper', sub {
	# A copy of the library in a folder from where no `deadheat` is to be found.
	my ($library) = `ldd ./bank` =~ /libdeadheat-fasttrack\.so => (\S+)/;
	mkdir 'lonely';
	copy($library, 'lonely/libdeadheat-fasttrack.so') or die "copy: $!\n";
	local $ENV{LD_LIBRARY_PATH} = "$dir/lonely";
	my $r = command('./bank');
	is($r->{status}, 66, 'status');
	is($r->{out}, 'done ', 'output');
	says($r, qr/\Adeadheat: data race \(observed\) on 0x[0-9a-f]+
  write of 8 bytes at 0x/,
		'a report in addresses');
	my ($offset) = $r->{err} =~ m{^    #0 0x[0-9a-f]+ \S*/bank\+(0x[0-9a-f]+)$}m;
	ok($offset, 'module and offset of the frames');
SKIP: {
	skip 'no addr2line', 1 unless defined $offset && `addr2line --version 2>/dev/null`;
	my $before = sprintf '%x', hex($offset) - 1;
	like(`addr2line -e bank $before`, qr/bank\.c:15/, 'which addr2line understands');
}
	says($r, qr/^deadheat: 1 race, met \d+ times?; the helper .* could not be run$/m,
		'a summary that says so');
});

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat run --break`: the program under gdb, without a terminal. gdb tells of each stop
# and goes on; the program's output and status stay its own.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use File::Temp 'tempdir';
use Test::More;

plan skip_all => 'gdb is not installed'
	unless grep { -x "$_/gdb" } split /:/, $ENV{PATH};
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS DEADHEAT_HELPER LD_LIBRARY_PATH)};

# Two races, with the main thread the second each time.
open my $out, '>', 'app.c' or die "app.c: $!\n";
print $out <<'C';
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y, unseen;
__attribute__((no_sanitize("thread"))) static void tell(void)
{
	__atomic_store_n(&unseen, 1, __ATOMIC_RELEASE);
}
__attribute__((no_sanitize("thread"))) static void await(void)
{
	while (!__atomic_load_n(&unseen, __ATOMIC_ACQUIRE))
		;
}
static __attribute__((noinline)) void early(void) { x = 1, y = 1; }
static __attribute__((noinline)) void late_x(void) { x = 2; }
static __attribute__((noinline)) void late_y(void) { y = 2; }
static void *run(void *arg)
{
	early();
	tell();
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	await();
	late_x();
	late_y();
	pthread_join(t, NULL);
	printf("done %s\n", argc > 1 ? argv[1] : "");
	if (argc > 2)
		abort();
	return 3;
}
C
close $out;
is(deadheat('cc', '-g', '-O1', 'app.c', '-o', 'app')->{status}, 0, 'the program compiles');

sub stops { my ($r) = @_; return scalar(() = $r->{err} =~ /^deadheat: stopped at the race/mg) }
sub at { my ($r, $function) = @_;
	like($r->{err}, qr/^deadheat: stopped at the race.*?in $function \(\) at app\.c:/ms,
		"the stack of $function") }

part('at the race', sub {
	my $r = deadheat('run', '--break', './app', 'a b');
	is($r->{status}, 66, 'status');
	is($r->{out}, "done a b\n", "the program's output, and its arguments");
	is(stops($r), 2, 'a stop at each');
	at($r, 'late_x');
	at($r, 'late_y');
	like($r->{err}, qr/data race \(observed\) on x\n.*stopped at the race.*on y\n.*stopped/s,
		'each report comes before its stop');
	is(deadheat('run', '--exit-code', 0, '--break=first', './app')->{status}, 3,
		"the program's own status");
	is(deadheat('run', '--break', './app', 1, 2)->{status}, 128 + 6, 'a signal');
});

part('at the end', sub {
	my $r = deadheat('run', '--break=end', './app');
	is($r->{status}, 66, 'status');
	is(stops($r), 0, 'none at the races');
	my ($list) = $r->{err} =~ /^deadheat: stopped at the end\n(.*)/ms;
	like($list, qr/^race 1: 4 bytes at 0x[0-9a-f]+\n  write by thread 0 .*
    \#0 late_x .*\n.*Line 15 of "app\.c".*
  and, earlier:\n  write by thread 1 .*\n    \#0 early /m, 'the list');
	like($list, qr/^race 2: .*\n.*\n    \#0 late_y /m, '... of both');
});

part('what does not count', sub {
	open my $rules, '>', 'rules' or die;
	print $rules "race:late_x\n";
	close $rules;
	my $r = deadheat('run', '--suppressions', 'rules', '--break', './app');
	is(stops($r), 1, 'no stop at a suppressed race');
	at($r, 'late_y');
});

part('errors', sub {
	my $r = deadheat('run', '--break=now', './app');
	is($r->{status}, 2, 'a wrong moment: status');
	like($r->{err}, qr/'--break' takes first or end, not 'now'/, '... message');
	local $ENV{PATH} = $dir;
	$r = deadheat('run', '--break', './app');
	is($r->{status}, 2, 'no gdb: status');
	is($r->{err}, "deadheat: run: --break needs gdb, which is not there; install it, " .
		"or leave --break out\n", '... message');
});

done_testing();

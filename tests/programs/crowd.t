#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Eight threads at once, of two groups that have nothing in common but the racy variables.
# However they come to run, those and no others are found to race: variables under a lock
# of the group, variables that are handed on through an atomic, blocks that come and go and
# each thread's own variables are not. For goldilocks, whose host judges accesses to
# different variables side by side (src/runtime/host/gate.h), and by its side djit, whose
# host has one lock for all.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Programs qw(:DEFAULT build_text);
use Test::More;

use constant {RACY => 8, ROUNDS => 3};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

my $racy = join "\n", map {
	"long racy$_;\nstatic __attribute__((noinline)) void use$_(void) { racy$_++; }"
} 0 .. RACY - 1;
my $uses = join ', ', map { "use$_" } 0 .. RACY - 1;
my $program = <<"END";
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
enum { THREADS = 8, GROUPS = 2, LOCKS = 3, TURNS = 6000, SLOTS = 16 };
$racy
static void (*const uses[])(void) = {$uses};
static struct {
	pthread_mutex_t lock;
	int value[SLOTS];
	long *block;
} shared[GROUPS][LOCKS];
static int handed[THREADS][TURNS];
static atomic_int count[THREADS];
static short own[THREADS][SLOTS];

static void under_lock(long group, int turn)
{
	long *block = turn % 8 ? NULL : calloc(4, sizeof *block);
	int i = turn % LOCKS;
	pthread_mutex_lock(&shared[group][i].lock);
	shared[group][i].value[turn % SLOTS]++;
	if (block) {
		long *old = shared[group][i].block;
		block[1] = old ? old[1] + 1 : 0;
		shared[group][i].block = block;
		block = old;
	}
	pthread_mutex_unlock(&shared[group][i].lock);
	free(block);
}

static void *work(void *arg)
{
	long id = (long)arg, group = id % GROUPS, next = (id + GROUPS) % THREADS;
	int sum = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		uses[id / GROUPS * 2 + turn % 2]();
		own[id][turn % SLOTS]++;
		under_lock(group, turn);
		handed[id][turn] = turn;
		atomic_store_explicit(&count[id], turn + 1, memory_order_release);
		int have = atomic_load_explicit(&count[next], memory_order_acquire);
		sum += have ? handed[next][have - 1] : 0;
	}
	return (void *)(long)sum;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < GROUPS * LOCKS; i++)
		pthread_mutex_init(&shared[i / LOCKS][i % LOCKS].lock, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END

build_text($deadheat, $dir, 'crowd', $program);

# The variables that were found to race, and the counters.
sub run
{
	my (@options) = @_;
	unlink "$dir/crowd.json";
	my $status = run_command(100, "$dir/crowd", {}, $deadheat, qw(run --stats --verbose),
		'--json', "$dir/crowd.json", @options, "$dir/crowd");
	my %found;
	for my $line (split /\n/, slurp("$dir/crowd.json")) {
		my $o = JSON::PP->new->utf8->decode($line);
		next unless ($o->{type} // '') eq 'race';
		$found{$o->{object}{name} // "?"} = 1;
	}
	return ($status, [sort keys %found],
		{slurp("$dir/crowd.err") =~ /^ +([a-z_]+) +(\d+)$/mg});
}

my @expected = map { "racy$_" } 0 .. RACY - 1;
for my $round (1 .. ROUNDS) {
	my ($status, $found, $counters) = run(qw(--engine goldilocks));
	is($status, 66, "goldilocks, round $round: there are races");
	is_deeply($found, \@expected, "goldilocks, round $round: these");
	cmp_ok($counters->{events_side_by_side}, '>', 0, 'not one by one');
}
my (undef, $found) = run(qw(--engine goldilocks --stop-after-race));
is_deeply($found, \@expected, 'goldilocks --stop-after-race');
(undef, $found) = run(qw(--engine djit));
is_deeply($found, \@expected, 'djit');
done_testing();

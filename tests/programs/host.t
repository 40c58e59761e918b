#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Options of the engines of traces in a running program: what one variable is
# (--granularity), how much a filter keeps (--tree-limit), that what is off is not looked at,
# and the stream of events in a file (--events), however long.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Programs qw(:DEFAULT build_text);
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# Two threads, one after the other by means that are not seen.
my $program = <<'END';
#include <deadheat.h>
#include <stdlib.h>
#include "threads.h"
static invisible_step_t step;
static char *p;
static void one(void) { ONE; invisible_advance(&step); }
static void two(void) { invisible_await(&step, 1); TWO; }
int main(void)
{
	p = calloc(64, 1);
	run_threads(2, one, two);
	return 0;
}
END

sub build
{
	my ($name, $one, $two) = @_;
	build_text($deadheat, $dir, $name, $program, ONE => $one, TWO => $two);
}

# Status, findings and counters.
sub run
{
	my ($name, @options) = @_;
	unlink "$dir/$name.json";
	my $status = run_command(60, "$dir/$name", {}, $deadheat, qw(run --stats --verbose),
		'--json', "$dir/$name.json", @options, "$dir/$name");
	my @objects = map { JSON::PP->new->utf8->decode($_) } split /\n/, slurp("$dir/$name.json");
	my $errors = slurp("$dir/$name.err");
	return {status => $status, races => [grep { ($_->{type} // '') eq 'race' } @objects],
		counters => {$errors =~ /^ +([a-z_]+) +(\d+)$/mg}, errors => $errors};
}

# ---- granularity ----

build('bytes', 'p[1] = 1', 'p[2] = 1');
build('words', 'p[1] = 1', 'p[57] = 1');
my %expected = (bytes => {byte => 0, adaptive => 0, word => 66, object => 66},
	words => {byte => 0, adaptive => 0, word => 0, object => 66});
for my $name (sort keys %expected) {
	for my $what (sort keys %{$expected{$name}}) {
		my $r = run($name, qw(--engine djit --granularity), $what);
		my $status = $expected{$name}{$what};
		is($r->{status}, $status, "--granularity $what, different $name");
		is(!!$r->{races}[0]{coarse}, 1, "--granularity $what: says that it is coarse")
			if $status;
	}
}

# ---- off ----

my $loop = 'for (int i = 0; i < 1000; i++) p[i % 64]++';
build('off', $loop, "$loop; free(p)");
my $on = run('off', qw(--engine multirace))->{counters};
cmp_ok($on->{first_accesses}, '>=', 128, 'accesses are looked at');
my $off = run('off', qw(--engine multirace --detection off));
is($off->{status}, 0, 'off: silence, also at a free');
is($off->{counters}{$_}, 0, "off: $_") for qw(first_accesses repeats_kept_back variables_peak);
build('freed', 'p[0] = 1', 'DEADHEAT_SUSPEND_THREAD(); free(p); DEADHEAT_RESUME_THREAD()');
my $freed = run('freed', qw(--engine djit));
is(!!$freed->{races}[0]{suspended}, 1, 'suspended: a free is told');
is($freed->{status}, 0, 'suspended: and does not count');

# ---- filters ----

my $round = 'for (int i = 0; i < 320; i++) p[i % 64] = 1';
build('round', $round, $round);
my %tree = map { $_ => run('round', qw(--engine djit --filter tree --tree-limit), $_) }
	(8, 4096);
is($tree{$_}{status}, 66, "--tree-limit $_: the race is found") for sort keys %tree;
cmp_ok($tree{8}{counters}{filter_dropped} + 400, '<', $tree{4096}{counters}{filter_dropped},
	'--tree-limit: fewer repeats are known');
cmp_ok($tree{8}{counters}{evicted}, '>', 400, '--tree-limit: and that is counted');

# ---- events ----

my $long = 'static char a[400000]; for (int i = 0; i < 400000; i += 4) *(int *)(a + i) = 1';
build('long', "$long; p[0] = 1", "$long; p[0] = 2");
my $r = run('long', qw(--engine djit --events), "$dir/long.std");
is($r->{status}, 66, 'a long run has its race');
cmp_ok($r->{counters}{events}, '>', 200_000, 'and many events');
is(-e "$dir/long.std.raw", undef, '--events: nothing else is left');
my $status = run_command(60, "$dir/analyze", {}, $deadheat, qw(analyze -e djit --format json),
	"$dir/long.std");
is($status, 66, '--events: analyze finds it');
my $top = JSON::PP->new->utf8->decode(slurp("$dir/analyze.out"));
is(scalar @{$top->{engines}[0]{races}}, 1, '--events: and nothing else');
cmp_ok($top->{events}, '>=', $r->{counters}{events}, '--events: all are there');
$r = run('long', qw(--engine djit --events), "$dir/no/such/folder");
is($r->{status}, 66, '--events, no such folder: the run goes on');
like($r->{errors}, qr{cannot write all events to \S+/no/such/folder}, '--events: and it says so');
done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Engine `racetrack` in the running program, in all its settings: what each finds in the
# patterns of racetrack/patterns.c, and with which grade. `fasttrack` is there to compare.
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
delete @ENV{qw(DEADHEAT_OPTIONS DEADHEAT_CC DEADHEAT_CXX)};
my $program = "$dir/patterns";
is(system($deadheat, 'cc', '-O1', '-g', '-pthread', "$FindBin::Bin/racetrack/patterns.c", '-o',
	$program), 0, 'builds') or BAIL_OUT('patterns.c does not build');

# Runs it; returns the exit status and all objects of its JSON.
sub run
{
	my ($pattern, $rounds, @options) = @_;
	my $json = "$dir/out.json";
	unlink $json;
	my $status = system("timeout 60 $deadheat run --quiet --json $json @options "
		. "-- $program $pattern $rounds >$dir/out 2>$dir/err");
	open my $in, '<', $json or return ($status >> 8);
	return ($status >> 8, map { JSON::PP->new->utf8->decode($_) } <$in>);
}

# The worst grade of what was found, or 'nothing'.
sub grade
{
	my %grades = map { $_->{grade} => 1 } grep { $_->{type} eq 'race' } @_;
	return $grades{observed} ? 'observed' : $grades{potential} ? 'potential' : 'nothing';
}

my @settings = ('fasttrack', map { "racetrack --racetrack $_" }
	qw(full paper threadset lockset));
# Of each pattern, with so many rounds: what the settings find, in that order. Figure 4
# wants four accesses to suspect an object, and four more for its field.
for (
	['bare', 1, qw(observed observed nothing nothing observed)],
	['bare', 2, qw(observed observed nothing observed observed)],
	['bare', 4, qw(observed observed observed observed observed)],
	['luck', 1, qw(nothing potential nothing nothing potential)],
	['luck', 4, qw(nothing potential potential potential potential)],
	['halves', 1, qw(nothing potential nothing nothing potential)],
	['line', 2, qw(nothing potential nothing nothing potential)],
	['scan', 1, qw(nothing potential nothing nothing nothing)],
	['fill', 1, qw(nothing potential nothing nothing nothing)],
	['number', 3, qw(nothing nothing nothing nothing potential)],
	['locked', 4, qw(nothing nothing nothing nothing nothing)],
	['readers', 4, qw(nothing nothing nothing nothing nothing)],
	['modes', 4, qw(nothing nothing potential potential potential)],
	['lent', 3, qw(observed observed nothing nothing nothing)],
	['fields', 4, qw(nothing nothing nothing nothing nothing)],
	['publish', 4, qw(nothing nothing nothing nothing nothing)],
	['last', 1, qw(nothing nothing nothing nothing potential)],
	['reuse', 4, qw(nothing nothing nothing nothing potential)],
) {
	my ($pattern, $rounds, @wanted) = @$_;
	for my $setting (@settings) {
		my ($status, @found) = run($pattern, $rounds, '--engine', $setting);
		my $wanted = shift @wanted;
		is(grade(@found), $wanted, "$pattern, $rounds times: $setting");
		is($status, $wanted eq 'observed' ? 66 : 0, 'and the exit status');
	}
}

is((run('bare', 1, '--racetrack', 'paper'))[0], 2, 'a setting without the engine is refused');

my @racetrack = ('--engine', 'racetrack');
my ($status) = run('luck', 1, @racetrack, '--fail-on', 'potential');
is($status, 66, 'potential findings change the exit status where that is asked for');

# Both stacks, by both threads.
($status, my @objects) = run('luck', 1, @racetrack);
my ($race) = grep { $_->{type} eq 'race' } @objects;
for my $side (qw(first second)) {
	is($race->{$side}{stack}[0]{function}, 'touch', "$side: the access");
	is($race->{$side}{stack}[1]{function}, 'luck', 'and its caller');
}
isnt($race->{first}{thread}, $race->{second}{thread}, 'by two threads');

# Memory that is unmapped and mapped again by one thread while another goes on with it: the
# race with the munmap, and that of what both write afterwards.
my $patterns = $program;
$program = "$dir/munmap";
is(system($deadheat, 'cc', '-O1', '-g', '-pthread', '-D_GNU_SOURCE',
	"$FindBin::Bin/munmap_renewed_race.c", '-o', $program), 0, 'munmap_renewed_race builds');
($status, @objects) = run('', '', @racetrack);
is(join(' ', map { "$_->{first}{op} $_->{second}{op}" } grep { $_->{type} eq 'race' } @objects),
	'write free write write', 'munmap and mmap: both races');
$program = $patterns;

# Annotation files: nothing of what they name is reported, whatever the grade.
for my $line ('variable:x', 'function:touch', 'file:patterns.c', 'type:number') {
	my $file = "$dir/annotations";
	open my $out, '>', $file or die "$file: $!\n";
	print $out "$line\n";
	close $out;
	for my $pattern (qw(bare luck)) {
		($status, @objects) = run($pattern, 4, @racetrack, '--annotations', $file);
		is(grade(@objects), 'nothing', "$pattern with $line");
		my ($end) = grep { $_->{type} eq 'summary' } @objects;
		cmp_ok($end->{counters}{untracked_met}, '>', 0, 'which is counted');
	}
}

# The counters of the paper's Table 3.
sub counters
{
	my ($pattern, $rounds) = @_;
	my ($ignored, @all) = run($pattern, $rounds, @racetrack);
	my ($end) = grep { $_->{type} eq 'summary' } @all;
	return $end->{counters};
}
my $counters = counters('fields', 4);
cmp_ok($counters->{$_}, '>', 0, $_)
	for qw(monitored_accesses object_level_accesses object_level_own
		field_level_accesses objects_refined synchronisations clock_ticks);
# Of what is not in any diary any more the object is judged, not its fields: of 4096 lines
# those of the last 8192 elements are known to one diary at most.
$counters = counters('scan', 1);
cmp_ok($counters->{objects_refined}, '<', 1024, 'lines without a past are not refined');
# A buffer of 512 lines that tell the same: a few of them are refined, and those that are
# met from elsewhere.
$counters = counters('fill', 1);
cmp_ok($counters->{objects_refined}, '<', 64, 'lines that tell nothing new are not refined');
cmp_ok($counters->{objects_spared}, '>', 400, 'which is counted');
($status, @objects) = run('fill', 1, @racetrack);
is(scalar(grep { $_->{type} eq 'race' } @objects), 2, 'and both places are told');
cmp_ok(counters('publish', 4)->{$_}, '>=', 4, $_)
	for qw(objects_allocated objects_handed_over);

done_testing();

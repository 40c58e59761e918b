#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Calls from instrumented programs into libraries that are not: the program behaves as it
# does by itself, however it was linked, and each call that begins ends. The engine `count`
# counts them.
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use Test::More;
use lib "$FindBin::Bin/../cli";
use Deadheat;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1);

sub build
{
	my ($to, @command) = @_;
	system(@command, '-o', "$dir/$to") == 0 or die "@command: failed\n";
	return "$dir/$to";
}

sub library
{
	my ($name, $cc) = @_;
	my ($stem) = $name =~ /^(\w+)/;
	build("lib$stem.so", $cc, qw(-O1 -g -fPIC -shared -Wno-psabi), "$FindBin::Bin/$name");
}

sub program
{
	my ($name, $library, @flags) = @_;
	my $cc = $name =~ /\.cc$/ ? 'c++' : 'cc';
	my @with = $library ? ("-L$dir", "-l$library", "-Wl,-rpath,$dir") : ();
	(my $to = join('', $name, @flags)) =~ s/\W/_/g;
	return build($to, $deadheat, $cc, qw(-O1 -g -pthread -Wno-psabi),
		"-I$FindBin::Bin/../../include", @flags, "$FindBin::Bin/$name", @with);
}

# The pairs of lines that are predicted for a recorded run, by what the lines are marked with.
sub predicted
{
	my ($program, $source, $model) = @_;
	is(deadheat('record', '-q', '-o', "$program.dht", $program)->{status}, 0, "$program.dht")
		unless -e "$program.dht";
	my ($line, %marks) = (0);
	open my $in, '<', "$FindBin::Bin/$source" or die "$source: $!\n";
	while (<$in>) {
		$line++;
		$marks{$line} = $1 if m{// (\w+): [ab]$};
	}
	my $races = json_of(deadheat('predict', '-m', $model, '--format', 'json',
		"$program.dht"))->{races};
	my %found = map { join('-', map { $marks{($_->{loc} =~ /:(\d+)$/)[0]} || $_->{loc} }
		$_->{first}, $_->{second}) => 1 } @$races;
	return join ' ', sort keys %found;
}

# Runs it by itself and with the engine; the counters of the latter.
sub counters
{
	my ($program, $what, @options) = @_;
	my $alone = `$program`;
	is($?, 0, "$what: runs by itself");
	my $r = deadheat('run', qw(--engine count --stats), @options, $program);
	is($r->{status}, 0, "$what: runs") or diag($r->{err});
	is($r->{out}, $alone, "$what: prints the same");
	my %counters = $r->{err} =~ /^\s+(\w+)\s+(\d+)$/mg;
	return \%counters;
}

sub pairs
{
	my ($program, $calls, $functions, $what, @options) = @_;
	my $c = counters($program, $what, @options);
	is($c->{seen_missing_begins}, $calls, "$what: calls");
	is($c->{seen_missing_ends}, $calls, "$what: each ends");
	is($c->{missing_functions}, $functions, "$what: functions");
	is($c->{missing_capped}, 0, "$what: nothing was cut");
	is($c->{missing_unhooked}, 0, "$what: all are hooked");
}

library('inside.c', 'gcc');
library('thrower.cc', 'g++');

my @links = ([], ['-Wl,-z,now'], ['-fno-plt'], ['-no-pie', '-fno-pie']);
my $vectors = `grep -w avx /proc/cpuinfo` ? 1 : 0;
for my $flags (@links) {
	my $what = join ' ', 'calls', @$flags;
	pairs(program('calls.c', 'inside', @$flags), 1518 + $vectors, 13 + $vectors, $what);
}
for my $flags (@links) {
	my $what = join ' ', 'exceptions', @$flags;
	pairs(program('exceptions.cc', 'thrower', @$flags), 9012, 3, $what);
}

# LLVM's unwinder in place of libgcc's.
SKIP: {
	my ($unwinder) = glob '/usr/lib/*/libunwind.so.1 /lib/*/libunwind.so.1';
	skip('no libunwind', 8) unless $unwinder;
	local $ENV{LD_PRELOAD} = $unwinder;
	pairs("$dir/exceptions_cc", 9012, 3, 'exceptions by libunwind');
}

program('host.c', '', '-ldl');
build('host_c_ldl_plugin.so', $deadheat, qw(cc -O1 -g -fPIC -shared),
	"$FindBin::Bin/plugin.c", "-L$dir", '-linside', "-Wl,-rpath,$dir");
pairs("$dir/host_c_ldl", 6, 2, 'plug-in');

my $calls = "$dir/calls_c";
pairs($calls, 3, 1, 'one function', '--missing', 'inside_add');
pairs($calls, 3, 1, 'one and no library', '--missing', 'inside_add,libnone.so*');
pairs($calls, 1515 + $vectors, 12 + $vectors, 'all but one', '--no-missing', 'inside_add');
pairs($calls, 0, 0, 'no library', '--no-missing', 'libinside.so*');

my $annotated = program('annotated.c', '');
my $c = counters($annotated, 'annotated');
is($c->{seen_missing_begins}, 5, 'annotated: begins');
is($c->{seen_missing_ends}, 5, 'annotated: ends');
is($c->{seen_missing_reached}, 1 + 2 + 1 + 1 + 0, 'annotated: what is reached');
is($c->{missing_functions}, 0, 'annotated: nothing is hooked');

# Flags that the library raises: with what the call reaches in the trace no order is missed.
my %flags = ('' => 'race-race', '-DATOMIC' => 'race-race', '-DKEPT' => 'data-data race-race',
	'-DKEPT -DGLOBAL' => 'race-race');
for my $flags (sort keys %flags) {
	my $program = program('flag.c', 'inside', split ' ', $flags);
	is(predicted($program, 'flag.c', 'hb'), 'data-data race-race', "flag $flags: hb");
	is(predicted($program, 'flag.c', 'rdit'), $flags{$flags}, "flag $flags: rdit");
}

my $r = deadheat('run', '--missing', 'x', $annotated);
is($r->{status}, 2, 'an engine that does not ask: refused');
like($r->{err}, qr/'missing'.*does not ask/, 'and says so');
is(deadheat('run', $annotated)->{status}, 0, 'annotations with fasttrack');

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Random programs (Frames.pm) as clang builds them for us, with what takes entry and exit
# out of functions (src/pass) and without (DEADHEAT_LOOPS=no), with entry points of our own
# in place of the runtime (told.c), which keep a stack of what was entered:
#
#   - what was entered has been left when a call of the program's has returned, by whatever
#     way; nothing else is left, and jumps find the stack as it was;
#   - where all accesses are volatile, so that none is left out or moved, the same are told
#     of in the same order, at the same stacks, by functions and lines, inlined ones too
#     (or none, where two calls have become one);
#   - where they are not, the same bytes between one synchronisation and the next, and each
#     for the first time at the same stack, by functions that were not inlined (a read of
#     what is written there adds nothing);
#   - what is computed is the same as without any instrumentation.
#
# In each program some functions are without a frame: one that the pass fails on is built
# without it, and nothing says so.
#
#   random.t [SEED [COUNT]]   so many programs from a seed on (1, 5)
#   DH_FRAMES_LEVELS='O2 ...' these levels, each in turn: one unit of a program has one, its
#                             other one the next (O2 O1 O3)
#   DH_FRAMES_SIZE=N          functions to a program (60)
#   DH_FRAMES_KEEP=DIR        leave programs and what they print there
#   DH_PROGRAMS_JOBS=N        at a time (2)
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin", "$FindBin::Bin/..";
use File::Temp 'tempdir';
use Test::More;
use Clang;
use Frames;
use Programs;

use constant {RUN_LIMIT => 120, SHOWN => 8};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = $ENV{DH_FRAMES_KEEP} || tempdir(CLEANUP => 1,
	$ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my ($seed, $count) = (shift // 1, shift // 5);
my @levels = split ' ', $ENV{DH_FRAMES_LEVELS} || 'O2 O1 O3';
my $size = $ENV{DH_FRAMES_SIZE} || 60;
my %ways = (with => [{DEADHEAT_LOOPS => 'yes'}], without => [passed_by()]);

my $clang = find_clang();
plan(skip_all => 'no clang ' . OLDEST . ' or newer that has its LLVM in a library')
	unless $clang;
my $clangxx = $clang =~ s/clang/clang++/r;
# That of the GNU loses some of the functions that were inlined.
my $addr2line = $clang =~ s/clang/llvm-addr2line/r;
plan(skip_all => "no $addr2line") unless installed($addr2line);

# ---- programs ----

sub build
{
	my ($base, $env, @command) = @_;
	return build_or_die($base, {DEADHEAT_CC => $clang, DEADHEAT_CXX => $clangxx, %$env},
		@command);
}

# Builds a program in one way and runs it.
sub call
{
	my ($p, $way, $env, @command) = @_;
	my $base = "$p->{base}.$way";
	for my $unit (0, 1) {
		build($base, $env, @command, "-$p->{levels}[$unit]", qw(-g -w -fno-strict-aliasing),
			$p->{cxx} ? '-std=gnu++17' : '-std=gnu17', '-c',
			"$p->{base}-$unit.$p->{suffix}", '-o', "$base.$unit.o");
	}
	build($base, {}, $p->{cxx} ? $clangxx : $clang, "$base.0.o", "$base.1.o", "$dir/told.o",
		'-no-pie', '-lm', '-o', $base);
	my $status = run_command(RUN_LIMIT, $base, {}, $base, "$base.told");
	return $status eq 0 ? () : "$way: $status\n" . slurp("$base.err");
}

# Does it have a call that tells of an access and its caller?
sub has_bare { my ($object) = @_; return `objdump -r "$object"` =~ /__deadheat_leaf_/ }

# ---- what was told ----

# Of a program, from addresses to its functions, inner ones of those that were inlined
# first: [function, line], ... Lines of calls are those of the instruction before.
sub symbolize
{
	my ($path, @places) = @_;
	my (%found, $at);
	write_lines("$path.places", map { sprintf '0x%x', hex($_) - 1 } @places);
	open my $in, '-|', "$addr2line -a -f -i -e $path \@$path.places" or die "$addr2line: $!\n";
	while (my $text = <$in>) {
		if ($text =~ /^0x([0-9a-f]+)$/) {
			$at = $found{sprintf '%x', hex($1) + 1} = [];
			next;
		}
		chomp $text;
		my ($file, $line) = <$in> =~ m{([^/]*):(\d+|\?)};
		push @$at, [$text, ($file // '?') . ":$line"];
	}
	close $in or die "$addr2line: $?\n";
	return \%found;
}

# What a run has told: lists of [kind, size, at, stack and place], where that of a call
# of the program's is its name; and what it says is wrong.
sub read_told
{
	my ($path) = @_;
	my (@told, @wrong, %node, %places);
	for my $text (split /\n/, slurp("$path.told")) {
		my ($kind, @rest) = split / /, $text;
		if ($kind eq 'c') {
			$node{$rest[0]} = [@rest[1, 2]];
		} elsif ($kind eq '!') {
			push @wrong, "$text, after " . ($told[-1] ? "@{$told[-1]}" : 'nothing');
			next;
		} elsif ($kind eq 'j') {
			push @told, [$kind, "@rest"];
			next;
		} else {
			push @told, $kind eq 's' ? ['s', 0, 0, @rest] : [$kind, @rest];
		}
		$places{$rest[-1]} = 1;
	}
	return {told => \@told, wrong => \@wrong, node => \%node,
		names => symbolize($path, sort keys %places)};
}

# The stack of an event, in words: of each place what name() says.
sub stack_of
{
	my ($run, $node, $place, $name, $known) = @_;
	my $below = '';
	if ($node) {
		$known->{$node} //= stack_of($run, @{$run->{node}{$node}}, $name, $known);
		$below = $known->{$node};
	}
	return ($known->{"at $place"} //= $name->($run->{names}{$place})) . "\n\t$below";
}

sub by_lines { my ($names) = @_; return join ' in ', map { "@$_" } @$names }
sub by_function { my ($names) = @_; return $names->[-1][0] }

# ---- in order ----

sub in_order
{
	my ($run) = @_;
	my %known;
	return map { my ($kind, @rest) = @$_; $kind eq 'j' ? "$kind @rest"
		: "$kind $rest[0] $rest[1] " . stack_of($run, @rest[2, 3], \&by_lines, \%known) }
		@{$run->{told}};
}

# Are they the same, but for a line that one has none of, since the compiler has made one of two
# calls that were alike, behind all that the pass sees?
sub agree
{
	my ($x, $y) = @_;
	my @x = split /\n/, $x, -1;
	my @y = split /\n/, $y, -1;
	return 0 if @x != @y;
	for my $i (0 .. $#x) {
		my @lines = ($x[$i], $y[$i]);
		next if $x[$i] eq $y[$i];
		return 0 unless grep { /:0\b/ } @lines;
		my ($u, $v) = map { s/:\d+/:0/gr } @lines;
		return 0 if $u ne $v;
	}
	return 1;
}

sub differ_in_order
{
	my ($with, $without) = @_;
	my @a = in_order($with);
	my @b = in_order($without);
	my (@wrong, $job);
	push @wrong, 'told with and without: ' . @a . ' and ' . @b if @a != @b;
	for my $i (0 .. ($#a < $#b ? $#a : $#b)) {
		$job = $a[$i] if $a[$i] =~ /^j/;
		push @wrong, "in $job:\n$a[$i]\n$b[$i]" unless agree($a[$i], $b[$i]);
		last if @wrong > SHOWN;
	}
	return @wrong;
}

# ---- by bytes ----

# Of each interval a hash of what is told of for the first time.
sub intervals
{
	my ($run) = @_;
	my (%known, @all);
	for my $event (@{$run->{told}}) {
		my ($kind, @rest) = @$event;
		my $is_end = $kind =~ /[js]/;
		my $stack = $kind eq 'j' ? "@rest"
			: stack_of($run, @rest[2, 3], \&by_function, \%known);
		push @all, {what => "$kind $stack"} if $is_end;
		next if $is_end;
		my ($size, $at) = @rest;
		$all[-1]{"$kind $_"} //= $stack for $at .. $at + $size - 1;
	}
	for my $of (@all) {
		delete @{$of}{map { /^w (.*)/ ? "r $1" : () } keys %$of};
	}
	return @all;
}

sub differ_by_bytes
{
	my ($with, $without) = @_;
	my @a = intervals($with);
	my @b = intervals($without);
	my @wrong;
	push @wrong, 'intervals with and without: ' . @a . ' and ' . @b if @a != @b;
	for my $i (0 .. ($#a < $#b ? $#a : $#b)) {
		my %keys = (%{$a[$i]}, %{$b[$i]});
		for my $key (sort keys %keys) {
			my ($x, $y) = map { $_->{$key} // 'not told' } $a[$i], $b[$i];
			push @wrong, "$i, $a[$i]{what}: $key\n\t$x\n\t$y" if $x ne $y;
		}
		last if @wrong > SHOWN;
	}
	return @wrong;
}

# ---- all of them ----

sub compare
{
	my ($p, $kind, $differ) = @_;
	my %run = map { $_ => read_told("$p->{base}.$kind-$_") } keys %ways;
	return map({ my $way = $_; map { "$kind, $way: $_" } @{$run{$way}{wrong}} } sort keys %run),
		map({ "$kind: $_" } $differ->($run{with}, $run{without}));
}

sub try_program
{
	my ($p) = @_;
	my ($header, @units) = Frames::write_files(Frames::make($p->{seed}, $size, $p->{cxx}),
		"$FindBin::Bin/told.h", "$p->{base}.h");
	write_lines("$p->{base}.h", @$header);
	write_lines("$p->{base}-$_.$p->{suffix}", @{$units[$_]}) for 0, 1;
	my @cc = ($deadheat, $p->{cxx} ? 'c++' : 'cc');
	my @wrong = call($p, 'native', {}, $p->{cxx} ? $clangxx : $clang, '-DV=volatile');
	for my $way (sort keys %ways) {
		my ($env, @flags) = @{$ways{$way}};
		push @wrong, call($p, "order-$way", $env, @cc, @flags, '-DV=volatile'),
			call($p, "bytes-$way", $env, @cc, @flags, '-DV=');
	}
	return @wrong if @wrong;
	for my $kind ('order', 'bytes') {
		push @wrong, map { "$kind, unit $_: no access is without a frame" }
			grep { !has_bare("$p->{base}.$kind-with.$_.o") } 0, 1;
		push @wrong, map { differences("computed natively and $kind-$_", $p->{base},
			'native.out', "$kind-$_.out") } sort keys %ways;
	}
	return (@wrong, compare($p, 'order', \&differ_in_order),
		compare($p, 'bytes', \&differ_by_bytes));
}

sub try
{
	my ($p) = @_;
	my @wrong = try_program($p);
	splice @wrong, SHOWN, @wrong, '...' if @wrong > SHOWN;
	unlink glob "$p->{base}.* $p->{base}-*" unless $ENV{DH_FRAMES_KEEP};
	return @wrong;
}

my @tasks;
for my $n (0 .. $count - 1) {
	my $cxx = ($seed + $n) % 2 == 0;
	my $suffix = $cxx ? 'cc' : 'c';
	my @own = map { $levels[($seed + $n + $_) % @levels] } 0, 1;
	my $what = 'program ' . ($seed + $n);
	push @tasks, {seed => $seed + $n, cxx => $cxx, suffix => $suffix, levels => \@own,
		base => "$dir/frames" . ($seed + $n),
		name => "$what of $size functions, $suffix, -$own[0] and -$own[1]"};
}
plan(tests => scalar @tasks);
build("$dir/told", {}, $clang, '-O2', '-c', "$FindBin::Bin/told.c", '-o', "$dir/told.o");
run_tasks(\@tasks, $dir, $ENV{DH_PROGRAMS_JOBS} || 2, \&try);

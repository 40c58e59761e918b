#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Random trees of tasks (trees/trees.c), which know themselves on which of their variables
# there is a race: it is found on these, and on no others, with one thread and with two. A
# race between tasks is one whoever runs them.
#
#   trees.t [FIRST [COUNT]]     seeds
#   DH_OPENMP_COMPILERS='...'   which of gcc, clang; gcc by default
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use Test::More;

my ($first, $count) = (shift // 1, shift // 30);
my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my @sizes = (5 .. 9, 48); # few tasks: one race alone
my %compilers = (gcc => 'gcc', clang => 'clang-22');

sub build
{
	my ($name) = @_;
	local $ENV{DEADHEAT_CC} = $compilers{$name};
	# The book is kept by no function that is watched.
	my @flags = qw(-O1 -g -fopenmp -pthread -fno-builtin);
	push @flags, '-fno-tree-loop-distribute-patterns' if $name eq 'gcc';
	system($deadheat, 'cc', @flags, '-o', "$dir/$name", "$FindBin::Bin/trees/trees.c") == 0
		or die "$name: trees.c does not compile\n";
}

# A bit for each variable, as the tree says and as is reported.
sub run
{
	my ($name, $seed, $threads) = @_;
	local $ENV{OMP_NUM_THREADS} = $threads;
	local $ENV{DEADHEAT_OPTIONS} = '';
	my $size = $sizes[$seed % @sizes];
	my $output = `timeout 60 $dir/$name $seed $size 2>&1`;
	my ($there) = $output =~ /^(\d)$/m;
	my $found = 0;
	$found |= 1 << $1 while $output =~ /data race \(observed\) on x(\d)/g;
	return ($there // 'nothing', $found);
}

my @names = split ' ', $ENV{DH_OPENMP_COMPILERS} // 'gcc';
for my $name (@names) {
	build($name);
	for my $threads (1, 2) {
		my @wrong;
		for my $seed ($first .. $first + $count - 1) {
			my ($there, $found) = run($name, $seed, $threads);
			push @wrong, "seed $seed: $there, found $found" if $there ne $found;
		}
		is(join("\n", @wrong), '', "$name, $threads thread(s), $count trees");
	}
}
done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stacks through constructs: the function that a construct is in is a frame of its own, below
# the function that the compiler makes of the construct's body.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# What is told of a program whose functions are all as they are written here.
sub report_of
{
	my ($name, $text) = @_;
	open my $out, '>', "$dir/$name.c" or die "$dir/$name.c: $!\n";
	print $out "#define PLAIN __attribute__((noinline, noclone))\n", $text;
	close $out or die "$dir/$name.c: $!\n";
	is(system($deadheat, 'cc', '-O1', '-g', '-fopenmp', "$dir/$name.c", '-o',
		"$dir/$name"), 0, "$name is built");
	my $told = `'$deadheat' run -- '$dir/$name' 2>&1`;
	is($? >> 8, 66, '... and has a race');
	return $told;
}

# The functions of the first stack that begins behind this, the innermost first.
sub functions
{
	my ($told, $before) = @_;
	my ($stack) = $told =~ /$before[^\n]*\n((?: +#\d[^\n]*\n)+)/ or return '';
	return join ' ', $stack =~ / in (\S+)$/mg;
}

my $told = report_of('region', <<'END');
int shared;

PLAIN static void work(void)
{
#pragma omp parallel num_threads(2)
	shared++;
	shared++;
}

PLAIN static void caller(void)
{
	work();
	shared++;
}

int main(void)
{
	caller();
	return 0;
}
END
my $through = 'work._omp_fn.0 work caller main';
is(functions($told, 'by thread 0 of the parallel region'), $through, 'the thread that began it');
is(functions($told, 'was begun by the main thread at'), $through, 'where it was begun');

$told = report_of('task', <<'END');
int shared;

PLAIN static void spawn(void)
{
#pragma omp task
	shared++;
#pragma omp task
	shared++;
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	spawn();
	return 0;
}
END
like(functions($told, 'the task at .* was created by'),
	qr/^spawn\._omp_fn\.\d spawn main\._omp_fn\.\d/, 'where a task was created');
done_testing();

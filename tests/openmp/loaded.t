#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A program without OpenMP loads a library that has it with dlopen(), and with it, for that
# library alone, the one that runs its threads.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

sub write_file
{
	my ($path, $text) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	print $out $text;
	close $out or die "$path: $!\n";
}

write_file("$dir/library.c", <<'END');
int with_lock, without;

void work(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		with_lock++;
#ifdef RACE
		without++;
#endif
	}
}
END
write_file("$dir/main.c", <<'END');
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	void (*work)(void) = (void (*)(void))(library ? dlsym(library, "work") : 0);
	if (!work)
		return 3;
	work();
	return 0;
}
END

is(system($deadheat, 'cc', '-g', "$dir/main.c", '-o', "$dir/main"), 0, 'the program');
for my $race (0, 1) {
	my @define = $race ? '-DRACE' : ();
	is(system($deadheat, 'cc', '-g', '-fopenmp', '-fPIC', '-shared', @define,
		"$dir/library.c", '-o', "$dir/library$race.so"), 0, 'a library');
	system("'$deadheat' run -- $dir/main $dir/library$race.so 2>$dir/err");
	is($? >> 8, $race ? 66 : 0, $race ? 'its race is found' : 'its lock is seen');
}
done_testing();

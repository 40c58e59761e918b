#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat run --annotations`: functions, source files and variables that are not looked at,
# in the program and in its libraries.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS DEADHEAT_HELPER LD_LIBRARY_PATH)};

sub put
{
	my ($name, $text) = @_;
	open my $out, '>', $name or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
	return $name;
}

# The variables that races were on, and the run.
sub races
{
	my ($program, $annotations) = @_;
	my @options = defined $annotations ? ('--annotations', put('notes', $annotations)) : ();
	my $r = deadheat('run', '--log', 'log', '--json', 'json', @options, $program);
	open my $in, '<', 'json' or return ('', $r);
	my %on = map { ($_->{object}{name} // '?') => 1 } grep { $_->{type} eq 'race' }
		map { JSON::PP->new->utf8->decode($_) } <$in>;
	return (join(' ', sort keys %on), $r);
}

mkdir 'sub' or die;
put('sub/stats.c', "long total;\nvoid stats_add(void)\n{\n\ttotal++;\n}\n");
put('lib.c', "long in_lib;\nvoid lib_add(void)\n{\n\tin_lib++;\n}\n");
put('app.c', <<'C');
#include <pthread.h>
void stats_add(void);
void lib_add(void);
static long counter;
typedef int number;
number level[4];
int zero;
static __attribute__((noinline)) void bump(void) { counter++; }
static void *run(void *arg)
{
	static int calls;
	calls++;
	stats_add();
	lib_add();
	bump();
	level[2] = 1;
	zero = 0;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	return pthread_join(t, NULL);
}
C
is(deadheat('cc', '-g', '-O1', '-shared', '-fPIC', 'lib.c', '-o', 'libadd.so')->{status}, 0,
	'the library compiles');
for my $kind ('-pie', '-no-pie') {
	my $r = deadheat('cc', '-g', '-O1', $kind eq '-pie' ? '-fPIE' : '-fno-pie', $kind, 'app.c',
		'sub/stats.c', '-L.', '-ladd', '-Wl,-rpath,.', '-o', "app$kind");
	is("$r->{status}$r->{err}", '0', "the program compiles, $kind");
}

my $all = 'calls counter in_lib level total zero';
my %cases = (
	'variable:counter' => 'calls in_lib level total zero',
	'variable:level' => 'calls counter in_lib total zero',
	'variable:calls' => 'counter in_lib level total zero',
	'variable:zer*' => 'calls counter in_lib level total',
	'variable:in_lib' => 'calls counter level total zero',
	'function:bump' => 'calls in_lib level total zero',
	'function:lib_add' => 'calls counter level total zero',
	'function:run' => 'counter in_lib total',
	'type:number' => 'calls counter in_lib total zero',
	'type:numb' => $all,
	'function:r' => $all,
	'file:stats.c' => 'calls counter in_lib level zero',
	'file:sub/stats.c' => 'calls counter in_lib level zero',
	'file:*/lib.c' => $all,
	"# all\n\n  file:app.c\nvariable:total\nfunction:lib_*" => '',
);

part('what is left', sub {
	for my $kind ('-pie', '-no-pie') {
		is((races("./app$kind"))[0], $all, "$kind: all without annotations");
		my @some = grep { $kind eq '-pie' || /counter|lib_add|stats/ } keys %cases;
		for my $case (sort @some) {
			my $name = $case =~ s/\s+/ /gr;
			is((races("./app$kind", $case))[0], $cases{$case}, "$kind: $name");
		}
	}
});

part('what is said', sub {
	my (undef, $r) = races('./app-pie', "file:app.c\nvariable:total\nfunction:lib_add");
	is($r->{status}, 0, 'status');
	($_, $r) = races('./app-pie', "function:bump\nvariable:nope\n");
	is($r->{err}, "deadheat: notes:2: nothing is called 'nope' in the program and its " .
		"libraries\n", 'a name that nothing has');
	open my $log, '<', 'log' or die;
	like(join('', <$log>), qr/^  passed over \d+ times?: races in what the annotations name$/m,
		'the summary says what was passed over');
});

part('files that are none', sub {
	my (undef, $r) = races('./app-pie', "file:app.c\nfunctoin:x\n");
	is($r->{status}, 2, 'status');
	is($r->{err}, "deadheat: notes:2: no kind of annotation is called 'functoin'; " .
		"the nearest is 'function'\n", 'message');
	($_, $r) = races('./app-pie', "what\n");
	is($r->{err}, "deadheat: notes:1: 'what' is no annotation, which is KIND:NAME\n",
		'no kind at all');
	is(deadheat('run', '--annotations', 'missing', './app-pie')->{status}, 2, 'a missing one');
});

done_testing();

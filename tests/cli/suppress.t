#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Suppressions and baselines of `deadheat run`: what is passed over does not change the exit
# status, and is counted; files that are none are refused before the program starts.
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

# The summary of a run: standard error goes to a file, and the helper is done when the
# program has ended.
sub run
{
	my ($options, @program) = @_;
	my $r = deadheat('run', @$options, '--log', 'log', '--json', 'json', @program);
	for my $name (qw(log json)) {
		open my $in, '<', $name or next;
		local $/;
		$r->{$name} = <$in>;
	}
	my @lines = map { JSON::PP->new->utf8->decode($_) } split /\n/, $r->{json} // '';
	$r->{races} = [grep { $_->{type} eq 'race' } @lines];
	($r->{summary}) = grep { $_->{type} eq 'summary' } @lines;
	return $r;
}
sub with { my ($rules, @more) = @_; return run(['--suppressions', put('rules', $rules), @more],
	'./app') }

sub build
{
	my ($name, @flags) = @_;
	my $r = deadheat('cc', '-g', '-O1', @flags, '-o', $name, "$name.c");
	is("$r->{status}$r->{err}", '0', "$name.c compiles");
}

# Two races, one on a field and one in a heap block. The order of events is made without
# the detector's knowledge.
put('app.c', <<'C');
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
struct account { long id, last; } account;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int *block, step;
__attribute__((no_sanitize("thread"))) static void tell(int n)
{
	__atomic_store_n(&step, n, __ATOMIC_RELEASE);
}
__attribute__((no_sanitize("thread"))) static void await(int n)
{
	while (__atomic_load_n(&step, __ATOMIC_ACQUIRE) < n)
		;
}
static __attribute__((noinline)) void deposit(void) { account.last = 1; }
static __attribute__((noinline)) void withdraw(void) { account.last = 2; }
static __attribute__((noinline)) void fill(int n) { *block = n; }
static __attribute__((noinline)) int *make(void) { return malloc(sizeof(int)); }
static void *teller(void *arg)
{
	pthread_setname_np(pthread_self(), "teller");
	deposit();
	fill(1);
	tell(1);
	return arg;
}
int main(void)
{
	pthread_t t;
	block = make();
	pthread_create(&t, NULL, teller, NULL);
	await(1);
	withdraw();
	pthread_mutex_lock(&guard);
	fill(2);
	pthread_mutex_unlock(&guard);
	return pthread_join(t, NULL);
}
C
build('app');

part('what does not count', sub {
	my $r = run([], './app');
	is($r->{status}, 66, 'without rules: status');
	is(scalar @{$r->{races}}, 2, '... two races');
	$r = with("race_top:deposit\n# a comment\n\n  allocated:make\nlock:none\nthread:x\n");
	is($r->{status}, 0, 'all suppressed: status');
	like($r->{log}, qr/\Adeadheat: 2 distinct races, met \d+ times
  2 suppressed by 2 rules
  nothing was lost
  not instrumented: \d+ system libraries
  rules:5: lock:none was not used
  rules:6: thread:x: only data races are reported
\z/, '... the summary is all that is said');
	is(join(' ', sort map { $_->{suppressed} } @{$r->{races}}),
		'allocated:make race_top:deposit',
		'... JSON has them, with the rule');
	is($r->{summary}{suppressed}, 2, '... and how many');
	is(join(' ', map { "$_->{line}:$_->{count}" } @{$r->{summary}{suppressions}}),
		'1:1 4:1 5:0 6:0',
		'... and each rule');
	$r = with('race:withdraw');
	is($r->{status}, 66, 'one suppressed: status');
	unlike($r->{log}, qr/withdraw/, '... it is not shown');
	like($r->{log}, qr/fill/, '... the other is');
});

part('kinds', sub {
	my %one = (
		'race:app.c' => 2, 'race:teller' => 2, 'race_top:^fill$' => 1,
		'pair:deposit<->withdraw' => 1, 'pair:withdraw<->deposit' => 1,
		'pair:deposit<->fill' => 0, 'variable:account' => 1, 'variable:account.last' => 1,
		'variable:acc' => 0, 'field:account.last' => 1, 'field:account.id' => 0,
		'allocated:make' => 1, 'allocated:main' => 1, 'lock:guard' => 1,
		'thread_name:teller' => 2, 'thread_name:tell' => 0, 'mutex:fill' => 0,
	);
	for my $rule (sort keys %one) {
		my $r = with($rule);
		is($r->{summary}{suppressed}, $one{$rule}, $rule);
		is($r->{status}, $one{$rule} == 2 ? 0 : 66, '... status');
	}
});

part('suggestions', sub {
	my $r = run(['--suggest-suppressions'], './app');
	is($r->{status}, 66, 'status');
	my ($lines) = $r->{log} =~ /would suppress what is reported here:\n(.*)\z/s;
	is($lines, "pair:deposit<->withdraw\npair:fill<->fill\n", 'a line for each');
	is(with($lines)->{status}, 0, 'they do');
});

part('the program\'s own', sub {
	put('own.c', do { local (@ARGV, $/) = 'app.c'; <> } .
		"const char *__tsan_default_suppressions(void)\n{\n" .
		"\treturn \"race:fill\\nrace:deposit\\n\";\n}\n");
	build('own');
	my $r = run([], './own');
	is($r->{status}, 0, 'status');
	is($r->{races}[0]{suppressed}, 'race:deposit', 'the rule');
	is($r->{summary}{suppressions}[0]{file}, '__tsan_default_suppressions()',
		'where it is from');
	local $ENV{DEADHEAT_OPTIONS} = 'suppressions=' . put('others', "race:none\n");
	$r = run([], './own');
	is(scalar @{$r->{summary}{suppressions}}, 3, 'with those of a file');
	like($r->{log}, qr/^  others:1: race:none was not used$/m, 'which is named');
});

part('called_from_lib', sub {
	put('lib.c', <<'C');
#include <string.h>
void lib_fill(char *at, int c)
{
	memset(at, c, 64);
	at[70] = 0;
}
C
	put('user.c', <<'C');
#include <pthread.h>
void lib_fill(char *at, int c);
static char buffer[128];
static void *run(void *arg)
{
	lib_fill(buffer, 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	lib_fill(buffer, 2);
	return pthread_join(t, NULL);
}
C
	my $r = deadheat('cc', '-shared', '-fPIC', '-g', 'lib.c', '-o', 'libother.so');
	is($r->{status}, 0, 'the library compiles');
	build('user', '-L.', '-lother', '-Wl,-rpath,.');
	my $races = sub { join ' ', sort map { "$_->{second}{stack}[0]{line}" } @{$_[0]{races}} };
	is($races->(run([], './user')), '4 5', 'without: memset, and the write');
	$r = run(['--suppressions', put('rules', "called_from_lib:^libother.so\$\n")], './user');
	is($races->($r), '4 5', 'a pattern for another path');
	$r = run(['--suppressions', put('rules', "called_from_lib:libother.so\n")], './user');
	is($races->($r), '5', 'with: what the library does itself');
	unlike($r->{log}, qr/called_from_lib/, 'nothing is said of it');
});

part('baselines', sub {
	is(run([], './app')->{status}, 66, 'a first run');
	rename 'json', 'old.json';
	my $r = run(['--baseline', 'old.json'], './app');
	is($r->{status}, 0, 'all is known: status');
	like($r->{log}, qr/\A.*\n  2 known from the baseline\n/, 'the summary');
	is(scalar(grep { $_->{known} } @{$r->{races}}), 2, 'JSON says so of each');
	open my $in, '<', 'old.json' or die;
	put('half.json', join '', grep { !/"fill"/ } <$in>);
	$r = run(['--baseline', 'half.json'], './app');
	is($r->{status}, 66, 'one is new: status');
	is($r->{summary}{known}, 1, '... and one known');
	unlike($r->{log}, qr/deposit/, '... which is not shown');
	is(deadheat('report', '--format', 'json', '-o', 'report.json', 'old.json')->{status},
		66, 'a report');
	is(run(['--baseline', 'report.json'], './app')->{status}, 0, '... is a baseline too');
});

part('reports', sub {
	is(run([], './app')->{status}, 66, 'findings');
	rename 'json', 'all.json';
	my $causes = sub {
		my ($r, @files) = (deadheat('report', '--format', 'json', @_));
		my $causes = JSON::PP->new->utf8->decode($r->{out})->{causes};
		return join(' ', $r->{status}, sort map { $_->{title} =~ /in (\w+)/ } @$causes);
	};
	is($causes->('all.json'), '66 deposit fill', 'without rules');
	put('rules', "pair:fill<->fill\nrace:none\n");
	is($causes->('--suppressions', 'rules', 'all.json'), '66 deposit', 'with');
	my $r = deadheat('report', '--suppressions', 'rules', 'all.json');
	is($r->{err}, "deadheat: left out 1 finding, suppressed by 1 rule\n" .
		"deadheat: rules:2: race:none was not used\n", '... is said');
	$r = deadheat('report', '--suggest-suppressions', 'all.json', 'all.json');
	is($r->{out}, "pair:deposit<->withdraw\npair:fill<->fill\n", 'suggestions');
	put('more', $r->{out});
	is($causes->('--suppressions', 'more', 'all.json'), '0', '... do');
	is(deadheat('report', '--suppressions', put('bad', 'x'), 'all.json')->{status}, 2,
		'a file that is none');
	with('race_top:fill');
	is($causes->('json'), '66 deposit', 'what was suppressed when found is left out');
});

part('files that are none', sub {
	my $r = deadheat('run', '--suppressions', put('bad', "race:x\nvarible:foo\n"), './app');
	is($r->{status}, 2, 'status');
	is($r->{err},
		"deadheat: bad:2: no kind of rule is called 'varible'; the nearest is 'variable'\n",
		'where, and what');
	is(deadheat('run', '--suppressions', 'missing', './app')->{status}, 2, 'a missing one');
	is(deadheat('run', '--suppressions', '/', './app')->{status}, 2, 'a folder');
	is(deadheat('run', '--suppressions', put('zero', "race:x\0y\n"), './app')->{status}, 2,
		'no text');
	is(deadheat('run', '--baseline', 'missing', './app')->{status}, 2, 'a missing baseline');
	is(deadheat('run', '--baseline', put('bad', "{\n"), './app')->{status}, 2, 'a bad one');
	is(run(['--suppressions', put('empty', '')], './app')->{status}, 66,
		'an empty file will do');
});

part('without the helper', sub {
	put('rules', "race:*\n");
	local $ENV{DEADHEAT_OPTIONS} = 'suppressions=rules quiet';
	my $r = deadheat('run', './app');
	is($r->{status}, 0, 'with it the races are suppressed');
	rename 'rules', 'gone';
	my $status = system "DEADHEAT_HELPER=/bin/false ./app 2>err";
	is($status >> 8, 66, 'without it all count');
});

done_testing();

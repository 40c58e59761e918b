#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# One variable that is used without a lock at several places is one finding with all its
# places (racetrack/places.c): live, in all forms of reports, with suppressions and a
# baseline. What is another variable, or surer, is another finding.
use strict;
use warnings;
use FindBin;
use File::Copy;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
delete @ENV{qw(DEADHEAT_OPTIONS DEADHEAT_CC DEADHEAT_CXX)};
my $program = "$dir/places";
is(system($deadheat, 'cc', '-O1', '-g', '-pthread', "$FindBin::Bin/racetrack/places.c", '-o',
	$program), 0, 'builds') or BAIL_OUT('places.c does not build');

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or return '';
	local $/;
	return <$in> // '';
}

sub put
{
	my ($name, $text) = @_;
	open my $out, '>', "$dir/$name" or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
	return "$dir/$name";
}

# Runs it; the exit status, the text, and the lines of the JSON by their types.
sub run
{
	my ($name, @options) = @_;
	my $json = "$dir/out.json";
	unlink $json, "$dir/log";
	my $status = system("timeout 60 $deadheat run --engine racetrack --log $dir/log "
		. "--json $json @options -- $program $name >$dir/out 2>$dir/err");
	my %r = (status => $status >> 8, text => slurp("$dir/log"), race => [], further => []);
	push @{$r{$_->{type}}}, $_
		for map { JSON::PP->new->utf8->decode($_) } split /\n/, slurp($json);
	return \%r;
}

sub report
{
	my ($format, @options) = @_;
	return scalar `$deadheat report --format $format @options $dir/out.json 2>$dir/err`;
}

# The functions of all accesses to what has this serial.
sub places
{
	my ($r, $serial) = @_;
	my %seen = map { $_->{stack}[0]{function} => 1 } map { @{$_}{qw(first second)} }
		grep { $_->{serial} == $serial } @{$r->{race}}, @{$r->{further}};
	return join ' ', sort keys %seen;
}

# Of each pattern: the findings with their grades and places.
for (
	['three', ['observed', 'one three two']],
	['five', ['observed', 'five four one three two']],
	['later', ['observed', 'four one three two']],
	['apart', ['observed', 'one two'], ['observed', 'four three']],
	['luck', ['potential', 'four one three two']],
	['surer', ['potential', 'one two'], ['observed', 'three two']],
	['blocks', ['observed', 'four one three two']],
	['pieces', ['observed', 'one two'], ['observed', 'four three']],
) {
	my ($name, @wanted) = @$_;
	my $r = run($name);
	my @found = map { [$_->{grade}, places($r, $_->{serial})] } @{$r->{race}};
	is_deeply(\@found, \@wanted, "$name: the findings");
	is($r->{status}, (grep { $_->[0] eq 'observed' } @wanted) ? 66 : 0, 'the exit status');
	is($r->{summary}[0]{races}, scalar @wanted, 'as many are counted');
	is_deeply($r->{summary}[0]{losses}, {}, 'and nothing is lost');
}

# The text: the first report whole, each further access when it comes, all in the end.
my $r = run('five');
my @heads = $r->{text} =~ /^deadheat: (.*)$/mg;
is_deeply(\@heads, ['data race 1 (observed) on x',
	('further access to x, of data race 1 (observed)') x 3, '1 distinct race, met 8 times'],
	'the first report, three more stacks, the summary');
my ($first) = $r->{text} =~ /^deadheat: further [^\n]*\n(.*?\n)deadheat:/ms;
is(($first // '') =~ s/(?: at)? \S*places\.c:\S+//gr, <<'END', 'a further access');
  read of 8 bytes by thread 3 in three
      #0 in three
      #1 in turn
    no locks held
    against the write of 8 bytes by thread 2 in two

  thread 3 was created by the main thread at
      #0 in run
      #1 in main

END
my ($list) = $r->{text} =~ /^  data race 1 on x: 5 places\n((?:    .*\n)+)/m;
is_deeply([($list // '') =~ / in (\w+)$/mg], [qw(two one three four five)],
	'the summary has all places');

is(run('five', '--quiet')->{text}, '', '--quiet: no text');
is(run('luck', '--fail-on', 'potential')->{status}, 66, '--fail-on potential');
$r = run('five', '--findings', 'pair');
is(scalar @{$r->{further}}, 0, '--findings pair: nothing is added');
is(scalar @{$r->{race}}, 8, 'each pair is a finding');
unlike($r->{text}, qr/data race \d/, 'without numbers');
system("$deadheat run --findings variable --json $dir/fast.json --log $dir/log -- $program five");
is(() = slurp("$dir/fast.json") =~ /"type":"race"/g, 1, 'fasttrack: one finding too, where asked');

# Without the helper (a copy of the library that finds none) there are addresses.
my ($library) = `ldd $program` =~ /libdeadheat-fasttrack\.so => (\S+)/;
mkdir "$dir/lonely";
copy($library, "$dir/lonely/libdeadheat-fasttrack.so") or die "copy: $!\n";
system("LD_LIBRARY_PATH=$dir/lonely DEADHEAT_OPTIONS=engine=racetrack $program three "
	. "2>$dir/err");
@heads = slurp("$dir/err") =~ /^deadheat: (.*) 0x\w+$/mg;
is_deeply([@heads[0, 1]], ['data race 1 (observed) on',
	'further access, of data race 1 (observed), to'], 'without the helper');

# A place that is suppressed is not told; what was to be added to a finding that is
# suppressed is a finding where it is not itself.
$r = run('five', '--suppressions', put('rules', "race:four\n"));
is($r->{status}, 66, 'a suppressed place: the others count');
unlike($r->{text}, qr/in four\n.*\n *no locks/, 'it is not shown');
$r = run('five', '--suppressions', put('rules', "pair:one<->two\n"));
is($r->{status}, 66, 'a suppressed pair: the other places are a race');
like($r->{text}, qr/\Adeadheat: data race 1 \(observed\) on x\n  read .* in three\n/,
	'which is shown as a whole');
like(report('text'), qr/1 cause .* of 1 finding .*write in two, read in three/s,
	'also by report');
$r = run('five', '--suppressions', put('rules', "variable:x\n"));
is("$r->{status} $r->{summary}[0]{suppressed}", '0 1', 'a suppressed variable: nothing');

# The forms of reports.
run('five');
like(report('text'), qr/^deadheat: 1 cause .* of 1 finding in 1 run\n.*, 5 places$/ms, 'text');
my @further = report('text', '--details') =~ /^   further access\n   (.*)\n/mg;
is_deeply(\@further, [map { "read of 8 bytes by thread $_" } 3 .. 5], 'with details');
my $cause = JSON::PP->new->utf8->decode(report('json'))->{causes}[0];
my %seconds = map { $_->{second}{stack}[0]{function} => 1 }
	@{$cause->{variants}[0]{sample}{further}};
is(join(' ', sort keys %seconds), 'five four three two', 'JSON');
my $sarif = JSON::PP->new->utf8->decode(report('sarif'))->{runs}[0]{results}[0];
is(scalar(grep { $_->{message}{text} =~ /further access/ } @{$sarif->{relatedLocations}}), 3,
	'SARIF: related locations');
is(scalar @{$sarif->{codeFlows}[0]{threadFlows}}, 5, '... and flows');
like(report('html'), qr/"further":\[\{"access":/, 'HTML');

# A baseline has all pairs of a finding's places, whichever comes first.
my $baseline = put('baseline.json', slurp("$dir/out.json"));
my $reported = put('report.json', report('json'));
is(run('five', '--baseline', $_)->{status}, 0, 'known: ' . ($_ =~ m{([^/]+)$})[0])
	for $baseline, $reported;
is(system("$deadheat diff $baseline $dir/out.json >$dir/diff") >> 8, 0, 'diff: nothing is new');
run('three');
my $three = put('three.json', slurp("$dir/out.json"));
$r = run('five', '--baseline', $three);
is($r->{status}, 66, 'a baseline of three of five places: two are new');
like($r->{text}, qr/\Adeadheat: data race 1 \(observed\) on x\n  read .* in four\n/,
	'which are shown');
run('five');
is(system("$deadheat diff $three $dir/out.json >$dir/diff") >> 8, 66, 'diff: the same');

done_testing();

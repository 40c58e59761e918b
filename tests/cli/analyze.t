#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat analyze`: exit statuses, the JSON contract (docs/formats/analyze.md), the text
# report, options and their errors. What each engine finds in which trace is the business
# of tests/traces and tests/oracle.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use Test::More;

# Unordered in every sense.
my $race = trace("T1|w(x)|a.c:1\nT2|r(y)|a.c:2\nT2|w(x)|b.c:3\n", 'race.std');
# Ordered by the lock's order only.
my $luck = trace(<<'END');
T1|w(x)|a.c:1
T1|acq(l)|a.c:2
T1|rel(l)|a.c:3
T2|acq(l)|b.c:1
T2|rel(l)|b.c:2
T2|w(x)|b.c:3
END
my $clean = trace(<<'END');
main|w(x)|a.c:1
main|fork(T1)|a.c:2
T1|w(x)|a.c:3
main|join(T1)|a.c:4
main|r(x)|a.c:5
END
my @detectors = qw(fasttrack djit lockset multirace eraser racetrack-basic racetrack
	patent goldilocks goldilocks-paper);

sub json_keys { join ' ', sort keys %{$_[0]} }

# A usage error: status 2, nothing on standard output, one line that says this.
sub refused
{
	my ($like, @args) = @_;
	my $r = deadheat('analyze', @args);
	my $name = join ' ', map { s/.*\///r } @args;
	is($r->{status}, 2, "'$name' is refused");
	is($r->{out}, '', 'nothing on standard output');
	like($r->{err}, qr/\Adeadheat: [^\n]*\n\z/, 'one line');
	like($r->{err}, $like, 'says what to do');
}

part 'exit statuses', sub {
	is(deadheat('analyze', $race)->{status}, 66, 'races: 66');
	is(deadheat('analyze', $clean)->{status}, 0, 'no race: 0');
	is(deadheat('analyze', $luck)->{status}, 0, 'the default engine finds observed ones');
	is(deadheat('analyze', '-e', 'racetrack-basic', $luck)->{status}, 66,
		'a potential race counts');
	is(deadheat('analyze', '-e', 'fasttrack,racetrack-basic', $luck)->{status}, 66,
		'one engine that finds is enough');
	is(deadheat('analyze', trace("T1|x(a)|\n"))->{status}, 2, 'bad input: 2');
	is(deadheat('analyze', trace(''))->{status}, 0, 'an empty trace has no race');
};

part 'JSON shape', sub {
	my $r = deadheat('analyze', '--format', 'json', $race);
	is($r->{status}, 66, 'status');
	is($r->{err}, '', 'nothing on standard error');
	like($r->{out}, qr/\A[^\n]*\n\z/, 'one line');
	my $top = json_of($r);
	is(json_keys($top), 'engines events trace', 'keys of the whole');
	is($top->{trace}, $race, 'trace, as named');
	like($r->{out}, qr/"events":3\b/, 'events is a number');
	is(scalar @{$top->{engines}}, 1, 'one engine');
	my $e = $top->{engines}[0];
	is(json_keys($e), 'counters engine races', 'keys of an engine');
	is($e->{engine}, 'fasttrack', 'fasttrack is the default');
	like($r->{out}, qr/"counters":\{"\w+":\d+,/, 'counters are named numbers');
	is(scalar @{$e->{races}}, 1, 'one race');
	like($r->{out}, qr/"index":2\b/, 'index is a number');
	delete $e->{races}[0]{distance};
	is_deeply($e->{races}[0], {
		var => 'x', grade => 'observed',
		first => {index => 0, thread => 'T1', op => 'w', loc => 'a.c:1'},
		second => {index => 2, thread => 'T2', op => 'w', loc => 'b.c:3'},
	}, 'the race');

	$top = json_of(deadheat('analyze', '--format', 'json', $clean));
	is_deeply($top->{engines}[0]{races}, [], 'no race is an empty list');
	$top = json_of(deadheat('analyze', '--format=json', trace("T1|r(x)|\nT2|w(x)\n")));
	my $pair = $top->{engines}[0]{races}[0];
	is($pair->{first}{op} . $pair->{second}{op}, 'rw', 'op tells read from write');
	is($pair->{first}{loc} . $pair->{second}{loc}, '', 'no location is an empty one');
};

part 'several engines in one pass', sub {
	my $r = deadheat('analyze', '-e', 'racetrack-basic,fasttrack', '-e',
		'multirace,fasttrack', '--format', 'json', $luck);
	my $top = json_of($r);
	is(join(' ', map { $_->{engine} } @{$top->{engines}}),
		'racetrack-basic fasttrack multirace', 'in the order named, each once');
	is_deeply(race_of($top, 'fasttrack'), [], 'strong orders the pair');
	is_deeply(race_of($top, 'racetrack-basic'), ['x potential 0 5'], 'weak does not');
	is_deeply(race_of($top, 'multirace'), ['x potential 0 5'], 'nor does a lock');

	$top = json_of(deadheat('analyze', '-e', 'all', '--format', 'json', $race));
	is(join(' ', sort map { $_->{engine} } @{$top->{engines}}),
		join(' ', sort @detectors), '`all` is every detector');
	for my $e (qw(djit fasttrack goldilocks goldilocks-paper multirace)) {
		is_deeply(race_of($top, $e), ['x observed 0 2'], "$e agrees");
	}
	for my $e (qw(racetrack-basic patent)) {
		is_deeply(race_of($top, $e), ['x observed 0 2'], "$e grades by strong");
	}
};

part 'text report', sub {
	my $r = deadheat('analyze', '-e', 'fasttrack,racetrack-basic,null', $race);
	is($r->{err}, '', 'nothing on standard error');
	like($r->{out}, qr/^fasttrack\n  x  observed: /m, 'engine, variable and grade');
	like($r->{out}, qr/^ +first +write by T1 at a\.c:1  \(event 0\)$/m, 'first access');
	like($r->{out}, qr/^ +second +write by T2 at b\.c:3  \(event 2\)$/m, 'second access');
	like($r->{out}, qr/^\Q$race\E: 3 events, 2 threads, 2 variables$/m, 'the trace');
	like($r->{out}, qr/^  fasttrack +1 race on 1 variable: 1 observed, 0 potential$/m,
		'summary');
	like($r->{out}, qr/^  null +no races$/m, 'an engine that found nothing says so');
	unlike($r->{out}, qr/\033/, 'no colours where it is no terminal');
	$r = deadheat('analyze', '-e', 'racetrack-basic', $luck);
	like($r->{out}, qr/^  x  potential: no common lock/m, 'a potential race says why');
	$r = deadheat('analyze', $clean);
	like($r->{out}, qr/^  fasttrack +no races$/m, 'no race');
};

# After the report, the next accesses by two more threads; T2 has been told of.
part 'further accesses', sub {
	my $further = trace(<<'END');
T1|w(x)|a.c:1
T2|w(x)|b.c:1
T1|w(x)|a.c:1
T2|w(x)|b.c:1
T2|r(x)|b.c:2
T3|w(x)|c.c:1
T3|r(x)|c.c:2
T4|r(x)|d.c:1
T5|w(x)|e.c:1
END
	my $r = deadheat('analyze', '-e', 'racetrack', $further);
	like($r->{out}, qr/^ +second  write by T2 at b\.c:1  \(event 3\)
 +further write by T3 at c\.c:1  \(event 5\)
 +further read  by T4 at d\.c:1  \(event 7\)

/m, 'in the text');
	like($r->{out}, qr/^  racetrack +1 race on 1 variable: 1 observed/m, 'one race');
	my $race = json_of(deadheat('analyze', '-e', 'racetrack', '--format', 'json',
		$further))->{engines}[0]{races};
	is(scalar @$race, 1, 'in JSON: one race');
	is(join(' ', map { "$_->{grade} $_->{first}{index} $_->{second}{index}" }
		@{$race->[0]{further}}), 'observed 4 5 observed 5 7', 'with two more accesses');

	# Ordered by more than locks: nothing to add.
	$r = deadheat('analyze', '-e', 'racetrack', trace(<<'END'));
T1|w(x)|a.c:1
T2|w(x)|b.c:1
T1|w(x)|a.c:1
T2|w(x)|b.c:1
T1|join(T2)|a.c:2
T1|fork(T3)|a.c:3
T3|w(x)|c.c:1
END
	unlike($r->{out}, qr/further/, 'what comes after all of them adds nothing');
};

part '--stats', sub {
	my $plain = deadheat('analyze', '-e', 'count', $clean);
	my $stats = deadheat('analyze', '-e', 'count', '--stats', $clean);
	unlike($plain->{out}, qr/^ +fork +\d+$/m, 'no counters unless asked for');
	like($stats->{out}, qr/^count\n/m, 'an engine without races has its block then');
	like($stats->{out}, qr/^ +fork +1$/m, 'a counter');
	like($stats->{out}, qr/^ +w +2$/m, 'another');
};

part '-q', sub {
	my $loud = deadheat('analyze', $race);
	for my $q ('-q', '--quiet') {
		is_deeply(deadheat('analyze', $q, $race), $loud, "$q leaves the result alone");
	}
};

part 'standard input', sub {
	my $text = "T1|w(x)|\nT2|w(x)|\n";
	my $r = deadheat({in => $text}, 'analyze', '--format', 'json', '-');
	is($r->{status}, 66, 'status');
	is(json_of($r)->{trace}, '-', 'trace, as named');
	is_deeply(race_of(json_of($r), 'fasttrack'), ['x observed 0 1'], 'the race');
	$r = deadheat({in => $text . "T1|oops\n"}, 'analyze', '-');
	is($r->{status}, 2, 'bad input');
	like($r->{err}, qr/\Adeadheat: [^\n]*:3: [^\n]+\n\z/, 'names the line');
};

part 'text traces', sub {
	my $r = deadheat('analyze', '--format', 'json',
		trace("# comment\r\n\r\nT1|w(x)|a b, (c)=\r\n\r\nT2|w(x)|d"));
	my $top = json_of($r);
	is($top->{events}, 2, 'comments, empty lines and line ends of both kinds');
	is_deeply([map { $top->{engines}[0]{races}[0]{$_}{loc} } qw(first second)],
		['a b, (c)=', 'd'], 'locations are free text');
	my $nested = "T1|acq(l)|\n" x 2 . "T1|rel(l)|\nT1|w(x)|\nT1|rel(l)|\n"
		. "T2|acq(l)|\nT2|w(x)|\nT2|rel(l)|\nT3|w(x)=-5|\n";
	$top = json_of(deadheat('analyze', '--format', 'json', trace($nested)));
	is($top->{events}, 9, 'inner acquires are counted');
	is_deeply(race_of($top, 'fasttrack'), ['x observed 6 8'], 'but release nothing');
};

my %bad = (
	'unknown operation' => "T1|frob(x)|\n",
	'malformed line' => "T1 w(x)\n",
	'no argument' => "T1|w()|\n",
	'a value that is none' => "T1|w(x)=y|\n",
	'release of a lock not held' => "T1|rel(l)|\n",
	'read-mode release of a lock not held so' => "T2|acq(l)|\nT2|rdrel(l)|\n",
	'acquire of a mutex held by another' => "T2|acq(l)|\nT1|acq(l)|\n",
	'an event before the fork' => "T2|w(x)|\nT1|fork(T2)|\n",
	'an event after the join' => "T1|join(T2)|\nT2|w(x)|\n",
	'me without mb' => "T1|me(m)|\n",
);
part 'bad input', sub {
	for my $what (sort keys %bad) {
		my $file = trace("T9|w(x)|\nT8|w(x)|\n" . $bad{$what});
		my $line = 2 + ($bad{$what} =~ tr/\n//);
		for my $format ('text', 'json') {
			my $r = deadheat('analyze', '--format', $format, $file);
			is($r->{status}, 2, "$what: status");
			is($r->{out}, '', "$what: no result");
			like($r->{err}, qr/\Adeadheat: \Q$file\E:$line: [^\n]+\n\z/,
				"$what: file and line");
		}
	}
};

refused(qr/deadheat analyze --help/);
refused(qr/deadheat analyze --help/, $race, $clean);
refused(qr/no engine 'nosuch'.*deadheat engines/, '-e', 'fasttrack,nosuch', $race);
refused(qr/no engine ''.*deadheat engines/, '-e', '', $race);
refused(qr/no filter 'nosuch'.*deadheat engines/, '-f', 'nosuch', $race);
refused(qr/'--nosuch'.*deadheat analyze --help/, '--nosuch', $race);
refused(qr/'-Z'.*deadheat analyze --help/, '-Z', $race);
refused(qr/'-e' needs an argument.*deadheat analyze --help/, $race, '-e');
refused(qr/--format takes text or json, not 'xml'/, '--format', 'xml', $race);
refused(qr/--granularity takes field or adaptive, not 'byte'/, '--granularity', 'byte',
	$race);
refused(qr/--clock-limit takes a whole number from 2 .*'1'/, '--clock-limit', '1', $race);
refused(qr/--clock-limit takes .*'-3'/, '--clock-limit', '-3', $race);
refused(qr/--tree-limit takes .*'4x'/, '--tree-limit', '4x', $race);
refused(qr/--tree-limit takes .*'0'/, '--tree-limit', '0', $race);
refused(qr{/no/such/trace: No such file}, '/no/such/trace');
refused(qr/directory/, '/');

part '--help', sub {
	my $r = deadheat('analyze', '--help');
	is($r->{status}, 0, 'status');
	is($r->{err}, '', 'nothing on standard error');
	like($r->{out}, qr/\Ausage: deadheat analyze/, 'the usage text');
	is(deadheat('analyze', '-h')->{out}, $r->{out}, '-h is the same');
};

part 'binary traces', sub {
	my $text = join '', map { "T" . ($_ % 3) . "|w(x$_)|f.c:$_\n" } 1 .. 2000;
	my $source = trace($text . "T1|w(x)|a.c:1\nT2|w(x)|b.c:2\n");
	my $binary = trace('', 'trace.dht');
	is(deadheat('print', '-o', $binary, $source)->{status}, 0, 'made one');
	my $want = json_of(deadheat('analyze', '--format', 'json', $source));
	my $got = json_of(deadheat('analyze', '--format', 'json', $binary));
	is_deeply($got->{engines}, $want->{engines}, 'the same result as from text');
	my $bytes = Deadheat::slurp($binary);
	my $r = deadheat({in => $bytes}, 'analyze', '--format', 'json', '-');
	is_deeply(json_of($r)->{engines}, $want->{engines}, 'and from a pipe');

	for my $format ('text', 'json') {
		my $cut = trace(substr($bytes, 0, -1), 'cut.dht');
		$r = deadheat('analyze', '--format', $format, $cut);
		is($r->{status}, 2, "cut short, $format: status");
		like($r->{err}, qr/\Adeadheat: \Q$cut\E: [^\n]+\n\z/, 'a warning of one line');
		like($r->{out}, qr/x/, 'and the result so far');
		next if $format eq 'text';
		my $top = json_of($r);
		is($top->{events}, 2002, 'no event was lost with the end block');
		is_deeply(race_of($top, 'fasttrack'), ['x observed 2000 2001'], 'the race');
		like($top->{damage}, qr/\Q$cut\E/, 'the JSON tells of the damage too');
	}
	substr($bytes, length($bytes) / 2, 1) ^= "\x01";
	$r = deadheat('analyze', '--format', 'json', trace($bytes, 'hurt.dht'));
	is($r->{status}, 2, 'a flipped bit: status');
	like($r->{err}, qr/\Adeadheat: [^\n]+\n\z/, 'a warning');
	ok(exists json_of($r)->{damage}, 'a result that says so');
};

part 'hostile names', sub {
	my $thread = qq{T"\\\x01\x1b[31m};
	my $var = "v\xff\xfe\xc3";
	my $loc = "</script>\x07 \xe2\x82\xac \xed\xa0\x80 \"';\\";
	my $file = trace("$thread|w($var)|$loc\nT2|w($var)|\xc2\x9b31m\x7f\n",
		"t\x1b[1m\"\xff.std");
	my $r = deadheat('analyze', '--format', 'json', $file);
	is($r->{status}, 66, 'status');
	unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'JSON: no control characters');
	my $race = eval { json_of($r)->{engines}[0]{races}[0] };
	is($@, '', 'JSON: valid, and valid UTF-8');
	is($race->{first}{thread}, $thread, 'JSON: what can be kept is kept');
	is($race->{var}, "v\x{fffd}\x{fffd}\x{fffd}", 'JSON: what is not UTF-8 is replaced');
	is($race->{first}{loc}, "</script>\x07 \x{20ac} \x{fffd}\x{fffd}\x{fffd} \"';\\",
		'JSON: surrogates are replaced');
	$r = deadheat({in => Deadheat::slurp($file)}, 'analyze', '-');
	unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'text: no control characters');
	$r = deadheat('analyze', trace("T1|w\x1b[31m(x)|\n"));
	is($r->{status}, 2, 'a bad line with them');
	unlike($r->{err}, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'messages: no control characters');
};

part 'filters', sub {
	my $loop = trace("T1|w(x)|a.c:1\n" x 5 . "T2|w(x)|b.c:1\n" x 2);
	for my $f ('tree', 'tree-strict') {
		my $r = deadheat('analyze', '-f', $f, '-e', 'fasttrack,racetrack-basic',
			'--format', 'json', $loop);
		is($r->{status}, 66, "$f: status");
		my $top = json_of($r);
		is($top->{filter}, $f, "$f: named in the result");
		for my $e (@{$top->{engines}}) {
			is($e->{counters}{filter_seen}, 7, "$f, $e->{engine}: filter_seen");
			is($e->{counters}{filter_dropped}, 5, "$f, $e->{engine}: filter_dropped");
			is(scalar @{$e->{races}}, 1, "$f, $e->{engine}: the race stays");
		}
	}
	my $top = json_of(deadheat('analyze', '--format', 'json', $loop));
	ok(!exists $top->{filter}, 'no filter, no key');
	ok(!exists $top->{engines}[0]{counters}{filter_seen}, 'and no counter');
	like(deadheat('analyze', '-f', 'tree', $loop)->{out}, qr/filter tree$/m, 'in text too');

	# The second write of T1 is what races under strong (docs: tree-strict).
	my $lossy = trace(<<'END');
T1|acq(l)|a.c:1
T1|w(x)|a.c:2
T1|rel(l)|a.c:3
T2|acq(l)|b.c:1
T2|rel(l)|b.c:2
T1|acq(l)|a.c:1
T1|w(x)|a.c:2
T1|rel(l)|a.c:3
T2|w(x)|b.c:3
END
	is(deadheat('analyze', '-f', 'tree-strict', $lossy)->{status}, 66,
		'tree-strict keeps a race that Gamma as printed would lose');
};

part '--granularity', sub {
	# Two fields of one object, each used by one thread only: the object as a whole
	# looks shared, no field is.
	my $fields = trace(join '', map { "T1|w(o.a)|a.c:1\nT2|w(o.b)|b.c:1\n" } 1 .. 8);
	my $shared = trace(join '', map { "T1|w(o.a)|a.c:1\nT2|w(o.a)|b.c:1\n" } 1 .. 8);
	for my $g ('field', 'adaptive') {
		my @how = ('-e', 'racetrack', '--granularity', $g);
		is(deadheat('analyze', @how, $fields)->{status}, 0, "$g: fields of their own");
		is(deadheat('analyze', @how, $shared)->{status}, 66, "$g: a field in common");
	}
};

part 'limits', sub {
	is(deadheat('analyze', '-e', 'racetrack-basic', '--clock-limit', 2, $clean)->{status},
		0, '--clock-limit');
	is(deadheat('analyze', '-f', 'tree', '--tree-limit', 1, $race)->{status}, 66,
		'--tree-limit');
};

SKIP: {
	skip 'no /dev/full', 2 unless -c '/dev/full';
	my $r = deadheat({out => '/dev/full'}, 'analyze', $race);
	is($r->{status}, 1, 'a full disk: status');
	like($r->{err}, qr/\Adeadheat: cannot write the result: [^\n]+\n\z/, 'and says so');
}

done_testing;

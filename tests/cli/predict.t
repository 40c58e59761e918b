#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat predict`: exit statuses, the JSON contract (docs/formats/predict.md), the text
# report, windows, jobs, options and their errors. Which pairs each model finds in which
# trace is the business of tests/predict.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use Test::More;

# Ordered by the lock's order only.
my $text = <<'END';
T1|w(y)=1|a.c:1
T1|acq(l)|a.c:2
T1|w(x)=2|a.c:3
T1|rel(l)|a.c:4
T2|acq(l)|b.c:1
T2|w(x)=3|b.c:2
T2|rel(l)|b.c:3
T2|w(y)=4|b.c:4
END
my $luck = trace($text, 'luck.std');
my $clean = trace("main|w(x)|1\nmain|fork(T)|2\nT|w(x)|3\nmain|join(T)|4\nmain|r(x)|5\n");

sub json_keys { join ' ', sort keys %{$_[0]} }

sub predict { return deadheat('predict', @_) }

sub races
{
	my ($r) = @_;
	return join ' ', map { "$_->{first}{index}-$_->{second}{index}" } @{json_of($r)->{races}};
}

sub refused
{
	my ($like, @args) = @_;
	my $r = predict(@args);
	my $name = join ' ', map { s/.*\///r } @args;
	is($r->{status}, 2, "'$name' is refused");
	is($r->{out}, '', 'nothing on standard output');
	like($r->{err}, qr/\Adeadheat: [^\n]*\n\z/, 'one line');
	like($r->{err}, $like, 'says what to do');
}

part 'exit statuses', sub {
	is(predict($luck)->{status}, 66, 'races: 66');
	is(predict('-m', 'hb', $luck)->{status}, 0, 'no race: 0');
	is(predict($clean)->{status}, 0, 'no race for rdit either');
	is(predict(trace(''))->{status}, 0, 'an empty trace has none');
	is(predict(trace("T1|x(a)|\n"))->{status}, 2, 'bad input: 2');
};

part 'JSON shape', sub {
	my $r = predict('-m', 'mc', '--format', 'json', $luck);
	is($r->{err}, '', 'nothing on standard error');
	like($r->{out}, qr/\A[^\n]*\n\z/, 'one line');
	my $top = json_of($r);
	is(json_keys($top), 'events model races trace unknown windows', 'keys of the whole');
	is($top->{trace}, $luck, 'trace, as named');
	is($top->{model}, 'mc', 'the model');
	like($r->{out}, qr/"events":8\b/, 'events is a number');
	is_deeply($top->{unknown}, [], 'nothing unknown');
	is_deeply($top->{races}, [{
		var => 'y', grade => 'predicted',
		first => {index => 0, thread => 'T1', op => 'w', loc => 'a.c:1'},
		second => {index => 7, thread => 'T2', op => 'w', loc => 'b.c:4'},
		witness => [4, 5, 6, 0, 7],
	}], 'the race, with its schedule');
	my $race = trace("T1|r(x)|a\nT2|w(x)|b\n");
	$top = json_of(predict('-m', 'hb', '--format', 'json', $race));
	is(json_keys($top->{races}[0]), 'first grade second var', 'hb has no schedule');
	is($top->{races}[0]{first}{op}, 'r', 'a read is one');
};

part 'text report', sub {
	my $r = predict($luck);
	like($r->{out}, qr/^y  predicted: .*schedule/m, 'variable and grade');
	like($r->{out}, qr/^ +first +write by T1 at a\.c:1  \(event 0\)$/m, 'first access');
	like($r->{out}, qr/^ +second +write by T2 at b\.c:4  \(event 7\)$/m, 'second access');
	like($r->{out}, qr/^ +T2 +T1$/m, 'a column for each thread');
	like($r->{out}, qr/^ +5  w\(x\)=3 b\.c:2$/m, 'an event in the first column');
	like($r->{out}, qr/^ +0 {20,}w\(y\)=1 a\.c:1  <-- race$/m, 'and in the second');
	like($r->{out}, qr/^  1 pair of code locations can race$/m, 'the sum');
	unlike($r->{out}, qr/\033/, 'no colours where it is no terminal');
	unlike($r->{out}, qr/solver_questions/, 'no counters unless asked for');
	like(predict('--stats', $luck)->{out}, qr/^ +solver_questions +0$/m, '--stats');
	like(predict($clean)->{out}, qr/no races predicted/, 'none');
	my $many = join '', map { "M$_|w(z)|m\n" } 1 .. 7;
	$r = predict('-m', 'mc', trace("T1|acq(l)|\n$many" . "T1|w(v)|p\nT2|w(v)|q\n"));
	like($r->{out}, qr/<-- race/, 'more threads than columns');
};

# A long trace of two threads that take turns under a lock, with the lucky race of $text
# this many events apart.
sub distant
{
	my ($between) = @_;
	my @filler = map { "T1|w(p$_)|f.c:$_\n" } 1 .. $between;
	my @lines = split /^/, $text;
	return trace(join('', $lines[0], @filler, @lines[1 .. 7]));
}

part 'windows', sub {
	my $far = distant(100);
	is(races(predict('--format', 'json', $far)), '0-107', 'in one window by default');
	my $r = predict('--window', 20, '--format', 'json', $far);
	is($r->{status}, 0, 'further apart than a window: not found');
	is(json_of($r)->{windows}{pairs_not_covered}, 1, 'but counted');
	is(json_of($r)->{windows}{size}, 20, 'the size of the windows');
	is(json_of($r)->{windows}{overlap}, 10, 'half of it overlaps');
	like(predict('--window', 20, $far)->{out}, qr/^  1 pair .* not looked at.*--window$/m,
		'and said');
	is(json_of(predict('-m', 'hb', '--window', 20, '--format', 'json', $far))
		->{windows}{pairs_not_covered}, 0, 'what happens-before orders is no loss to hb');

	# Across each border of windows of 16 with an overlap of 8, and after many windows.
	for my $before (0 .. 16, 90) {
		my $filler = join '', map { "T3|w(q)|f.c:1\n" } 1 .. $before;
		my $file = trace($filler . $text);
		my $r = predict('-m', 'mc', '--window', 16, '--format', 'json', $file);
		my $at = $before . '-' . ($before + 7);
		is(races($r), $at, "a race after $before events");
		my @w = @{json_of($r)->{races}[0]{witness}};
		is_deeply([@w[-5 .. -1]], [map { $_ + $before } 4, 5, 6, 0, 7], 'its schedule');
		is_deeply([@w[0 .. $#w - 5]], [0 .. $#w - 5], 'after the events as they were');
		my $short = json_of(predict('-m', 'mc', '--window', 16, '--format', 'json',
			'--witness', 'window', $file))->{races}[0];
		is_deeply([0 .. $short->{witness_start} - 1, @{$short->{witness}}], \@w,
			'--witness window leaves out what is as in the trace');
	}
	is(predict('--window', 8, '--overlap', 0, trace("T3|w(q)|f\n" x 4 . $text))->{status},
		0, 'without overlap a border hides it');

	# Locks, values and calls that are open at a border.
	my $open = trace("T1|acq(m)|0\nT1|w(x)=1|1\n" . "T1|w(p)|2\n" x 16
		. "T2|r(x)=1|3\nT2|w(z)=1|4\nT1|w(z)=2|5\nT1|rel(m)|6\nT3|acq(m)|7\nT3|w(z)=3|8\n");
	is(races(predict('-m', 'mc', '--window', 10, '--format', 'json', $open)), '19-20 19-23',
		'a lock held across the border, a value from before it');
	my $call = "T1|mb(f:k)|0\n" . "T1|w(p)|1\n" x 16
		. "T1|w(z)|2\nT2|mb(g:k)|3\nT2|w(z)|4\nT2|me(g)|5\n";
	is(races(predict('-m', 'rdit', '--window', 10, '--format', 'json', trace($call))), '',
		'a call that is open there');
	is(races(predict('-m', 'mc', '--window', 10, '--format', 'json', trace($call))), '17-19',
		'which mc does not know');
};

part 'jobs', sub {
	my $long = join '', map {
		my $n = $_;
		join '', map { s/([xy])\b/$1$n/r =~ s/(\w)\.c:/$1$n.c:/r } split /^/, $text
	} 1 .. 60;
	my $file = trace($long);
	my $one = predict('-j', 1, '--window', 32, '--format', 'json', $file);
	is(scalar @{json_of($one)->{races}}, 60, 'one job');
	for my $jobs (2, 3, 8) {
		my $r = predict('--jobs', $jobs, '--window', 32, '--format', 'json', $file);
		is($r->{out}, $one->{out}, "$jobs jobs: the same to the byte");
	}
};

# Threads that take locks and access variables at random, with few values, so that a read
# could read from many writes: the same trace each time.
sub soup
{
	my ($events, $seed) = @_;
	my $dice = sub { $seed = ($seed * 1103515245 + 12345) % 2**31; ($seed >> 8) % $_[0] };
	my (@lines, %owner, @stack, %memory);
	while (@lines < $events) {
		my ($t, $kind, $l, $x) = ($dice->(4), $dice->(4), $dice->(4), $dice->(12));
		my $held = $stack[$t] ||= [];
		if ($kind == 0 && @$held < 2 && !defined $owner{$l}) {
			push @$held, $l;
			$owner{$l} = $t;
			push @lines, "T$t|acq(l$l)|";
		} elsif ($kind == 1 && @$held) {
			my $last = pop @$held;
			delete $owner{$last};
			push @lines, "T$t|rel(l$last)|";
		} elsif ($kind > 1 && ($dice->(20) == 0 || grep { $_ == $x % 4 } @$held)) {
			my $op = $dice->(2) ? 'w' : 'r';
			$memory{$x} = $dice->(3) if $op eq 'w';
			push @lines, sprintf "T%d|%s(x%d)=%d|s%d", $t, $op, $x, $memory{$x} || 0,
				scalar @lines;
		}
	}
	return trace(join '', map { "$_\n" } @lines);
}

part 'what the solver gives up on', sub {
	my $file = soup(260, 7);
	my $r = predict('-m', 'mc', '--stats', $file);
	like($r->{out}, qr/^ +solver_questions +[1-9]/m, 'the solver is asked');
	like($r->{out}, qr/^ +solver_given_up +0$/m, 'and has an answer each time');
	my @all = ('predict', '-m', 'mc', '--format', 'json');
	my $full = json_of(deadheat(@all, $file));
	is(scalar @{$full->{unknown}}, 0, 'nothing unknown');

	my $hasty = deadheat(@all, '-j', 1, '--timeout', 1, $file);
	my $few = json_of($hasty);
	my $n = @{$few->{unknown}};
	ok($n > 0, 'with no time at all there is');
	is(json_keys($few->{unknown}[0]), 'first second var', 'the keys of such a pair');
	my %race = map { ("$_->{first}{loc} $_->{second}{loc}" => 1) } @{$full->{races}};
	ok(!(grep { !$race{"$_->{first}{loc} $_->{second}{loc}"} } @{$few->{races}}),
		'what is found is found with more time, too');
	my $missed = @{$full->{races}} - @{$few->{races}};
	ok($missed <= $n, 'every race that is missed is listed');
	like(predict('-m', 'mc', '--timeout', 1, $file)->{out},
		qr/^  $n pairs? given up on; a larger --timeout may tell$/m, 'and said');
	is(deadheat(@all, '-j', 2, '--timeout', 1, $file)->{out}, $hasty->{out},
		'by two jobs the same');

	my $long = soup(2000, 1);
	my @how = ('predict', '--format', 'json', '--window', 240, '--timeout', 1);
	my $alone = deadheat(@how, '-j', 1, $long);
	ok(scalar @{json_of($alone)->{unknown}}, 'given up on in some of many windows');
	is(deadheat(@how, '-j', 4, $long)->{out}, $alone->{out}, 'by four jobs the same');
};

part 'binary and damaged traces', sub {
	my $binary = trace('', 'luck.dht');
	is(deadheat('print', '-o', $binary, $luck)->{status}, 0, 'made one');
	is_deeply(json_of(predict('--format', 'json', $binary))->{races},
		json_of(predict('--format', 'json', $luck))->{races}, 'the same result');
	my $bytes = Deadheat::slurp($binary);
	is(races(deadheat({in => $bytes}, 'predict', '--format', 'json', '-')), '0-7',
		'from a pipe');
	my $r = predict('--format', 'json', trace(substr($bytes, 0, -1), 'cut.dht'));
	is($r->{status}, 2, 'cut short: status');
	like($r->{err}, qr/\Adeadheat: [^\n]*cut\.dht: [^\n]+\n\z/, 'a warning of one line');
	is(races($r), '0-7', 'and the result so far');
	like(json_of($r)->{damage}, qr/cut\.dht/, 'which says so too');
	for my $n (0 .. length($bytes) - 1) {
		my $hurt = $bytes;
		substr($hurt, $n, 1) ^= "\x10";
		$r = predict('--format', 'json', trace($hurt, 'hurt.dht'));
		next if $r->{status} == 66; # a byte that does not matter
		like("$r->{status} $r->{err}", qr/\A2 deadheat: [^\n]+\n\z/, "byte $n hurt");
	}
	$r = predict(trace("\x7fELF\x02\x01\x01" . "\0" x 64, 'foreign'));
	is($r->{status}, 2, 'a foreign file: status');
	like($r->{err}, qr/\Adeadheat: [^\n]*foreign[^\n]+\n\z/, 'one line');
	is($r->{out}, '', 'no result');
};

my %bad = (
	'unknown operation' => "T1|frob(x)|\n",
	'release of a lock not held' => "T1|rel(l)|\n",
	'an event after the join' => "T1|join(T2)|\nT2|w(x)|\n",
	'me without mb' => "T1|me(m)|\n",
);
part 'bad input', sub {
	for my $what (sort keys %bad) {
		my $file = trace("T9|w(x)|\nT8|w(x)|\n" . $bad{$what});
		my $line = 2 + ($bad{$what} =~ tr/\n//);
		my $r = predict('-j', 2, $file);
		is($r->{status}, 2, "$what: status");
		is($r->{out}, '', "$what: no result");
		like($r->{err}, qr/\Adeadheat: \Q$file\E:$line: [^\n]+\n\z/, "$what: where");
	}
};

refused(qr/deadheat predict --help/);
refused(qr/deadheat predict --help/, $luck, $clean);
refused(qr/--model takes hb, cp, mc or rdit, not 'xy'/, '-m', 'xy', $luck);
refused(qr/--format takes text or json/, '--format', 'xml', $luck);
refused(qr/--witness takes full or window/, '--witness', 'half', $luck);
refused(qr/--window takes a whole number/, '--window', '1', $luck);
refused(qr/--overlap must be less than the window of 20/, '--window', 20, '--overlap', 20,
	$luck);
refused(qr/--timeout takes/, '--timeout', '0', $luck);
refused(qr/--jobs takes/, '-j', 'many', $luck);
refused(qr/'--nosuch'.*deadheat predict --help/, '--nosuch', $luck);
refused(qr{/no/such/trace: No such file}, '/no/such/trace');

part '--help', sub {
	my $r = predict('--help');
	is($r->{status}, 0, 'status');
	like($r->{out}, qr/\Ausage: deadheat predict/, 'the usage text');
	is(predict('-h')->{out}, $r->{out}, '-h is the same');
};

part 'hostile names', sub {
	my $r = predict('-m', 'mc', trace("T\x1b[31m|w(v\xff)|\x07 l\nT2|w(v\xff)|\xc2\x9b\n"));
	is($r->{status}, 66, 'status');
	unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'no control characters');
};

SKIP: {
	skip 'no /dev/full', 2 unless -c '/dev/full';
	my $r = deadheat({out => '/dev/full'}, 'predict', $luck);
	is($r->{status}, 1, 'a full disk: status');
	like($r->{err}, qr/\Adeadheat: cannot write the result: [^\n]+\n\z/, 'and says so');
}

done_testing;

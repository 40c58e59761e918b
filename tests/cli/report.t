#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat report` and `deadheat diff` on findings that are made up here: what is one, in
# which order, what the exit status is, what is refused, and that no name does harm.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use RaceLines;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";
delete @ENV{qw(COLUMNS NO_COLOR)};

sub file { return trace(lines(@_)) }
sub report { return deadheat('report', @_) }
sub causes { return @{json_of(report('--format', 'json', @_))->{causes}} }
sub titles { return join '; ', map { $_->{title} } causes(@_) }
sub slurp { open my $in, '<:raw', $_[0] or return; local $/; return scalar <$in> }

part 'what is one' => sub {
	my $one = file(run_line(), race(), race());
	my $two = file(run_line(process => 2), race(first => ['get', 'main'],
		second => ['put', 'main'], ops => ['read', 'write']));
	my ($c, @more) = causes($one, $two);
	is(scalar @more, 0, 'the same pair, either way around, is one cause');
	is("$c->{findings} $c->{runs} " . @{$c->{variants}}, '3 2 1',
		'of three findings, two runs');
	is("$c->{first_run} $c->{last_run}", '0 1', 'first and last seen');
	like($c->{id}, qr/^[0-9a-f]{16}$/, 'an id');

	my @shifted = (first => [['put', '/src/app.c', 99], 'main'],
		second => [['get.part.0', '/old/place/app.c', 98], 'loop', 'main']);
	is((causes(file(run_line(), race(@shifted))))[0]{id}, $c->{id},
		'other lines, folders, callers, a clone: the same id');
	isnt((causes(file(run_line(), race(object => 'y'))))[0]{id}, $c->{id}, 'another object');
	isnt((causes(file(run_line(), race(first => ['push', 'main']))))[0]{id}, $c->{id},
		'another function');

	my @both = causes(file(run_line(), race(), race(first => ['clear', 'main'])));
	is(scalar @both, 1, 'two functions race on one variable: one cause');
	is(scalar @{$both[0]{variants}}, 2, '... of two variants');
	is($both[0]{common}{name}, 'x', '... and what they have in common is named');
	is(scalar causes(file(run_line(), race(), race(object => 'y', first => ['a', 'main'],
		second => ['b', 'main']))), 2, 'two variables: two causes');
};

part 'what is alike' => sub {
	my $at = sub {
		my ($object, $line) = @_;
		return race(object => $object, first => [['work', '/src/app.c', $line], 'main'],
			second => [['work', '/src/app.c', $line], 'main']);
	};
	my $field = sub { return {kind => 'global', name => 's', part => $_[0], size => 8,
		offset => 0} };
	my $count = sub { return scalar causes(file(run_line(), @_)) };
	is($count->($at->('a', 10), $at->('b', 60)), 2, 'two variables in one long function: two');
	is($count->($at->('a', 10), $at->('b', 12)), 1, '... one after the other: one');
	is($count->($at->($field->('.x'), 10), $at->($field->('.y'), 60)), 1,
		'... of one struct: one');
	is($count->(race(object => $field->('.x'), first => ['a', 'b'], second => ['c', 'd']),
		race(object => $field->('.y'), first => ['e', 'f'], second => ['g', 'h'])), 2,
		'two fields with nothing else in common: two');
	my $chain = $count->(map { my ($n, $object) = @$_; race(object => $object,
		first => [["f$n", '/src/app.c', 10], 'main'],
		second => [['g' . ($n + 1), '/src/app.c', 20], 'main']) }
		[1, 'a'], [1, 'b'], [2, 'b'], [2, 'c'], [3, 'c'], [3, 'd']);
	cmp_ok($chain, '>', 1, 'a chain of links does not end elsewhere');
};

part 'processes and times' => sub {
	my $f = file(
		run_line(process => 7, time => '2026-02-02T00:00:00Z'),
		run_line(process => 8, time => '2026-01-01T00:00:00Z'),
		race(more => {process => 7}), race(more => {process => 8}),
		summary_line(process => 7, complete => JSON::PP::false),
		summary_line(process => 8, losses => {sites_lost => 3}));
	my ($c) = causes($f);
	is("$c->{runs} $c->{first_run} $c->{last_run}", '2 1 0', 'runs by their time');
	my $r = report($f);
	like($r->{out}, qr/:1 \(fasttrack\): ended without a word/, 'a crash is told of');
	like($r->{out}, qr/:2 \(fasttrack\): lost: sites_lost 3/, 'a loss too');
};

part 'order' => sub {
	my $small = {kind => 'heap', base => '0x1', size => 8, offset => 0,
		allocated => stack_of('make', 'main')};
	my %r = (
		potential => race(grade => 'potential', object => 'a', first => ['a1'],
			second => ['a2']),
		predicted => race(grade => 'predicted', object => 'b', first => ['b1'],
			second => ['b2']),
		level => race(object => 'c', first => ['c1'], second => ['c2'],
			more => {object_level => JSON::PP::true}),
		one_stack => race(object => 'd', first => [], second => ['d2']),
		flag => race(object => 'e', first => ['e1'], second => ['e2'], more => {evidence =>
			{accesses => 9, writes => 5, same_value => 5}}),
		plain => race(object => 'f', first => ['f1'], second => ['f2']),
		plain_twice => race(object => 'g', first => ['g1'], second => ['g2']),
		counter => race(object => 'h', first => ['h1'], second => ['h2'],
			ops => ['write', 'write'], more => {evidence =>
			{accesses => 9, writes => 5, read_then_write => 5,
				steps => [{by => 1, count => 5}]}}),
		free => race(object => $small, first => ['i1'], second => ['i2'],
			ops => ['free', 'read']),
	);
	my @keys = qw(potential level flag one_stack plain counter free predicted);
	my $f = file(run_line(), @r{@keys, qw(plain_twice plain_twice)});
	my @order = map { $_->{title} =~ /^(\w)/ } causes($f);
	is("@order", 'h h g f e d c b a',
		'free, counter, twice, once, same value, one stack, object, predicted, potential');
	my $back = file(run_line(), @r{reverse(@keys), qw(plain_twice plain_twice)});
	is(titles($f), titles($back), 'the order of the input has no influence');
};

# Each cause has its functions and its object; what varies from warning to warning is what
# does in life: callers, lines, order, fields, elements, arguments of templates, clones,
# who allocated and through what. Some causes share a function, and all share callers.
part 'a thousand warnings of twelve causes' => sub {
	srand 12;
	my $pick = sub { return $_[int rand @_] };
	my $callers = sub {
		my @c = map { $pick->(qw(dispatch handle poll_once step run_task on_event retry)) }
			1 .. 1 + int rand 4;
		return (@c, $pick->('worker_main', 'pool_thread', 'main'));
	};
	my $global = sub {
		my ($name, @parts) = @_;
		return sub { return {kind => 'global', name => $name, size => 64, offset => 0,
			@parts ? (part => $pick->(@parts)) : ()} };
	};
	my $heap = sub {
		my ($maker, @through) = @_;
		return sub { return {kind => 'heap', size => 16 + 8 * int rand 4,
			offset => 8 * int rand 2,
			base => '0x7f' . int(rand 1e6), allocated => stack_of(
				$pick->(@through, undef) || (),
				$maker, $callers->())} };
	};
	my @causes = (
		# functions of one side, of the other, object, line
		[['cache_get'], ['cache_put', 'cache_drop'], $global->('cache', '.hits'), 100],
		[['cache_get'], ['cache_resize'], $heap->('cache_new', 'xmalloc'), 160],
		[['log_write'], ['log_write'], $global->('log_buffer', map { "[$_]" } 0 .. 99), 20],
		[['Stats<int>::add(int)', 'Stats<long>::add(long)'], ['Stats<int>::total() const'],
			$heap->('make_stats()'), 30],
		[['session_close'], ['session_read'], $heap->('session_open', 'pool_alloc',
			'calloc_n'), 40],
		[['config_reload'], ['config_get', 'config_dump'], $global->('config', '.path',
			'.level'), 50],
		[['net::{lambda()#1}::operator()() const', 'net::(anonymous)::operator()'],
			['net_stop'], $global->('net_running'), 60],
		[['queue_push', 'queue_push.part.0'], ['queue_pop', 'queue_pop.constprop.0'],
			$heap->('queue_new'), 70],
		[['timer_tick'], ['timer_show'], $global->('(anonymous namespace)::ticks'), 80],
		[['tree_insert'], ['tree_insert', 'tree_find'], $heap->('node_new', 'xmalloc'), 90],
		[['void format<char>(char*)', 'format<wchar_t>'], ['flush'], $global->('out.0'),
			110],
		[['signal_note'], ['main_loop'], $global->('signals',
			map { "[$_].count" } 1 .. 31), 120],
	);
	my (@lines, %of);
	for my $i (0 .. 999) {
		my ($one, $two, $object, $line) = @{$causes[$i < 12 ? $i : int rand 12]};
		my @sides = map { [[$pick->(@$_), '/src/app.c', $line + int rand 2], $callers->()] }
			$one, $two;
		@sides = reverse @sides if rand 2 < 1;
		push @lines, race(first => $sides[0], second => $sides[1], object => $object->());
	}
	my @found = causes(file(run_line(), @lines));
	is(scalar @found, 12, 'twelve classes') or diag(map { "$_->{title}\n" } @found);
	my $all = 0;
	$all += $_->{findings} for @found;
	is($all, 1000, 'of all of them');
	my @ids = sort map { $_->{id} } map { @{$_->{variants}} } @found;
	my @again = causes(file(run_line(), reverse @lines));
	is_deeply([sort map { $_->{id} } map { @{$_->{variants}} } @again], \@ids, 'in any order');
	is_deeply([map { $_->{findings} } @again], [map { $_->{findings} } @found], '... the same');
};

part 'evidence' => sub {
	my $held = {lock => {address => '0x77', mode => 'write', name => 'cache_lock'},
		count => 97};
	my $with = sub {
		my ($locks, %e) = @_;
		return (causes(file(run_line(), race(of_second => {locks => $locks},
			more => {evidence =>
			{accesses => 100, held => [$held], %e}}))))[0]{patterns}[0];
	};
	my $p = $with->([]);
	is($p->{name}, 'missing-lock', 'the usual lock was not held');
	is($p->{because}, '97 of 100 accesses hold `cache_lock`, the one in `get` did not',
		'... why');
	ok(length $p->{advice}, '... and what to do');
	is($with->([{address => '0x77', mode => 'write'}]), undef, 'nothing, where it was held');
	is($with->([], threads => 1, reads => 100, writes => 0), undef, 'nothing, where one looks');
	is($with->([], accesses => 200), undef, 'nothing, where half of them do without');
	my $named = sub { return join ' ', map { $_->{name} } @{(causes(file(run_line(),
		race(ops => ['write', 'write'], more => {evidence => $_[0]}))))[0]{patterns}} };
	is($named->({accesses => 5, writes => 4, same_value => 4}), 'same-value', 'same value');
	is($named->({accesses => 5, writes => 4, same_value => 3}), '', 'near miss: one differs');
	my %counts = (accesses => 9, writes => 5, read_then_write => 5);
	is($named->({%counts, steps => [{by => -1, count => 9}, {by => 7, count => 1}]}), 'counter',
		'nearly all changes by -1');
	is($named->({%counts, steps => [{by => 1, count => 5}, {by => 7, count => 4}]}), '',
		'near miss: changes by this and that');
	is($named->({%counts, read_then_write => 1, steps => [{by => 1, count => 9}]}), '',
		'near miss: not read before');
};

part 'traces' => sub {
	my $bank = trace(deadheat('analyze', '-q', '--format', 'json', '-e',
		'fasttrack,racetrack-basic', "$FindBin::Bin/../../examples/bank.std")->{out});
	my $r = report($bank);
	is($r->{status}, 66, 'findings of traces');
	like($r->{out}, qr/observed: audit\.last: write at bank\.c:\d+, write at bank\.c:\d+/,
		'by name and place');
	my ($c) = causes($bank);
	is($c->{grades}{observed}, 2, 'two engines, one cause');
	is("@{$c->{engines}}", 'fasttrack racetrack-basic', '... which are named');
	my $predicted = trace('{"trace":"t","events":9,"model":"mc","races":[{"var":"v","grade":'
		. '"predicted","first":{"index":1,"thread":"A","op":"r","loc":"f.c:1"},"second":'
		. '{"index":4,"thread":"B","op":"w","loc":"f.c:9"},"witness":[0,1,4]}]}' . "\n");
	is_deeply((causes($predicted))[0]{variants}[0]{sample}{witness}, [0, 1, 4], 'a witness');
	my $late = trace('{"trace":"t.std","model":"mc","races":[{"var":"x","grade":"predicted",'
		. '"first":{"index":7,"thread":"A","op":"w","loc":"f.c:5"},"second":'
		. '{"index":9,"thread":"B","op":"w","loc":"f.c:9"},"witness":[7,9],'
		. '"witness_start":6}]}' . "\n");
	is((causes($late))[0]{variants}[0]{sample}{witness_start}, 6, 'what comes before it');
	like(report('--details', $late)->{out}, qr/schedule of 8 events/, '... counts');
	like(report('--format', 'html', $late)->{out}, qr/"witness":\[7,9\],"witness_start":6/,
		'... and is in the page');
	like(report('--details', $predicted)->{out}, qr/schedule of 3 events/, '... is told of');
};

part 'exit status' => sub {
	my $none = file(run_line(), summary_line());
	my $some = file(run_line(), race(grade => 'potential'));
	is(report($none)->{status}, 0, 'no findings');
	like(report($none)->{out}, qr/no findings in 1 run/, '... said so');
	is(report($some)->{status}, 66, 'findings');
	is(report('--fail-on', 'potential', $some)->{status}, 66, '--fail-on potential');
	is(report('--fail-on', 'predicted', $some)->{status}, 0, '--fail-on predicted');
	is(report('--fail-on', 'observed', $some)->{status}, 0, '--fail-on observed');
	is(deadheat({out => '/dev/full'}, 'report', $some)->{status}, 1, 'a full disk');
	is(report('-o', 'no/such/folder', $some)->{status}, 1, 'no such folder');
	my $r = report('-o', 'out.json', $some);
	is($r->{status} . $r->{out}, 66, 'a file');
	is(JSON::PP->new->utf8->decode(slurp('out.json'))->{type}, 'report',
		'... by its name JSON');
	is(deadheat({in => lines(run_line(), race())}, 'report', '-')->{status}, 66,
		'standard input');
};

part 'bad input' => sub {
	my $bad = sub {
		my ($bytes, $what, $name) = @_;
		my $f = trace($bytes);
		my $r = report($f);
		is($r->{status} . $r->{out}, 2, $name);
		like($r->{err}, qr/^deadheat: \Q$f\E:$what\n$/, '... said where');
	};
	$bad->("{}\n", '1: this is no result .*', 'no findings');
	$bad->(lines(run_line()) . "{\"type\":\"race\"\n", '2: byte 15: .*', 'no JSON');
	$bad->(lines(run_line(version => 9)), '1: version 9 .*', 'of a later version');
	$bad->(lines(run_line(), {type => 'race', grade => 'bad'}), '2: a race of a grade .*',
		'grade');
	$bad->("\0\0\0", '1: this is no result .*', 'binary');
	my $cut = trace(lines(run_line(), race()) . '{"type":"ra');
	my $r = report($cut);
	is($r->{status}, 2, 'cut short');
	like($r->{err}, qr/:3: the last line is cut short/, '... said so');
	like($r->{out}, qr/1 cause/, '... and the rest reported');
	my @usage = (
		[[], qr/takes files/], [['--format', 'x', 'f'], qr/no format 'x'/],
		[['--fail-on', 'x', 'f'], qr/--fail-on takes/], [['--context', '16', 'f'],
			qr/0 to 15/],
		[['--colour', 'x', 'f'], qr/--colour takes/], [['--no', 'f'],
			qr/'--no' is not known/],
		[['no such file'], qr/cannot read no such file: No such/],
	);
	for my $u (@usage) {
		$r = report(@{$u->[0]});
		is($r->{status}, 2, "refused: @{$u->[0]}");
		like($r->{err}, $u->[1], '... said why');
	}
};

part 'ids and details' => sub {
	open my $out, '>', 'app.c' or die;
	print $out "// 1\n// 2\n\tcount = f();\t// three\n// 4\n// 5\n// 6\n";
	close $out;
	my $f = file(run_line(), race(first => [['put', "$dir/app.c", 3], 'main'],
		second => [['get', '/gone/app.c', 3], 'main'], of_second => {locks => [
			{address => '0x1', mode => 'write', name => 'm',
				taken => stack_of('get')}]}),
		race(object => 'y', first => ['a'], second => ['b']));
	my ($one, $two) = causes($f);
	my ($x) = grep { $_->{title} =~ /^x/ } $one, $two;
	my $r = report('--id', substr($x->{id}, 0, 6), $f);
	is($r->{status}, 66, 'by the beginning of its id');
	unlike($r->{out}, qr/y: write/, '... no other');
	like($r->{out}, qr/^   >    3          count = f\(\);   .*\n {8}4  \/\/ 4\n/m,
		'... source, marked');
	like($r->{out}, qr/^     #0 app\.c:3:3 in put\n     #1 \/src\/app\.c:10:3 in main/m,
		'... stack');
	like($r->{out}, qr/holding m, taken at/, '... locks');
	like($r->{out}, qr/thread 2 was created at/, '... threads');
	my @marked = report('--source', $dir, '--id', $x->{id}, $f)->{out} =~ /^ +> +3 /mg;
	is(scalar @marked, 2, '--source finds what was elsewhere');
	my @lines = report('--context', 0, '--id', $x->{id}, $f)->{out} =~ m{^ +>? +\d  .*$}mg;
	is(scalar @lines, 1, '--context 0');
	$r = report('--id', '', $f);
	like("$r->{status} $r->{err}", qr/^2 deadheat: the ids of several causes begin/, 'not one');
	$r = report('--id', 'xyz', $f);
	like("$r->{status} $r->{err}", qr/^2 deadheat: no cause has the id/, 'none');
	$r = report('--details', $f);
	like($r->{out}, qr/^1\. .*^2\. /ms, '--details: all of them');
	{
		local $ENV{COLUMNS} = 140;
		like(report('--details', $f)->{out},
			qr/^   write of 4 bytes by the main .* \| read of 4 bytes by thread 2$/m,
			'next to each other where it is wide');
		ok(!(grep { length > 140 } split /\n/, report('--details', $f)->{out}),
			'... and no wider');
	}
	unlike($r->{out}, qr/ \| /, 'one after the other where not');
	unlike($r->{out}, qr/\033/, 'no colours in a file');
	like(report('--colour', 'always', $f)->{out}, qr/\033\[1;31m1\. observed/,
		'colours on demand');
};

part 'baselines' => sub {
	my ($old, $new) = (race(), race(object => 'y', first => ['a'], second => ['b']));
	my $known = file(run_line(), $old);
	my $now = file(run_line(), $old, $new);
	my $r = report('--baseline', $known, $now);
	is($r->{status}, 66, 'something new');
	like($r->{out}, qr/^\d\. new, observed: y:/m, '... shown');
	like($r->{out}, qr/in the baseline:\n +[0-9a-f]{16}  observed: x:/,
		'... and the rest told of');
	is(report('--baseline', $known, $known)->{status}, 0, 'nothing new');
	is(report('--baseline', $known, '--baseline', $now, $now)->{status}, 0, 'of several files');
	report('-o', 'base.json', $known);
	is(report('--baseline', 'base.json', $now)->{status}, 66, 'a report as the baseline');
	is(report('--baseline', 'base.json', $known)->{status}, 0, '... nothing new');
	$r = report('base.json');
	like("$r->{status} $r->{err}", qr/^2 .*is a report, which can be a baseline/, 'no finding');
	my $potential = file(run_line(), {%$old, grade => 'potential'});
	is(report('--baseline', $potential, $known)->{status}, 66, 'surer than before is new');
	is(report('--baseline', $known, $potential)->{status}, 0, 'less sure is not');
	is(report('--fail-on', 'observed', '--baseline', $known, file(run_line(), $old,
		{%$new, grade => 'potential'}))->{status}, 0, 'new, but not of that grade');

	$r = deadheat('diff', $known, $now);
	is($r->{status}, 66, 'diff: something new');
	like($r->{out},
		qr/^new:\n.* y: .*\nstill there:\n.* x: .*\ndeadheat: 1 new, 0 gone, 1 still/m,
		'... which');
	$r = deadheat('diff', $now, $known);
	is($r->{status}, 0, 'diff: nothing new');
	like($r->{out}, qr/^gone:\n.* y: .*\nstill there:\n.* x: /m, '... something gone');
	my $d = json_of(deadheat('diff', '--format', 'json', $now, $known));
	is(join(' ', map { scalar @$_ } $d->{new}, $d->{still}, $d->{old}{gone}), '0 1 1',
		'... as JSON');
	is(deadheat('diff', $known)->{status}, 2, 'diff of one file');
	is(deadheat('diff', $known, 'no such')->{status}, 2, 'diff with no file');
};

part 'hostile names' => sub {
	my $evil = "<script>alert(\"1\")</script>'`\n\t\033[31m\xff\xc0\x80\xe2\x80\xae\x00%s%n\\";
	my $race = race(
		first => [[$evil, $evil, 3], $evil], second => [["$evil<$evil", $evil, 3]],
		object => {kind => 'global', name => $evil, part => $evil, size => 4, offset => 0,
			module => $evil, file => $evil, line => 3},
		of_second => {locks => [{address => $evil, name => $evil, mode => $evil,
			taken => stack_of($evil)}]},
		more => {threads => [{id => 2, name => $evil, created => stack_of($evil)}],
			evidence => {accesses => 10, held => [{lock => {name => "$evil l"},
				count => 9}]}});
	my $f = file(run_line(engine => $evil, time => $evil), $race, summary_line(
		losses => {$evil => 1}));
	for my $how ([], ['--details'], ['--colour', 'always', '--details']) {
		my $r = report(@$how, $f);
		is($r->{status}, 66, "text @$how: reported");
		my $out = $r->{out};
		$out =~ s/\033\[[0-9;]*m//g if grep { $_ eq 'always' } @$how;
		unlike($out, qr/[\000-\010\013-\037\177]/, '... no control characters');
		ok(utf8::decode($out), '... valid UTF-8');
		unlike($out, qr/[\x{80}-\x{9f}\x{202e}]/, '... none in Unicode either');
		my @odd = grep { !/^(deadheat: |\d\. |   |\S+:1 |--id|$)/ } split /\n/, $out;
		is_deeply(\@odd, [], '... no line that a name has made');
	}
	my $c = json_of(report('--format', 'json', $f))->{causes}[0]; # dies where it is not UTF-8
	like($c->{title}, qr/<script>/, 'JSON has it as it is');
	my $odd = trace('', "a\033[31m\nb.json");
	my $r = report($odd);
	is($r->{status}, 0, 'a file of that kind');
};

done_testing();

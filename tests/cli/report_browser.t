#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The HTML report in a browser. Skipped where there is no Chromium.
use strict;
use warnings;
use File::Basename 'dirname';
use Test::More;
use lib dirname(__FILE__);
use Browser;
use Deadheat;
use Findings;
use JSON::PP ();

plan skip_all => 'no Chromium in $PATH' unless browser();

my $three = findings([
	race(),
	race(variable => 'total', first => 'add', second => 'sum', file => '/app/total.c'),
	race(variable => 'cache', first => 'fill', second => 'look', file => '/app/cache.c',
		grade => 'potential'),
]);

part('as it is', sub {
	my ($dom, $console) = chromium(report($three));
	is($console, '', 'nothing on the console');
	like($dom, qr/data-ready="3"/, 'the script has come to its end');
	is(() = $dom =~ /class="row"/g, 3, 'three rows');
});

scene('filters, order, search', $three, <<'JS', sub {
answer.all = rows();
set('grade', 'potential'); answer.grade = rows(); set('grade', '');
set('file', '/app/total.c'); answer.file = rows(); set('file', '');
set('text', 'queue_lock look'); answer.words = rows();
set('text', 'SUM'); answer.function = rows();
set('text', 'no such'); answer.none = [rows().length, $('#list').textContent.trim()];
press('x'); answer.cleared = rows().length;
set('sort', 'title'); answer.sorted = rows();
answer.shown = $('#shown').textContent;
JS
	my ($a) = @_;
	is(scalar @{$a->{all}}, 3, 'all');
	is_deeply($a->{grade}, ['cache.head'], 'by grade');
	is_deeply($a->{file}, ['total.head'], 'by file');
	is_deeply($a->{words}, ['cache.head'], 'by several words');
	is_deeply($a->{function}, ['total.head'], 'by function, in any case');
	is($a->{none}[0], 0, 'none');
	like($a->{none}[1], qr/No cause passes/, 'and a word about it');
	is($a->{cleared}, 3, 'x clears');
	is_deeply($a->{sorted}, ['cache.head', 'queue.head', 'total.head'], 'by title');
	is($a->{shown}, '3 causes', 'how many are shown');
});

{
	my ($id) = json_of(deadheat('report', '--format', 'json', findings([race()])))
		->{causes}[0]{id};
	scene('details by address', $three, <<'JS', sub {
answer.heading = heading();
answer.sections = $$('#detail h3').map((n) => n.textContent);
answer.stacks = $$('#detail .card > .stack .fn').map((n) => n.textContent);
answer.locks = $('.card.second .locks').textContent;
answer.current = $('[aria-current]').hash;
answer.picture = $('.picture').getAttribute('aria-label');
answer.gap = $$('.picture .gap-text').length;
answer.locksDrawn = $$('.picture text.lock').map((n) => n.textContent);
await open('#' + $$('a.row')[2].hash.slice(1)); answer.other = heading();
await open('#nothing'); answer.nothing = heading();
JS
		my ($a) = @_;
		is($a->{heading}, 'queue.head', 'the cause of the address');
		is($a->{current}, "#$id", 'is marked in the list');
		is(join(', ', @{$a->{sections}}),
			'The two threads, The two accesses, Object, Threads, Seen', 'its parts');
		is_deeply($a->{stacks}, ['put', 'get'], 'both stacks');
		like($a->{locks}, qr/Held 1 lock:queue_lock/, 'the lock');
		like($a->{picture}, qr/Nothing that is known orders the write of 8 bytes by /,
			'the picture in words');
		is($a->{gap}, 1, 'the missing edge is drawn');
		like("@{$a->{locksDrawn}}", qr/queue_lock/, 'so is the lock');
		is($a->{other}, 'cache.head', 'another address');
		is($a->{nothing}, '', 'one that there is not');
	}, hash => "#$id");
}

{
	my $further = {%{race(first => 'get', second => 'drop', line => 25)},
		type => 'further', serial => 1, grade => 'potential'};
	scene('further accesses', findings([race()], evidence => [$further]), <<'JS', sub {
await open($('a.row').hash);
answer.sections = $$('#detail h3').map((n) => n.textContent);
answer.stacks = $$('#detail .card > .stack .fn').map((n) => n.textContent);
answer.which = $('.card.further h4').textContent;
JS
		my ($a) = @_;
		is($a->{sections}[2], '1 further access', 'a part of their own');
		is_deeply($a->{stacks}, ['put', 'get', 'drop'], 'each place once');
		like($a->{which}, qr/^Read of 8 bytes by thread 2 /, 'with what it did');
	});
}

{
	my $held = {lock => {address => '0x5000', mode => 'write', name => 'queue_lock'},
		count => 97};
	scene('evidence and patterns', findings([race()], evidence => [{
		type => 'evidence', serial => 1, base => '0x4000', size => 8,
		complete => JSON::PP::true, accesses => 100, reads => 60, writes => 40,
		atomics => 0, threads => 3, read_then_write => 38, unlocked => 3,
		held => [$held], same_value => 0, steps => [{by => 1, count => 38}],
		other_steps => 0, first_site => 1, second_site => 1,
	}]), <<'JS', sub {
press('j');
answer.advice = $$('.advice').map((n) => n.textContent);
answer.table = $$('.evidence tr').map((n) => n.textContent);
answer.meter = $('.evidence meter').value;
answer.patterns = $$('#filter-pattern option').map((n) => n.value);
JS
		my ($a) = @_;
		like("@{$a->{advice}}", qr/97 of 100 accesses hold queue_lock/, 'patterns');
		like("@{$a->{table}}", qr/with queue_lock held97 of 100/, 'how it is used');
		is($a->{meter}, 97, 'as a bar');
		ok((grep { $_ eq 'missing-lock' } @{$a->{patterns}}), 'a pattern to filter by');
	});
}

{
	my $file = findings([race(second => 'get'), race(second => 'peek'),
			race(second => 'size')]);
	my $c = json_of(deadheat('report', '--format', 'json', $file))->{causes};
	is(scalar @$c, 1, 'one cause');
	my $last = $c->[0]{variants}[2];
	scene('variants', $file, <<'JS', sub {
answer.count = $$('.variant').length;
await until(() => $('.variant[open] .card'));
answer.opened = $$('.variant[open]').map((n) => n.id);
answer.cards = $$('.variant[open] .card').length;
answer.stack = $$('.variant[open] .card.second > .stack .fn').map((n) => n.textContent);
JS
		my ($a) = @_;
		is($a->{count}, 2, 'the others are listed');
		is_deeply($a->{opened}, ["variant-$last->{id}"], 'the one of the address is open');
		is($a->{cards}, 2, 'with both accesses');
		is_deeply($a->{stack}, [$last->{sample}{second}{stack}[0]{function}], 'its own');
	}, hash => "#$last->{id}");
}

{
	my $seen = race(variable => 'known', first => 'r', second => 's');
	$seen->{suppressed} = 'race:<s>';
	scene('what is suppressed', findings([race(), $seen]), <<'JS', sub {
answer.all = rows();
answer.totals = $('#totals').textContent;
set('state', 'suppressed'); answer.suppressed = rows();
press('j'); answer.heading = heading(); answer.rule = $('#detail .head').textContent;
JS
		my ($a) = @_;
		is_deeply($a->{all}, ['queue.head'], 'is not in the list');
		is($a->{totals}, '1 cause from 1 finding in 1 run, 1 suppressed', 'but counted');
		is_deeply($a->{suppressed}, ['known.head'], 'and can be asked for');
		is($a->{heading}, 'known.head', 'opens');
		like($a->{rule}, qr/Suppressed by race:<s>\./, 'with its rule');
	}, options => ['--keep-suppressed']);
}

scene('keys', $three, <<'JS', sub {
press('j'); answer.one = heading();
press('j'); answer.two = heading();
answer.focus = document.activeElement.hash === location.hash;
press('k'); answer.back = heading();
press('G'); answer.last = heading();
press('/'); answer.search = document.activeElement.id;
press('j'); answer.typing = heading();
press('Escape'); answer.left = document.activeElement.id;
press('?'); answer.help = $('#help').open;
$('#help').close();
const before = getComputedStyle(document.body).backgroundColor;
press('t'); answer.theme = before !== getComputedStyle(document.body).backgroundColor;
answer.order = rows();
JS
	my ($a) = @_;
	is($a->{one}, $a->{order}[0], 'j: the first');
	is($a->{two}, $a->{order}[1], 'j: the second');
	ok($a->{focus}, 'the row has the focus, the page its address');
	is($a->{back}, $a->{order}[0], 'k: back');
	is($a->{last}, $a->{order}[2], 'G: the last');
	is($a->{search}, 'filter-text', '/: search');
	is($a->{typing}, $a->{order}[2], 'no keys while typing');
	is($a->{left}, 'list', 'Escape: back to the list');
	ok($a->{help}, '?: help');
	ok($a->{theme}, 't: dark or light');
});

scene('a narrow screen', $three, <<'JS', sub {
const seen = (n) => getComputedStyle(n).display !== 'none';
answer.list = [seen($('.list-pane')), seen($('#detail'))];
await open($$('a.row')[0].hash);
answer.detail = [seen($('.list-pane')), seen($('#detail'))];
answer.wide = document.documentElement.scrollWidth <= innerWidth;
press('Escape'); answer.back = [seen($('.list-pane')), seen($('#detail'))];
JS
	my ($a) = @_;
	is_deeply($a->{list}, [JSON::PP::true, JSON::PP::false], 'the list');
	is_deeply($a->{detail}, [JSON::PP::false, JSON::PP::true], 'or the details');
	ok($a->{wide}, 'which fit the screen');
	is_deeply($a->{back}, [JSON::PP::true, JSON::PP::false], 'and back');
}, size => [500, 800]);

{
	my $file = hostile();
	my ($dom, $console) = chromium(report($file));
	is($console, '', 'nothing on the console');
	like($dom, qr/<title>Deadheat report</, 'the title is ours');
	scene('hostile names', $file, <<'JS', sub {
for (const row of $$('a.row')) {
	await open(row.hash);
	for (const d of $$('#detail details')) d.open = true;
}
answer.count = $$('a.row').length;
answer.elements = [...new Set($$('#detail *, #list *').map((n) => n.localName))].sort();
answer.handlers = $$('*').filter((n) => [...n.attributes].some((a) => /^on/i.test(a.name)))
	.length;
answer.title = document.title;
answer.links = $$('a').filter((n) => !n.getAttribute('href').startsWith('#')).length;
answer.text = rows();
JS
		my ($a) = @_;
		is($a->{count}, scalar(hostile_names()), 'all are listed');
		is(join(' ', grep { /script|img|iframe|style|form|input/ } @{$a->{elements}}), '',
			'no elements of theirs');
		is($a->{handlers}, 0, 'no handlers');
		is($a->{links}, 0, 'no links out');
		unlike($a->{title}, qr/^harm/, 'the title is left alone');
		ok((grep { /^\Q<script>alert(1);document.title="harm"<\/script>\E/ } @{$a->{text}}),
			'they are shown as they are');
	});
}

{
	my $bare = race(variable => 'z', first => 'm', second => 'n');
	$_->{stack} = [] for @$bare{qw(first second)};
	my $trace = "main|fork(T2)|a.c:1\nT2|w(x)|a.c:2\nmain|w(x)|a.c:3\n"
		. "T2|acq(l)|a.c:4\nT2|w(y)|a.c:5\nT2|rel(l)|a.c:6\nmain|acq(l)|a.c:7\n"
		. "main|rel(l)|a.c:8\nmain|w(y)|a.c:9\n";
	my $found = deadheat('analyze', '-q', '-e', 'all', '--format', 'json', trace($trace));
	my $file = trace($found->{out} . Findings::lines([$bare]), 'mixed.json');
	scene('a trace, by all engines', $file, <<'JS', sub {
answer.headings = [];
for (const row of $$('a.row')) {
	await open(row.hash);
	answer.headings.push(heading());
	answer.gap = [...(answer.gap || []), ($('.gap-text') || {}).textContent];
}
JS
		my ($a) = @_;
		is_deeply([sort @{$a->{headings}}], ['x', 'y', 'z.head'], 'all open');
		is_deeply([sort @{$a->{gap}}], ['by luck', 'no order', 'no order'],
			'the pictures tell grades apart');
	});
}

scene('nothing found', findings([]), 'answer.list = $("#list").textContent;', sub {
	like($_[0]{list}, qr/No races were found/, 'says so');
});

play();
done_testing;

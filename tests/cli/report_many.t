#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A report of ten thousand causes: every form in little time, and a page that is still at
# hand in a browser. The limits are many times what it takes, for busy machines.
use strict;
use warnings;
use File::Basename 'dirname';
use Test::More;
use Time::HiRes 'time';
use lib dirname(__FILE__);
use Browser;
use Deadheat;
use Findings;

my $many = 10_000;
my $file = findings([map {
	race(variable => "v$_", first => ["put$_", 'fill', 'main'], second => "get$_",
		file => '/app/m' . $_ % 200 . '.c', line => 10 + $_ % 500)
} 1 .. $many]);

for my $format (qw(html sarif)) {
	my $start = time;
	my $r = deadheat({out => '/dev/null'}, 'report', '--format', $format, $file);
	is($r->{status}, 66, "$format: written");
	cmp_ok(time - $start, '<', 30, "$format: in time");
}

SKIP: {
	skip 'no Chromium in $PATH', 1 unless browser();
	scene('in a browser', $file, <<'JS', sub {
const timed = (name, act) => {
	const from = performance.now();
	act();
	document.body.offsetHeight;
	answer[name] = performance.now() - from;
};
answer.ready = performance.now();
answer.drawn = rows().length;
timed('search', () => set('text', 'get9999'));
answer.found = rows();
timed('clear', () => press('x'));
timed('last', () => press('G'));
answer.heading = heading();
answer.place = $('[aria-current] .rank').textContent;
JS
		my ($a) = @_;
		cmp_ok($a->{ready}, '<', 20_000, "the page is ready (after $a->{ready} ms)");
		cmp_ok($a->{drawn}, '<', 1000, 'it draws what is in view alone');
		is_deeply($a->{found}, ['v9999.head'], "search finds ($a->{search} ms)");
		cmp_ok($a->{search}, '<', 10_000, 'in time');
		is($a->{place}, $many, "the last one is at hand ($a->{last} ms)");
	});
	play();
}

done_testing;

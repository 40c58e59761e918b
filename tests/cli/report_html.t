#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat report --format html`: the file itself. What it does in a browser is in
# report_browser.t.
use strict;
use warnings;
use Cwd 'getcwd';
use Digest::SHA 'sha256_base64';
use File::Basename 'dirname';
use File::Temp 'tempdir';
use Test::More;
use lib dirname(__FILE__);
use Deadheat;
use Findings;
use JSON::PP ();

# The page as its parts: {policy}, {style}, {script}, {static}, {data} (decoded), {raw}.
sub page
{
	my ($name, @arguments) = @_;
	my $r = deadheat('report', '--format', 'html', @arguments);
	is($r->{err}, '', "$name: no complaint");
	my %page = (raw => $r->{out}, status => $r->{status});
	($page{policy}) = $r->{out} =~ /http-equiv="Content-Security-Policy" content="([^"]*)">/;
	($page{style}) = $r->{out} =~ m{<style>(.*?)</style>}s;
	($page{script}) = $r->{out} =~ m{<script type="module">(.*?)</script>}s;
	($page{static}) = $r->{out} =~ m{<noscript>(.*?)</noscript>}s;
	($page{json}) = $r->{out} =~ m{<script type="application/json" id="data">(.*?)</script>}s;
	$page{data} = eval { JSON::PP->new->utf8->decode($page{json}) };
	ok($page{data}, "$name: the data is JSON") or diag($@);
	return \%page;
}

sub hash
{
	my $digest = sha256_base64($_[0]);
	return "'sha256-$digest" . '=' x (-length($digest) % 4) . "'";
}

part('one file that needs nothing', sub {
	my $p = page('a page', findings([race()]));
	is($p->{status}, 66, 'exit status');
	like($p->{raw}, qr/\A<!doctype html>\n<html lang="en">/, 'begins as a page');
	like($p->{raw}, qr{</html>\n\z}, 'and is whole');
	like($p->{policy}, qr/^default-src 'none'; /, 'forbids everything');
	like($p->{policy}, qr/script-src \Q${\hash($p->{script})}\E;/, 'but its own script');
	like($p->{policy}, qr/style-src \Q${\hash($p->{style})}\E;/, 'and style');
	unlike($p->{policy}, qr/unsafe|http|\*/, 'nothing else');
	my $without_names = $p->{raw} =~ s{http://www\.w3\.org/2000/svg}{}gr;
	unlike($without_names, qr{https?://|\bsrc\s*=|\@import|url\(["']?[^#]}i,
		'nothing is fetched');
	is(() = $p->{raw} =~ /<script/g, 2, 'two scripts: the data and the code');
	unlike($p->{script}, qr/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/,
		'the code parses no text as markup');
});

part('what it says', sub {
	my $dir = tempdir(CLEANUP => 1);
	open my $to, '>', "$dir/queue.c" or die;
	print $to "line $_\n" for 1 .. 60;
	close $to;
	my $file = findings([race(file => "$dir/queue.c")]);
	my $back = getcwd;
	chdir $dir or die;
	my $p = page('with source', $file);
	chdir $back or die;
	my $d = $p->{data};
	is(scalar @{$d->{causes}}, 1, 'a cause');
	my $c = $d->{causes}[0];
	like($c->{id}, qr/^[0-9a-f]{16}$/, 'its id');
	is($c->{grade}, 'observed', 'its grade');
	my $f = $c->{variants}[0]{finding};
	is($f->{object}{title}, 'queue.head', 'the object');
	my $frame = $d->{frames}[$d->{stacks}[$f->{second}{stack}][0]];
	is($d->{strings}[$frame->[0]], 'get', 'the function');
	is($d->{strings}[$frame->[1]], 'queue.c', 'the file, by its relative name');
	is($frame->[2], 25, 'the line');
	my %lines;
	for my $s (@{$d->{sources}}) {
		$lines{$s->[1] + $_} = $s->[2][$_] for 0 .. $#{$s->[2]};
	}
	is($lines{$_}, "line $_", "line $_ of the source") for 15, 20, 25, 30;
	is($lines{31}, undef, 'no more than that');
	is($f->{second}{locks}[0]{name}, 'queue_lock', 'the lock');
	is_deeply($f->{first}{locks}, [], 'none on the other side');
	like($p->{static}, qr{<li id="static-$c->{id}">}, 'it is in the list without scripts');
	like($p->{static}, qr{read of 8 bytes by thread 2 &#34;worker&#34; in get queue\.c:25},
		'with its places');
});

part('merging', sub {
	my $p = page('two runs', findings([race()]), findings([race(line => 40)], process => 7));
	is(scalar @{$p->{data}{causes}}, 1, 'one cause');
	is($p->{data}{causes}[0]{runs}, 2, 'of two runs');
	is(scalar @{$p->{data}{runs}}, 2, 'which are there');
	my $none = page('nothing found', findings([]));
	is($none->{status}, 0, 'nothing found: exit status');
	is_deeply($none->{data}{causes}, [], 'and no causes');
	my $b = page('baseline', '--baseline', findings([race()]),
		findings([race(), race(variable => 'x', first => 'p', second => 'q')]));
	is_deeply([sort map { $_->{new} ? 'new' : 'known' } @{$b->{data}{causes}}],
		['known', 'new'], 'baseline');
});

part('the same input, the same page', sub {
	my $file = findings([map { race(variable => "v$_", first => "f$_") } 1 .. 20]);
	my @pages = map { deadheat('report', '--format', 'html', $file)->{out} } 1, 2;
	ok($pages[0] eq $pages[1], 'byte for byte');
});

part('hostile names', sub {
	my $p = page('hostile', hostile());
	is(scalar @{$p->{data}{causes}}, scalar(hostile_names()), 'all of them are there');
	unlike($p->{json}, qr/[<>&]/, 'no markup in the data');
	unlike($p->{json}, qr/\xe2\x80[\xa8\xa9]/, 'no line ends of scripts');
	ok(utf8::decode(my $copy = $p->{raw}), 'the page is UTF-8');
	my $text = $p->{static};
	$text =~ s{</?(?:ol|li|p|strong|pre)(?: (?:id|class)="[\w-]+")?>}{}g;
	unlike($text, qr/[<>"']/, 'no markup of theirs in the list');
	unlike($p->{static}, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'no control characters');
	is(() = $p->{raw} =~ m{</noscript}gi, 1, 'the list ends where it should');
	is(() = $p->{raw} =~ m{</script}gi, 2, 'so do the scripts');
	my $titles = join "\n", map { $_->{variants}[0]{finding}{object}{title} }
		@{$p->{data}{causes}};
	like($titles, qr/<script>alert\(1\)/, 'nothing is lost of them');
});

done_testing;

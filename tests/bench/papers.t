#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The programs of bench/papers: each compiles without a warning, prints the same with and
# without detection, under every engine, and has races only if its name says so.
# DH_PAPERS='NAME ...' for a few of them.
use strict;
use warnings;
use File::Basename qw(dirname basename);
use File::Temp qw(tempdir);
use Test::More;

my $deadheat = $ENV{DEADHEAT} or die "DEADHEAT names the program to test\n";
my $bench = dirname($0) . '/../../bench';
my $dir = tempdir(CLEANUP => 1);
my @warn = qw(-O1 -Wall -Wextra -Werror -pthread -lm);
my %scale = (arrays => 1, lru => 1, rbtree => 1, strings => 1, server => 1);
my @names = $ENV{DH_PAPERS} ? split(' ', $ENV{DH_PAPERS})
	: map { basename($_, '.c') } sort glob "$bench/papers/*.c";

sub last_line { my ($out) = $_[0] =~ /(.*)\n\z/; $out }

for my $name (@names) {
	my $source = "$bench/papers/$name.c";
	my $run = "4 " . ($scale{$name} // 5);
	is(system('cc', $source, '-o', "$dir/plain", @warn), 0, "$name: compiles") or next;
	is(system($deadheat, 'cc', $source, '-o', "$dir/watched", @warn), 0,
		"$name: compiles for detection") or next;
	my $plain = last_line(scalar `$dir/plain $run`);
	for my $engine (qw(fasttrack racetrack multirace goldilocks)) {
		my $watched = last_line(
			scalar `$deadheat run --quiet --engine $engine $dir/watched $run`);
		is($? >> 8, $name =~ /_race$/ ? 66 : 0, "$name: races under $engine");
		is($watched, $plain, "$name: the same result under $engine");
	}
}
done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Tasks of oneTBB, whose library is not instrumented: order by them, and a race in spite of
# them. A small library of our own has its place (tbb/library.cc).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use Programs qw(build slurp);
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my $from = "$FindBin::Bin/tbb";
delete @ENV{qw(DEADHEAT_OPTIONS DEADHEAT_CC DEADHEAT_CXX)};
build('library.cc', qw(g++ -O1 -shared -fPIC -pthread), '-Wl,-soname,libtbb.so.12',
	"$from/library.cc", '-o', "$dir/libtbb.so.12");
build('program.cc', $deadheat, qw(c++ -O1 -g -Wall -Wextra), "$from/program.cc", '-o',
	"$dir/program", "$dir/libtbb.so.12", "-Wl,-rpath,$dir");

for (['order', 0], ['memory', 0], ['race', 66]) {
	my ($how, $status) = @$_;
	system("timeout 60 $deadheat run -- $dir/program $how >$dir/out 2>&1");
	is($? >> 8, $status, $how) or diag(slurp("$dir/out"));
}
done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat` itself: help, version, unknown commands.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use Test::More;

my $help = deadheat('--help');
is($help->{status}, 0, '--help: status');
is($help->{err}, '', '--help: nothing on standard error');
like($help->{out}, qr/\Ausage: deadheat COMMAND/, '--help: the usage text');
for my $command (qw(analyze engines print)) {
	like($help->{out}, qr/^  $command +\S/m, "--help: $command");
	my $r = deadheat($command, '--help');
	is($r->{status}, 0, "$command --help: status");
	like($r->{out}, qr/\Ausage: deadheat $command/, "$command --help: the usage text");
}
is_deeply(deadheat('-h'), $help, '-h is the same');
is_deeply(deadheat('help'), $help, 'so is help');

my $none = deadheat();
is($none->{status}, 2, 'no command: status');
is($none->{out}, '', 'no command: nothing on standard output');
is($none->{err}, $help->{out}, 'no command: the usage text');

my $version = deadheat('--version');
is($version->{status}, 0, '--version: status');
like($version->{out}, qr/\Adeadheat \d+\.\d+\.\d+\n\z/, '--version');

my $bad = deadheat('nosuch');
is($bad->{status}, 2, 'an unknown command: status');
is($bad->{out}, '', 'an unknown command: nothing on standard output');
is($bad->{err}, "deadheat: no command 'nosuch'; `deadheat --help` lists them\n",
	'an unknown command: what to do');

SKIP: {
	skip 'no /dev/full', 6 unless -w '/dev/full';
	for my $command (['--help'], ['analyze', '--help'], ['engines']) {
		my $r = deadheat({out => '/dev/full'}, @$command);
		is($r->{status}, 1, "@$command, to a full disk: status");
		like($r->{err}, qr/\Adeadheat: cannot write standard output: /, '... and why');
	}
}

done_testing;

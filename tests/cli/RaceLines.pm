# SPDX-License-Identifier: MIT
# Lines as `deadheat run --json` writes them, with a say in every part, for tests of what is
# made of many; Findings.pm has whole files of a more ordinary kind.
#
#   my $file = trace(lines(run_line(), race(first => ['get', 'main'], object => 'x')));
package RaceLines;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();

our @EXPORT = qw(lines run_line race access_of stack_of summary_line);

my $json = JSON::PP->new->latin1->canonical; # bytes go in as they are

sub lines { return join '', map { $json->encode($_) . "\n" } @_ }

sub run_line
{
	my (%more) = @_;
	return {type => 'run', version => 1, engine => 'fasttrack', process => 1, %more};
}

sub summary_line
{
	my (%more) = @_;
	return {type => 'summary', complete => JSON::PP::true, races => 1, met => 1,
		losses => {}, %more};
}

# Functions, innermost first: a name, or [name, file, line].
sub stack_of
{
	return [map {
		my ($function, $file, $line) = ref $_ ? @$_ : ($_);
		my $frame = {pc => '0x' . sprintf('%x', 4096 + int(rand 1 << 30)),
			module => '/opt/app', offset => '0x10', function => $function,
			file => defined $file ? $file : '/src/app.c', line => $line || 10,
				column => 3};
		$frame;
	} @_];
}

sub access_of
{
	my ($op, $stack, %more) = @_;
	return {op => $op, atomic => JSON::PP::false, address => '0x5000', size => 4,
		thread => 1, stack => stack_of(@$stack), %more};
}

my $serial = 0;

# first, second: stacks; ops: [first, second]; object: the name of a global, or a hash;
# more: other keys.
sub race
{
	my (%how) = @_;
	my ($one, $two) = @{$how{ops} || ['write', 'read']};
	my $object = $how{object};
	$object = {kind => 'global', name => defined $object ? $object : 'x', base => '0x5000',
		size => 4, offset => 0, module => '/opt/app'} unless ref $object;
	return {
		type => 'race', serial => ++$serial, grade => $how{grade} || 'observed',
		address => '0x5000', size => 4,
		first => access_of($one, $how{first} || ['put', 'main'], %{$how{of_first} || {}}),
		second => access_of($two, $how{second} || ['get', 'main'], thread => 2,
			%{$how{of_second} || {}}),
		object => $object,
		threads => [
			{id => 1, main => JSON::PP::true, running => JSON::PP::true, os_id => 1},
			{id => 2, main => JSON::PP::false, running => JSON::PP::true, os_id => 2,
				parent => 1, created => stack_of('main')},
		],
		%{$how{more} || {}},
	};
}

1;

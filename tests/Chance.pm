# SPDX-License-Identifier: MIT
# Numbers of our own for tests that make things up, so that a seed is the same program
# wherever it is made.
package Chance;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(start below pick chance);

my $state;
sub start { ($state) = @_; below(2) for 1 .. 8; return }

sub below
{
	my ($n) = @_;
	use integer;
	$state = $state * 6364136223846793005 + 1442695040888963407;
	my $high = ($state >> 33) & 0x7fffffff;
	return $high % $n;
}

sub pick { return $_[below(scalar @_)] }
sub chance { return below(100) < $_[0] }

1;

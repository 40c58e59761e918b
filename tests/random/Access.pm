# SPDX-License-Identifier: MIT
# Random accesses to memory: the text of a line (in the words of random.h), and what it
# reads and writes, to the byte.
#
# A variable is a hash: where (an expression for its address), size in bytes, kind, and
# `atomic` where atomic accesses of its bytes are among its uses. An access is a hash: var,
# from and to (bytes), write, atomic, and perhaps `sure`, the bytes that it cannot do without.
# A variable that has `inline` is accessed in the line itself, without a call.
package Access;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(roll pick chance below);

use constant OWN => 512; # bytes that each thread has for itself, `own`

sub below { return int rand $_[0] }
sub chance { return rand(100) < $_[0] }
sub pick { return $_[int rand @_] }

# Which kinds of lines there are, and how often each is tried.
my @forms = (
	[\&plain, 30], [\&unaligned, 8], [\&wide, 5], [\&add, 8], [\&bits, 6], [\&fill, 5],
	[\&copy_in, 5], [\&copy_out, 4], [\&copy_between, 5], [\&move, 2], [\&structure, 4],
	[\&each_element, 6], [\&atomic, 8],
);

# A line that accesses the variable, and perhaps one of the others too: (text, accesses).
sub roll
{
	my ($var, @others) = @_;
	my $total = 0;
	$total += $_->[1] for @forms;
	for (1 .. 40) {
		my $n = below($total);
		my ($form) = grep { ($n -= $_->[1]) < 0 } @forms;
		my ($text, @accesses) = $form->[0]->($var, @others);
		next unless defined $text;
		$text = 'AGAIN(' . (2 + below(3)) . ", $text)" if chance(10);
		return ($text, @accesses);
	}
	return ("READ(a1, $var->{where})", range($var, 0, 1, 0));
}

sub range
{
	my ($var, $from, $size, $write, $atomic) = @_;
	return {var => $var, from => $from, to => $from + $size, write => $write,
		atomic => $atomic || 0};
}

sub place
{
	my ($var, $from) = @_;
	return "$var->{where} + $from";
}

# An offset for that many bytes at that alignment, or nothing.
sub offset
{
	my ($var, $size, $alignment) = @_;
	return if $var->{size} < $size;
	return $alignment * below(int(($var->{size} - $size) / $alignment) + 1);
}

sub one
{
	my ($var, $type, $size, $alignment) = @_;
	my $from = offset($var, $size, $alignment) // return;
	my $write = below(2);
	my $name = $write ? 'write' : 'read';
	my $at = place($var, $from);
	my $call = chance(30) && !$var->{inline};
	my $text = $call ? "${name}_$type($at)" : uc($name) . "($type, $at)";
	return ($text, range($var, $from, $size, $write));
}

sub plain
{
	my ($var) = @_;
	my $size = pick(1, 2, 4, 4, 8, 8);
	return one($var, "a$size", $size, $size);
}

sub unaligned
{
	my ($var) = @_;
	my $size = pick(2, 4, 8);
	return one($var, "u$size", $size, 1);
}

sub wide
{
	my ($var) = @_;
	my ($type, $alignment) = @{pick(['a16', 16], ['u16', 1])};
	my $from = offset($var, 16, $alignment) // return;
	my $write = below(2);
	return (($write ? 'WRITE' : 'READ') . "_WIDE($type, " . place($var, $from) . ')',
		range($var, $from, 16, $write));
}

sub add
{
	my ($var) = @_;
	my $size = pick(1, 2, 4, 8);
	my $from = offset($var, $size, $size) // return;
	return ("ADD(a$size, " . place($var, $from) . ')', range($var, $from, $size, 1));
}

# Where the fields are. A compiler may do without the other bytes of the unit.
my %bytes_of = (x1 => [0, 1], y1 => [0, 1], x2 => [0, 1], y2 => [0, 2],
	x4 => [0, 2], y4 => [1, 3], z4 => [2, 4]);

sub bits
{
	my ($var) = @_;
	my $size = pick(1, 2, 4);
	my $from = offset($var, $size, $size) // return;
	my $write = below(2);
	my $field = pick('x', 'y', $size == 4 ? 'z' : 'x');
	my ($first, $last) = @{$bytes_of{"$field$size"}};
	return (($write ? 'WRITE' : 'READ') . "_BITS(struct bits$size, $field, "
		. place($var, $from) . ')', {%{range($var, $from, $size, $write)},
		sure => [$from + $first, $from + $last]});
}

# Some bytes of a variable, up to so many: (offset, size).
sub part
{
	my ($var, $limit) = @_;
	my $size = 1 + below($var->{size});
	$size = $var->{size} if chance(30);
	$size = $limit if $size > $limit;
	return (below($var->{size} - $size + 1), $size);
}

sub fill
{
	my ($var) = @_;
	my ($from, $size) = part($var, $var->{size});
	return ('FILL(' . place($var, $from) . ", $size)", range($var, $from, $size, 1));
}

sub copy_in
{
	my ($var) = @_;
	my ($from, $size) = part($var, OWN);
	return ('COPY_BYTES(' . place($var, $from) . ", own, $size)", range($var, $from, $size, 1));
}

sub copy_out
{
	my ($var) = @_;
	my ($from, $size) = part($var, OWN);
	return ('COPY_BYTES(own, ' . place($var, $from) . ", $size)", range($var, $from, $size, 0));
}

sub two
{
	my ($var, @others) = @_;
	my $other = pick(grep { $_ != $var } @others) // return;
	my ($small, $large) = sort { $a->{size} <=> $b->{size} } $var, $other;
	my ($from, $size) = part($small, $small->{size});
	my $also = below($large->{size} - $size + 1);
	return chance(50) ? ($small, $from, $large, $also, $size)
		: ($large, $also, $small, $from, $size);
}

sub copy_between
{
	my ($target, $to, $source, $from, $size) = two(@_) or return;
	return unless defined $size;
	return ('COPY_BYTES(' . place($target, $to) . ', ' . place($source, $from) . ", $size)",
		range($source, $from, $size, 0), range($target, $to, $size, 1));
}

sub move
{
	my ($var) = @_;
	return if $var->{size} < 3;
	my $size = 1 + below($var->{size} - 1);
	my ($to, $from) = map { below($var->{size} - $size + 1) } 1, 2;
	return if $to == $from; # a compiler drops it
	return ('MOVE_BYTES(' . place($var, $to) . ', ' . place($var, $from) . ", $size)",
		range($var, $from, $size, 0), range($var, $to, $size, 1));
}

sub structure
{
	my ($target, $to, $source, $from, $room) = two(@_) or return;
	return unless defined $room;
	my $size = pick(grep { $_ <= $room } 3, 7, 12, 16, 24, 40, 100) // return;
	return ("COPY($size, " . place($target, $to) . ', ' . place($source, $from) . ')',
		range($source, $from, $size, 0), range($target, $to, $size, 1));
}

sub each_element
{
	my ($var) = @_;
	my $size = pick(1, 2, 4, 8);
	my $count = 2 + below(12);
	my $from = offset($var, $size * $count, $size) // return;
	my $write = below(2);
	return (($write ? 'WRITE' : 'READ') . "_EACH(a$size, " . place($var, $from) . ", $count)",
		range($var, $from, $size * $count, $write));
}

# An atomic access that orders nothing.
sub atomic
{
	my ($var) = @_;
	return unless $var->{atomic};
	my $size = pick(1, 2, 4, 8);
	my $from = offset($var, $size, $size) // return;
	my ($name, $write) = @{pick(['LOAD', 0], ['STORE', 1], ['FETCH_ADD', 1])};
	return ("$name(a$size, " . place($var, $from) . ', __ATOMIC_RELAXED)',
		range($var, $from, $size, $write, 1));
}

1;

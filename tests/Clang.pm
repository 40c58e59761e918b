# SPDX-License-Identifier: MIT
# What tests of src/pass share: the compiler whose code it changes, and building with it.
package Clang;
use strict;
use warnings;
use Exporter 'import';
use Programs;

our @EXPORT = qw(OLDEST find_clang passed_by build_or_die write_lines differences);

use constant {BUILD_LIMIT => 300, OLDEST => 15};

# Is its LLVM a library that can be loaded?
sub has_library
{
	my ($clang) = @_;
	my ($path) = grep { -x } map { "$_/$clang" } split /:/, $ENV{PATH};
	my $needs = `ldd "$path" 2>/dev/null`;
	return $needs =~ /libLLVM[^ ]* => \//;
}

sub usable
{
	my ($clang) = @_;
	return 0 unless installed($clang);
	my ($version) = `$clang --version 2>/dev/null` =~ /clang version (\d+)/;
	return ($version // 0) >= OLDEST && has_library($clang);
}

# The name of one that will do, if there is any.
sub find_clang
{
	my ($clang) = grep { usable($_) } 'clang-22', map({ "clang-$_" } reverse OLDEST .. 30),
		'clang';
	return $clang;
}

# The environment in which src/pass is passed by, and flags for what is asked of clang where it
# is not, so that it is the same code which has the calls for single accesses: what is
# unrolled may have stores less.
sub passed_by
{
	return ({DEADHEAT_LOOPS => 'no'}, map { ('-mllvm', "-unroll-$_") }
		qw(allow-partial=false runtime=false full-max-count=15));
}

# Runs a command that builds something, with output in BASE.out and BASE.err.
sub build_or_die
{
	my ($base, $env, @command) = @_;
	my $status = run_command(BUILD_LIMIT, $base, $env, @command);
	die "does not build: $status\n" . slurp("$base.err") if $status ne 0;
	return;
}

sub write_lines
{
	my ($path, @lines) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	print $out map { "$_\n" } @lines;
	close $out or die "$path: $!\n";
	return;
}

# Of two files, by lines, what differs.
sub differences
{
	my ($what, $base, $a, $b) = @_;
	my @a = split /\n/, slurp("$base.$a");
	my @b = split /\n/, slurp("$base.$b");
	my @wrong;
	push @wrong, "$what: " . @a . ' lines and ' . @b if @a != @b;
	for my $i (0 .. ($#a < $#b ? $#a : $#b)) {
		push @wrong, "$what:\n    $a[$i]\n    $b[$i]" if $a[$i] ne $b[$i];
	}
	return @wrong;
}

1;

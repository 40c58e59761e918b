#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The runtime library defines every name that the compilers' own runtimes of race
# detection define for compilers and users, but for those in abi_exceptions.txt:
#
#   NAME-OR-PATTERN   reason        # in patterns, * stands for any characters
#
# $DEADHEAT_RUNTIME is our library. The others are found through the compilers that are
# installed.
use strict;
use warnings;
use FindBin;
use Test::More;

my $ours = $ENV{DEADHEAT_RUNTIME} || die "\$DEADHEAT_RUNTIME does not name the library\n";
my $meant = qr/^(?:__tsan_|Annotate|WTFAnnotate|__sanitizer_|RunningOnValgrind$
	|ValgrindSlowdown$|ThreadSanitizerQuery$)/x;

sub output_of
{
	my @command = @_;
	open my $errors, '>&', \*STDERR or die "stderr: $!\n";
	open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
	my ($from, $text);
	{
		local $/;
		$text = <$from> if open $from, '-|', @command;
	}
	open STDERR, '>&', $errors or die "stderr: $!\n";
	return defined $text ? $text : '';
}

# The names that a library or archive defines for others.
sub names_of
{
	my ($path, @options) = @_;
	my %names;
	for (split /\n/, output_of('nm', '-P', '--defined-only', @options, $path)) {
		my ($name, $type) = /^(\S+) ([A-Z])\b/ or next;
		$name =~ s/@.*//;
		$names{$name} = 1 if $name =~ $meant && $type =~ /[TWVDBi]/;
	}
	return \%names;
}

sub installed
{
	my ($command) = @_;
	return grep { -x "$_/$command" } split /:/, $ENV{PATH};
}

# ---- exceptions ----

my (@exceptions, %used);
open my $in, '<', "$FindBin::Bin/abi_exceptions.txt" or die "abi_exceptions.txt: $!\n";
while (<$in>) {
	next if /^\s*(?:#|$)/;
	my ($pattern, $reason) = /^(\S+)\s+(\S.*)$/ or die "abi_exceptions.txt:$.: no reason\n";
	my $regex = join '.*', map { quotemeta } split /\*/, $pattern, -1;
	push @exceptions, {pattern => $pattern, regex => qr/^$regex$/};
}

sub excepted
{
	my ($name) = @_;
	my @by = grep { $name =~ $_->{regex} } @exceptions;
	$used{$_->{pattern}} = 1 for @by;
	return @by > 0;
}

# ---- the comparison ----

my $have = names_of($ours, '-D', '-g');
cmp_ok(scalar keys %$have, '>', 200, 'our library has names');

sub compare
{
	my ($what, $theirs) = @_;
	cmp_ok(scalar keys %$theirs, '>', 100, "$what: has names");
	my @missing = grep { !$have->{$_} && !excepted($_) } sort keys %$theirs;
	is("@missing", '', "$what: all are ours too");
	my @both = grep { $have->{$_} && excepted($_) } sort keys %$theirs;
	is("@both", '', "$what: no exception is one of ours");
}

my $peers = 0;
SKIP: {
	chomp(my $path = output_of('gcc', '-print-file-name=libtsan.so'));
	skip 'gcc has no library of race detection', 3 unless $path =~ m{/} && -e $path;
	compare('gcc', names_of($path, '-D', '-g'));
	$peers++;
}
for my $clang (qw(clang-14 clang-22)) {
	SKIP: {
		skip "$clang is not installed", 4 unless installed($clang);
		chomp(my $dir = output_of($clang, '-print-resource-dir'));
		my ($path) = glob join ' ',
			map { "$dir/lib/*/libclang_rt.$_.a" } qw(tsan-x86_64 tsan);
		skip "$clang has no library of race detection", 4 unless $path && -e $path;
		compare($clang, names_of($path, '-g'));
		$peers++;

		my %declared;
		for my $header (glob "$dir/include/sanitizer/tsan_interface*.h") {
			open my $text, '<', $header or die "$header: $!\n";
			while (<$text>) {
				s{//.*}{};
				$declared{$1} = 1 while /\b(__tsan_\w+)\(/g;
			}
		}
		my @missing = grep { !$have->{$_} && !excepted($_) } sort keys %declared;
		is("@missing", '', "$clang: all functions of its headers are ours too");
	}
}

SKIP: {
	skip 'not all compilers are installed', 1 unless $peers == 3;
	my @unused = grep { !$used{$_} } map { $_->{pattern} } @exceptions;
	is("@unused", '', 'every exception is needed');
}

done_testing();

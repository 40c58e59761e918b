#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# usage: tools/check_docs.pl SOURCE-DIR PROGRAM
# The docs keep up with the program: every command has a man page with exactly the
# options of its --help, every engine and filter a place in the README and in
# docs/engines, every relative link in a Markdown file leads somewhere, NEWS.md knows the
# version, and the report at the top of the README is what the program prints.
use strict;
use warnings;
use Cwd 'abs_path';

my ($source, $program) = @ARGV;
die "usage: $0 SOURCE-DIR PROGRAM\n" unless defined $program;
$program = abs_path($program);
die "$program: not there\n" unless -x $program;
chdir $source or die "$source: $!\n";
my $bad = 0;

sub offence { print "@_\n"; $bad++ }

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or return '';
	local $/;
	return scalar <$in>;
}

sub options { return map { $_ => 1 } $_[0] =~ /(?<![\w-])(--[a-z][a-z-]*)/g }

# mdoc and man source alike: `Fl -name` and `\-\-name` are `--name`.
sub man_options
{
	my ($text) = @_;
	$text =~ s/^\.\\".*$//mg;
	$text =~ s/\\f[A-Z]|\\f\[\w*\]//g;
	$text =~ s/\\-/-/g;
	$text =~ s/\bFl -/--/g;
	return options($text);
}

sub check_command
{
	my ($command) = @_;
	my $page = "docs/man/deadheat-$command.1";
	return offence("$page: missing") unless -e $page;
	my %help = options(scalar `$program $command --help`);
	my %man = man_options(slurp($page));
	delete @$_{'--help'} for \%help, \%man;
	offence("$page: $_ is in `deadheat $command --help` only")
		for grep { !$man{$_} } sort keys %help;
	offence("$page: $_ is not in `deadheat $command --help`")
		for grep { !$help{$_} } sort keys %man;
}

my @commands = join('', `$program --help`) =~ /^  (\w+) /mg;
offence("$program --help names no commands") unless @commands;
check_command($_) for @commands;
my $main = slurp('docs/man/deadheat.1');
offence("docs/man/deadheat.1: no word of $_") for grep { $main !~ /^\.It Ic $_$/m } @commands;

my $readme = slurp('README.md');
my $pages = join '', map { slurp($_) } glob 'docs/engines/*.md';
for my $line (`$program engines --names`) {
	my ($kind, $name) = split ' ', $line;
	offence("README.md: no word of the $kind `$name`") unless $readme =~ /`\Q$name\E`/;
	offence("docs/engines: no word of the $kind `$name`")
		unless $pages =~ /^# \Q$name\E$|`\Q$name\E`/m;
}

my @markdown = (glob('*.md'), glob('examples/*.md'), glob('docs/*.md'), glob('docs/*/*.md'));
for my $file (@markdown) {
	my ($folder) = $file =~ m{^(.*/)} ? $1 : '';
	for my $link (slurp($file) =~ /\]\(([^)\s]+)\)/g) {
		next if $link =~ m{^(\w+:|#)};
		$link =~ s/#.*//;
		offence("$file: the link to $link leads nowhere") unless -e "$folder$link";
	}
}

my ($version) = `$program --version` =~ /(\d[\d.]*)/;
offence("NEWS.md: no word of version $version") unless slurp('NEWS.md') =~ /\b\Q$version\E\b/;

my ($command) = $readme =~ /^\$ (?:build\/)?deadheat (analyze .*)$/m;
my $report = defined $command ? `$program $command` : '';
offence('README.md: the sample report is not what the program prints')
	unless length $report && index($readme, $report) >= 0;

printf "%d commands, %d Markdown files, %d offences\n", scalar @commands, scalar @markdown,
	$bad;
exit($bad ? 1 : 0);

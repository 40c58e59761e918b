#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# usage: tools/check_docs.pl SOURCE-DIR PROGRAM
# The docs keep up with the program: every command has a man page with exactly the
# options of its --help, every option of the runtime a place in docs/runtime.md, every
# engine and filter one in the README and in docs/engines, every design page one in their
# index, every relative link in a Markdown file leads somewhere, NEWS.md knows the
# version, and the reports in README.md and docs/runtime.md are what the program prints.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';

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

my %guide = options(slurp('docs/runtime.md'));
my %runtime = options(scalar `$program run --help`);
offence("docs/runtime.md: no word of $_")
	for grep { !$guide{$_} && $_ ne '--help' } sort keys %runtime;

my $index = slurp('docs/design/README.md');
for my $page (map { m{([^/]+)$} } glob 'docs/design/*.md') {
	offence("docs/design/README.md: no word of $page")
		unless $page eq 'README.md' || index($index, "]($page)") >= 0;
}

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
offence('README.md: the report on the trace is not what the program prints')
	unless length $report && index($readme, $report) >= 0;

# The race of examples/bank.c that every run has, as reported somewhere in a text. Of the
# two threads either may be the later one, addresses and the place of the program differ,
# and compilers do not agree on columns: so what is left is compared as a set of lines.
sub bank_report
{
	my ($text) = @_;
	my ($block) = $text =~
		/^(deadheat: data race \(observed\) on audit\.last\n.*?)^deadheat: \d+ dist/ms
		or return '';
	$block =~ s/^deadheat: data race \(observed\) on (?!audit\.last\n).*//ms;
	$block =~ s/\bthread \d+( \(ended\))?/thread N/g;
	$block =~ s/\(0x[0-9a-f]+ in \S+\)/(ADDRESS in PROGRAM)/;
	$block =~ s/(\.c:\d+):\d+/$1/g;
	return join "\n", sort grep { length } split /\n/, $block;
}

my $dir = tempdir(CLEANUP => 1);
my $built = system($program, 'cc', 'examples/bank.c', '-o', "$dir/bank") == 0;
my $found = bank_report($built ? scalar `$program run $dir/bank 2>&1 >/dev/null` : '');
offence('examples/bank.c: no report on audit.last, or it cannot be built')
	unless length $found;
for my $page ('README.md', 'docs/runtime.md') {
	offence("$page: the report on audit.last is not what the program prints")
		unless bank_report(slurp($page)) eq $found;
}

# The trace is a run of that program: it has the lines of it.
my ($said) = slurp('examples/bank.std') =~ /w\(audit\.last\)=\d+\|bank\.c:(\d+)/;
offence('examples/bank.std: its lines are not those of examples/bank.c')
	unless ((split /\n/, slurp('examples/bank.c'))[($said || 1) - 1] || '') =~ /audit\.last =/;

printf "%d commands, %d Markdown files, %d offences\n", scalar @commands, scalar @markdown,
	$bad;
exit($bad ? 1 : 0);

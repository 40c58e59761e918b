#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check_style.sh SOURCE-DIR
# What a reader of any file may count on: a licence line at its top, lines of at most
# 100 columns, no blanks at line ends, and few enough lines to be read in a sitting.
set -eu
cd "$1"

find src tests tools $(ls -d include bench 2>/dev/null) -type f \
	\( -name '*.[ch]' -o -name '*.sh' -o -name '*.t' -o -name '*.pm' -o -name '*.p[ly]' \
	-o -name meson.build \) | sort | xargs perl -CSD -e '
my ($files, $bad) = (0, 0);
sub offence { print "$_[0]\n"; $bad++ }
for my $file (@ARGV) {
	my $licence = 0;
	open my $in, "<", $file or die "$file: $!\n";
	while (my $line = <$in>) {
		chomp $line;
		$licence ||= $. <= 2 && $line =~ /SPDX-License-Identifier: MIT/;
		offence("$file:$.: blanks at the end of the line") if $line =~ /\s$/;
		1 while $line =~ s/\t/" " x (8 - $-[0] % 8)/e;
		offence("$file:$.: ${\length $line} columns, at most 100")
			if length $line > 100;
	}
	my $most = $file =~ m{^(src|include)/} ? 600 : 1000;
	offence("$file: $. lines, at most $most: wants splitting") if $. > $most;
	offence("$file: no SPDX-License-Identifier line at the top")
		unless $licence || $file =~ /meson\.build$/;
	$files++;
}
print "$files files, $bad offences\n";
exit($bad || !$files ? 1 : 0);
'

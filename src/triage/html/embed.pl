#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# usage: embed.pl OUT.c PAGE.html STYLE.css SCRIPT.js...
# Makes the page's fixed parts into C strings: style and scripts go in where the page has
# {{style}} and {{script}}, and the policy allows these two alone, by their hashes. What is
# left to fill in at run time ({{static}}, {{data}}) splits the page.
use strict;
use warnings;
use Digest::SHA 'sha256_base64';

sub slurp {
	open my $in, '<:raw', $_[0] or die "$_[0]: $!\n";
	local $/;
	return scalar <$in>;
}

# As Content-Security-Policy wants it: with the padding that Digest::SHA leaves out.
sub hash {
	my $digest = sha256_base64($_[0]);
	$digest .= '=' while length($digest) % 4;
	return "'sha256-$digest'";
}

my ($out, $page, $style, @scripts) = @ARGV;
my $html = slurp($page);
my $css = slurp($style);
my $js = join '', map { slurp($_) } @scripts;
die "a script or style must not end its element\n" if "$css$js" =~ m{</(?:script|style)}i;

my $policy = join '; ', "default-src 'none'", 'script-src ' . hash($js),
	'style-src ' . hash($css), 'img-src data:', "base-uri 'none'", "form-action 'none'",
	"require-trusted-types-for 'script'", "trusted-types 'none'";
my %fixed = (policy => $policy, style => $css, script => $js);
my @parts = split /\{\{(?:static|data)\}\}/, $html;
s/\{\{(policy|style|script)\}\}/$fixed{$1}/g for @parts;

open my $to, '>:raw', $out or die "$out: $!\n";
print $to "/* Made by embed.pl from the files of the page. */\n#include \"triage/page.h\"\n\n",
	"const char *const dh_page_parts[DH_PAGE_PARTS] = {\n";
for my $part (@parts) {
	for my $line ($part =~ /(.*\n?)/g) {
		next if $line eq '';
		$line =~ s/([\\"?])/\\$1/g;
		$line =~ s/\n/\\n/;
		$line =~ s/\t/\\t/g;
		$line =~ s/([^ -~])/sprintf '\\%03o', ord $1/ge;
		print $to qq(\t"$line"\n);
	}
	print $to "\t,\n";
}
print $to "};\n";
close $to or die "$out: $!\n";

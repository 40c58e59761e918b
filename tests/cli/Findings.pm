# SPDX-License-Identifier: MIT
# Files of findings as `deadheat run --json` writes them (docs/formats/findings.md), made up
# for tests of what reads them.
#
#   my $file = findings([race(variable => 'count'), race(first => 'put', second => 'get')]);
#   my $file = hostile();                        # every name is out to do harm
package Findings;
use strict;
use warnings;
use Deadheat;
use Exporter 'import';
use JSON::PP ();

our @EXPORT = qw(race findings lines hostile hostile_names);

my $files = 0;

# A stack of functions, innermost first; the file and line of the innermost.
sub stack
{
	my ($functions, $file, $line) = @_;
	my @frames;
	for my $function (ref $functions ? @$functions : $functions) {
		push @frames, {
			pc => '0x1000', module => '/app/prog', offset => '0x1000',
			function => $function, file => $file, line => $line + 10 * @frames,
			column => 3,
		};
	}
	return \@frames;
}

# first, second: functions; file, line, variable, lock, thread: names. Others as they are.
sub race
{
	my %of = (first => 'put', second => 'get', file => '/app/src/queue.c', line => 20,
		variable => 'queue', part => '.head', thread => 'worker', lock => 'queue_lock', @_);
	my $lock = {
		address => '0x5000', mode => 'write', name => $of{lock},
		taken => stack('lock_queue', $of{file}, 5),
	};
	return {
		type => 'race', serial => $of{serial} || 1, grade => $of{grade} || 'observed',
		address => '0x4000', size => 8,
		first => {
			op => 'write', atomic => JSON::PP::false, address => '0x4000', size => 8,
			thread => 1, locks => [], stack => stack($of{first}, $of{file}, $of{line}),
		},
		second => {
			op => 'read', atomic => JSON::PP::false, address => '0x4000', size => 8,
			thread => 2, locks => [$lock],
			stack => stack($of{second}, $of{file}, $of{line} + 5),
		},
		object => $of{object} || {
			kind => 'global', name => $of{variable}, part => $of{part},
			base => '0x4000', size => 64, offset => 8, module => '/app/prog',
			file => $of{file}, line => 3,
		},
		threads => [
			{id => 0, main => JSON::PP::true, running => JSON::PP::true, os_id => 100},
			map { {
				id => $_, main => JSON::PP::false, running => JSON::PP::true,
				os_id => 100 + $_, name => $of{thread}, parent => 0,
				created => stack('main', $of{file}, 100 + $_),
			} } 1, 2
		],
	};
}

# The lines of a run: header, races, evidence, summary. process sets it apart from others.
sub lines
{
	my ($races, %of) = @_;
	my $json = JSON::PP->new->canonical->latin1;
	my $serial = 0;
	$_->{serial} = ++$serial for @$races;
	my $run = {type => 'run', version => 1, engine => 'fasttrack',
		process => $of{process} || 100};
	my $summary = {type => 'summary', complete => JSON::PP::true, races => scalar @$races,
		met => scalar @$races, losses => $of{losses} || {}, counters => {}, modules => []};
	return join '', map { $json->encode($_) . "\n" } $run, @$races, @{$of{evidence} || []},
		$summary;
}

# A file of these, by its path.
sub findings
{
	my ($races, %of) = @_;
	return trace(lines($races, %of), 'findings' . ++$files . '.json');
}

my @names = (
	'<script>alert(1);document.title="harm"</script>',
	'</script><img src=x onerror="document.title=\'harm\'">',
	'<!--<script>', ']]>', '"quoted" \'twice\' `and` \\back\\', "two\nlines\r\tand a tab",
	"\x1b[31mred\x07", "\xe2\x80\xa8\xe2\x80\xa9", "\xe2\x80\xaereversed",
	"\xff\xfe no UTF-8 \xc3", '[link](http://example.com)', '{0} %s %n {{data}}',
	'a' x 3000,
);

# Names that are out to do harm: to markup, scripts, terminals, links, formats.
sub hostile_names { return @names }

# Findings in which each of them is every name in turn.
sub hostile
{
	return findings([map {
		race(first => ["put$_", $_], second => "get$_", file => "/app/$_.c",
			variable => $_, part => undef, thread => $_, lock => $_)
	} @names]);
}

1;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat report --format sarif`: against the schema, and what it says. The full schema
# is used where $DEADHEAT_SARIF_SCHEMA names a copy of sarif-schema-2.1.0.json; the part of
# it that we write is in sarif_subset.json.
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use File::Basename 'dirname';
use File::Temp 'tempdir';
use Test::More;
use lib dirname(__FILE__);
use Deadheat;
use Findings;
use JSON::PP ();
use JsonSchema;

my $here = abs_path(dirname(__FILE__));

sub schema
{
	my $text = Deadheat::slurp($_[0]);
	$text =~ s/^\xef\xbb\xbf//;
	return JSON::PP->new->utf8->decode($text);
}

my $subset = schema("$here/sarif_subset.json");
my $full = $ENV{DEADHEAT_SARIF_SCHEMA} ? schema($ENV{DEADHEAT_SARIF_SCHEMA}) : undef;

# What the schema cannot say: references lead somewhere.
sub loose_ends
{
	my ($log) = @_;
	my @bad;
	my $run = $log->{runs}[0];
	my $rules = $run->{tool}{driver}{rules};
	for my $r (@{$run->{results}}) {
		my $rule = $rules->[$r->{ruleIndex}];
		push @bad, "ruleIndex of $r->{ruleId}" unless $rule && $rule->{id} eq $r->{ruleId};
		my %ids = map { $_->{id} => 1 } @{$r->{relatedLocations}};
		push @bad, 'two related locations with one id'
			unless keys %ids == @{$r->{relatedLocations}};
		for my $id ($r->{message}{text} =~ /(?<!\\)\]\((\d+)\)/g) {
			push @bad, "a link to $id" unless $ids{$id};
		}
		push @bad, 'a first location without a place'
			unless $r->{locations}[0]{physicalLocation};
	}
	my $text = JSON::PP->new->canonical->encode($log);
	for my $base ($text =~ /"uriBaseId":"([^"]*)"/g) {
		push @bad, "uriBaseId $base" unless $run->{originalUriBaseIds}{$base};
	}
	return @bad;
}

# The log that a report writes; tests that it is valid.
sub sarif
{
	my ($name, @arguments) = @_;
	my $r = deadheat('report', '--format', 'sarif', @arguments);
	my $noise = grep { $_ eq '--suppressions' } @arguments;
	is($r->{err}, '', "$name: no complaint") unless $noise;
	my $log = json_of($r);
	is(join("\n", offences($subset, $log)), '', "$name: fits the part of the schema");
	is(join("\n", loose_ends($log)), '', "$name: references lead somewhere");
SKIP: {
		skip 'DEADHEAT_SARIF_SCHEMA names no schema', 1 unless $full;
		is(join("\n", offences($full, $log)), '', "$name: fits the full schema");
	}
	return wantarray ? ($log, $r->{status}) : $log;
}

part('the check itself', sub {
	my $log = sarif('one race', findings([race()]));
	my $spoil = sub {
		my ($name, $change) = @_;
		my $copy = JSON::PP->new->utf8->decode(JSON::PP->new->utf8->encode($log));
		$change->($copy->{runs}[0]);
		ok(offences($subset, $copy) > 0 || loose_ends($copy) > 0, "sees $name");
	};
	$spoil->('a key that is not known', sub { $_[0]{results}[0]{colour} = 'red' });
	$spoil->('a level that there is not', sub { $_[0]{results}[0]{level} = 'loud' });
	$spoil->('a result without a message', sub { delete $_[0]{results}[0]{message} });
	$spoil->('a line 0',
		sub { $_[0]{results}[0]{locations}[0]{physicalLocation}{region}{startLine} = 0 });
	$spoil->('a file with a blank', sub {
		$_[0]{results}[0]{locations}[0]{physicalLocation}{artifactLocation}{uri} = 'a b';
	});
	$spoil->('a rule that there is not', sub { $_[0]{results}[0]{ruleIndex} = 99 });
	$spoil->('a link to nowhere', sub { $_[0]{results}[0]{relatedLocations} = [] });
	$spoil->('a number as a text', sub { $_[0]{results}[0]{occurrenceCount} = 'one' });
});

part('a result', sub {
	my $dir = tempdir(CLEANUP => 1);
	mkdir "$dir/src";
	open my $to, '>', "$dir/src/queue.c" or die;
	print $to "line $_\n" for 1 .. 200;
	close $to;
	my $file = findings([race(file => "$dir/src/queue.c"),
			race(file => '/elsewhere/other file.c', first => 'a', second => 'b',
				variable => 'other')]);
	my $back = getcwd;
	chdir $dir or die;
	my ($log, $status) = sarif('two races', $file);
	chdir $back or die;
	is($status, 66, 'exit status');
	my $run = $log->{runs}[0];
	is($run->{invocations}[0]{exitCode}, 66, 'and that in the log');
	is($run->{tool}{driver}{name}, 'Deadheat', 'the tool');
	my ($version) = deadheat('--version')->{out} =~ /^deadheat (\S+)$/;
	is($run->{tool}{driver}{version}, $version, 'its version');
	is(scalar @{$run->{results}}, 2, 'a result for each cause');
	my ($q) = grep { $_->{message}{text} =~ /^Data race on queue\.head: / } @{$run->{results}};
	like($q->{message}{text},
		qr/: read of 8 bytes in get, earlier \[write of 8 bytes in put\]\(1\)\./,
		'both accesses in the message, the earlier one linked');
	is($q->{level}, 'error', 'observed is an error');
	my $at = $q->{locations}[0]{physicalLocation};
	is_deeply($at->{artifactLocation}, {uri => 'src/queue.c', uriBaseId => 'SRCROOT'},
		'a file below the folder by its relative name');
	is_deeply([@{$at->{region}}{qw(startLine startColumn endLine endColumn)}],
		[25, 3, 25, 8], 'the line of the later access');
	is($at->{region}{snippet}{text}, 'line 25', 'and its source');
	is($at->{contextRegion}{startLine}, 22, 'with some around it');
	is($q->{locations}[0]{logicalLocations}[0]{fullyQualifiedName}, 'get', 'its function');
	my ($first) = grep { $_->{id} == 1 } @{$q->{relatedLocations}};
	is($first->{physicalLocation}{region}{startLine}, 20, 'the earlier access is related');
	ok((grep { $_->{message}{text} =~ /declared/ } @{$q->{relatedLocations}}),
		'so is the declaration');
	like($q->{partialFingerprints}{'deadheat/v1'}, qr/^[0-9a-f]{16}$/, 'a fingerprint');
	is($q->{partialFingerprints}{primaryLocationLineHash},
		$q->{partialFingerprints}{'deadheat/v1'} . ':1', 'also for GitHub');
	my $flows = $q->{codeFlows}[0]{threadFlows};
	is(scalar @$flows, 2, 'a flow for each thread');
	is(join(' | ', map { $_->{location}{message}{text} } @{$flows->[1]{locations}}),
		'thread 2 "worker" is created here | queue_lock is taken here, and held | '
			. 'read of 8 bytes: the race was noticed here',
		'creation, lock and access in their order');
	ok((grep { $_->{message}{text} =~ /^creation of thread 1/ } @{$q->{stacks}}),
		'stacks of the threads');
	my ($o) = grep { $_ != $q } @{$run->{results}};
	is($o->{locations}[0]{physicalLocation}{artifactLocation}{uri},
		'file:///elsewhere/other%20file.c', 'a file elsewhere by its whole name');
});

part('long lines', sub {
	my $trace = trace("A|w(x)|\nB|w(x)|\nA|w(y)|\nB|w(y)|\n");
	my $found = trace(deadheat('predict', '--format', 'json', $trace)->{out});
	my $log = sarif('no locations', $found);
	for my $r (@{$log->{runs}[0]{results}}) {
		my $at = $r->{locations}[0]{physicalLocation};
		is($at->{region}{startLine}, 1, 'the line of the findings has to do');
		is($at->{region}{snippet}, undef, 'but is not shown: it has all of them');
	}
	my $source = trace(('x' x 4095) . "\xc3\xa4" . ('y' x 100_000) . "\n");
	$log = sarif('a long line', findings([race(file => $source, line => 1)]));
	my ($at) = map { $_->{physicalLocation} } @{$log->{runs}[0]{results}[0]{relatedLocations}};
	is($at->{region}{snippet}{text}, 'x' x 4095, 'is cut, between two characters');
});

part('fingerprints stay', sub {
	my $print = sub { $_[0]{runs}[0]{results}[0]{partialFingerprints}{'deadheat/v1'} };
	my $one = sarif('before', findings([race(line => 20)]));
	my $two = sarif('after', findings([race(line => 50)], process => 7));
	is($print->($one), $print->($two), 'when lines move');
	my $three = sarif('another', findings([race(second => 'peek')]));
	isnt($print->($one), $print->($three), 'but not for another function');
});

part('levels, rules, baseline', sub {
	my $log = sarif('grades', findings([
		race(grade => 'potential', variable => 'a', first => 'fa', second => 'ga'),
		race(grade => 'observed', variable => 'b', first => 'fb', second => 'gb'),
	]));
	is_deeply({map { $_->{properties}{grade} => $_->{level} } @{$log->{runs}[0]{results}}},
		{observed => 'error', potential => 'note'}, 'levels are grades');
	my @ids = map { $_->{id} } @{$log->{runs}[0]{tool}{driver}{rules}};
	is(scalar(grep { $_ eq 'data-race' } @ids), 1, 'a rule for what has no pattern');
	ok(@ids >= 8, 'and one for each pattern');
	my $empty = sarif('nothing', findings([]));
	is_deeply($empty->{runs}[0]{results}, [], 'no results are an empty list');
	is_deeply($empty->{runs}[0]{tool}{driver}{rules}, $log->{runs}[0]{tool}{driver}{rules},
		'with the same rules');

	my $old = findings([race()]);
	my $new = findings([race(), race(variable => 'x', first => 'p', second => 'q')]);
	my $both = sarif('baseline', '--baseline', $old, $new);
	is_deeply({map { $_->{message}{text} =~ /race on (\w+)/, $_->{baselineState} }
			@{$both->{runs}[0]{results}}},
		{queue => 'unchanged', x => 'new'}, 'baselineState');
	ok(!(grep { exists $_->{baselineState} } @{$log->{runs}[0]{results}}),
		'none without a baseline');
});

part('suppressions', sub {
	my $rules = trace("race:put\n", 'rules.txt');
	my $seen = race(variable => 'y', first => 'r', second => 's');
	$seen->{suppressed} = 'race:s';
	my @input = ('--suppressions', $rules, findings([race(), race(second => 'peek'), $seen,
			race(variable => 'x', first => 'p', second => 'q')]));
	my $log = sarif('left out', @input);
	is(scalar @{$log->{runs}[0]{results}}, 1, 'only the other one is there');
	my ($all, $status) = sarif('kept', '--keep-suppressed', @input);
	is($status, 66, 'the other one counts');
	my %by = map { $_->{message}{text} =~ /race on (\w+)/, $_ } @{$all->{runs}[0]{results}};
	is_deeply([sort keys %by], ['queue', 'x', 'y'], 'kept: all are there');
	is_deeply($by{queue}{suppressions}, [{kind => 'external', justification => 'race:put'}],
		'with the rule, once');
	is_deeply($by{y}{suppressions}, [{kind => 'external', justification => 'race:s'}],
		'also where it was suppressed when found');
	ok(!exists $by{x}{suppressions}, 'and none else');
	($all, $status) = sarif('nothing else', '--keep-suppressed', '--suppressions', $rules,
		findings([race()]));
	is($status, 0, 'what is suppressed does not count');
	is(deadheat('report', '--format', 'sarif', '--keep-suppressed', @input)->{err},
		"deadheat: marked 1 finding, suppressed when found\n"
			. "deadheat: marked 2 findings, suppressed by 1 rule\n", 'how many');
	is(deadheat('report', '--keep-suppressed', findings([race()]))->{status}, 2,
		'not with text');
});

part('losses', sub {
	my $log = sarif('a loss', findings([race()], losses => {sites_lost => 3}));
	my $notes = $log->{runs}[0]{invocations}[0]{toolExecutionNotifications};
	is(scalar @$notes, 1, 'one note');
	like($notes->[0]{message}{text}, qr/sites_lost 3/, 'says what');
});

part('without source or names', sub {
	my $bare = race();
	for my $a (@$bare{qw(first second)}) {
		$a->{stack} = [{pc => '0x1', module => '/app/prog', offset => '0x1'}];
	}
	my $log = sarif('modules only', findings([$bare]));
	is($log->{runs}[0]{results}[0]{locations}[0]{physicalLocation}{artifactLocation}{uri},
		'file:///app/prog', 'the module stands for it');
	$_->{stack} = [] for @$bare{qw(first second)};
	$log = sarif('nothing known', findings([$bare]));
	like($log->{runs}[0]{results}[0]{locations}[0]{physicalLocation}{artifactLocation}{uri},
		qr{findings\d+\.json$}, 'the file of findings stands for it');
	sarif('a trace', do {
		my $path = trace(deadheat('analyze', '--format', 'json',
			trace("T1|w(x)|a.c:1\nT2|w(x)|b.c:2\n"))->{out}, 'analysis.json');
	});
});

part('hostile names', sub {
	my $log = sarif('hostile', hostile());
	is(scalar @{$log->{runs}[0]{results}}, scalar(hostile_names()), 'all of them are there');
	my @links = map { $_->{message}{text} =~ /(?<!\\)\]\((?!1\))([^)]*)/ }
		@{$log->{runs}[0]{results}};
	is("@links", '', 'no name becomes a link');
});

done_testing;

# SPDX-License-Identifier: MIT
# Random schedules: what a few threads do, in one order. Threads follow little scripts (a
# locked access, a hand-over, a barrier, ...) that are interleaved at random; a step is
# taken only when it would not block, so that the program can be made to do just this.
#
# A schedule is a hash: events in their order, threads, vars, objects by kind. An event has
# its thread `t`, `op`, and what the op asks for:
#
#   access                  text, accesses (Access.pm)
#   lock, unlock            lock, mode (read or write), try: was it tried
#   try_lock                fails
#   enter, leave            a mutex that the thread holds already
#   post, wait, try_wait    sem (the last fails)
#   send, receive           pipe
#   once                    once
#   tell, hear              mark: an annotation
#   load, store, rmw, cas   flag, order, fail
#   fence                   order
#   arrive                  barrier; last: all are there
#   sleep, signal           cond, lock; who signals then unlocks, and wakes the sleeper
#   create, join, end       child, detached
#   malloc, free            var
#
# and `way`, any number, where there are several ways to do the same.
package Schedule;
use strict;
use warnings;
use Access qw(roll pick chance below);

use constant {MAX_LIVE => 6, STUCK => 20_000, SMALL => 100};

my @lock_kinds = qw(mutex mutex mutex recursive errorcheck spin mtx rwlock rwlock);

# The schedule of a seed. no: what is to be left out (fences, barriers, calls; use: of what
# is freed; mixed: plain and atomic accesses to the same variable).
sub make
{
	my ($seed, %no) = @_;
	srand($seed);
	my $s = bless {
		seed => $seed, no => \%no, events => [], threads => [], vars => [],
		steps => 30 + below(90),
		wild => pick(0, 1, 3, 8, 25),	  # percent of accesses that heed nothing
		wrong => pick(0, 5, 20, 50),	  # percent of hand-overs that may order nothing
		burst => pick(0, 30, 60, 85),	  # percent: the same thread goes on
		fences => !$no{fences} && chance(30),
		most => 2 + below(9),		  # threads, in all
	}, __PACKAGE__;
	$s->make_objects;
	my $first = $s->new_thread(undef);
	$first->{stack} = $s->new_var('stack', 0) if chance(30);
	$s->new_var('global') for 1 .. 2 + below(4);
	$s->run;
	return $s;
}

sub make_objects
{
	my ($s) = @_;
	my $name = "s$s->{seed}";
	$s->{locks} = [map { {name => "${name}_lock$_", kind => pick(@lock_kinds),
		rank => $_, readers => {}} } 0 .. 1 + below(3)];
	$s->{sleepers} = [{name => "${name}_slept", kind => 'mutex', rank => 99,
		readers => {}}];
	$s->{flags} = [map { {name => "${name}_flag$_", size => pick(1, 2, 4, 4, 8)} } 0 .. 2];
	$s->{sems} = [map { {name => "${name}_sem$_", value => 0} } 0, 1];
	$s->{pipes} = [{name => "${name}_pipe", value => 0, kind => pick(qw(pipe socket event))}];
	$s->{onces} = [{name => "${name}_once", kind => pick(qw(pthread_once call_once))}];
	$s->{marks} = [{name => "${name}_mark"}];
	$s->{barriers} = [];
	$s->{conds} = [];
	return;
}

sub new_thread
{
	my ($s, $parent) = @_;
	my $t = {n => scalar @{$s->{threads}}, script => [], held => {}, parent => $parent};
	push @{$s->{threads}}, $t;
	return $t;
}

# kind: global, heap, stack. Heap and stack come to be when their time comes.
sub new_var
{
	my ($s, $kind, $owner) = @_;
	my $n = @{$s->{vars}};
	my $size = pick(1, 2, 4, 7, 8, 8, 12, 16, 16, 24, 32, 48, 64, 100);
	$size = pick(300, 5000, 200_000) if $kind eq 'heap' && chance(15);
	my $name = "s$s->{seed}_v$n";
	my $var = {n => $n, name => $name, kind => $kind, size => $size, owner => $owner,
		where => $kind eq 'global' ? $name : "at(&$name)", inline => $s->{no}{calls},
		atomic => !$s->{fences} && !$s->{no}{mixed} && chance(30),
		guard => chance(50) ? pick(@{$s->{locks}}, @{$s->{sleepers}}) : undef,
		user => below($s->{most}),
		live => $kind eq 'global'};
	push @{$s->{vars}}, $var;
	return $var;
}

sub live_vars { return grep { $_->{live} } @{$_[0]{vars}} }
sub live_threads { return grep { !$_->{ended} } @{$_[0]{threads}} }
sub open_threads { return grep { !$_->{ended} && !$_->{closing} } @{$_[0]{threads}} }

# ---- scripts ----

sub plan { my ($t, @items) = @_; push @{$t->{script}}, @items; return }

sub accesses
{
	my ($var, $most) = @_;
	return map { {op => 'access', var => $var} } 1 .. 1 + below($most);
}

# A variable that the thread may use as it is: by the rules it has one user at a time,
# or a lock.
sub usable
{
	my ($s, $t) = @_;
	my @vars = $s->live_vars;
	@vars = grep { !$_->{guard} && $_->{user} == $t->{n} } @vars unless chance($s->{wild});
	return pick(@vars);
}

sub guarded
{
	my ($s, $lock) = @_;
	return pick(grep { chance($s->{wild}) || ($_->{guard} // 0) == $lock } $s->live_vars);
}

sub plan_access
{
	my ($s, $t) = @_;
	my $var = $s->usable($t) // return;
	plan($t, accesses($var, 3));
	return;
}

sub plan_locked
{
	my ($s, $t, $lock) = @_;
	$lock //= pick(@{$s->{locks}});
	my $var = $s->guarded($lock) // return;
	my $mode = $lock->{kind} eq 'rwlock' && chance(50) ? 'read' : 'write';
	my @inside = accesses($var, 2);
	$_->{calm} = $mode eq 'read' && !chance($s->{wild}) for @inside;
	@inside = ({op => 'enter', lock => $lock}, @inside, {op => 'leave', lock => $lock})
		if $lock->{kind} eq 'recursive' && chance(50);
	my ($second) = grep { $_->{rank} > $lock->{rank} } @{$s->{locks}};
	@inside = ({op => 'lock', lock => $second, mode => 'write'}, @inside,
		{op => 'unlock', lock => $second}) if $second && chance(20);
	plan($t, {op => 'lock', lock => $lock, mode => $mode, try => chance(15)}, @inside,
		{op => 'unlock', lock => $lock});
	return;
}

# The same lock again and again, with or without something in between.
sub plan_again
{
	my ($s, $t) = @_;
	my $lock = pick(@{$s->{locks}});
	for (1 .. 2 + below(3)) {
		$s->plan_locked($t, $lock);
		$s->plan_access($t) if chance(20);
		$s->plan_hand_over($t, 0) if chance(30);
	}
	return;
}

# What one thread did is handed to another: pairs of (release, acquire), each a list.
sub hand_over
{
	my ($s) = @_;
	my ($flag, $sem, $pipe, $once, $mark) = map { pick(@{$s->{$_}}) }
		qw(flags sems pipes onces marks);
	my $right = !chance($s->{wrong});
	my @send = $right ? qw(RELEASE SEQ_CST) : qw(RELAXED RELEASE);
	my @get = $right ? qw(ACQUIRE SEQ_CST CONSUME) : qw(RELAXED ACQUIRE);
	my @both = $right ? qw(ACQ_REL SEQ_CST) : qw(RELAXED ACQUIRE RELEASE ACQ_REL);
	my $both = pick(@both);
	my @ways = (
		[[{op => 'store', flag => $flag, order => pick(@send)}],
			[{op => 'load', flag => $flag, order => pick(@get)}]],
		[[{op => 'rmw', flag => $flag, order => pick(@both)}],
			[{op => 'rmw', flag => $flag, order => pick(@both)}]],
		[[{op => 'rmw', flag => $flag, order => pick(@both)}],
			[{op => 'cas', flag => $flag, order => $both, fails => below(2),
				fail => $both =~ /ACQ/ ? pick(qw(ACQUIRE RELAXED)) : 'RELAXED'}]],
		[[{op => 'post', sem => $sem}], [{op => 'wait', sem => $sem}]],
		[[{op => 'send', pipe => $pipe}], [{op => 'receive', pipe => $pipe}]],
		[[{op => 'once', once => $once}], [{op => 'once', once => $once}]],
		[[{op => 'tell', mark => $mark}], [{op => 'hear', mark => $mark}]],
	);
	push @ways, [[{op => 'fence', order => pick(qw(RELEASE ACQ_REL SEQ_CST ACQUIRE))},
			{op => pick(qw(store rmw)), flag => $flag, order => 'RELAXED'}],
		[{op => pick(qw(load rmw)), flag => $flag, order => 'RELAXED'},
			{op => 'fence', order => pick(qw(ACQUIRE ACQ_REL SEQ_CST RELEASE))}]]
		if $s->{fences};
	return pick(@ways);
}

# By default after accesses of its own.
sub plan_hand_over
{
	my ($s, $t, $before) = @_;
	my $to = pick(grep { $_ != $t } $s->open_threads) // return;
	my $var = $s->usable($t) // return;
	my ($release, $acquire) = @{$s->hand_over};
	my $given = {};
	plan($t, accesses($var, 2)) if $before // 1;
	plan($t, @$release, {op => 'mark', given => $given});
	plan($to, {op => 'expect', given => $given}, @$acquire, accesses($var, 2));
	$var->{user} = $to->{n}; # its plans come after those that it has
	return;
}

sub plan_barrier
{
	my ($s, $t) = @_;
	my @members = ($t, grep { $_ != $t && chance(60) } $s->open_threads);
	return if @members < 2 || $s->{no}{barriers};
	my $barrier = {name => "s$s->{seed}_barrier" . @{$s->{barriers}}, here => 0,
		members => [map { $_->{n} } @members]};
	push @{$s->{barriers}}, $barrier;
	my $var = $s->usable($t);
	plan($_, {op => 'arrive', barrier => $barrier}) for @members;
	return unless $var;
	if (chance(50)) {
		$var->{user} = pick(@members)->{n};
	} else {
		plan($_, {op => 'access', var => $var, calm => 1}) for @members;
		$var->{user} = -1; # nobody's, since all read it
	}
	return;
}

sub plan_cond
{
	my ($s, $t) = @_;
	my $other = pick(grep { $_ != $t } $s->open_threads) // return;
	my $lock = pick(@{$s->{sleepers}});
	my $var = $s->guarded($lock) // return;
	my $cond = {name => "s$s->{seed}_cond" . @{$s->{conds}}, lock => $lock};
	push @{$s->{conds}}, $cond;
	my %lock = (lock => $lock, mode => 'write');
	plan($t, {op => 'lock', %lock}, accesses($var, 1), {op => 'sleep', cond => $cond, %lock},
		accesses($var, 1), {op => 'unlock', lock => $lock});
	plan($other, {op => 'expect', given => $cond}, {op => 'lock', %lock},
		accesses($var, 1), {op => 'signal', cond => $cond}, accesses($var, 1),
		{op => 'unlock', lock => $lock, cond => $cond});
	return;
}

sub plan_create
{
	my ($s, $t) = @_;
	return if @{$s->{threads}} >= $s->{most} || $s->live_threads >= MAX_LIVE;
	my $child = $s->new_thread($t->{n});
	$child->{unborn} = $child->{closing} = 1;
	# What it does may not be ordered before the end of the first thread's function.
	$child->{detached} = chance(15) && !$s->{threads}[0]{stack};
	$child->{stack} = $s->new_var('stack', $child->{n}) if chance(30);
	plan($t, {op => 'create', child => $child});
	return;
}

sub plan_join
{
	my ($s, $t) = @_;
	my $child = pick(grep { $_->{n} && $_ != $t && !$_->{claimed} && !$_->{detached}
		&& !$_->{unborn} } @{$s->{threads}}) // return;
	$child->{claimed} = $child->{closing} = 1;
	plan($t, {op => 'join', child => $child});
	return;
}

sub plan_heap
{
	my ($s, $t) = @_;
	my @blocks = grep { $_->{kind} eq 'heap' && !$_->{doomed}
		&& ($_->{user} == $t->{n} || chance($s->{wild})) } $s->live_vars;
	if (@blocks && chance(60)) {
		my $var = pick(@blocks);
		$var->{doomed} = 1;
		plan($t, {op => 'free', var => $var});
		my $other = pick(grep { $_ != $t } $s->open_threads);
		plan($other, {op => 'expect', given => $var}, {op => 'use', var => $var})
			if $other && $var->{size} <= SMALL && chance($s->{wild}) && !$s->{no}{use};
	} else {
		my $var = $s->new_var('heap');
		$var->{user} = $t->{n};
		delete $var->{guard};
		plan($t, {op => 'malloc', var => $var}, accesses($var, 3));
	}
	return;
}

my @idioms = ([\&plan_access, 25], [\&plan_locked, 17], [\&plan_again, 8],
	[\&plan_hand_over, 20], [\&plan_barrier, 4], [\&plan_cond, 4], [\&plan_create, 8],
	[\&plan_join, 3], [\&plan_heap, 10]);

sub plan_something
{
	my ($s, $t) = @_;
	my $n = below(99);
	my ($idiom) = grep { ($n -= $_->[1]) < 0 } @idioms;
	$idiom->[0]->($s, $t);
	return;
}

# ---- steps ----

# Can the thread take this step now? Those that have become pointless are changed or taken
# out of the script: then they are ready.
sub ready
{
	my ($s, $t, $ev) = @_;
	my $op = $ev->{op};
	return $ev->{given}{done} if $op eq 'expect';
	return $ev->{child}{ended} if $op eq 'join';
	return 1 if $op ne 'lock' || $ev->{try};
	my $lock = $ev->{lock};
	return 0 if $lock->{holder} || $lock->{promised};
	return $ev->{mode} eq 'read' || !%{$lock->{readers}};
}

# Takes the step; returns the event, or nothing where there is none to be seen.
sub take
{
	my ($s, $t, $ev) = @_;
	my $sub = $s->can("take_$ev->{op}");
	$ev = {%$ev, t => $t->{n}, way => below(60)};
	return $sub ? $sub->($s, $t, $ev) : $ev;
}

sub take_mark { $_[2]{given}{done} = 1; return }
sub take_expect { return }

sub take_access
{
	my ($s, $t, $ev) = @_;
	my @live = $s->live_vars;
	my $var = $ev->{var}{live} ? $ev->{var} : return;
	for (1 .. 50) {
		my ($text, @accesses) = roll($var, chance($s->{wild}) ? @live : ());
		next if $ev->{calm} && grep { $_->{write} } @accesses;
		return {%$ev, text => $text, accesses => \@accesses};
	}
	return;
}

sub take_lock
{
	my ($s, $t, $ev) = @_;
	my $lock = $ev->{lock};
	return if $t->{held}{$lock->{name}};
	return {%$ev, op => 'try_lock'} if $lock->{holder}
		|| $lock->{promised} || ($ev->{mode} eq 'write' && %{$lock->{readers}});
	$t->{held}{$lock->{name}} = $ev->{mode};
	if ($ev->{mode} eq 'write') {
		$lock->{holder} = $t;
	} else {
		$lock->{readers}{$t->{n}} = 1;
	}
	return $ev;
}

sub give_up
{
	my ($t, $lock) = @_;
	my $mode = delete $t->{held}{$lock->{name}};
	delete $lock->{holder};
	delete $lock->{readers}{$t->{n}};
	return $mode;
}

sub take_unlock
{
	my ($s, $t, $ev) = @_;
	my $lock = $ev->{lock};
	return unless $t->{held}{$lock->{name}};
	$ev->{mode} = give_up($t, $lock);
	my $sleeper = $ev->{cond} && $ev->{cond}{sleeper};
	if ($sleeper) {
		$ev->{wakes} = $sleeper->{n};
		delete $lock->{promised};
		delete $sleeper->{asleep};
		$sleeper->{held}{$lock->{name}} = 'write';
		$lock->{holder} = $sleeper;
	}
	return $ev;
}

sub take_enter { my ($s, $t, $ev) = @_; return $t->{held}{$ev->{lock}{name}} ? $ev : () }
sub take_leave { return take_enter(@_) }

sub take_post { my ($s, $t, $ev) = @_; $ev->{sem}{value}++; return $ev }

sub take_wait
{
	my ($s, $t, $ev) = @_;
	return {%$ev, op => 'try_wait'} unless $ev->{sem}{value};
	$ev->{sem}{value}--;
	return $ev;
}

sub take_send { my ($s, $t, $ev) = @_; $ev->{pipe}{value}++; return $ev }
sub take_receive { my ($s, $t, $ev) = @_; return $ev->{pipe}{value}-- > 0 ? $ev : forget($ev) }
sub forget { $_[0]{pipe}{value} = 0; return }

sub take_arrive
{
	my ($s, $t, $ev) = @_;
	my $b = $ev->{barrier};
	$t->{asleep} = 1;
	$ev->{last} = ++$b->{here} == @{$b->{members}};
	if ($ev->{last}) {
		delete $s->{threads}[$_]{asleep} for @{$b->{members}};
	}
	return $ev;
}

sub take_sleep
{
	my ($s, $t, $ev) = @_;
	my $cond = $ev->{cond};
	give_up($t, $ev->{lock});
	$t->{asleep} = 1;
	$cond->{sleeper} = $t;
	$cond->{done} = 1;
	return $ev;
}

sub take_signal { my ($s, $t, $ev) = @_; $ev->{cond}{lock}{promised} = 1; return $ev }

sub take_create
{
	my ($s, $t, $ev) = @_;
	delete @{$ev->{child}}{qw(unborn closing)};
	$ev->{child}{born} = 1;
	$s->{freed} = {};
	return $ev;
}

# What is freed may be read by others as long as nothing can have its memory.
sub take_malloc
{
	my ($s, $t, $ev) = @_;
	$ev->{var}{live} = 1;
	$s->{freed} = {};
	return $ev;
}

sub take_free
{
	my ($s, $t, $ev) = @_;
	my $var = $ev->{var};
	$var->{live} = 0;
	$var->{done} = 1;
	$s->{freed}{$var->{n}} = 1;
	return $ev;
}

sub take_use
{
	my ($s, $t, $ev) = @_;
	my $var = $ev->{var};
	return unless $s->{freed}{$var->{n}};
	my $at = below($var->{size});
	return {%$ev, op => 'access', text => "READ(a1, $var->{where} + $at)",
		accesses => [{var => $var, from => $at, to => $at + 1, write => 0, atomic => 0}]};
}

# ---- all of it ----

sub step
{
	my ($s, $t) = @_;
	return 0 if $t->{unborn} || $t->{ended} || $t->{asleep};
	my $next = $t->{script}[0] // return 0;
	return 0 unless $s->ready($t, $next);
	shift @{$t->{script}};
	my $ev = $s->take($t, $next);
	push @{$s->{events}}, $ev if $ev;
	$t->{stack}{live} = 1 if $ev && $t->{stack} && !$t->{ended};
	return 1;
}

sub end_thread
{
	my ($s, $t) = @_;
	push @{$s->{events}}, {op => 'end', t => $t->{n}};
	$t->{ended} = 1;
	$t->{stack}{live} = 0 if $t->{stack};
	return;
}

# One try: a thread plans something if it has nothing to do, and takes a step if it can.
sub advance
{
	my ($s, $t, $first) = @_;
	my $late = @{$s->{events}} > $s->{steps};
	plan_something($s, $t) if !@{$t->{script}} && !$late && !$t->{closing};
	return if $s->step($t) || @{$t->{script}} || $t->{asleep} || $t == $first;
	$s->end_thread($t) if $late || $t->{closing} || chance(2);
	return;
}

sub run
{
	my ($s) = @_;
	my $first = my $t = $s->{threads}[0];
	plan_create($s, $first) for 1 .. 1 + below(3);
	my $tries = 0;
	until (@{$s->{events}} > $s->{steps} && $s->all_over($first)) {
		die "schedule $s->{seed} is stuck\n" if $tries++ > STUCK;
		$t = pick(grep { !$_->{unborn} } $s->live_threads)
			unless !$t->{ended} && chance($s->{burst});
		$s->advance($t, $first);
	}
	$s->end_thread($first);
	return;
}

# At the end the first thread joins who is left.
sub all_over
{
	my ($s, $first) = @_;
	for my $t (@{$s->{threads}}[1 .. $#{$s->{threads}}]) {
		next unless $t->{born};
		return 0 unless $t->{ended};
		next if $t->{detached} || $t->{claimed};
		$t->{claimed} = 1;
		plan($first, {op => 'join', child => $t});
	}
	return !@{$first->{script}};
}

1;

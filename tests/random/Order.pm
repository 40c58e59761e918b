# SPDX-License-Identifier: MIT
# What races there are in a schedule, by the definitions and nothing else: vector clocks
# that tick at every event, every access kept, every pair looked at.
#
#   pairs  {"I J"}  event I and event J, I first, have conflicting accesses that nothing orders
#   needs  a race that has to be found: {second, firsts}, the second one's event, and those
#          that it may be found with. There is one for each eight bytes (aligned) of an
#          access that are the first to race on some byte: with one of those that it races
#          with there. Later races on these bytes may be found too. Not needed is a race with
#          an atomic access that a later atomic write has covered (see docs/runtime.md).
#
# Order is what docs/runtime.md and src/runtime/edges.h say. Models of other detectors:
#
#   volatile  an atomic hands on all that was ever released through it
#   strong    whatever order was asked for, and a failed compare-exchange writes too
package Order;
use strict;
use warnings;
use List::Util qw(max min);

use constant GRANULE => 8;

# The schedule gets pairs and needs; its events `locks`, the names of those held.
sub judge
{
	my ($s, %model) = @_;
	my $o = {model => \%model, c => [], held => [], put_by => [], fence => [], past => {}};
	@{$s}{qw(pairs needs)} = ({}, []);
	my $n = 0;
	for my $ev (@{$s->{events}}) {
		my $t = $ev->{t};
		$ev->{n} = $n++;
		$o->{c}[$t][$t]++;
		$ev->{locks} = {%{$o->{held}[$t] // {}}};
		my $rule = __PACKAGE__->can("on_$ev->{op}");
		$rule->($o, $t, $ev) if $rule;
		meet($s, $o, $ev, $_) for accesses($ev);
	}
	return;
}

# ---- order ----

# Puts the second clock into the first.
sub learn
{
	my ($clock, $news) = @_;
	for my $i (0 .. $#{$news // []}) {
		my $time = $news->[$i] // 0;
		$clock->[$i] = $time if $time > ($clock->[$i] // 0);
	}
	return $clock;
}

sub copy { return learn([], $_[0]) }

sub hold { my ($o, $t, $lock, $mode) = @_; $o->{held}[$t]{$lock->{name}} = $mode; return }
sub drop { my ($o, $t, $lock) = @_; delete $o->{held}[$t]{$lock->{name}}; return }

sub on_lock
{
	my ($o, $t, $ev) = @_;
	my $lock = $ev->{lock};
	learn($o->{c}[$t], $lock->{written});
	learn($o->{c}[$t], $lock->{read}) if $ev->{mode} eq 'write';
	hold($o, $t, $lock, $ev->{mode});
	return;
}

# Where a sleeper is woken it has the lock next.
sub on_unlock
{
	my ($o, $t, $ev) = @_;
	my $lock = $ev->{lock};
	my $key = $ev->{mode} eq 'write' ? 'written' : 'read';
	learn($lock->{$key} //= [], $o->{c}[$t]);
	drop($o, $t, $lock);
	return unless defined $ev->{wakes};
	learn($o->{c}[$ev->{wakes}], $lock->{$_}) for qw(written read);
	hold($o, $ev->{wakes}, $lock, 'write');
	return;
}

sub on_sleep
{
	my ($o, $t, $ev) = @_;
	learn($ev->{lock}{written} //= [], $o->{c}[$t]);
	drop($o, $t, $ev->{lock});
	return;
}

sub on_post { my ($o, $t, $ev) = @_; learn($ev->{sem}{clock} //= [], $o->{c}[$t]); return }
sub on_wait { my ($o, $t, $ev) = @_; learn($o->{c}[$t], $ev->{sem}{clock}); return }
sub on_send { my ($o, $t, $ev) = @_; learn($ev->{pipe}{clock} //= [], $o->{c}[$t]); return }
sub on_receive { my ($o, $t, $ev) = @_; learn($o->{c}[$t], $ev->{pipe}{clock}); return }

sub on_tell { my ($o, $t, $ev) = @_; learn($ev->{mark}{clock} //= [], $o->{c}[$t]); return }
sub on_hear { my ($o, $t, $ev) = @_; learn($o->{c}[$t], $ev->{mark}{clock}); return }

sub on_once
{
	my ($o, $t, $ev) = @_;
	my $once = $ev->{once};
	$once->{clock} //= copy($o->{c}[$t]);
	learn($o->{c}[$t], $once->{clock});
	return;
}

sub on_arrive
{
	my ($o, $t, $ev) = @_;
	my $b = $ev->{barrier};
	learn($b->{clock} //= [], $o->{c}[$t]);
	return unless $ev->{last};
	learn($o->{c}[$_], $b->{clock}) for @{$b->{members}};
	return;
}

sub on_create
{
	my ($o, $t, $ev) = @_;
	$o->{c}[$ev->{child}{n}] = copy($o->{c}[$t]);
	return;
}

sub on_join { my ($o, $t, $ev) = @_; learn($o->{c}[$t], $o->{c}[$ev->{child}{n}]); return }

# ---- atomics ----

sub acquires { return $_[0] !~ /RELAXED|^RELEASE/ }
sub releases { return $_[0] =~ /RELEASE|ACQ_REL|SEQ_CST/ }

sub get
{
	my ($o, $t, $flag, $order) = @_;
	my $now = $o->{model}{strong} || acquires($order);
	learn($now ? $o->{c}[$t] : $o->{put_by}[$t] //= [], $flag->{clock});
	return;
}

# on: the value goes on with the release sequence that it was in.
sub set
{
	my ($o, $t, $flag, $order, $on) = @_;
	my $clock = $o->{model}{strong} || releases($order) ? $o->{c}[$t] : $o->{fence}[$t];
	$on ||= $o->{model}{volatile};
	$flag->{clock} = learn($on ? $flag->{clock} // [] : [], $clock);
	return;
}

sub on_load { my ($o, $t, $ev) = @_; get($o, $t, @{$ev}{qw(flag order)}); return }
sub on_store { my ($o, $t, $ev) = @_; set($o, $t, @{$ev}{qw(flag order)}); return }

sub on_rmw
{
	my ($o, $t, $ev) = @_;
	get($o, $t, @{$ev}{qw(flag order)});
	set($o, $t, @{$ev}{qw(flag order)}, 1);
	return;
}

sub on_cas
{
	my ($o, $t, $ev) = @_;
	return on_rmw($o, $t, $ev) if !$ev->{fails} || $o->{model}{strong};
	return get($o, $t, @{$ev}{qw(flag fail)});
}

sub on_fence
{
	my ($o, $t, $ev) = @_;
	learn($o->{c}[$t], $o->{put_by}[$t]) if acquires($ev->{order});
	$o->{fence}[$t] = copy($o->{c}[$t]) if releases($ev->{order});
	return;
}

# ---- races ----

# The end of a block counts as a write of all of it.
sub accesses
{
	my ($ev) = @_;
	return {var => $ev->{var}, from => 0, to => $ev->{var}{size}, write => 1, atomic => 0}
		if $ev->{op} eq 'free';
	return @{$ev->{accesses} // []};
}

sub conflict
{
	my ($old, $new) = @_;
	return ($old->{write} || $new->{write}) && !($old->{atomic} && $new->{atomic})
		&& $old->{from} < $new->{to} && $new->{from} < $old->{to};
}

# Holds a new access against all earlier ones of its variable.
sub meet
{
	my ($s, $o, $ev, $new) = @_;
	my $past = $o->{past}{$new->{var}{n}} //= {log => [], racy => []};
	my $clock = $o->{c}[$ev->{t}];
	my @races;
	for my $old (@{$past->{log}}) {
		next if $old->{t} == $ev->{t} || !conflict($old, $new);
		next if $old->{time} <= ($clock->[$old->{t}] // 0);
		$s->{pairs}{"$old->{n} $ev->{n}"} = 1;
		push @races, $old;
	}
	need($s, $past, $ev, $new, @races) if @races;
	push @{$past->{log}}, {%$new, t => $ev->{t}, n => $ev->{n}, time => $clock->[$ev->{t}]};
	return;
}

# The bytes that the access touches in any case.
sub sure { my ($access) = @_; return @{$access->{sure} // [@{$access}{qw(from to)}]} }

# A list of [from, to]: the bytes that a race is now on, a granule at most in each. No piece
# is touched in part only by any access so far.
sub pieces
{
	my ($past, $new, @races) = @_;
	my %cuts = map { $_ => 1 } map { (@{$_}{qw(from to)}, sure($_)) } $new, @{$past->{log}};
	for my $old (@races) {
		$cuts{GRANULE * int($_ / GRANULE)} = 1 for sure($old);
		$cuts{GRANULE * int(1 + $_ / GRANULE)} = 1 for sure($old);
	}
	my ($from, $to) = sure($new);
	my @cuts = sort { $a <=> $b } grep { $from <= $_ && $_ <= $to } keys %cuts;
	return map { [@cuts[$_ - 1, $_]] } 1 .. $#cuts;
}

sub covers { my ($from, $to, @piece) = @_; return $from <= $piece[0] && $piece[1] <= $to }

sub covered
{
	my ($past, $old, @piece) = @_;
	return grep { $_->{n} > $old->{n} && $_->{write} && $_->{atomic}
		&& covers(@{$_}{qw(from to)}, @piece) } @{$past->{log}};
}

# Races that have to be found: one for each granule that has a byte which none was on.
sub need
{
	my ($s, $past, $ev, $new, @races) = @_;
	my %granules;
	my @touched = map { {%$_, piece => [sure($_)]} } @races;
	for my $piece (pieces($past, $new, @races)) {
		my @here = grep { covers(@{$_->{piece}}, @$piece) } @touched;
		next if grep { covers(@$_, @$piece) } @{$past->{racy}};
		$granules{int($piece->[0] / GRANULE)} = 1
			if grep { !covered($past, $_, @$piece) } @here;
	}
	push @{$past->{racy}}, map { [max($_->{from}, $new->{from}), min($_->{to}, $new->{to})] }
		@races;
	for my $granule (sort { $a <=> $b } keys %granules) {
		my ($from, $to) = map { GRANULE * $_ } $granule, $granule + 1;
		my @near = grep { $_->{from} < $to && $from < $_->{to} } @races;
		push @{$s->{needs}}, {second => $ev->{n}, var => $new->{var}, granule => $granule,
			firsts => {map { $_->{n} => 1 } @near}};
	}
	return;
}

1;

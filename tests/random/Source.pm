# SPDX-License-Identifier: MIT
# A program in C that does what some schedules say, one after the other, in just their
# order: threads take turns in a way that the detector cannot see (random.h). Each event
# has a line of its own.
package Source;
use strict;
use warnings;
use Access;

# Returns the text; events get `line`.
sub write_program
{
	my ($header, @schedules) = @_;
	my $out = {lines => ["#include \"$header\"", '']};
	schedule($out, $_) for @schedules;
	line($out, 'int main(void)', '{', (map { "\ts$_->{seed}();" } @schedules),
		"\treturn 0;", '}');
	return join "\n", @{$out->{lines}}, '';
}

sub line { my ($out, @text) = @_; push @{$out->{lines}}, @text; return }

# ---- variables and objects ----

my %lock_types = (
	mutex => ['pthread_mutex_t', '= PTHREAD_MUTEX_INITIALIZER'],
	recursive => ['pthread_mutex_t', '= PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP'],
	errorcheck => ['pthread_mutex_t', '= PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP'],
	spin => ['pthread_spinlock_t', ''], mtx => ['mtx_t', ''],
	rwlock => ['pthread_rwlock_t', '= PTHREAD_RWLOCK_INITIALIZER'],
);

sub declare
{
	my ($out, $s) = @_;
	for my $v (@{$s->{vars}}) {
		line($out, $v->{kind} eq 'global'
			? "uint8_t $v->{name}\[$v->{size}] __attribute__((aligned(16)));"
			: "void *$v->{name};");
	}
	for my $l (@{$s->{locks}}, @{$s->{sleepers}}) {
		my ($type, $value) = @{$lock_types{$l->{kind}}};
		line($out, "$type $l->{name} $value;");
	}
	line($out, "a$_->{size} $_->{name};") for @{$s->{flags}};
	line($out, "sem_t $_->{name};") for @{$s->{sems}};
	line($out, "int $_->{name}\[2];") for @{$s->{pipes}};
	line($out, "pthread_once_t $_->{name} = PTHREAD_ONCE_INIT;") for @{$s->{onces}};
	line($out, "pthread_barrier_t $_->{name};") for @{$s->{barriers}};
	line($out, "pthread_cond_t $_->{name} = PTHREAD_COND_INITIALIZER;",
		"invisible_step_t $_->{name}_woken;") for @{$s->{conds}};
	my $threads = @{$s->{threads}};
	line($out, "invisible_step_t s$s->{seed}_step;",
		"pthread_t s$s->{seed}_threads[$threads];");
	return;
}

sub set_up
{
	my ($out, $s) = @_;
	for my $l (@{$s->{locks}}) {
		line($out, "\tpthread_spin_init(&$l->{name}, 0);") if $l->{kind} eq 'spin';
		line($out, "\tmtx_init(&$l->{name}, mtx_plain);") if $l->{kind} eq 'mtx';
	}
	line($out, "\tsem_init(&$_->{name}, 0, 0);") for @{$s->{sems}};
	line($out, "\tif (pipe($_->{name}) != 0)", "\t\tabort();") for @{$s->{pipes}};
	line($out, "\tpthread_barrier_init(&$_->{name}, NULL, " . @{$_->{members}} . ');')
		for @{$s->{barriers}};
	return;
}

# ---- events ----

my %verbs = (
	mutex => [map { "pthread_mutex_$_" } qw(lock trylock unlock)],
	spin => [map { "pthread_spin_$_" } qw(lock trylock unlock)],
	mtx => [map { "mtx_$_" } qw(lock trylock unlock)],
	write => [map { "pthread_rwlock_$_" } qw(wrlock trywrlock unlock)],
	read => [map { "pthread_rwlock_$_" } qw(rdlock tryrdlock unlock)],
);
@verbs{qw(recursive errorcheck)} = ($verbs{mutex}) x 2;

sub verb
{
	my ($ev, $which) = @_;
	my $lock = $ev->{lock};
	my $kind = $lock->{kind} eq 'rwlock' ? $ev->{mode} : $lock->{kind};
	return "$verbs{$kind}[$which](&$lock->{name})";
}

sub flag
{
	my ($ev, $what, @more) = @_;
	my $f = $ev->{flag};
	return "$what(a$f->{size}, &$f->{name}, "
		. join(', ', map { "__ATOMIC_$_" } $ev->{order}, @more) . ')';
}

my %texts = (
	access => sub { $_[0]{text} },
	lock => sub { verb($_[0], $_[0]{try} ? 1 : 0) },
	try_lock => sub { verb($_[0], 1) },
	unlock => sub { verb($_[0], 2) },
	enter => sub { verb($_[0], 0) },
	leave => sub { verb($_[0], 2) },
	post => sub { "sem_post(&$_[0]{sem}{name})" },
	wait => sub { "sem_wait(&$_[0]{sem}{name})" },
	try_wait => sub { "sem_trywait(&$_[0]{sem}{name})" },
	send => sub { "USE(write($_[0]{pipe}{name}\[1], \"\", 1))" },
	receive => sub { "USE(read($_[0]{pipe}{name}\[0], own, 1))" },
	once => sub { "pthread_once(&$_[0]{once}{name}, initialiser)" },
	load => sub { flag($_[0], 'LOAD') },
	store => sub { flag($_[0], 'STORE') },
	rmw => sub { flag($_[0], $_[0]{n} % 2 ? 'FETCH_ADD' : 'EXCHANGE') },
	cas => sub { flag($_[0], $_[0]{fails} ? 'CAS_FAIL' : 'CAS', $_[0]{fail}) },
	fence => sub { "__atomic_thread_fence(__ATOMIC_$_[0]{order})" },
	signal => sub { "done(&$_[0]{cond}{name}_woken); pthread_cond_"
		. ($_[0]{n} % 2 ? 'signal' : 'broadcast') . "(&$_[0]{cond}{name})" },
	malloc => sub { "put(&$_[0]{var}{name}, malloc($_[0]{var}{size}))" },
	free => sub { "free(at(&$_[0]{var}{name}))" },
	end => sub { '' },
);

# Who blocks ends its turn first.
sub text
{
	my ($s, $ev) = @_;
	my $name = "s$s->{seed}";
	my $child = $ev->{child};
	if ($ev->{op} eq 'create') {
		my $detached = $child->{detached} ? 1 : 0;
		return "spawn(&${name}_threads[$child->{n}], ${name}_t$child->{n}, $detached)";
	} elsif ($ev->{op} eq 'join') {
		return "pthread_join(thread_of(&${name}_threads[$child->{n}]), NULL)";
	} elsif ($ev->{op} eq 'arrive') {
		return ($ev->{last} ? '' : "done(&${name}_step); ")
			. "pthread_barrier_wait(&$ev->{barrier}{name})";
	} elsif ($ev->{op} eq 'sleep') {
		my $cond = $ev->{cond}{name};
		return "done(&${name}_step); do pthread_cond_wait(&$cond, &$ev->{lock}{name}); "
			. "while (!is_done(&${cond}_woken))";
	}
	return $texts{$ev->{op}}->($ev);
}

sub blocks
{
	my ($ev) = @_;
	return $ev->{op} eq 'sleep' || $ev->{op} eq 'arrive' && !$ev->{last};
}

# ---- threads ----

sub body
{
	my ($out, $s, $t) = @_;
	my $step = "s$s->{seed}_step";
	my $begun = 0;
	for my $ev (grep { $_->{t} == $t->{n} } @{$s->{events}}) {
		my $before = $ev->{n} ? $s->{events}[$ev->{n} - 1] : undef;
		my $after = $s->{events}[$ev->{n} + 1];
		line($out, "\tturn(&$step, $ev->{turn});") if !$before || $before->{t} != $t->{n}
			|| blocks($before);
		line($out, "\tput(&$t->{stack}{name}, mine);") if $t->{stack} && !$begun++;
		my $text = text($s, $ev);
		if ($text ne '') {
			line($out, "\t$text;");
			$ev->{line} = @{$out->{lines}};
		}
		line($out, "\tdone(&$step);") if !blocks($ev)
			&& (!$after || $after->{t} != $t->{n});
	}
	return;
}

sub locals
{
	my ($out, $t) = @_;
	line($out, "\tuint8_t own[" . Access::OWN . '] = {0};', "\t(void)own;");
	line($out, "\tuint8_t mine[$t->{stack}{size}] __attribute__((aligned(16)));")
		if $t->{stack};
	return;
}

# The number of turns that were over when each event's began.
sub number
{
	my ($s) = @_;
	my ($turn, $last) = (0, undef);
	for my $ev (@{$s->{events}}) {
		$turn++ if $last && ($last->{t} != $ev->{t} || blocks($last));
		$ev->{turn} = $turn;
		$last = $ev;
	}
	return;
}

sub schedule
{
	my ($out, $s) = @_;
	my $name = "s$s->{seed}";
	number($s);
	declare($out, $s);
	for my $t (reverse grep { $_->{born} } @{$s->{threads}}) {
		line($out, "static void *${name}_t$t->{n}(void *unused);");
	}
	for my $t (grep { $_->{born} } @{$s->{threads}}) {
		line($out, '', "static void *${name}_t$t->{n}(void *unused)", '{');
		locals($out, $t);
		body($out, $s, $t);
		line($out, "\treturn unused;", '}');
	}
	line($out, '', "static void $name(void)", '{');
	locals($out, $s->{threads}[0]);
	set_up($out, $s);
	body($out, $s, $s->{threads}[0]);
	line($out, '}', '');
	return;
}

1;

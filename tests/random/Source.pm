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
	line($out, $_->{kind} eq 'call_once' ? "once_flag $_->{name} = ONCE_FLAG_INIT;"
		: "pthread_once_t $_->{name} = PTHREAD_ONCE_INIT;") for @{$s->{onces}};
	line($out, "char $_->{name};") for @{$s->{marks}};
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
		line($out, "\tmtx_init(&$l->{name}, mtx_timed);") if $l->{kind} eq 'mtx';
	}
	line($out, "\tsem_init(&$_->{name}, 0, 0);") for @{$s->{sems}};
	line($out, "\topen_$_->{kind}($_->{name});") for @{$s->{pipes}};
	line($out, "\tpthread_barrier_init(&$_->{name}, NULL, " . @{$_->{members}} . ');')
		for @{$s->{barriers}};
	return;
}

# ---- events ----

# Ways to take a lock, and what comes after its name; to try; to release.
my %verbs = (
	mutex => [[['pthread_mutex_lock'], ['pthread_mutex_lock'],
		['pthread_mutex_timedlock', '&far'],
		['pthread_mutex_clocklock', 'CLOCK_MONOTONIC, &far']],
		'pthread_mutex_trylock', 'pthread_mutex_unlock'],
	spin => [[['pthread_spin_lock']], 'pthread_spin_trylock', 'pthread_spin_unlock'],
	mtx => [[['mtx_lock'], ['mtx_timedlock', '&far']], 'mtx_trylock', 'mtx_unlock'],
	write => [[['pthread_rwlock_wrlock'], ['pthread_rwlock_timedwrlock', '&far'],
		['pthread_rwlock_clockwrlock', 'CLOCK_REALTIME, &far']],
		'pthread_rwlock_trywrlock', 'pthread_rwlock_unlock'],
	read => [[['pthread_rwlock_rdlock'], ['pthread_rwlock_timedrdlock', '&far'],
		['pthread_rwlock_clockrdlock', 'CLOCK_REALTIME, &far']],
		'pthread_rwlock_tryrdlock', 'pthread_rwlock_unlock'],
);
@verbs{qw(recursive errorcheck)} = ($verbs{mutex}) x 2;

# One of several ways, the same each time.
sub way { my ($ev, @ways) = @_; return $ways[$ev->{way} % @ways] }

sub verb
{
	my ($ev, $which) = @_;
	my $lock = $ev->{lock};
	my $verb = $verbs{$lock->{kind} eq 'rwlock' ? $ev->{mode} : $lock->{kind}}[$which];
	my ($name, @more) = ref $verb ? @{way($ev, @$verb)} : $verb;
	return "$name(" . join(', ', "&$lock->{name}", @more) . ')';
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
	wait => sub { way($_[0], "sem_wait(&$_[0]{sem}{name})",
		"sem_timedwait(&$_[0]{sem}{name}, &far)",
		"sem_clockwait(&$_[0]{sem}{name}, CLOCK_MONOTONIC, &far)") },
	try_wait => sub { "sem_trywait(&$_[0]{sem}{name})" },
	send => sub { "send_$_[0]{pipe}{kind}($_[0]{pipe}{name}\[1])" },
	receive => sub { "receive_$_[0]{pipe}{kind}($_[0]{pipe}{name}\[0])" },
	once => sub { "$_[0]{once}{kind}(&$_[0]{once}{name}, initialiser)" },
	tell => sub { way($_[0], 'DEADHEAT_HAPPENS_BEFORE', '__tsan_release')
		. "(&$_[0]{mark}{name})" },
	hear => sub { way($_[0], 'DEADHEAT_HAPPENS_AFTER', '__tsan_acquire')
		. "(&$_[0]{mark}{name})" },
	load => sub { flag($_[0], 'LOAD') },
	store => sub { flag($_[0], 'STORE') },
	rmw => sub { flag($_[0], $_[0]{n} % 2 ? 'FETCH_ADD' : 'EXCHANGE') },
	cas => sub { flag($_[0], $_[0]{fails} ? 'CAS_FAIL' : 'CAS', $_[0]{fail}) },
	fence => sub { "__atomic_thread_fence(__ATOMIC_$_[0]{order})" },
	signal => sub { "done(&$_[0]{cond}{name}_woken); pthread_cond_"
		. ($_[0]{n} % 2 ? 'signal' : 'broadcast') . "(&$_[0]{cond}{name})" },
	malloc => sub { "put(&$_[0]{var}{name}, "
		. way($_[0], 'malloc(', 'malloc(', 'calloc(1, ', 'memalign(16, ', 'realloc(NULL, ')
		. "$_[0]{var}{size}))" },
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
		my $thread = "thread_of(&${name}_threads[$child->{n}]), NULL";
		return way($ev, "pthread_join($thread)", "pthread_join($thread)",
			"pthread_timedjoin_np($thread, &far)",
			"pthread_clockjoin_np($thread, CLOCK_MONOTONIC, &far)");
	} elsif ($ev->{op} eq 'arrive') {
		return ($ev->{last} ? '' : "done(&${name}_step); ")
			. "pthread_barrier_wait(&$ev->{barrier}{name})";
	} elsif ($ev->{op} eq 'sleep') {
		my ($cond, $lock) = ($ev->{cond}{name}, $ev->{lock}{name});
		my $wait = way($ev, "pthread_cond_wait(&$cond, &$lock)",
			"pthread_cond_timedwait(&$cond, &$lock, &far)",
			"pthread_cond_clockwait(&$cond, &$lock, CLOCK_MONOTONIC, &far)");
		return "done(&${name}_step); do $wait; while (!is_done(&${cond}_woken))";
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
		line($out, $t->{n} % 3 ? "\treturn unused;" : "\tpthread_exit(unused);", '}');
	}
	line($out, '', "static void $name(void)", '{');
	locals($out, $s->{threads}[0]);
	set_up($out, $s);
	body($out, $s, $s->{threads}[0]);
	line($out, '}', '');
	return;
}

1;

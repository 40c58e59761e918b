# SPDX-License-Identifier: MIT
# Random programs of small and large functions that call one another, in C and C++, in two
# translation units: what has calls behind ways out that have none, and everything else by
# which a function is entered and left. What they do is defined, and the same on every
# compiler; it stays within the arena (told.h).
#
# A program is a hash: seed, cxx, functions. A function: name, unit (0, 1; 2: the header, and
# so both), how (it is declared), leaf (it calls no others of these), text. `fuel` bounds how
# deep calls go.
package Frames;
use strict;
use warnings;
use Chance;

my $parameters = '(char *p, long n, int fuel)';
my %sizes = (c1 => 1, c2 => 2, c4 => 4, c8 => 8, u2 => 2, u4 => 4, u8 => 8,
	v16 => 16);

# ---- programs ----

sub make
{
	my ($seed, $count, $cxx) = @_;
	start($seed);
	my $program = {seed => $seed, cxx => $cxx};
	my @functions = map { declare($program, $_) } 0 .. $count - 1;
	$program->{functions} = \@functions;
	define($program, $_) for @functions;
	return $program;
}

sub declare
{
	my ($program, $number) = @_;
	my $leaf = chance(45);
	my $unit = pick(0, 0, 0, 1, 1, 1, 2);
	my $how = $unit == 2 ? ($program->{cxx} ? 'inline' : 'static inline UNUSED')
		: $leaf && chance(12) ? 'static ALWAYS UNUSED'
		: pick('', '', 'NOINLINE', 'NOINLINE', 'static UNUSED', 'static NOINLINE UNUSED',
			'COLD', chance(40) ? 'BARE' : '', 'static COLD UNUSED');
	return {name => "fn$number", unit => $unit, how => $how, leaf => $leaf,
		static => $how =~ /static/ ? 1 : 0, labels => 0, lines => []};
}

# Does what is in one unit know the function?
sub is_known
{
	my ($f, $unit) = @_;
	return $f->{unit} == 2 || $f->{unit} == $unit || !$f->{static};
}

sub define
{
	my ($program, $f) = @_;
	local $f->{program} = $program;
	my $size = $f->{leaf} ? pick(1, 1, 2, 2, 3, 4, 6) : pick(1, 2, 3, 4, 5, 8, 12);
	local $f->{fueled} = 0;
	if (!$f->{leaf} && chance(50)) {
		early($f, 1) if chance(40);
		line($f, 1, 'if (fuel <= 0) {', access_lines($f, pick(0, 0, 1, 2)),
			"\treturn acc;", '}');
		$f->{fueled} = 1;
	}
	if (!$f->{leaf} && !$f->{fueled} && chance(40)) {
		region($f, 1);
	} elsif ($f->{leaf} && chance(15)) {
		early($f, 1) if chance(40);
		rows($f, 1);
	} else {
		statement($f, 1) for 1 .. $size;
	}
	my @last = ('return acc;');
	@last = ('TAIL ' . target($f, $f->{fueled}) . '(p, n + 1, fuel - 1);')
		if $f->{fueled} && chance(12);
	@last = ('return ' . target($f, 1) . '(p + 16, n ^ 1, fuel - 1);')
		if $f->{fueled} && chance(20);
	my @counters = map { "\tint k$_ = 0;" } 0 .. $f->{labels} - 1;
	$f->{text} = ["$f->{how} unsigned long $f->{name}$parameters", '{',
		"\tunsigned long acc = (unsigned long)n;", @counters, @{$f->{lines}},
		map { "\t$_" } @last];
	push @{$f->{text}}, '}';
	return;
}

sub line
{
	my ($f, $level, @text) = @_;
	push @{$f->{lines}}, map { "\t" x $level . $_ } @text;
	return;
}

sub label { my ($f) = @_; return $f->{labels}++ }

# ---- expressions ----

sub place
{
	my ($type) = @_;
	my $size = $sizes{$type};
	my $from = $type =~ /^u/ ? below(200) : $size * below(24);
	return "p, $from" if chance(75);
	return "p, $from + $size * (n & 7)";
}

sub at
{
	my $type = pick(qw(c1 c2 c4 c4 c4 c8 c8 u2 u4 u8));
	return "AT($type, " . place($type) . ')';
}

sub access
{
	my @all = (
		sub { 'acc += (unsigned long)' . at() . ';' },
		sub { 'acc = acc * 3 + (unsigned long)' . at() . ';' },
		sub { my $at = at(); my ($type) = $at =~ /\((\w+)/; "$at = ($type)acc;" },
		sub { my $at = at(); my ($type) = $at =~ /\((\w+)/; "$at = ($type)n;" },
		sub { my $at = at(); my ($type) = $at =~ /\((\w+)/; "$at = ($type)($at + 1);" },
	);
	push @all, sub { my $k = place('v16'); "AT(v16, $k) = (v16){(long long)acc, n};" },
		sub { 'acc += (unsigned long)AT(v16, ' . place('v16') . ')[1];' } if chance(20);
	return pick(@all)->();
}

sub access_lines { my ($f, $count) = @_; return map { "\t" . access() } 1 .. $count }

sub condition
{
	return pick('n & 1', 'n & 2', 'n > 3', '(acc & 3) == 1', '(acc & 7) != 2', 'fuel == 1',
		'__builtin_expect(n > 6, 0)', '__builtin_expect((acc & 15) == 3, 0)', at() . ' & 1',
		at() . ' > 0', 'n == 4 || (acc & 1)', 'n < 0');
}

# The name of a function to call; any: also one that calls others, for which there is fuel.
sub target
{
	my ($f, $any) = @_;
	my @all = grep { is_known($_, $f->{unit}) && ($any || $_->{leaf}) }
		@{$f->{program}{functions}};
	@all = grep { $_->{leaf} } @all if $any && chance(30) && grep { $_->{leaf} } @all;
	return $f->{name} if $any && chance(8);
	return @all ? pick(@all)->{name} : 'first_leaf';
}

sub arguments
{
	my $n = pick('n', 'n + 1', '(long)(acc & 15)', 'n ^ 1', 'n >> 1');
	return '(p + ' . 16 * below(4) . ", $n, fuel - " . pick(1, 1, 1, 2) . ')';
}

# ---- statements ----

# Braces around what `body` adds.
sub block
{
	my ($f, $level, $head, $body, $tail) = @_;
	line($f, $level, "$head {");
	$body->();
	line($f, $level, $tail // '}');
	return;
}

sub some
{
	my ($f, $level, $most) = @_;
	local $f->{nesting} = ($f->{nesting} // 0) + 1;
	statement($f, $level + 1) for 1 .. 1 + below($f->{nesting} > 2 ? 1 : $most);
	return;
}

sub early
{
	my ($f, $level) = @_;
	my $result = pick('acc', 'acc', '1', 'acc + (unsigned long)' . at());
	block($f, $level, 'if (' . condition() . ')', sub {
		line($f, $level, access_lines($f, pick(0, 0, 1, 1, 2)), "\treturn $result;") });
	return;
}

sub branches
{
	my ($f, $level) = @_;
	block($f, $level, 'if (' . condition() . ')', sub { some($f, $level, 3) },
		chance(40) ? '} else {' : undef);
	return unless $f->{lines}[-1] =~ /else \{$/;
	some($f, $level, 2);
	line($f, $level, '}');
	return;
}

sub switches
{
	my ($f, $level) = @_;
	line($f, $level, 'switch (' . pick('n & 3', 'acc & 7', 'n') . ') {');
	for my $case (0 .. 1 + below(4)) {
		line($f, $level, "case $case:");
		some($f, $level, 2) if chance(70);
		line($f, $level, pick("\tbreak;", "\tbreak;", "\treturn acc;",
			"\t__attribute__((fallthrough));"));
	}
	line($f, $level, 'default:', "\tacc++;", '}');
	return;
}

sub loops
{
	my ($f, $level) = @_;
	my $k = 'k' . label($f);
	my $rounds = pick(2, 3, '(n & 3)', '(n & 7)', 18);
	$rounds = 2 unless $f->{leaf};
	local $f->{looping} = 1;
	my $body = sub {
		some($f, $level, 2);
		line($f, $level + 1, "acc += (unsigned long)AT(c4, p, 4 * $k);") if chance(40);
		line($f, $level + 1, 'if (' . condition() . ') ' . pick('break;', 'continue;'))
			if chance(25);
	};
	return block($f, $level, "for ($k = 0; $k < $rounds; $k++)", $body) if chance(60);
	return block($f, $level, "while ($k++ < $rounds)", $body) if chance(60);
	line($f, $level, 'for (;;) {', "\tif ($k++ >= 2)", "\t\t" . pick('break;', 'return acc;'));
	some($f, $level, 2);
	line($f, $level, '}');
	return;
}

# A loop that tells of all its rounds at once where accesses are not volatile.
sub rows
{
	my ($f, $level) = @_;
	my ($k, $type) = ('k' . label($f), pick(qw(c1 c2 c4 c8)));
	my $at = "AT($type, p, " . 8 * below(16) . " + $sizes{$type} * $k)";
	my $rounds = pick('(n & 31)', 24, 100, 'n * 4');
	line($f, $level, "for ($k = 0; $k < $rounds; $k++)",
		"\t" . pick("acc += (unsigned long)$at;", "$at = ($type)n;"));
	return;
}

# All that needs a frame in one place, which has several ways out.
sub region
{
	my ($f, $level) = @_;
	my $l = label($f);
	pick(\&early, sub { line($f, $level, access()) })->($f, $level) if chance(50);
	return rows($f, $level) if chance(10);
	my $condition = pick('fuel > 0', 'fuel == 1', condition());
	local $f->{fueled} = $condition =~ /fuel/ ? 1 : 0;
	block($f, $level, "if ($condition)", sub {
		line($f, $level + 1, access()) if chance(50);
		some($f, $level, 2) if chance(25);
		pick(\&calls, \&calls, \&odd)->($f, $level + 1) for 1 .. pick(1, 1, 2);
		line($f, $level + 1, pick('', '', 'if (' . condition() . ") goto out$l;",
			'if (' . condition() . ') return acc;', 'return acc;',
			"switch (n & 3) { case 0: goto out$l; case 1: goto end$l; }"));
	});
	line($f, $level, access()) if chance(60);
	line($f, $level, "out$l:;");
	early($f, $level) if chance(20);
	line($f, $level, access()) if chance(60);
	line($f, $level, "end$l:;");
	return;
}

# With two ways in.
sub tangle
{
	my ($f, $level) = @_;
	my $l = label($f);
	line($f, $level, 'if (' . condition() . ')', "\tgoto middle$l;", "again$l:;");
	some($f, $level - 1, 2);
	line($f, $level, "middle$l:;");
	some($f, $level - 1, 2);
	line($f, $level, "if (k$l++ < " . pick(1, 2) . ')', "\tgoto again$l;");
	return;
}

sub computed
{
	my ($f, $level) = @_;
	my $l = label($f);
	line($f, $level, "{ static const void *const to[] = {&&one$l, &&two$l, &&three$l};",
		"\tgoto *to[(unsigned long)n % 3]; }", "one$l:;", access());
	some($f, $level - 1, 1);
	line($f, $level, "two$l:;", access(), pick('return acc;', 'acc++;'), "three$l:;");
	return;
}

sub jumps_by_assembly
{
	my ($f, $level) = @_;
	my $l = label($f);
	if (chance(50)) {
		line($f, $level, "PROBE_TO(two$l);", access(), "two$l:;");
		return;
	}
	block($f, $level, 'if (' . condition() . ')', sub {
		line($f, $level + 1, chance(50) ? access() : (), "PROBE_TO(one$l, two$l);") });
	line($f, $level, "one$l:;", access(), "two$l:;");
	return;
}

# A call that needs fuel where it is not sure to be left.
sub calls
{
	my ($f, $level) = @_;
	my $leaf = chance(30) || ($f->{looping} && chance(50));
	my $to = target($f, !$leaf);
	my $call = 'acc += ' . $to . arguments() . ';';
	$call = 'acc += choice[' . pick(below(8), 'n & 7') . ']' . arguments() . ';'
		if !$leaf && chance(20);
	$call = 'acc += many(' . (1 + below(2)) . ', ' . pick('n', '3L')
		. ', p + 8, p + 32);' if chance(8);
	if ($leaf || $f->{fueled} || $call =~ /many/) {
		line($f, $level, $call);
		return;
	}
	my @more = chance(30) ? "\t" . access() : ();
	@more = ("\tTAIL $to(p, n, fuel - 1);") if chance(10) && !$f->{guards};
	@more = ("\treturn $to(p, n, fuel - 1);") if chance(15);
	line($f, $level, 'if (fuel > 0) {', @more && $more[0] =~ /return|TAIL/ ? () : "\t$call",
		@more, '}');
	return;
}

sub stops
{
	my ($f, $level) = @_;
	my $end = $f->{program}{cxx} ? pick('throw (int)(n & 7);', 'refuse(p, n);')
		: pick('leap();', 'refuse(p, n);');
	block($f, $level, 'if (' . pick('(acc & 31) == 7', 'n == 9', '(acc & 63) == 11') . ')',
		sub { line($f, $level, access_lines($f, pick(0, 1)), "\t$end") });
	return;
}

sub odd
{
	my ($f, $level) = @_;
	my @all = (
		sub { 'take(p);', access(), 'give(p);' },
		sub { '__atomic_fetch_add((c4 *)(p + 8), 1, __ATOMIC_SEQ_CST);' },
		sub { 'acc += (unsigned long)__atomic_load_n((c4 *)(p + 8), __ATOMIC_ACQUIRE);' },
		sub { '__atomic_thread_fence(__ATOMIC_SEQ_CST);' },
		sub { 'memcpy(p + 256, p + 320, (size_t)(n & 15));' },
		sub { 'memset(p + 256, 5, ' . pick(24, '(size_t)(n & 31)') . ');' },
		sub { 'acc += (unsigned long)floor(AT(c4, p, 16) * 0.5);' },
		sub { 'AT(c8, p, 40) = (c8)sqrt((double)(n & 255));' },
		sub { 'acc += (unsigned long)cos(0.0 * (double)n);' },
		sub { 'acc += (unsigned long)__builtin_popcountl(acc);' },
		sub { '__asm__("" : "+r"(n));' },
		sub { 'PROBE();' },
		sub { '__builtin_prefetch(p + 64);' },
		sub { '{ char room[(n & 15) + 1]; __asm__("" : : "r"(room) : "memory"); }' },
	);
	line($f, $level, pick(@all)->());
	return;
}

# ---- C++ ----

sub guards
{
	my ($f, $level) = @_;
	local $f->{guards} = 1;
	my $l = label($f);
	block($f, $level, '', sub {
		line($f, $level + 1, pick('struct guard', 'struct far_guard', 'struct twice_guard')
			. " g$l(p + " . 16 * below(4) . ');');
		some($f, $level, 3);
	});
	return;
}

sub tries
{
	my ($f, $level) = @_;
	local $f->{guards} = 1;
	block($f, $level, 'try', sub {
		some($f, $level, 2);
		line($f, $level + 1, 'if (' . condition() . ')', "\trefuse(p, n);") if chance(40);
	}, pick('} catch (int e) {', '} catch (...) {'));
	line($f, $level, "\t" . access()) if chance(70);
	line($f, $level, "\tacc += 3;") if chance(50);
	line($f, $level, chance(60) ? '}' : pick("\treturn acc; }", "\tthrow; }"));
	return;
}

sub classes
{
	my ($f, $level) = @_;
	line($f, $level, pick('{ two v(p); acc += v.go(n); }', '{ one v(p); acc += pass(v, n); }',
		'{ two v(p); acc += pass(v, n); }', 'acc += stored<c4>(p + 16, n);',
		'acc += stored<c8>(p, n + 1);',
		'acc += [&](long m) { return (unsigned long)AT(c4, p, 4 * (m & 7)); }(n);'));
	return;
}

sub lands
{
	my ($f, $level) = @_;
	return tries($f, $level) if $f->{program}{cxx};
	line($f, $level, 'acc += tried(' . ($f->{fueled} && !$f->{leaf} ? target($f, 1)
		: target($f, 0)) . ', p, n, fuel - 1);');
	return;
}

sub statement
{
	my ($f, $level) = @_;
	my $deep = ($f->{nesting} // 0) > 2;
	my $cxx = $f->{program}{cxx};
	my $flat = !$f->{guards}; # labels within the reach of a destructor want more care
	my @all = (
		[42, sub { line($f, $level, access()) }],
		[$deep ? 0 : 11, \&branches], [9, \&early],
		[4, \&rows], [$deep ? 0 : 4, \&switches], [$deep || $f->{looping} ? 0 : 5, \&loops],
		[$flat && !$deep && !$f->{looping} ? 3 : 0, \&tangle],
		[$flat && !$cxx ? 1 : 0, \&computed], [$flat && !$cxx ? 2 : 0, \&jumps_by_assembly],
		[$f->{leaf} ? 0 : 24, \&calls], [$f->{leaf} ? 1 : 3, \&stops],
		[$f->{leaf} ? 2 : 5, \&odd], [$cxx && !$deep ? ($f->{leaf} ? 1 : 4) : 0, \&guards],
		[$f->{leaf} || $deep ? 0 : $cxx ? 5 : 2, \&lands],
		[$cxx ? ($f->{leaf} ? 1 : 3) : 0, \&classes]);
	my $sum = 0;
	$sum += $_->[0] for @all;
	my $at = below($sum);
	for my $kind (@all) {
		return $kind->[1]->($f, $level) if $at < $kind->[0];
		$at -= $kind->[0];
	}
	return;
}

# ---- files ----

my @head = (
	"extern \"C\" unsigned long first_leaf$parameters;",
	"extern \"C\" NORETURN void refuse(char *p, long n);",
	'extern "C" unsigned long many(int count, long n, ...);',
	'extern "C" unsigned long tried(frames_fn *f, char *p, long n, int fuel);',
);

my @c_unit = (
	'NORETURN NOINLINE void refuse(char *p, long n)', '{', "\tAT(c4, p, 4) = (c4)n;",
	"\tleap();", '}',
	'unsigned long guarded(frames_fn *f, char *p, long n, int fuel)', '{',
	"\tif (_setjmp(*landing()))", "\t\treturn 5;",
	"\tunsigned long result = f(p, n, fuel);", "\tlanded();", "\treturn result;", '}',
	"unsigned long tried(frames_fn *f, char *p, long n, int fuel)", '{',
	"\tif (n == 5)", "\t\treturn (unsigned long)AT(c4, p, 8);",
	"\tif (_setjmp(*landing()))", "\t\treturn (unsigned long)AT(c4, p, 12);",
	"\tunsigned long result = f(p, n, fuel);", "\tlanded();", "\treturn result;", '}',
);

my @cxx_unit = (
	'NORETURN NOINLINE void refuse(char *p, long n)', '{', "\tAT(c4, p, 4) = (c4)n;",
	"\tthrow (int)(n & 3);", '}',
	'unsigned long guarded(frames_fn *f, char *p, long n, int fuel)', '{',
	"\ttry {", "\t\treturn f(p, n, fuel);", "\t} catch (int e) {",
	"\t\treturn (unsigned long)e;", "\t}", '}',
	'far_guard::far_guard(char *at) : p(at) { AT(c4, p, 20) = 1; }',
	'far_guard::~far_guard() { AT(c4, p, 24) = 1; }',
	'unsigned long one::go(long n) { return (unsigned long)(AT(c8, p, 8) + n); }',
	'unsigned long two::go(long n) { return n > 3 ? one::go(n) : (unsigned long)n; }',
	'unsigned long pass(one &v, long n) { return n == 2 ? 1 : v.go(n); }',
);

my @cxx_head = (
	'struct guard { char *p;', "\tguard(char *at) : p(at) {}",
	"\t~guard() { AT(c4, p, 28) = (c4)(AT(c4, p, 28) + 1); }", '};',
	'struct far_guard { char *p;', "\tfar_guard(char *at);", "\t~far_guard();", '};',
	'struct twice_guard { guard a; far_guard b;',
	"\ttwice_guard(char *at) : a(at), b(at + 4) {}", '};',
	'struct one { char *p;', "\tone(char *at) : p(at) { AT(c2, p, 2) = 3; }",
	"\tvirtual unsigned long go(long n);", '};',
	'struct two : one { using one::one;', "\tunsigned long go(long n) override;", '};',
	'unsigned long pass(one &v, long n);',
	'template <class T> inline unsigned long stored(char *p, long n)', '{',
	"\tif (n & 1)", "\t\treturn 0;", "\tAT(T, p, 48) = (T)n;", "\treturn 1;", '}',
);

my @both = (
	"unsigned long first_leaf$parameters", '{',
	"\treturn fuel < 0 ? 1 : (unsigned long)AT(c4, p, 36);", '}',
	'NOINLINE unsigned long many(int count, long n, ...)', '{', "\tunsigned long acc = 1;",
	"\tva_list all;", "\tif (n == 3)", "\t\treturn 2;", "\tva_start(all, n);",
	"\twhile (count-- > 0)", "\t\tacc += (unsigned long)AT(c4, va_arg(all, char *), 4);",
	"\tva_end(all);", "\treturn acc;", '}',
);

sub prototype_of
{
	my ($f) = @_;
	my $how = $f->{how} =~ s/UNUSED//r;
	return "$how unsigned long $f->{name}$parameters;";
}

# The lines of the header, and of the two units.
sub write_files
{
	my ($program, $header, $own) = @_;
	my $cxx = $program->{cxx};
	my @functions = @{$program->{functions}};
	my @top = ('#pragma once', "#include \"$header\"",
		map { $cxx ? $_ : s/extern "C" //r } @head);
	push @top, @cxx_head if $cxx;
	push @top, map { prototype_of($_) } grep { $_->{unit} == 2 || !$_->{static} } @functions;
	push @top, map { @{$_->{text}}, '' } grep { $_->{unit} == 2 } @functions;
	my @units = map { [unit($program, $own, $_)] } 0, 1;
	push @{$units[0]}, @both, $cxx ? @cxx_unit : @c_unit, jobs($program);
	return (\@top, @units);
}

sub unit
{
	my ($program, $own, $unit) = @_;
	my @functions = grep { $_->{unit} == $unit } @{$program->{functions}};
	my @static = grep { $_->{static} } @functions;
	return ("#include \"$own\"", '', map({ prototype_of($_) } @static), '',
		map { @{$_->{text}}, '' } @functions);
}

# Of those that the first unit knows; of most static ones their address is not taken.
sub jobs
{
	my ($program) = @_;
	start($program->{seed} + 1_000_003);
	my @functions = grep { is_known($_, 0) && (!$_->{static} || chance(35)) }
		@{$program->{functions}};
	my @chosen = map { pick(@functions)->{name} } 1 .. 8;
	my @lines = ("frames_fn *V choice[CHOICES] = {" . join(', ', @chosen) . '};',
		($program->{cxx} ? 'extern ' : '') . 'const struct job jobs[] = {');
	for my $f (@functions) {
		my @fuels = $f->{leaf} ? (pick(0, 1)) : (0, 1, pick(2, 3));
		for my $fuel (@fuels) {
			push @lines, map { "\t{\"$f->{name}\", $f->{name}, $_, $fuel}," } 0 .. 9;
		}
	}
	return (@lines, '};', ($program->{cxx} ? 'extern ' : '')
		. 'const int jobs_count = sizeof jobs / sizeof *jobs;');
}

1;

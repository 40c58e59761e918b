# SPDX-License-Identifier: MIT
# Random functions with loops, in C: nests of all forms in which loops are written, with
# bodies in which some accesses are made in each round, some in a few. What a function does
# is defined, and the same on every compiler; it stays within the arena (told.h), where all
# its memory is.
#
# A function is a hash: seed, name, text, calls (n, m, s, apart: what it is called with),
# and reach: how far from `a` its accesses may be, for who looks for some of them.
package Loops;
use strict;
use warnings;
use Chance;

# Elements of arrays: their size, and fields that are numbers (none: it is one itself).
my %sizes = (c1 => 1, b1 => 1, c2 => 2, c4 => 4, b4 => 4, c8 => 8, f4 => 4, f8 => 8,
	u2 => 2, u4 => 4, u8 => 8, v16 => 16, w16 => 16, 'struct mixed' => 16,
	'struct packed' => 15, 'struct three' => 12, 'struct large' => 40);
my %fields = ('struct mixed' => [qw(x y z w)], 'struct packed' => [qw(x y z w)],
	'struct three' => [qw(x y w)], 'struct large' => [qw(x y z w many[2] many[4])]);

# ---- the function of a seed ----

sub make
{
	my ($seed) = @_;
	start($seed);
	my $f = {seed => $seed, name => "loops$seed", lines => [], vars => [], number => 0,
		depth => pick(1, 1, 1, 1, 2, 2, 2, 3), wild => pick(0, 0, 15, 40, 100)};
	$f->{arrays} = [map { array($f, $_) } 0 .. below(3)];
	nest($f, 1, $f->{depth});
	nest($f, 1, 1) if chance(25);
	my @arrays = map { "\t$_->{type} *$_->{name} = ($_->{type} *)($_->{base});" }
		@{$f->{arrays}};
	my @unused = map { "\t(void)$_;" } qw(b n m s), map { $_->{name} } @{$f->{arrays}};
	$f->{text} = [
		"NOINLINE unsigned long $f->{name}(char *a, char *b, long n, long m, long s)",
		'{', "\tunsigned long acc = 1;", @arrays, @unused, @{$f->{lines}},
		"\treturn acc;", '}'];
	$f->{calls} = [calls($f)];
	return $f;
}

sub array
{
	my ($f, $number) = @_;
	my $type = pick(qw(c1 b1 c2 c4 c4 b4 c8 c8 f4 f8 u2 u4 u8 v16 w16),
		sort keys %fields);
	my $from = pick('a', 'a', 'b');
	my $at = $type =~ /^u|w16|packed/ ? below(32) : 16 * below(4);
	$f->{large} = 1 if $sizes{$type} > 8;
	return {type => $type, name => "x$number", base => "$from + $at"};
}

# How often a loop goes round at most is bounded by what it is in: the arena is so large.
sub calls
{
	my ($f) = @_;
	my @counts = $f->{depth} == 1 ? (0 .. 8, 15, 16, 17, 18, 31, 32, 33, 64, 100, 255)
		: $f->{depth} == 2 ? (0 .. 5, 8, 15, 16, 17, 18, 40) : (0 .. 4, 15, 16, 17, 18);
	push @counts, 1000 if $f->{depth} == 1 && !$f->{large};
	my @all = map { [pick(@counts), pick($f->{depth} == 3 ? (0 .. 3, 16, 17)
		: (0 .. 4, 15, 16, 17, 18)), pick(1, 1, 2, 3, 4, 5, -1, -2, -3, 0)] } 1 .. 5;
	push @all, [$counts[-1], 17, pick(1, 2, 3)];
	return map { [@$_, pick(1 << 18, 1 << 18, 4096, 64, 32, 16)] } @all;
}

sub line
{
	my ($f, $level, @text) = @_;
	push @{$f->{lines}}, map { "\t" x $level . $_ } @text;
	return;
}

# ---- loops ----

my @types = (qw(int int int unsigned long long size_t short uint16_t uint8_t), 'signed char');

sub is_narrow { return $_[0] =~ /short|char|16|8/ }
sub is_signed { return $_[0] =~ /^(int|long|short|signed char)$/ }

# How often: an expression of type long, never negative and at most what n and m are.
sub trips
{
	my ($f, $type) = @_;
	my @outer = map { $_->{name} } grep { $_->{small} } @{$f->{vars}};
	my @all = (qw(n n n n m m), '(n >> 1)', '(m + 1)', '(n & 7)', pick(1, 2, 3, 7, 8),
		pick(15, 16, 17, 18, 40));
	push @all, map { ("((long)$_ & 31)", "(((long)$_ & 31) + 1)") } @outer, @outer;
	my $how = pick(@all);
	$how = "(m & 15)" if @{$f->{vars}} > 1 && $how eq 'n';
	my $bits = $type =~ /char|int8/ ? 15 : 1023;
	return is_narrow($type) ? "($how & $bits)" : $how;
}

# Adds a loop, with so many more within it.
sub nest
{
	my ($f, $level, $depth) = @_;
	my @forms = (\&counts_up, \&counts_up, \&counts_up, \&counts_down, \&does_while,
		\&walks, \&walks, \&strides, \&steps_by, \&goes_round);
	my $keep = @{$f->{vars}};
	my @after = pick(@forms)->($f, $level, sub { body($f, $level + 1, $depth - 1) });
	line($f, $level, @after);
	splice @{$f->{vars}}, $keep;
	return;
}

sub variable
{
	my ($f, $type, %more) = @_;
	my $v = {name => 'i' . $f->{number}++, type => $type, small => 1, %more};
	push @{$f->{vars}}, $v;
	return $v->{name};
}

# A loop with its head and what ends it; the variable may live on behind it.
sub loop
{
	my ($f, $level, $type, $name, $first, $condition, $next, $body) = @_;
	my $how = below(4);
	my $lives = $how == 1 || chance(30);
	line($f, $level, "$type $name = $first;") if $lives;
	my $begin = $lives ? '' : "$type $name = $first";
	if ($how == 1) {
		# No `continue` is in the bodies, which would pass the end by.
		line($f, $level, "while ($condition) {");
		$body->();
		line($f, $level, "\t$next;", '}');
	} else {
		line($f, $level, "for ($begin; $condition; $next) {");
		$body->();
		line($f, $level, '}');
	}
	return unless $lives && chance(60);
	return $type =~ /\*/ ? "acc = acc * 31 + (unsigned long)((char *)$name - a);"
		: "acc = acc * 31 + (unsigned long)$name;";
}

sub counts_up
{
	my ($f, $level, $body) = @_;
	my $type = pick(@types);
	my $by = is_narrow($type) ? pick(1, 1, 2) : pick(1, 1, 1, 1, 2, 3, 5);
	my ($first, $end) = (pick(0, 0, 0, 1, 2), trips($f, $type));
	my $name = variable($f, $type);
	my $bound = $by == 1 ? "$end" : "$end * $by";
	if (chance(40)) {
		# A variable that nothing else can change; or one that the loop reads anew.
		my $limit = "end_$name";
		line($f, $level, "$type $limit = ($type)($bound);");
		$bound = $limit;
	} else {
		$bound = "($type)($bound)";
	}
	my $condition = "$name < $bound";
	$condition = "$name <= $bound" if chance(20) && !is_narrow($type);
	($first, $condition) = (0, "$name != $bound") if chance(25);
	my $next = $by == 1 ? pick("$name++", "++$name", "$name += 1") : "$name += $by";
	return loop($f, $level, $type, $name, $first, $condition, $next, $body);
}

sub counts_down
{
	my ($f, $level, $body) = @_;
	my $type = pick(@types);
	my $end = trips($f, $type);
	my $name = variable($f, $type);
	my $by = is_narrow($type) ? 1 : pick(1, 1, 1, 2, 3);
	if (chance(30)) {
		line($f, $level, "$type $name = ($type)($end);", "while ($name-- > 0) {");
		$body->();
		line($f, $level, '}');
		return;
	}
	my $first = "($type)($end" . ($by == 1 ? ')' : " * $by)");
	my $condition = pick("$name > 0", "$name != 0", "$name >= 1", "0 < $name");
	($first, $condition) = ("($type)(($end) - 1)", "$name >= 0")
		if is_signed($type) && chance(50);
	$condition =~ s/!= 0/> 0/ if $by != 1 && $first =~ /- 1/;
	my $next = $by == 1 ? "$name--" : "$name -= $by";
	return loop($f, $level, $type, $name, $first, $condition, $next, $body);
}

# At least once.
sub does_while
{
	my ($f, $level, $body) = @_;
	my $type = pick(@types);
	my $end = trips($f, $type);
	my $name = variable($f, $type);
	my $down = chance(35);
	line($f, $level, "$type $name = " . ($down ? "($type)(($end) + 1);" : '0;'), 'do {');
	$body->();
	my $by = is_narrow($type) ? 1 : pick(1, 1, 2, 3);
	line($f, $level, $down ? $by == 1 && !is_signed($type)
		? "} while ($name && --$name);" : "} while (($name = ($type)($name - 1)) > 0);"
		: $by == 1 ? "} while (++$name < ($type)($end));"
		: "\t$name = ($type)($name + $by);", $down || $by == 1 ? ()
		: "} while ($name < ($type)($end));");
	return "acc ^= (unsigned long)$name;" if chance(50);
	return;
}

# A pointer goes over an array.
sub walks
{
	my ($f, $level, $body) = @_;
	my $array = pick(@{$f->{arrays}});
	my $end = trips($f, 'long');
	my $by = pick(1, 1, 1, 2, 3);
	my $name = variable($f, "$array->{type} *", pointer => $array->{type}, small => 0);
	my $type = "$array->{type} *";
	my $bound = "$array->{name} + " . ($by == 1 ? "($end)" : "($end) * $by");
	if (chance(30)) {
		return loop($f, $level, $type, $name, $bound, pick("$name > $array->{name}",
			"$name != $array->{name}"), "$name -= $by", $body);
	}
	my $condition = pick("$name < $bound", "$name != $bound");
	return loop($f, $level, $type, $name, $array->{name}, $condition, "$name += $by",
		$body);
}

# By what is known when it runs only.
sub strides
{
	my ($f, $level, $body) = @_;
	my $end = trips($f, 'long');
	my $type = pick(qw(long long int size_t));
	my $step = 'by' . $f->{number};
	my $name = variable($f, $type, small => 0);
	line($f, $level, "$type $step = ($type)(s > 0 ? s : 1 - s);");
	return loop($f, $level, $type, $name, 0, "$name < ($type)(($end) * (long)$step)",
		"$name += $step", $body);
}

# Something beside the counter grows, by what may be anything, also nothing.
sub steps_by
{
	my ($f, $level, $body) = @_;
	my $array = pick(@{$f->{arrays}});
	my $end = trips($f, 'int');
	my $name = variable($f, 'int');
	my $p = variable($f, "$array->{type} *", pointer => $array->{type}, small => 0);
	my $by = pick('s', 's', '-1', '-2', '2', '7', 's * 2');
	line($f, $level, "$array->{type} *$p = $array->{name};");
	return loop($f, $level, 'int', $name, 0, "$name < (int)($end)", "$name++, $p += $by",
		$body);
}

# A counter that wraps around until it meets its end, and a pointer beside it. Some of these
# would go round for ever: what comes of each end that is possible is tried before.
sub goes_round
{
	my ($f, $level, $body) = @_;
	my $array = pick(@{$f->{arrays}});
	my ($type, $first, $by, $times) = (pick('uint8_t', 'uint8_t', 'signed char'),
		below(100), pick(1, 3, 5, 7, 50, 100, -3, -1), pick(1, 1, 1, 2, 3, 4, 64));
	my ($how, $from, $mask) = (pick('!=', '!=', '<', '>'), below(200), pick(0, 3, 15));
	my $is_long = sub {
		my ($end) = @_;
		my ($x, $rounds) = ($first, 0);
		while ($rounds++ < 300) {
			my ($is, $to) = map { as_type($type, $_) } $x * $times, $end;
			return 0 unless $how eq '!=' ? $is != $to : $how eq '<' ? $is < $to
				: $is > $to;
			$x = as_type($type, $x + $by);
		}
		return 1;
	};
	($how, $by, $times) = ('!=', pick(1, 3, -7), 1)
		if grep { $is_long->($from + $_) } 0 .. $mask;
	my $name = variable($f, $type);
	my $p = variable($f, "$array->{type} *", pointer => $array->{type}, small => 0);
	line($f, $level, "$array->{type} *$p = $array->{name};");
	my $x = $times == 1 ? $name : "($type)($name * $times)";
	return loop($f, $level, $type, $name, $first,
		"$x $how ($type)($from + (n & $mask))", "$name = ($type)($name + $by), $p++",
		$body);
}

sub as_type
{
	my ($type, $x) = @_;
	$x &= 255;
	return $x > 127 && $type =~ /signed/ ? $x - 256 : $x;
}

# ---- what is in them ----

sub body
{
	my ($f, $level, $depth) = @_;
	my $size = chance(5) ? 25 : 1 + below(5);
	my $at = below($size + 1);
	for my $i (0 .. $size) {
		nest($f, $level, $depth) if $depth && $i == $at;
		statement($f, $level) if $i < $size;
	}
	return;
}

# Numbers that are small: counters of loops, innermost first.
sub number
{
	my ($f) = @_;
	my @numbers = grep { !$_->{pointer} } reverse @{$f->{vars}};
	return '0' unless @numbers;
	return (chance(70) ? $numbers[0] : pick(@numbers))->{name};
}

sub wide { my ($f) = @_; return '(long)' . number($f) }

sub index_of
{
	my ($f) = @_;
	my $i = pick(0, 1, 1) ? number($f) : wide($f);
	my @numbers = grep { !$_->{pointer} } @{$f->{vars}};
	return "(long)$i * $f->{row} + cell" if $f->{row} && chance(70);
	my @all = ($i, $i, $i, $i, "$i + 1", "(long)$i - 1", "$i + " . below(20), "2 * $i",
		"3 * $i + 1", "-(long)$i", "100 - (long)$i", "(unsigned char)($i)",
		"($i & 7)", "(long)$i * 4 + " . below(4), '0', below(50), '(m + 3)',
		"(long)$i + m", "($i << 1 | 1)", "(int)$i / 2");
	push @all, ("(long)$i * s", "(long)$i * s + m", "(n - 1 - (long)$i)",
		$f->{large} ? () : "(long)$i * m") if $f->{depth} == 1;
	if (@numbers > 1) {
		my ($o, $w) = map { $_->{name} } @numbers[-2, -1];
		push @all, ("$o * 20L + $w", "(long)$o * 17 + $w", "$w * 20L + $o",
			"(long)$o * m + $w", "(long)$w * m + $o", "(long)$o + $w", "(long)$o - $w");
	}
	return pick(@all);
}

# An element of some array that holds a number, and its type.
sub element
{
	my ($f) = @_;
	my @walking = grep { $_->{pointer} } @{$f->{vars}};
	if (@walking && chance(50)) {
		my $v = pick(@walking);
		my $at = $v->{name};
		$at = pick("$at\[1]", "$at\[-1]", "$at\[2]", "$at\[m]", "$at\[" . number($f) . ']')
			if chance(30);
		return in_element($at =~ /\[/ ? $at : "(*$at)", $v->{pointer});
	}
	my $array = pick(@{$f->{arrays}});
	return in_element("$array->{name}\[" . index_of($f) . ']', $array->{type});
}

sub in_element
{
	my ($at, $type) = @_;
	return ($at, $type) unless $fields{$type};
	my $field = pick(@{$fields{$type}});
	return ("$at.$field", {x => 'c4', y => 'c2', z => 'c1', w => 'c8'}->{$field} // 'c4');
}

# As a number without a sign, whatever it is.
sub value_of
{
	my ($f) = @_;
	my ($at, $type) = element($f);
	return "bits4($at)" if $type eq 'f4';
	return "bits8($at)" if $type eq 'f8';
	return "(unsigned long)$at\[" . below(2) . ']' if $type =~ /16/;
	return "(unsigned long)$at";
}

sub store
{
	my ($f, $value) = @_;
	my ($at, $type) = element($f);
	return "$at = " . pick("(float)(int)($value & 1023)", "$at * 0.5f") . ';'
		if $type eq 'f4';
	return "$at = " . pick("(double)(int)($value & 1023)", "$at * 0.5") . ';'
		if $type eq 'f8';
	return "$at = ($type){(long long)($value), (long long)acc};" if $type =~ /16/;
	return "$at = ($type)(" . pick('', '', "(unsigned long)$at + ") . "$value);";
}

# A loop of a few rounds, which a compiler writes out: rows of cells, one after the other.
sub row
{
	my ($f, $level) = @_;
	local $f->{row} = 2 + below(3);
	line($f, $level, "for (long cell = 0; cell < $f->{row}; cell++) {",
		(map { "\t" . simple($f) } 0 .. below(3)), '}');
	return;
}

# What can be in any round, and under any condition.
sub simple
{
	my ($f) = @_;
	my $i = number($f);
	my @all = (
		sub { 'acc += ' . value_of($f) . ';' },
		sub { 'acc += ' . value_of($f) . ' ^ ' . value_of($f) . ';' },
		sub { store($f, "(unsigned long)$i") },
		sub { store($f, "(unsigned long)$i * 3 + acc") },
		sub { store($f, value_of($f)) },
		sub { store($f, value_of($f) . ' + 1') },
		sub { '{ unsigned long one = ' . value_of($f)
			. '; acc = acc > one ? acc - one : one; }' },
		sub { '*(c8 *)(b + 64) += (c8)(' . value_of($f) . ' & 0xffff);' },
		sub { 'acc += (unsigned long)*(c4 *)(a + 128);' },
		sub { "*(c2 *)(b + 72) = (c2)$i;" },
	);
	return pick(@all)->();
}

# What a pass has to leave where it is.
sub wild
{
	my ($f) = @_;
	my $i = number($f);
	my $order = pick(qw(SEQ_CST RELAXED ACQ_REL));
	my @all = (
		sub { "__atomic_fetch_add((c4 *)(b + 80), 1, __ATOMIC_$order);" },
		sub { 'acc += (unsigned long)__atomic_load_n((c4 *)(b + 80), __ATOMIC_ACQUIRE);' },
		sub { '__atomic_store_n((c4 *)(b + 84), 1, __ATOMIC_RELEASE);' },
		sub { '__atomic_thread_fence(__ATOMIC_SEQ_CST);' },
		sub { 'take(b + 96); ' . simple($f) . ' give(b + 96);' },
		sub { "if ((acc & 63) == 5) return acc;" },
		sub { "acc += (unsigned long)*(volatile c4 *)(a + 4 * (long)($i & 15));" },
		sub { "*(volatile c2 *)(a + 2 * (long)($i & 15)) = (c2)$i;" },
		sub { 'acc += helper(&' . (element($f))[0] . ", (long)$i);" },
		sub { 'acc += chosen(a + ' . below(64) . ", (long)$i);" },
		sub { 'memcpy(a + 256 + 8 * (long)(' . $i . ' & 31), b + 512, '
			. pick(3, 8, 24, '(size_t)(n & 31)') . ');' },
		sub { "memset(b + 256 + (long)($i & 31), 7, " . pick(4, 40, '(size_t)(m & 31)')
			. ');' },
		sub { "if ((long)$i == m) break;" },
		sub { 'if (' . value_of($f) . " % 23 == 7) break;" },
		sub { 'acc += (unsigned long)sleepless(n);' },
	);
	return pick(@all)->();
}

sub statement
{
	my ($f, $level) = @_;
	return line($f, $level, wild($f)) if below(1000) < 4 * $f->{wild};
	my $kind = below(100);
	if ($kind < 12) {
		my $condition = pick(number($f) . ' & 1', '(acc & 3) == 1', number($f) . ' > 2',
			value_of($f) . ' & 1', 'n > 3', '(n ^ m) & 1');
		line($f, $level, "if ($condition) {", "\t" . simple($f),
			chance(40) ? ('} else {', "\t" . simple($f)) : (), '}');
	} elsif ($kind < 16) {
		line($f, $level, 'switch (' . number($f) . ' & 3) {', 'case 0:', "\t" . simple($f),
			"\tbreak;", 'case 1:', "\t" . simple($f), chance(50) ? "\tbreak;"
			: "\t__attribute__((fallthrough));", 'default:', "\t" . simple($f), '}');
	} elsif ($kind < 22) {
		row($f, $level);
	} else {
		line($f, $level, simple($f));
	}
	return;
}

# ---- a file of them ----

my @head = (
	'NOINLINE static unsigned long helper(const void *at, long i)',
	'{', "\treturn (unsigned long)*(const c1 *)at + (unsigned long)i;", '}',
	'NOINLINE static unsigned long store_one(char *at, long i)',
	'{', "\t*at = (char)i;", "\treturn 1;", '}',
	'NOINLINE static unsigned long load_one(char *at, long i)',
	'{', "\treturn (unsigned long)*at ^ (unsigned long)i;", '}',
	'unsigned long (*volatile choice)(char *, long) = store_one;',
	'static unsigned long (*chosen)(char *, long) = load_one;',
	'NOINLINE static long sleepless(long n)',
	'{', "\t__asm__(\"\" : \"+r\"(n));", "\treturn n;", '}',
	'NOINLINE void choose(void)', '{', "\tchosen = choice;", '}',
);

# The functions; they get `line`, and `last`, of their own.
sub write_functions
{
	my ($header, @functions) = @_;
	my @lines = ("#include \"$header\"", '', @head, '');
	for my $f (@functions) {
		$f->{line} = @lines + 1;
		push @lines, @{$f->{text}}, '';
		$f->{last} = @lines;
	}
	return @lines;
}

# With what told.c calls them with.
sub write_jobs
{
	my ($dir, @functions) = @_;
	my @lines = write_functions("$dir/told.h", @functions);
	push @lines, 'const struct job jobs[] = {';
	for my $f (@functions) {
		push @lines, map { "\t{\"$f->{name}\", $f->{name}, " . join(', ', @$_) . '},' }
			@{$f->{calls}};
	}
	return (@lines, '};', 'const int jobs_count = sizeof jobs / sizeof *jobs;');
}

# A program in which one thread calls them, each with memory of its own, and another one
# makes single accesses to some of that, one to a line, before or after all calls; nothing
# orders the two that the detector can see. The first thread of all may have called the
# function too, before either. Functions get `call`, the line of the call, and `single`: the
# lines of those accesses.
sub write_program
{
	my ($dir, @functions) = @_;
	my @lines = write_functions("$dir/meets.h", @functions);
	my @early = grep { $functions[$_]{seed} % 3 } 0 .. $#functions;
	my @late = grep { $functions[$_]{seed} % 3 == 0 } 0 .. $#functions;
	push @lines, 'static void before(void)', '{';
	for my $i (0 .. $#functions) {
		my $f = $functions[$i];
		start($f->{seed} + 2_000_003);
		push @lines, call($f, $i, pick(0, -1)) if chance(40);
	}
	push @lines, '}', '', 'static void *first(void *arg)', '{';
	write_calls(\@lines, \@functions, @early);
	write_singles(\@lines, \@functions, @late);
	push @lines, "\tinvisible_advance(&step);", "\treturn arg;", '}', '',
		'static void *second(void *arg)', '{', "\tinvisible_await(&step, 1);";
	write_singles(\@lines, \@functions, @early);
	write_calls(\@lines, \@functions, @late);
	return (@lines, "\treturn arg;", '}', '', 'MAIN(' . @functions . ')');
}

# b is at the same place each time.
sub call
{
	my ($f, $number, $which) = @_;
	my ($n, $m, $s) = @{$f->{calls}[$which]};
	return "\tuse($f->{name}(at($number), at($number) + $f->{calls}[-1][3], $n, $m, $s));";
}

sub write_calls
{
	my ($lines, $functions, @numbers) = @_;
	for my $i (@numbers) {
		push @$lines, call($functions->[$i], $i, -1);
		$functions->[$i]{call} = @$lines;
	}
	return;
}

sub write_singles
{
	my ($lines, $functions, @numbers) = @_;
	for my $i (@numbers) {
		my $f = $functions->[$i];
		start($f->{seed} + 1_000_003);
		my ($from, %taken) = scalar @$lines;
		push @$lines, grep { $_ } map { single($f, $i, \%taken) } 1 .. 18;
		$f->{single} = {map { $_ => 1 } $from + 1 .. @$lines};
	}
	return;
}

# Mostly of what the function is likely to use. An access that has others of its own thread
# in the same eight bytes may be one that adds nothing to them: there are none such.
sub single
{
	my ($f, $number, $taken) = @_;
	my $array = pick(@{$f->{arrays}});
	my ($base, $from) = $array->{base} =~ /^(\w) \+ (\d+)$/;
	my ($n, undef, undef, $apart) = @{$f->{calls}[-1]};
	my $i = pick(below(20), below(20), below(2 * $n + 10), below(2 * $n + 10),
		-1 - below($n + 10), $n - 2 + below(5));
	my $at = $from + $i * $sizes{$array->{type}} + pick(0, 0, 0, below(16))
		+ ($base eq 'b' ? $apart : 0);
	my $type = pick(qw(c1 c1 c1 u2 u4 u8));
	my @granules = map { ($_ - $_ % 8) / 8 } $at, $at + $sizes{$type} - 1;
	return if grep { $taken->{$_} } @granules;
	$taken->{$_} = 1 for @granules;
	return "\t" . pick('SET', 'SET', 'GET') . "($type, at($number) + $at);";
}

1;

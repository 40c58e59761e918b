# SPDX-License-Identifier: MIT
# Holds a decoded JSON value against a JSON schema: as much of the language as the schema
# of SARIF 2.1.0 uses, and no more; a keyword that is not known here is an error.
#
#   my @offences = offences($schema, $value);     # "/runs/0/tool: driver is missing"
package JsonSchema;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Scalar::Util 'looks_like_number';

our @EXPORT = qw(offences);

# Notes for people, and what only says where other things are.
my %silent = map { $_ => 1 } qw(title description default definitions $defs $schema $id id
	deprecated);

sub type_of
{
	my ($v) = @_;
	return 'null' unless defined $v;
	return 'boolean' if JSON::PP::is_bool($v);
	return 'object' if ref $v eq 'HASH';
	return 'array' if ref $v eq 'ARRAY';
	# JSON::PP keeps numbers and strings apart as Perl does.
	my $is_text = B::svref_2object(\$v)->FLAGS & B::SVf_POK();
	return 'string' if $is_text;
	return $v == int $v ? 'integer' : 'number';
}

sub has_type
{
	my ($v, $type) = @_;
	my $is = type_of($v);
	return $is eq $type || ($type eq 'number' && $is eq 'integer');
}

my %formats = (
	'uri' => qr/\A[A-Za-z][A-Za-z0-9+.-]*:[!-~]*\z/,
	'uri-reference' => qr/\A(?:[!#\$&'()*+,\/:;=?\@\[\]\w.~-]|%[0-9A-Fa-f]{2})*\z/a,
	'date-time' => qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\z/a,
);

my %keywords = (
	type => sub {
		my ($v, $types) = @_;
		return if grep { has_type($v, $_) } ref $types ? @$types : $types;
		return 'is ' . type_of($v) . ', not ' . (ref $types ? "@$types" : $types);
	},
	enum => sub {
		my ($v, $all) = @_;
		return if grep { defined $v && !ref $v && $_ eq $v } @$all;
		return 'is none of ' . join(', ', @$all);
	},
	const => sub { return $_[0] eq $_[1] ? () : "is not $_[1]" },
	minimum => sub {
		return !looks_like_number($_[0]) || $_[0] >= $_[1] ? () : "is below $_[1]";
	},
	maximum => sub {
		return !looks_like_number($_[0]) || $_[0] <= $_[1] ? () : "is above $_[1]";
	},
	pattern => sub {
		return ref $_[0] || $_[0] =~ /$_[1]/ ? () : "does not match $_[1]";
	},
	format => sub {
		my $format = $formats{$_[1]} or return "has a format '$_[1]' that is not known";
		return ref $_[0] || $_[0] =~ $format ? () : "is no $_[1]: $_[0]";
	},
	minLength => sub { return ref $_[0] || length $_[0] >= $_[1] ? () : 'is too short' },
	minItems => sub {
		return ref $_[0] ne 'ARRAY' || @{$_[0]} >= $_[1] ? () : 'has too few items';
	},
	maxItems => sub {
		return ref $_[0] ne 'ARRAY' || @{$_[0]} <= $_[1] ? () : 'has too many items';
	},
	uniqueItems => sub {
		my ($v, $wanted) = @_;
		return unless $wanted && ref $v eq 'ARRAY';
		my %seen;
		my $json = JSON::PP->new->canonical->allow_nonref;
		return (grep { $seen{$json->encode($_)}++ } @$v) ? 'has an item twice' : ();
	},
	required => sub {
		my ($v, $names) = @_;
		return unless ref $v eq 'HASH';
		return map { "$_ is missing" } grep { !exists $v->{$_} } @$names;
	},
	anyOf => sub {
		my ($v, $any, $schema, $root) = @_;
		my @fits = grep { !check($root, $_, $v, '') } @$any;
		return @fits ? () : 'is none of what it may be';
	},
);
$keywords{oneOf} = $keywords{anyOf};

sub members
{
	my ($root, $schema, $v, $path) = @_;
	my @bad;
	my $known = $schema->{properties} || {};
	my $others = $schema->{additionalProperties};
	for my $name (sort keys %$v) {
		if ($known->{$name}) {
			push @bad, check($root, $known->{$name}, $v->{$name}, "$path/$name");
		} elsif (ref $others eq 'HASH') {
			push @bad, check($root, $others, $v->{$name}, "$path/$name");
		} elsif (defined $others && !$others) {
			push @bad, "$path: $name is not known";
		}
	}
	return @bad;
}

sub check
{
	my ($root, $schema, $v, $path) = @_;
	if (my $ref = $schema->{'$ref'}) {
		my $to = $root;
		$to = $to->{$_} || die "no $ref in the schema\n" for split m{/}, $ref =~ s{^#/}{}r;
		return check($root, $to, $v, $path);
	}
	my @bad;
	for my $word (sort keys %$schema) {
		next if $silent{$word} || $word =~ /^(?:properties|additionalProperties|items)$/;
		my $rule = $keywords{$word} or die "the schema uses '$word', which is not known\n";
		push @bad, map { "$path: $_" } $rule->($v, $schema->{$word}, $schema, $root);
	}
	push @bad, members($root, $schema, $v, $path) if ref $v eq 'HASH';
	if (ref $v eq 'ARRAY' && ref $schema->{items} eq 'HASH') {
		push @bad, map { check($root, $schema->{items}, $v->[$_], "$path/$_") } 0 .. $#$v;
	}
	return @bad;
}

sub offences
{
	my ($schema, $value) = @_;
	return check($schema, $schema, $value, '');
}

require B;
1;

# SPDX-License-Identifier: MIT
# HTML reports in a browser: Chromium without a window prints the page as it is after a
# script of ours, the driver, has used it.
#
#   plan skip_all => 'no Chromium' unless browser();
#   scene('rows', $findings, 'answer.rows = rows();', sub {
#           my ($answer) = @_;
#           is_deeply($answer->{rows}, ['x']);
#   }, size => [500, 800]);
#   play();          # all scenes, each in a frame of one page, and their tests
#
# A scene fails where something goes wrong in it: errors, breaches of the policy, alerts.
package Browser;
use strict;
use warnings;
use Deadheat;
use Digest::SHA 'sha256_base64';
use Exporter 'import';
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

our @EXPORT = qw(browser chromium report scene play);

my ($chromium) = grep { -x } map { my $d = $_; map { "$d/$_" } qw(chromium chromium-browser
	google-chrome) } split /:/, $ENV{PATH};
my $dir = tempdir(CLEANUP => 1);
my $pages = 0;

sub hash
{
	my $digest = sha256_base64($_[0]);
	return "'sha256-$digest" . '=' x (-length($digest) % 4) . "'";
}

# Its path, or undef.
sub browser { return $chromium }

# Notes what goes wrong from the very start.
my $witness = <<'JS';
window.wrong = [];
addEventListener('error', (e) => wrong.push('error: ' + e.message));
addEventListener('unhandledrejection', (e) => wrong.push('rejected: ' + e.reason));
addEventListener('securitypolicyviolation', (e) =>
	wrong.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI));
window.alert = (text) => wrong.push('alert: ' + text);
JS

# What a driver can use; what it returns comes back to the test.
my $kit = <<'JS';
const $ = (q) => document.querySelector(q), $$ = (q) => [...document.querySelectorAll(q)];
const press = (key) => (document.activeElement || document.body).dispatchEvent(
	new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
const set = (id, value) => {
	$('#filter-' + id).value = value;
	$('#filter-' + id).dispatchEvent(new Event(id === 'text' ? 'input' : 'change'));
};
const event = (from, type) => new Promise((resolve) =>
	from.addEventListener(type, resolve, {once: true}));
const until = async (holds) => {
	while (!holds())
		await new Promise((resolve) => setTimeout(resolve, 10));
};
const rows = () => $$('#list a.row strong').map((n) => n.textContent);
const open = async (hash) => {
	const changed = event(window, 'hashchange');
	location.hash = hash;
	await changed;
};
const heading = () => ($('#detail h2 code') || {}).textContent || '';
JS

# Opens an address and returns the page after its scripts, and what was on the console.
sub chromium
{
	my ($url) = @_;
	my @command = ($chromium, '--headless=new', '--no-sandbox', '--disable-gpu',
		'--disable-dev-shm-usage', '--no-first-run', "--user-data-dir=$dir/profile",
		'--enable-logging=stderr', '--virtual-time-budget=10000',
		'--window-size=1280,900', '--dump-dom', $url);
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	if ($pid == 0) {
		$ENV{HOME} = $dir;
		open STDOUT, '>', "$dir/dom" or die;
		open STDERR, '>', "$dir/log" or die;
		exec 'timeout', 120, @command or die "timeout: $!\n";
	}
	waitpid $pid, 0;
	return (Deadheat::slurp("$dir/dom"), join '', grep { /CONSOLE/ } split /^/m,
		Deadheat::slurp("$dir/log"));
}

# Writes the report of a file of findings, as it is or with a driver in it; its address.
sub report
{
	my ($findings, $driver, @options) = @_;
	my $html = deadheat('report', '--format', 'html', @options, $findings)->{out};
	my $path = "$dir/page" . ++$pages . '.html';
	if ($driver) {
		my $code = "$kit const answer = {}; try { $driver } catch (e) "
			. "{ wrong.push('driver: ' + e.stack); } answer.wrong = wrong;"
			. "parent.postMessage({page: $pages, answer}, '*');";
		my ($early, $late) = (hash($witness), hash($code));
		$html =~ s/(script-src )/$1$early $late /;
		$html =~ s{<title>}{<script>$witness</script><title>};
		$html =~ s{</body>}{<script type="module">$code</script></body>};
	}
	open my $to, '>:raw', $path or die "$path: $!\n";
	print $to $html;
	close $to or die;
	return "file://$path";
}

my %scenes; # by number of page: {name, url, size, tests}

# The driver runs in the report of the findings; tests get what it left in `answer`. hash
# is added to the address, options are for the report.
sub scene
{
	my ($name, $findings, $driver, $tests, %how) = @_;
	my $url = report($findings, $driver, @{$how{options} || []});
	$scenes{$pages} = {name => $name, url => $url . ($how{hash} || ''),
		size => $how{size} || [1280, 900], tests => $tests};
}

# The page of frames gathers the answers and shows them when all are in.
sub play
{
	my $frames = join '', map {
		my ($wide, $high) = @{$scenes{$_}{size}};
		qq(<iframe src="$scenes{$_}{url}" width="$wide" height="$high"></iframe>\n)
	} sort { $a <=> $b } keys %scenes;
	my $count = keys %scenes;
	open my $to, '>', "$dir/frames.html" or die;
	print $to <<"HTML";
<!doctype html><meta charset="utf-8"><script>
const answers = {};
addEventListener('message', (e) => {
	answers[e.data.page] = e.data.answer;
	if (Object.keys(answers).length === $count)
		document.querySelector('pre').textContent = JSON.stringify(answers);
});
</script><pre></pre>
$frames
HTML
	close $to or die;
	my ($dom, $console) = chromium("file://$dir/frames.html");
	is($console, '', 'nothing on the console');
	my ($json) = $dom =~ m{<pre>(.*?)</pre>}s;
	$json =~ s/&lt;/</g;
	$json =~ s/&gt;/>/g;
	$json =~ s/&nbsp;/\xc2\xa0/g;
	$json =~ s/&amp;/&/g;
	ok($json ne '', 'all drivers came to their end') or return;
	my $answers = JSON::PP->new->utf8->decode($json);
	for my $page (sort { $a <=> $b } keys %scenes) {
		part($scenes{$page}{name}, sub {
			is_deeply($answers->{$page}{wrong}, [], 'nothing goes wrong');
			$scenes{$page}{tests}->($answers->{$page});
		});
	}
}

1;

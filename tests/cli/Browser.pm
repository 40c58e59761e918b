# SPDX-License-Identifier: MIT
# HTML reports in a browser: Chromium without a window prints the page as it is after a
# script of ours, the driver, has used it.
#
#   plan skip_all => 'no Chromium' unless browser();
#   my $answer = drive($findings, 'answer.rows = rows();', size => '500,800');
#   is_deeply($answer->{wrong}, []);     # errors, breaches of the policy, alerts
package Browser;
use strict;
use warnings;
use Deadheat;
use Digest::SHA 'sha256_base64';
use Exporter 'import';
use File::Temp 'tempdir';
use JSON::PP ();

our @EXPORT = qw(browser chromium report drive);

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
const tick = () => new Promise((resolve) => setTimeout(resolve, 50));
const rows = () => $$('#list a.row strong').map((n) => n.textContent);
const open = async (hash) => {
	location.hash = hash;
	await tick();
};
const heading = () => ($('#detail h2 code') || {}).textContent || '';
JS

# Opens an address and returns the page after its scripts, and what was on the console.
sub chromium
{
	my ($url, %how) = @_;
	my @command = ($chromium, '--headless=new', '--no-sandbox', '--disable-gpu',
		'--disable-dev-shm-usage', '--no-first-run', "--user-data-dir=$dir/profile",
		'--enable-logging=stderr', '--virtual-time-budget=20000',
		'--window-size=' . ($how{size} || '1280,900'), '--dump-dom', $url);
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
			. "const out = document.createElement('pre'); out.id = 'answer';"
			. 'out.textContent = JSON.stringify(answer); document.body.append(out);';
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

# Runs the driver in the page and returns its answer.
sub drive
{
	my ($findings, $driver, %how) = @_;
	my ($dom) = chromium(report($findings, $driver, @{$how{options} || []})
		. ($how{hash} || ''), %how);
	my ($json) = $dom =~ m{<pre id="answer">(.*?)</pre>}s;
	return {wrong => ['the driver did not come to its end']} unless defined $json;
	$json =~ s/&lt;/</g;
	$json =~ s/&gt;/>/g;
	$json =~ s/&nbsp;/\xc2\xa0/g;
	$json =~ s/&amp;/&/g;
	return JSON::PP->new->utf8->decode($json);
}

1;

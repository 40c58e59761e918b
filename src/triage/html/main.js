/* SPDX-License-Identifier: MIT */
/* Ties the parts together: addresses (#id), keys, theme. */

const help = byId('help');

/* ---- which cause is shown ---- */

/* The cause that an id, or the beginning of one, belongs to; also by a variant's. */
function findCause(id) {
	if (id.length < 4)
		return null;
	return data.causes.find((c) => c.key === id) ||
		data.causes.find((c) => c.variants.some((v) => v.id.startsWith(id))) || null;
}

function show(cause) {
	current = cause;
	document.body.classList.toggle('has-detail', !!cause);
	markCurrent();
	if (cause)
		showDetail(cause);
	else
		showNothing();
	document.title = cause ? `${cause.title} – Deadheat report` : 'Deadheat report';
}

function rowInView(cause, focus) {
	const index = shown.indexOf(cause);
	if (index < 0)
		return;
	drawAround(index);
	const row = byId('row-' + cause.key);
	if (focus)
		row.focus({preventScroll: true});
	row.scrollIntoView({block: 'nearest'});
}

function isNarrow() {
	return window.matchMedia('(max-width: 899px)').matches;
}

function fromAddress() {
	const id = decodeURIComponent(location.hash.slice(1));
	const cause = findCause(id);
	show(cause);
	if (!cause)
		return;
	rowInView(cause, false);
	const variant = id !== cause.key && byId('variant-' + id);
	if (variant) {
		variant.open = true;
		variant.scrollIntoView();
	} else if (isNarrow()) {
		window.scrollTo(0, 0);
	}
}

/* Moves in the list; on a wide screen the details follow. */
function goTo(index) {
	if (!shown.length)
		return;
	const cause = shown[Math.max(0, Math.min(shown.length - 1, index))];
	if (isNarrow() && !document.body.classList.contains('has-detail')) {
		current = cause;
	} else {
		history.replaceState(null, '', '#' + cause.key);
		show(cause);
	}
	rowInView(cause, true);
	markCurrent();
}

function backToList() {
	const cause = current;
	history.replaceState(null, '', location.pathname + location.search);
	if (isNarrow())
		show(null);
	if (cause) {
		current = cause;
		rowInView(cause, true);
		markCurrent();
	}
}

/* ---- theme ---- */

function darkNow() {
	const set = document.documentElement.dataset.theme;
	return set ? set === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	byId('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}

function switchTheme() {
	const theme = darkNow() ? 'light' : 'dark';
	setTheme(theme);
	try {
		localStorage.setItem('deadheat-theme', theme);
	} catch {
		/* No storage for local files: it lasts as long as the page. */
	}
}

function startTheme() {
	let theme = null;
	try {
		theme = localStorage.getItem('deadheat-theme');
	} catch {
		/* As above. */
	}
	if (theme === 'dark' || theme === 'light')
		setTheme(theme);
	else
		byId('theme').textContent = darkNow() ? 'Light' : 'Dark';
}

/* ---- keys ---- */

function step(by) {
	const at = shown.indexOf(current);
	goTo(at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by);
}

const keys = {
	j: () => step(1),
	k: () => step(-1),
	g: () => goTo(0),
	G: () => goTo(shown.length - 1),
	'/': () => filters.text.focus(),
	x: clearFilters,
	s: () => {
		unfolded = !unfolded;
		foldStacks();
	},
	t: switchTheme,
	'?': () => help.showModal(),
	Escape: backToList,
};

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || help.open)
		return;
	const typing = event.target.closest('input, select');
	if (typing) {
		if (event.key === 'Escape') {
			typing.blur();
			list.focus({preventScroll: true});
			event.preventDefault();
		} else if (event.key === 'Enter' && typing === filters.text) {
			goTo(0);
			event.preventDefault();
		}
		return;
	}
	const act = Object.hasOwn(keys, event.key) && keys[event.key];
	if (!act)
		return;
	act();
	event.preventDefault();
}

/* Enter on a row goes to its details, also where they are shown already. */
function onChosen(event) {
	const row = event.target.closest('a.row');
	if (!row)
		return;
	const cause = findCause(row.hash.slice(1));
	if (cause === current && !isNarrow())
		event.preventDefault();
	if (event.detail === 0)
		setTimeout(() => detail.focus());
}

/* ---- start ---- */

function totalsText() {
	const suppressed = data.causes.length - reported().length;
	const words = `${plural(reported().length, 'cause')} from ` +
		`${plural(data.findings, 'finding')} in ${plural(data.runs.length, 'run')}` +
		(suppressed ? `, ${suppressed} suppressed` : '');
	const lost = data.runs.filter((r) => r.losses.length || !r.complete).length;
	return lost ? `${words}; ${plural(lost, 'run')} lost something` : words;
}

function start() {
	byId('totals').textContent = totalsText();
	byId('panes').hidden = byId('tools').hidden = false;
	startTheme();
	prepare();
	setChoices();
	filterList();
	fromAddress();
	for (const f of Object.values(filters))
		f.addEventListener(f === filters.text ? 'input' : 'change', filterList);
	byId('filters').addEventListener('submit', (event) => event.preventDefault());
	byId('theme').addEventListener('click', switchTheme);
	byId('help-open').addEventListener('click', () => help.showModal());
	list.addEventListener('click', onChosen);
	list.parentElement.addEventListener('scroll', drawMore, {passive: true});
	window.addEventListener('scroll', drawMore, {passive: true});
	window.addEventListener('hashchange', fromAddress);
	document.addEventListener('keydown', onKey);
	document.documentElement.dataset.ready = String(shown.length);
}

start();

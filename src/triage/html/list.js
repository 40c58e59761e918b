/* SPDX-License-Identifier: MIT */
/* The list of causes: filters, order, rows. Rows are made in pieces around what is in
 * view, so that ten thousand causes cost no more than a hundred. */

const PIECE = 120; /* rows that are made at once */
const NEAR = 1200; /* pixels to the end when more are made */
const list = byId('list');
const shown = []; /* causes that pass the filters, in order */
let from = 0, to = 0; /* those that have rows */
let current = null;

const filters = {
	text: byId('filter-text'), grade: byId('filter-grade'),
	pattern: byId('filter-pattern'), file: byId('filter-file'),
	state: byId('filter-state'), sort: byId('filter-sort'),
};

const orders = {
	rank: () => 0,
	count: (a, b) => b.count - a.count,
	runs: (a, b) => b.runs - a.runs,
	title: (a, b) => a.title.localeCompare(b.title),
	file: (a, b) => (a.files[0] || '').localeCompare(b.files[0] || ''),
};

/* ---- what filters look at ---- */

function stacksOf(finding) {
	return accessesOf(finding).map((a) => stackAt(a.stack));
}

/* The files that the racing lines of a cause are in. */
function racingFiles(cause) {
	const found = new Set();
	for (const v of cause.variants)
		for (const stack of stacksOf(v.finding)) {
			const f = whereOf(stack);
			if (f && f.file)
				found.add(f.file);
		}
	return [...found];
}

function wordsOf(cause) {
	const words = [cause.title, cause.common || '', cause.grade];
	const indices = new Set();
	for (const p of cause.patterns)
		words.push(...data.patterns[p.kind], p.because || '');
	for (const v of cause.variants) {
		words.push(v.id, v.finding.object.title);
		for (const a of accessesOf(v.finding)) {
			if (typeof a.stack === 'number')
				indices.add(a.stack);
			for (const l of a.locks || [])
				words.push(l.name);
		}
		for (const t of v.finding.threads)
			if (t.name)
				words.push(t.name);
	}
	for (const index of indices)
		for (const f of stackAt(index))
			words.push(f.fn, f.file);
	return words.join('\n').toLowerCase();
}

function prepare() {
	for (const cause of data.causes) {
		/* What is suppressed by a rule for threads may be there unsuppressed too. */
		cause.key = cause.suppressed ? cause.id + '-suppressed' : cause.id;
		cause.files = racingFiles(cause);
		for (const v of cause.variants)
			v.finding.grade = v.grade;
	}
}

/* What is not suppressed. */
function reported() {
	return data.causes.filter((c) => !c.suppressed);
}

function passes(cause, words) {
	if (filters.grade.value && cause.grade !== filters.grade.value)
		return false;
	if (filters.pattern.value && !(filters.pattern.value === '-' ? !cause.patterns.length :
	    cause.patterns.some((p) => data.patterns[p.kind][0] === filters.pattern.value)))
		return false;
	if (filters.file.value && !cause.files.includes(filters.file.value))
		return false;
	if (!!cause.suppressed !== (filters.state.value === 'suppressed'))
		return false;
	if (filters.state.value === 'new' && !cause.new)
		return false;
	if (filters.state.value === 'known' && cause.new)
		return false;
	if (!words.length)
		return true;
	cause.words = cause.words || wordsOf(cause);
	return words.every((w) => cause.words.includes(w));
}

/* ---- rows ---- */

function badge(kind, words, title) {
	return el('span', {class: `badge ${kind}`, title}, words);
}

function badgesOf(cause) {
	const known = ['observed', 'potential', 'predicted'];
	const p = cause.patterns[0];
	return [
		badge(known.includes(cause.grade) ? cause.grade : 'plain', cause.grade,
		      gradeText(cause.grade)),
		cause.suppressed ? badge('plain', 'suppressed', cause.suppressed) : null,
		data.baseline && cause.new && !cause.suppressed ? badge('new', 'new', 'Not in the baseline') : null,
		p ? badge('pattern', data.patterns[p.kind][0], data.patterns[p.kind][1]) : null,
		cause.variants.length > 1 ?
			badge('plain', plural(cause.variants.length, 'variant')) : null,
	];
}

function sideOf(a) {
	const f = whereOf(stackAt(a.stack));
	return el('span', {class: 'side'}, el('b', {class: `op ${a.op}`}, a.op), ' ',
		  el('code', {}, shortName(nameOf(f))), ' ',
		  el('span', {class: 'place'}, f && f.fn ? placeOf(f, true) : ''));
}

function rowOf(cause) {
	const finding = cause.variants[0].finding;
	return el('li', {},
		el('a', {href: '#' + cause.key, id: 'row-' + cause.key, class: 'row'},
		   el('span', {class: 'rank', 'aria-hidden': true}, cause.rank),
		   el('span', {class: 'what'},
		      el('strong', {}, finding.object.title),
		      accessesOf(finding).map(sideOf),
		      el('span', {class: 'badges'}, badgesOf(cause))),
		   el('span', {class: 'count', title: 'times found'}, '×',
		      cause.count.toLocaleString('en'))));
}

function rowsOf(causes) {
	const piece = document.createDocumentFragment();
	piece.append(...causes.map(rowOf));
	return piece;
}

function drawDown(count) {
	list.append(rowsOf(shown.slice(to, to + count)));
	to = Math.min(shown.length, to + count);
	markCurrent();
}

/* What is in view stays where it is. */
function drawUp(count) {
	const pane = scroller();
	const before = pane.scrollHeight;
	list.prepend(rowsOf(shown.slice(Math.max(0, from - count), from)));
	from = Math.max(0, from - count);
	list.start = from + 1;
	pane.scrollTop += pane.scrollHeight - before;
	markCurrent();
}

/* Sees to it that the row of an index is there, and some around it. */
function drawAround(index) {
	if (index >= from && index < to)
		return;
	if (index < to || index > to + PIECE) {
		list.replaceChildren();
		from = to = Math.max(0, index - PIECE);
		list.start = from + 1;
	}
	drawDown(index - to + PIECE);
}

function markCurrent() {
	const old = list.querySelector('[aria-current]');
	if (old)
		old.removeAttribute('aria-current');
	const row = current && byId('row-' + current.key);
	if (row)
		row.setAttribute('aria-current', 'true');
}

/* What scrolls the list: its pane, on a narrow screen the page. */
function scroller() {
	const pane = list.parentElement;
	return pane.scrollHeight > pane.clientHeight + 4 ? pane : document.documentElement;
}

function drawMore() {
	const pane = scroller();
	if (pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR && to < shown.length)
		drawDown(PIECE);
	if (pane.scrollTop < NEAR && from > 0)
		drawUp(PIECE);
}

function filterList() {
	const words = filters.text.value.toLowerCase().split(/\s+/).filter((w) => w);
	shown.length = 0;
	shown.push(...data.causes.filter((c) => passes(c, words)));
	if (filters.sort.value !== 'rank')
		shown.sort(orders[filters.sort.value] || orders.rank);
	list.replaceChildren();
	from = to = 0;
	list.start = 1;
	drawDown(PIECE);
	list.parentElement.scrollTop = 0;
	const all = reported().length;
	byId('shown').replaceChildren(shown.length === all ||
		filters.state.value === 'suppressed' ? plural(shown.length, 'cause') :
		`${shown.length.toLocaleString('en')} of ${plural(all, 'cause')}`);
	if (!shown.length)
		list.append(el('li', {class: 'none'}, all ?
			'No cause passes the filters. Press x to clear them.' :
			'No races were found.'));
}

/* ---- the filters' choices ---- */

/* Not shown where there is nothing to choose. */
function choices(select, all, entries, least = 2) {
	select.replaceChildren(...(all ? [el('option', {value: ''}, all)] : []),
		...entries.map(([value, words]) => el('option', {value}, words)));
	select.closest('label').hidden = entries.length < least;
}

/* How often each value comes up, the most frequent first. */
function tally(values) {
	const counts = new Map();
	for (const value of values)
		counts.set(value, (counts.get(value) || 0) + 1);
	return [...counts].sort((a, b) => b[1] - a[1]);
}

function setChoices() {
	const of = (value, n, words) => [value, `${words || value} (${n})`];
	choices(filters.grade, 'all grades',
		tally(data.causes.map((c) => c.grade)).map(([g, n]) => of(g, n)));
	const patterns = tally(data.causes.flatMap((c) =>
		c.patterns.length ? c.patterns.map((p) => data.patterns[p.kind][0]) : ['-']));
	choices(filters.pattern, 'all patterns',
		patterns.map(([p, n]) => of(p, n, p === '-' ? 'none' : p)));
	choices(filters.file, 'all files',
		tally(data.causes.flatMap((c) => c.files)).map(([f, n]) => of(f, n)));
	const suppressed = data.causes.length - reported().length;
	choices(filters.state, 'all reported', [
		...(data.baseline ? [['new', 'new since the baseline'], ['known', 'known before']] :
			[]),
		...(suppressed ? [of('suppressed', suppressed)] : [])], 1);
	choices(filters.sort, null, [['rank', 'rank'], ['count', 'times found'],
		['runs', 'runs'], ['title', 'title'], ['file', 'file']]);
}

function clearFilters() {
	byId('filters').reset();
	filterList();
}

/* SPDX-License-Identifier: MIT */
/*
 * A picture of what ordered the two threads, and what did not: time runs down, a lane for
 * each thread. Drawn are facts of the findings alone: which thread created which, the
 * locks held at the accesses and where they were taken, the accesses. Lanes are the path
 * from one thread up to the nearest creator of both, and down to the other one.
 */

const LANES = 5; /* more are drawn as one */

function ancestry(finding, id) {
	const line = [];
	while (id !== undefined && !line.includes(id)) {
		line.push(id);
		const t = findThread(finding, id);
		id = t && !t.main ? t.parent : undefined;
	}
	return line;
}

/* [{id, up: by how many creations it is below the top}...] from the one thread to the
 * other; where no common creator is known, just the two. */
function lanesOf(finding) {
	const [a, b] = [finding.first.thread, finding.second.thread];
	const left = ancestry(finding, a), right = ancestry(finding, b);
	const top = left.find((id) => right.includes(id));
	if (a === undefined || b === undefined || top === undefined || a === b)
		return {ids: [a, b], top: -1};
	const up = left.slice(0, left.indexOf(top));
	const down = right.slice(0, right.indexOf(top)).reverse();
	const ids = [...up, top, ...down];
	if (ids.length > LANES)
		return {ids: [a, null, b], top: -1, between: ids.length - 2};
	return {ids, top: up.length};
}

function clip(words, room) {
	return words.length > room ? words.slice(0, Math.max(1, room - 1)) + '…' : words;
}

/* Text of at most `room` characters, whole as its tooltip. */
function label(x, y, words, room, kind, anchor) {
	const short = clip(words, room);
	return svg('text', {x, y, class: kind, 'text-anchor': anchor || 'middle'}, short,
		   short === words ? null : svg('title', {}, words));
}

function arrow(name, x1, y1, x2, y2, kind) {
	return svg('line', {x1, y1, x2, y2, class: kind, 'marker-end': `url(#${name})`});
}

/* The locks that are drawn: the innermost; first those that were held for sure. */
function locksDrawn(a) {
	return [...(a.locks || []).slice(-3).map((lock) => ({lock, sure: true})),
		...(a.locks_maybe || []).map((lock) => ({lock, sure: false}))].slice(0, 3);
}

function lockBars(p, x, side, a, bottom) {
	const locks = locksDrawn(a);
	const room = Math.floor((p.room - 34) / 7);
	const parts = [];
	locks.forEach(({lock: l, sure}, i) => {
		const y = bottom - 26 - 22 * (locks.length - i);
		const bx = x + side * (7 + 5 * i);
		const f = whereOf(stackAt(l.taken));
		const name = l.name === l.address ? 'a lock' : l.name;
		const short = sure ? name : `${name}?`;
		const whole = f ? `${short} ${placeOf(f, true)}` : short;
		parts.push(svg('line', {x1: bx, y1: y, x2: bx, y2: bottom - 18,
				       class: sure ? 'held' : 'held maybe'}),
			label(x + side * 28, y + 8, whole.length <= room ? whole : short, room,
			      'lock', side < 0 ? 'end' : 'start'));
	});
	return parts;
}

/* Where an access stands on its lane: a dot, and what it is. */
function accessMark(finding, a, x, y, room) {
	const f = whereOf(stackAt(a.stack));
	const maybe = (a.locks_maybe || []).length;
	const held = !a.locks ? 'locks not known' : a.locks.length > 3 ?
		plural(a.locks.length, 'lock') + ' held' :
		a.locks.length ? '' : maybe ? 'no lock held for sure' : 'no lock held';
	return svg('g', {}, svg('circle', {cx: x, cy: y, r: 7, class: `dot ${a.op}`}),
		label(x, y + 24, accessName(a), room, 'strong'),
		label(x, y + 40, shortName(nameOf(f)), room, 'code'),
		label(x, y + 55, f && f.fn ? placeOf(f, true) : '', room, 'code faint'),
		label(x, y + 71, held, room, 'faint'));
}

function laneHead(finding, id, between, x, y, room) {
	const name = id === null ? plural(between, 'thread') + ' between' :
		capital(threadName(finding, id).replace(/^the /, ''));
	const short = clip(name, room);
	const wide = Math.max(60, short.length * 7 + 20);
	return svg('g', {}, svg('rect', {x: x - wide / 2, y: y - 14, width: wide, height: 24,
					 rx: 6, class: 'lane-head'}),
		   label(x, y + 3, name, room, 'strong'));
}

/* Geometry: x of each lane, y of each lane's start, of the accesses, and of the end. */
function planOf(finding, width) {
	const lanes = lanesOf(finding);
	const n = lanes.ids.length;
	const edge = Math.max(width / n / 2, Math.min(230, width / 4));
	const step = n > 1 ? (width - 2 * edge) / (n - 1) : 0;
	const x = lanes.ids.map((_, i) => edge + i * step);
	const start = lanes.ids.map((_, i) =>
		22 + (lanes.top < 0 ? 0 : Math.abs(i - lanes.top) * 58));
	const locks = (a) => 22 * locksDrawn(a).length;
	const base = Math.max(...start);
	const first = base + 60 + locks(finding.first);
	const second = Math.max(first + 58, base + 60 + locks(finding.second));
	return {lanes, n, x, start, first, second, end: second + 84, room: edge};
}

/* Where a thread was created: along the arrow, or beside its lane where that is short. */
function creation(p, i, from, place) {
	const wide = Math.abs(p.x[i] - p.x[from]);
	const left = p.x[i] < p.x[from];
	if (wide > 230)
		return label(p.x[i], p.start[i] - 32, `created at ${place}`,
			     Math.floor(wide / 6.4), 'small', left ? 'start' : 'end');
	return label(p.x[i] + (left ? -8 : 8), p.start[i] + 24, place,
		     Math.floor((p.room - 8) / 6.4), 'small', left ? 'end' : 'start');
}

function forks(finding, p, mark) {
	const parts = [];
	p.lanes.ids.forEach((id, i) => {
		if (p.lanes.top < 0 || i === p.lanes.top)
			return;
		const from = i < p.lanes.top ? i + 1 : i - 1;
		const t = findThread(finding, id);
		const f = t ? whereOf(stackAt(t.created)) : null;
		const y = p.start[i] - 24;
		parts.push(arrow(mark, p.x[from], y - 6, p.x[i], p.start[i] - 15, 'edge'),
			f ? creation(p, i, from, placeOf(f, true)) : null);
	});
	return parts;
}

function laneLine(p, i) {
	const last = p.n - 1;
	const y = p.start[i] + 10;
	if (i === 0)
		return svg('line', {x1: p.x[i], y1: y, x2: p.x[i], y2: p.first, class: 'lane'});
	if (i === last)
		return svg('line', {x1: p.x[i], y1: y, x2: p.x[i], y2: p.second, class: 'lane'});
	return svg('line', {x1: p.x[i], y1: y, x2: p.x[i], class: 'lane past',
			    y2: Math.max(...p.start) + 22});
}

function missingEdge(p, mark, grade) {
	const last = p.n - 1;
	const words = grade === 'potential' ? 'by luck' : 'no order';
	const half = 11 + 3.5 * words.length;
	const mx = (p.x[0] + p.x[last]) / 2, my = (p.first + p.second) / 2;
	return svg('g', {},
		arrow(mark, p.x[0] + 12, p.first + 2, p.x[last] - 12, p.second - 3, 'missing'),
		svg('rect', {x: mx - half, y: my - 12, width: 2 * half, height: 22, rx: 11,
			     class: 'gap'}),
		svg('text', {x: mx, y: my + 3, class: 'gap-text', 'text-anchor': 'middle'}, words));
}

function marker(id, kind) {
	return svg('marker', {id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7,
			      markerHeight: 7, orient: 'auto-start-reverse'},
		   svg('path', {d: 'M0 0 10 5 0 10z', class: kind}));
}

/* What the picture says, for those who do not see it, and what it cannot say. */
function storyOf(finding) {
	const say = [];
	for (const id of new Set([finding.first.thread, finding.second.thread])) {
		const t = findThread(finding, id);
		if (t && t.parent !== undefined && !t.main)
			say.push(`${capital(threadName(finding, id))} was created by ` +
				 `${threadName(finding, t.parent)}.`);
	}
	const what = finding.grade === 'potential' ? 'Nothing but luck orders' :
		finding.grade === 'predicted' ? 'In another schedule nothing orders' :
		'Nothing that is known orders';
	say.push(`${what} the ${accessName(finding.first)} by ` +
		 `${threadName(finding, finding.first.thread)} before the ` +
		 `${accessName(finding.second)} by ` +
		 `${threadName(finding, finding.second.thread)}.`);
	return say.join(' ');
}

function limitsOf(finding, p) {
	const open = [];
	if (p.lanes.top < 0 && !p.lanes.between && p.lanes.ids[0] !== p.lanes.ids[1])
		open.push('who created the threads');
	if (!finding.first.locks)
		open.push(finding.second.locks ? 'the locks of the earlier access' :
			'the locks that were held');
	open.push('what else the two threads synchronised on before');
	return `Not drawn, since the findings do not tell: ${open.join('; ')}.`;
}

function drawPicture(finding, name, width) {
	const p = planOf(finding, width);
	const room = Math.floor(p.room * 2 / 6.9) - 1;
	const last = p.n - 1;
	return svg('svg', {class: 'picture', viewBox: `0 0 ${width} ${p.end}`, width,
			   height: p.end, role: 'img', 'aria-label': storyOf(finding)},
		svg('defs', {}, marker(name + '-edge', 'edge-head'),
		    marker(name + '-gap', 'gap-head')),
		p.x.map((_, i) => laneLine(p, i)),
		forks(finding, p, name + '-edge'),
		p.x.map((x, i) => laneHead(finding, p.lanes.ids[i], p.lanes.between, x, p.start[i],
					   Math.floor(width / p.n / 7.2))),
		missingEdge(p, name + '-gap', finding.grade),
		lockBars(p, p.x[0], -1, finding.first, p.first),
		lockBars(p, p.x[last], 1, finding.second, p.second),
		accessMark(finding, finding.first, p.x[0], p.first, room),
		accessMark(finding, finding.second, p.x[last], p.second, room));
}

const painters = new WeakMap(); /* of the elements that hold a picture */
const widths = new ResizeObserver((entries) => requestAnimationFrame(() => {
	for (const entry of entries)
		painters.get(entry.target)();
}));

/* The picture with its caption. It is empty until drawPictures, which knows its room, and
 * drawn anew when that changes. */
function picture(finding, name) {
	if (!finding.first)
		return el('p', {class: 'faint'}, 'Nothing is known of the earlier access: ' +
			'there is nothing to draw.');
	const holder = el('div', {class: 'holder'});
	const plan = planOf(finding, 600);
	let width = 0;
	painters.set(holder, () => {
		const room = Math.min(820, Math.max(300, Math.floor(holder.clientWidth)));
		if (room !== width)
			holder.replaceChildren(drawPicture(finding, name, room));
		width = room;
	});
	return el('figure', {}, holder, el('figcaption', {class: 'faint'},
		storyOf(finding), ' ', limitsOf(finding, plan)));
}

/* Draws those within an element, which is in the page. */
function drawPictures(within) {
	for (const holder of within.querySelectorAll('.holder')) {
		painters.get(holder)();
		widths.observe(holder);
	}
}

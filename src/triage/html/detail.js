/* SPDX-License-Identifier: MIT */
/* Everything about one cause. */

const detail = byId('detail');
let unfolded = false; /* all stacks, by the key s */

function section(title, ...children) {
	return el('section', {class: 'part'}, el('h3', {}, title), children);
}

function runName(index) {
	const run = data.runs[index];
	if (!run)
		return '';
	const what = run.trace ? `trace ${run.trace}` :
		run.process ? `process ${run.process}` : run.file;
	return run.time ? `${run.time.replace('T', ' ').replace('Z', ' UTC')} (${what})` : what;
}

/* ---- locks ---- */

function lockItem(lock, sure) {
	return el('li', {},
		el('details', {}, el('summary', {}, el('code', {}, lock.name), ' ',
			el('span', {class: 'faint'}, lock.read ? 'shared' : 'exclusive',
			   sure ? '' : ', for a part of the time only')),
		   typeof lock.taken === 'number' ?
			[el('p', {class: 'faint'}, 'taken at'), stackList(lock.taken)] : null,
		   typeof lock.created === 'number' ?
			[el('p', {class: 'faint'}, 'created at'), stackList(lock.created)] : null,
		   lock.address ? el('p', {class: 'faint'}, 'at ', lock.address) : null));
}

function locksOf(a) {
	if (!a.locks)
		return el('p', {class: 'locks faint'},
			  'Which locks it held is not in the findings.');
	const maybe = a.locks_maybe || [];
	if (!a.locks.length && !maybe.length)
		return el('p', {class: 'locks'}, 'Held no lock.');
	const sure = a.locks.length ? plural(a.locks.length, 'lock') : 'no lock for sure';
	return el('div', {class: 'locks'}, el('p', {}, 'Held ', sure,
		maybe.length ? `, perhaps ${maybe.length}${a.locks.length ? ' more' : ''}` : '',
		a.locks_lost ? ` (and ${a.locks_lost} that were not noted)` : '', ':'),
		el('ul', {}, a.locks.map((l) => lockItem(l, true)),
		   maybe.map((l) => lockItem(l, false))));
}

/* ---- the accesses ---- */

function accessCard(finding, a, which) {
	const stack = stackAt(a.stack);
	const f = whereOf(stack);
	return el('section', {class: `card ${which}`},
		el('h4', {}, el('span', {class: `op ${a.op}`}, capital(accessName(a))),
		   el('span', {class: 'faint'}, ' by ', threadName(finding, a.thread),
		      which === 'first' ? ', earlier' : '')),
		el('p', {class: 'at'}, el('code', {}, shortName(nameOf(f))), ' ',
		   el('span', {class: 'place'}, f && f.fn ? placeOf(f) : ''),
		   a.index !== undefined ?
			el('span', {class: 'faint'}, ` event ${a.index}`) : null),
		sourceOf(f, data.context, 'racing line: ') ||
			el('p', {class: 'faint none'}, 'The source is not at hand.'),
		f && f.newer ? el('p', {class: 'faint'},
			'The file has changed since the run: lines may have moved.') : null,
		el('h5', {}, 'Stack'), stackList(a.stack),
		el('h5', {}, 'Locks'), locksOf(a));
}

function accessCards(finding) {
	return el('div', {class: 'cards'},
		finding.first ? accessCard(finding, finding.first, 'first') :
			el('section', {class: 'card first'},
			   el('p', {class: 'faint'}, 'Nothing is known of the earlier access.')),
		accessCard(finding, finding.second, 'second'));
}

/* What was added to the two; each has the threads that it names. */
function furtherPart(finding) {
	if (!finding.further || !finding.further.length)
		return null;
	return section(plural(finding.further.length, 'further access', 'further accesses'),
		el('p', {class: 'faint'}, 'To the same variable, at other places.'),
		el('div', {class: 'cards'}, finding.further.map((f) =>
			accessCard(f, f.access, 'further'))));
}

/* ---- object and threads ---- */

function objectFacts(finding) {
	const o = finding.object;
	const kinds = {
		global: 'Global variable', heap: 'Heap block', stack: 'On the stack of a thread',
		variable: 'Variable of the trace', unknown: 'Memory of no known object',
	};
	const facts = [kinds[o.kind] || kinds.unknown];
	if (o.size)
		facts.push(bytes(o.size));
	if (o.offset)
		facts.push(`the race is ${bytes(o.offset)} into it`);
	if (o.file)
		facts.push(`declared at ${o.file}${o.line ? ':' + o.line : ''}`);
	if (o.kind === 'stack' && o.thread !== undefined)
		facts.push(`of ${threadName(finding, o.thread)}`);
	if (o.object_level)
		facts.push('judged as a whole, not by its fields');
	return facts.join(', ') + '.';
}

function objectPart(finding) {
	const o = finding.object;
	const declared = o.file && o.line ? sourceOf({file: o.file, line: o.line}, 1, null, 'mild') : null;
	return section('Object',
		el('p', {}, el('code', {}, o.title)),
		el('p', {class: 'faint'}, objectFacts(finding)), declared,
		typeof o.allocated === 'number' ?
			[el('h5', {}, 'Allocated by ', threadName(finding, o.thread)),
			 stackList(o.allocated)] : null,
		typeof o.freed === 'number' ?
			[el('h5', {}, 'Freed by ', threadName(finding, o.free_thread)),
			 stackList(o.freed)] : null);
}

function threadsPart(finding) {
	if (!finding.threads.length)
		return null;
	return section('Threads', el('ul', {class: 'threads'}, finding.threads.map((t) =>
		el('li', {}, el('b', {}, capital(threadName(finding, t.id))),
		   t.running === false ? el('span', {class: 'faint'}, ' (ended)') : null,
		   t.main ? null : el('span', {class: 'faint'}, t.parent !== undefined ?
			` created by ${threadName(finding, t.parent)}` : ' creator not known'),
		   typeof t.created === 'number' ? stackList(t.created) : null))));
}

/* ---- patterns, evidence, variants ---- */

/* `names` in a sentence as code. */
function withCode(words) {
	return words.split('`').map((part, i) => i % 2 ? el('code', {}, part) : part);
}

function patternPart(cause) {
	return cause.patterns.map((p) => el('div', {class: 'advice'},
		el('p', {}, el('b', {}, capital(data.patterns[p.kind][1])), ' ',
		   badge('pattern', data.patterns[p.kind][0])),
		p.because ? el('p', {}, withCode(p.because), '.') : null,
		el('p', {}, withCode(data.patterns[p.kind][2]))));
}

function bar(words, count, of) {
	return el('tr', {}, el('th', {scope: 'row'}, words),
		el('td', {}, el('meter', {min: 0, max: of, value: count,
					  'aria-label': `${count} of ${of}`})),
		el('td', {class: 'number'}, `${count.toLocaleString('en')} of ` +
			of.toLocaleString('en')));
}

function evidencePart(finding) {
	const e = finding.evidence;
	if (!e || !e.accesses)
		return null;
	const often = e.held.filter((h) => h.count * 100 >= e.accesses);
	const rare = e.held.length - often.length;
	return section('How the program uses it',
		el('p', {class: 'faint'}, plural(e.accesses, 'access', 'accesses'), ' by ',
		   plural(e.threads, 'thread'), ' after the race',
		   e.complete ? '' : ', until counting stopped', ': ', plural(e.reads, 'read'),
		   ', ', plural(e.writes, 'write'),
		   e.atomics ? `, ${e.atomics} of them atomic` : '', '.'),
		el('table', {class: 'evidence'}, el('tbody', {},
			often.map((h) => bar(['with ', el('code', {}, h.name), ' held'], h.count,
					     e.accesses)),
			bar('with no lock held', e.unlocked, e.accesses),
			e.writes ? [bar('writes that changed nothing', e.same_value, e.writes),
				    bar('writes right after a read', e.read_then_write, e.writes)] :
				null)),
		e.steps.length ? el('p', {class: 'faint'}, 'The value changed ' +
			e.steps.map((s) => `by ${s.by > 0 ? '+' : ''}${s.by} ` +
				`(${plural(s.count, 'time')})`).join(', ') + '.') : null,
		rare ? el('p', {class: 'faint'}, `Another ${plural(rare, 'lock')} ` +
			`${rare === 1 ? 'was' : 'were'} held in less than one of 100.`) : null);
}

function variantItem(v, i) {
	const f = v.finding;
	const box = el('details', {class: 'variant', id: 'variant-' + v.id},
		el('summary', {}, accessesOf(f).map(sideOf),
		   el('span', {class: 'faint'}, `${f.object.title} · ×${v.count} in ` +
			plural(v.runs, 'run') + (data.baseline && v.new ? ' · new' : ''))));
	/* Made when it is first opened: a cause may have a thousand. */
	box.addEventListener('toggle', () => {
		if (!box.open || box.childElementCount > 1)
			return;
		box.append(picture(f, 'v' + i), accessCards(f), furtherPart(f) || '',
			   objectPart(f), threadsPart(f) || '');
		drawPictures(box);
	});
	return el('li', {}, box);
}

function variantsPart(cause) {
	if (cause.variants.length < 2)
		return null;
	return section(plural(cause.variants.length, 'variant'),
		el('p', {class: 'faint'}, 'The same cause by other ways. The first is shown above.',
		   cause.common ? [' All have in common: ', el('code', {}, cause.common), '.'] : null),
		el('ol', {class: 'variants', start: 2}, cause.variants.slice(1).map(variantItem)));
}

function seenPart(cause) {
	const v = cause.variants[0];
	const row = (name, ...value) => [el('dt', {}, name), el('dd', {}, value)];
	return section('Seen', el('dl', {class: 'facts'},
		row('times', `${cause.count.toLocaleString('en')} in ${plural(cause.runs, 'run')}`),
		cause.first === cause.last ? row('in', runName(cause.first)) :
			[row('first in', runName(cause.first)), row('last in', runName(cause.last))],
		row('engine', (data.runs[v.finding.run] || {}).engine || 'not known'),
		row('from', (data.runs[v.finding.run] || {}).file || '',
		    v.finding.serial ? `, finding ${v.finding.serial}` : ''),
		row('id', el('code', {}, v.id))));
}

function witnessPart(finding) {
	if (!finding.witness)
		return null;
	const before = finding.witness_start;
	return section('Schedule', el('p', {}, 'Run in this order, the events of the trace ' +
		'have the race: ', before ? `all before event ${before} as they came, then` : ''),
		el('p', {class: 'witness'}, finding.witness.join(' ')));
}

/* ---- the whole ---- */

function headPart(cause) {
	return el('header', {class: 'head'},
		el('p', {class: 'back'}, el('a', {href: '#', id: 'back'}, '← all causes')),
		cause.suppressed ? null : el('p', {class: 'faint'}, `Rank ${cause.rank}` +
			(cause.rank <= data.causes.length ? ` of ${reported().length}` : '')),
		el('h2', {}, 'Data race on ',
		   el('code', {}, cause.variants[0].finding.object.title)),
		el('p', {class: 'badges'}, badgesOf(cause), ' ',
		   el('a', {class: 'link', href: '#' + cause.key, title: 'Link to this cause'},
		      '#' + cause.id)),
		el('p', {class: 'faint'}, gradeText(cause.grade)),
		cause.suppressed ? el('p', {}, 'Suppressed by ',
			el('code', {}, cause.suppressed), '.') : null);
}

function showDetail(cause) {
	const finding = cause.variants[0].finding;
	detail.replaceChildren(headPart(cause), ...patternPart(cause),
		section('The two threads', picture(finding, 'main')),
		section('The two accesses', accessCards(finding)),
		...[furtherPart(finding), evidencePart(finding), objectPart(finding), threadsPart(finding),
		    witnessPart(finding), variantsPart(cause), seenPart(cause)].filter((p) => p));
	drawPictures(detail);
	detail.scrollTop = 0;
	foldStacks();
}

function foldStacks() {
	for (const box of detail.querySelectorAll('.stack details'))
		box.open = unfolded;
}

function showNothing() {
	detail.replaceChildren(el('p', {class: 'faint empty'}, data.causes.length ?
		'Choose a cause from the list.' : 'Nothing to show.'));
}

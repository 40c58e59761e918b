/* SPDX-License-Identifier: MIT */
/* Source excerpts and stacks. */

const WORDS = new Set(('auto break case char class const constexpr continue default ' +
	'delete do double else enum extern false float for goto if inline int long ' +
	'namespace new nullptr register return short signed sizeof static struct switch ' +
	'template this throw true try catch typedef typename union unsigned using virtual ' +
	'void volatile while bool fn let mut pub impl match func defer go').split(' '));
const TOKEN = new RegExp([
	/(?<comment>\/\/.*|\/\*.*?(?:\*\/|$))/,
	/(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/,
	/(?<directive>^\s*#\s*\w+)/,
	/(?<word>[A-Za-z_]\w*)/,
	/(?<number>\b\d[\w.]*)/,
].map((r) => r.source).join('|'), 'g');

/* A line of C-like source as text and spans. */
function coloured(line, inComment) {
	const parts = [];
	let at = 0;
	if (line.length > 400)
		return [line];
	if (inComment) {
		const end = line.indexOf('*/');
		at = end < 0 ? line.length : end + 2;
		return [el('span', {class: 't-comment'}, line.slice(0, at)),
			...coloured(line.slice(at), false)];
	}
	for (const m of line.matchAll(TOKEN)) {
		const kind = Object.keys(m.groups).find((g) => m.groups[g] !== undefined);
		if (kind === 'word' && !WORDS.has(m[0]))
			continue;
		parts.push(line.slice(at, m.index), el('span', {class: 't-' + kind}, m[0]));
		at = m.index + m[0].length;
	}
	parts.push(line.slice(at));
	return parts;
}

/* Does a line begin within a comment, for each line of an excerpt? That of the first is
 * told by which of the two marks comes up first. */
function inComments(lines) {
	const mark = lines.map(([, line]) => line).join('\n').match(/\/\*|\*\//);
	let inside = !!mark && mark[0] === '*/';
	return lines.map(([, line]) => {
		const before = inside;
		for (const [m] of line.matchAll(/\/\*|\*\//g))
			inside = m === '/*';
		return before;
	});
}

/* How many blanks all lines begin with: room that is better used. */
function indentOf(lines) {
	const blanks = lines.filter(([, line]) => line.trim() && !line.startsWith('#'))
		.map(([, line]) => line.match(/^\s*/)[0]);
	let n = 0;
	while (blanks.length && blanks.every((b) => n < b.length && b[n] === blanks[0][n]))
		n++;
	return n;
}

/* The source around a frame, its line marked; null where it is not embedded. */
function sourceOf(frame, reach, label, mark) {
	const lines = frame ? linesAround(frame.file, frame.line, reach) : [];
	if (!lines.length)
		return null;
	const comments = inComments(lines);
	const indent = indentOf(lines);
	return el('pre', {class: 'source', tabindex: 0, role: 'group',
			  'aria-label': `${placeOf(frame)}, source`},
		lines.map(([n, line], i) => el('span', {class: n === frame.line ? 'line ' + (mark || 'hit') : 'line'},
			el('span', {class: 'number', 'aria-hidden': true}, n),
			n === frame.line ? el('span', {class: 'unseen'}, label || 'this line: ') : null,
			el('span', {class: 'code'}, coloured(line.slice(indent).replace(/\t/g, '    '),
							 comments[i])),
			'\n')));
}

function frameLine(f) {
	if (f.lost)
		return el('span', {class: 'frame lost'}, 'the outer frames were lost');
	return el('span', {class: 'frame'},
		el('code', {class: 'fn'}, nameOf(f)),
		f.inlined ? badge('plain', 'inlined', 'Inlined into the next function') : null,
		f.folded ? badge('plain', 'recursion', 'There may have been more rounds') : null,
		' ', f.fn ? el('span', {class: 'place'}, placeOf(f) +
			(f.file && f.column ? ':' + f.column : '')) : null);
}

function frameItem(f) {
	const source = f.lost ? null : sourceOf(f, 2, null, 'mild');
	if (!source)
		return el('li', {}, frameLine(f));
	return el('li', {}, el('details', {}, el('summary', {}, frameLine(f)), source));
}

/* A stack as a list; runs of two or more frames of the system are folded. */
function stackList(index) {
	const stack = stackAt(index);
	const items = [];
	for (let i = 0; i < stack.length;) {
		let end = i;
		while (end < stack.length && stack[end].system && !stack[end].lost)
			end++;
		if (end - i < 2) {
			items.push(frameItem(stack[i++]));
			continue;
		}
		items.push(el('li', {class: 'system'}, el('details', {},
			el('summary', {}, plural(end - i, 'frame'), ' of the system’s libraries'),
			el('ol', {class: 'stack'}, stack.slice(i, end).map(frameItem)))));
		i = end;
	}
	if (!items.length)
		return el('p', {class: 'faint'}, 'No stack is known.');
	return el('ol', {class: 'stack'}, items);
}

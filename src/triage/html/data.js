/* SPDX-License-Identifier: MIT */
/*
 * What the report embeds (page_data.c writes it): causes with their variants, and tables
 * that these refer to by index, since the same texts, frames and stacks come up again
 * and again.
 *
 *   strings   text
 *   frames    [function, file, line, column, module, offset, flags], where names are
 *             string indices or null
 *   stacks    [frame index...], innermost first
 *   sources   [file, first line, [line...]], file a string index
 *   runs      objects; patterns: [name, title, advice]
 */

const INLINED = 1, FOLDED = 2, LOST = 4, SYSTEM = 8, NEWER = 16;

const data = JSON.parse(byId('data').textContent);

function text(index) {
	return index === null ? '' : data.strings[index];
}

function makeFrame(row) {
	const [fn, file, line, column, module, offset, flags] = row;
	return {
		fn: text(fn), file: text(file), line, column, module: text(module), offset,
		inlined: !!(flags & INLINED), folded: !!(flags & FOLDED), lost: !!(flags & LOST),
		system: !!(flags & SYSTEM), newer: !!(flags & NEWER),
	};
}

const frames = new Array(data.frames.length);

function frameAt(index) {
	return frames[index] || (frames[index] = makeFrame(data.frames[index]));
}

function stackAt(index) {
	return typeof index === 'number' ? data.stacks[index].map(frameAt) : [];
}

/* The frame that an access goes by: the innermost of the program's own. */
function whereOf(stack) {
	return stack.find((f) => !f.system && !f.lost) || stack[0] || null;
}

function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}

function placeOf(f, short) {
	if (!f)
		return '';
	if (f.file)
		return (short ? baseName(f.file) : f.file) + (f.line ? ':' + f.line : '');
	if (f.module)
		return baseName(f.module) + (f.offset ? '+' + f.offset : '');
	return '';
}

/* C++ names without their arguments, for where there is little room. */
function shortName(name) {
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		if (name[i] === '<')
			depth++;
		else if (name[i] === '>' && depth)
			depth--;
		else if (name[i] === '(' && !depth && i && !name.startsWith('(anonymous', i) &&
			 !name.endsWith('operator', i))
			return name.slice(0, i);
	}
	return name;
}

function nameOf(f) {
	return f ? f.fn || placeOf(f, true) || 'unknown function' : 'unknown function';
}

const excerpts = new Map(); /* file: (line: text) */
for (const [file, first, lines] of data.sources) {
	const name = text(file);
	if (!excerpts.has(name))
		excerpts.set(name, new Map());
	lines.forEach((line, i) => excerpts.get(name).set(first + i, line));
}

/* Lines of a file around one, as far as they are embedded: [[number, text]...]. */
function linesAround(file, line, reach) {
	const known = excerpts.get(file);
	const found = [];
	if (!known || !known.has(line))
		return found;
	for (let n = line - reach; n <= line + reach; n++)
		if (known.has(n))
			found.push([n, known.get(n)]);
	return found;
}

function bytes(n) {
	return plural(n, 'byte');
}

function capital(words) {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function findThread(finding, id) {
	return finding.threads.find((t) => t.id === id) || null;
}

function threadName(finding, id) {
	const t = findThread(finding, id);
	if (id === undefined)
		return 'an unknown thread';
	/* A trace has names in place of numbers. */
	const name = t && t.main ? 'the main thread' : /^\d/.test(id) ? `thread ${id}` : id;
	return t && t.name ? `${name} “${t.name}”` : name;
}

function accessName(a) {
	if (a.op === 'free')
		return 'free';
	return `${a.atomic ? 'atomic ' : ''}${a.op}${a.size ? ' of ' + bytes(a.size) : ''}`;
}

/* Every access of a finding that is known, the earlier first. */
function accessesOf(finding) {
	return finding.first ? [finding.first, finding.second] : [finding.second];
}

function gradeText(grade) {
	return data.grades[grade] || '';
}

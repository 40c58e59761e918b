/* SPDX-License-Identifier: MIT */
/* Making elements. Text goes in as text nodes and attributes only: nothing that comes
 * from a program is ever parsed as markup. */

const SVG = 'http://www.w3.org/2000/svg';

/* Attributes that are null, undefined or false are left out; `on` has listeners. */
function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name === 'on')
			for (const [type, listener] of Object.entries(value))
				node.addEventListener(type, listener);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? '' : String(value));
	}
	node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined &&
		c !== false));
	return node;
}

function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
	return document.getElementById(id);
}

function plural(n, one, many) {
	return `${n.toLocaleString('en')} ${n === 1 ? one : many || one + 's'}`;
}

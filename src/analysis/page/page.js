'use strict';
(() => {
const find = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (tag, text, values = {}) => {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  return Object.assign(node, values);
};
const table = find('#points'), tools = find('#tools');
if (!table) return;
const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
const names = heads.map(head => head.dataset.p || head.dataset.m || head.textContent);
const cellText = (row, column) => {
  const first = row.cells[column].firstChild;
  return first ? first.textContent.trim() : '';
};
const parameters = heads.map((head, i) => i).filter(i => heads[i].dataset.p);
let chosen = new URLSearchParams(location.hash.slice(1));
const words = [];
const matches = i => {
  if (!words[i]) words[i] = rows[i].textContent.toLowerCase();
  const wanted = (chosen.get('q') || '').toLowerCase().split(/\s+/);
  return wanted.every(word => words[i].includes(word)) &&
    parameters.every(column => {
      const value = chosen.get('f.' + names[column]);
      return value === null || cellText(rows[i], column) === value;
    });
};

// Dots of the plots by their row.
const dots = all('path[data-ids]').map(path => ({
  path, marks: path.getAttribute('d').split(/(?=M)/), ids: path.dataset.ids.split(' ').map(Number)}));

const status = make('p', '', {id: 'status'});
status.setAttribute('role', 'status');
const values = new Map();
const number = text => {
  const value = parseFloat(text.replace(/,/g, ''));
  return isNaN(value) ? null : value;
};
const sorted = () => {
  const order = rows.map((row, i) => i), key = chosen.get('sort') || '';
  const column = names.indexOf(key.replace(/^-/, '')), sign = key[0] === '-' ? -1 : 1;
  const group = names.indexOf(chosen.get('group'));
  const keysOf = at => {
    if (!values.has(at)) {
      const texts = rows.map(row => cellText(row, at)), numbers = texts.map(number);
      const numeric = heads[at].dataset.m || texts.every((t, i) => t === '–' || numbers[i] !== null);
      values.set(at, numeric ? numbers : texts);
    }
    return values.get(at);
  };
  const compare = (keys, a, b, direction) => {
    const x = keys[a], y = keys[b];
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -direction : direction;
  };
  order.sort((a, b) =>
    (group < 0 ? 0 : compare(keysOf(group), a, b, 1)) ||
    (column < 0 ? 0 : compare(keysOf(column), a, b, sign)) || a - b);
  return order;
};

let shown = '', opener = null;
const arrange = () => {
  const key = chosen.get('sort') + '|' + chosen.get('group');
  const group = names.indexOf(chosen.get('group'));
  const visible = rows.map((row, i) => matches(i));
  rows.forEach((row, i) => { if (row.hidden === visible[i]) row.hidden = !visible[i]; });
  if (key !== shown || group >= 0) {
    all('tr.g', body).forEach(row => row.remove());
    const order = sorted(), parts = [];
    let last = null;
    for (const i of order) {
      const value = group < 0 ? null : cellText(rows[i], group);
      if (value !== last && visible[i]) {
        last = value;
        const n = order.filter(j => visible[j] && cellText(rows[j], group) === value).length;
        const row = make('tr', '', {className: 'g'});
        row.append(make('th', `${names[group]} ${value} (${n})`, {colSpan: heads.length}));
        parts.push(row);
      }
      parts.push(rows[i]);
    }
    if (key !== shown || parts.length !== rows.length) body.append(...parts);
    shown = key;
  }
  heads.forEach((head, i) => {
    const sort = chosen.get('sort') || '';
    const way = sort === names[i] ? 'ascending' : sort === '-' + names[i] ? 'descending' : 'none';
    head.setAttribute('aria-sort', way);
  });
  const n = visible.filter(Boolean).length;
  status.textContent = `${n} of ${rows.length} points`;
  for (const { path, marks, ids } of dots) {
    path.setAttribute('d', marks.filter((mark, i) => visible[ids[i]]).join(''));
  }
};
const open = () => {
  const id = chosen.get('p');
  all('#panels>.open').forEach(panel => panel.classList.remove('open'));
  const panel = id && document.getElementById('p' + id);
  if (panel) {
    panel.classList.add('open');
    panel.tabIndex = -1;
    panel.focus();
  } else if (opener) {
    opener.focus();
    opener = null;
  }
};
const write = () => {
  for (const input of all('[data-key]', tools)) input.value = chosen.get(input.dataset.key) || '';
};
const choose = (key, value) => {
  if (value) chosen.set(key, value);
  else chosen.delete(key);
  history.replaceState(null, '', '#' + chosen);
  if (key === 'p') open();
  else arrange();
};

// The controls.
const field = (name, input, key) => {
  const label = make('label', name + ' ');
  input.dataset.key = key;
  input.addEventListener('input', () => choose(key, input.value));
  label.append(input);
  tools.append(label);
};
const list = (name, key, options, none) => {
  const select = make('select');
  select.append(make('option', none, {value: ''}));
  for (const option of options) select.append(make('option', option, {value: option}));
  field(name, select, key);
};
field('find', make('input', '', {type: 'search', placeholder: 'words in a row'}), 'q');
for (const column of parameters) {
  const options = [...new Set(rows.map(row => cellText(row, column)))];
  if (options.length > 30) continue;
  options.sort((a, b) => number(a) - number(b) || (a < b ? -1 : 1));
  list(names[column], 'f.' + names[column], options, 'all');
}
list('group by', 'group', parameters.map(i => names[i]), 'nothing');
const button = (text, action) => {
  const node = make('button', text, {type: 'button'});
  node.addEventListener('click', action);
  tools.append(node);
  return node;
};
button('copy', () => {
  const lines = [table.tHead.rows[0], ...[...body.rows].filter(row => !row.hidden)].map(row =>
    [...row.cells].map((cell, i) =>
      row.parentNode === body ? cell.firstChild && cell.firstChild.textContent.trim() : names[i])
      .join('\t'));
  const text = make('textarea', '', {value: lines.join('\n')});
  document.body.append(text);
  text.select();
  const done = document.execCommand('copy');
  text.remove();
  status.textContent = done ? `${lines.length - 1} rows copied` : 'the browser refused to copy';
});
button('show all', () => {
  chosen = new URLSearchParams();
  history.replaceState(null, '', '#');
  write();
  arrange();
  open();
});
tools.append(status);
tools.hidden = false;
heads.forEach((head, i) => {
  const sort = make('button', '', {type: 'button'});
  sort.append(...head.childNodes);
  head.append(sort);
  sort.addEventListener('click', () => {
    const first = head.dataset.m ? '-' + names[i] : names[i];
    const other = head.dataset.m ? names[i] : '-' + names[i];
    const now = chosen.get('sort');
    choose('sort', now === first ? other : now === other ? '' : first);
  });
});

// Panels, and links to stages in closed parts of the page.
document.addEventListener('click', event => {
  const link = event.target.closest && event.target.closest('a[href^="#"]');
  if (!link) return;
  const target = link.getAttribute('href').slice(1);
  if (/^p\d+$/.test(target)) {
    event.preventDefault();
    opener = link;
    choose('p', target.slice(1));
  } else if (link.closest('#panels') && target === 'points') {
    event.preventDefault();
    choose('p', '');
  } else {
    const node = document.getElementById(target);
    const closed = node && node.closest('details');
    if (closed) closed.open = true;
    if (node) node.scrollIntoView();
    event.preventDefault();
    choose('p', '');
  }
});
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && chosen.get('p')) choose('p', '');
});
addEventListener('hashchange', () => {
  const plain = location.hash.match(/^#p(\d+)$/);
  chosen = new URLSearchParams(plain ? 'p=' + plain[1] : location.hash.slice(1));
  write();
  arrange();
  open();
});

// The dot under the pointer.
const tip = make('div', '', {id: 'tip', hidden: true});
document.body.append(tip);
const nearest = (svg, event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  let best = null, distance = 14;
  for (const { path, marks, ids } of dots) {
    if (path.ownerSVGElement !== svg) continue;
    marks.forEach((mark, i) => {
      const [, x, y] = mark.match(/M(\S+) ([\d.-]+)/);
      const away = Math.hypot(x - at.x, y - at.y);
      if (away < distance && !rows[ids[i]].hidden) [best, distance] = [ids[i], away];
    });
  }
  return best;
};
for (const svg of new Set(dots.map(dot => dot.path.ownerSVGElement))) {
  svg.addEventListener('mousemove', event => {
    const id = nearest(svg, event);
    tip.hidden = id === null;
    svg.classList.toggle('on', id !== null);
    if (id === null) return;
    const lines = [...rows[id].cells].map((cell, i) => i ? `${heads[i].textContent}: ${cell.textContent}`
      : cell.textContent);
    tip.textContent = lines.filter(line => !/: –?$/.test(line)).join('\n');
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
  });
  svg.addEventListener('mouseleave', () => { tip.hidden = true; });
  svg.addEventListener('click', event => {
    const id = nearest(svg, event);
    if (id !== null) choose('p', String(id));
  });
}
const plain = location.hash.match(/^#p(\d+)$/);
if (plain) chosen = new URLSearchParams('p=' + plain[1]);
write();
if ([...chosen].length) arrange();
else status.textContent = `${rows.length} of ${rows.length} points`;
open();

// A live report looks for a newer one.
if (document.body.dataset.live) {
  let tag = null;
  const look = async () => {
    try {
      const answer = await fetch(location.pathname, {method: 'HEAD', cache: 'no-store'});
      const now = answer.headers.get('ETag');
      if (tag && now !== tag) location.reload();
      tag = now;
    } catch (error) {
      find('#live').textContent = 'no longer live: orchestrate has ended';
      return;
    }
    setTimeout(look, 2000);
  };
  look();
}
document.documentElement.dataset.ready = '1';
})();

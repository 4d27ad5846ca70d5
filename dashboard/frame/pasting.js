// Cells copied from a spreadsheet. NAMES, the names that people give to each field, is put before this by the page.
const JOINT = ' | '; // between cells that no field is left for: what is refused is seen, and nothing is lost
const OPTIONAL = ['study', 'bias']; // columns that a table may lack
const HELD = /(^|[\t\n])"((?:[^"]|"")*)"(?=[\t\n]|$)/g; // a cell with a break in it

const linesOf = (text) => {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(HELD, (_, before, cell) => before + cell.replaceAll('""', '"').replace(/\s+/g, ' '))
    .split('\n').map((line) => line.split('\t').map((cell) => cell.trim()));
  return lines.slice(0, lines.findLastIndex((cells) => cells.some(Boolean)) + 1);
};

// What a title names: one of these fields rather than any other.
const fieldNamed = (title, fields = []) => {
  const letters = title.toLowerCase().replace(/[^a-z]/g, '');
  return [...fields, ...Object.keys(NAMES)].find((field) => NAMES[field]?.includes(letters));
};

// The lines below column names, each as its texts by field; null without names that say where every column belongs.
const byNames = (lines, fields) => {
  const start = lines.findIndex((cells) => cells.some(Boolean));
  const titles = lines[start] ?? [];
  const columns = titles.map((title) => title && (fieldNamed(title, fields) ?? 'unknown'));
  if (columns[0] === '' && !columns.includes('study')) columns[0] = 'study';
  const named = columns.filter(Boolean);
  const needed = fields.filter((field) => !OPTIONAL.includes(field));
  const counts = needed.filter((field) => named.includes(field));
  const whole = counts.length === needed.length;
  if (!whole && counts.join() !== 'TP,FN' || new Set(named).size < named.length) return null;
  const below = lines.slice(start + 1);
  const stray = below.some((cells) => cells.some((cell, at) => cell && !columns[at]));
  if (stray || named.some((field) => !fields.includes(field))) return null;
  const text = (cells, field) => cells[columns.indexOf(field)] ?? '';
  return below.map((cells) => Object.fromEntries(
    fields.filter((field) => !OPTIONAL.includes(field) || named.includes(field)).map((field) => [field, text(cells, field)])));
};

// Texts for so many fields; what is too much stands in the last one.
const fitted = (cells, count) =>
  cells.length <= count || !cells.slice(count).some(Boolean)
    ? cells.slice(0, count)
    : [...cells.slice(0, count - 1), cells.slice(count - 1).join(JOINT)];

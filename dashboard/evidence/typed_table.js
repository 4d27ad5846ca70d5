// Plain fields instead of a drawn grid: no key is lost while the page is drawn again, a screen reader names every
// cell, and a phone shows its keyboard.
const REST = 500; // milliseconds without a key after which the page is told

export default function typedTable({parentElement, data, setStateValue}) {
  const table = parentElement.querySelector('table');
  if (table.tBodies.length) return; // drawn again with the page: what is being typed stays
  const body = table.createTBody();
  const fields = (row) => [...row.querySelectorAll('input')];
  const filled = (row) => fields(row).some((field) => field.value.trim());

  const add = (texts = []) => {
    const row = body.insertRow();
    const place = document.createElement('th');
    place.scope = 'row';
    place.textContent = body.rows.length;
    row.append(place);
    data.columns.forEach((name, at) => {
      const field = document.createElement('input');
      Object.assign(field, {value: texts[at] ?? '', autocomplete: 'off', spellcheck: false});
      field.inputMode = OPTIONAL.includes(data.fields[at]) ? 'text' : 'numeric';
      field.setAttribute('aria-label', `${name}, row ${body.rows.length}`);
      row.insertCell().append(field);
    });
    return row;
  };
  const rowAt = (at) => body.rows[at] ?? add();
  const keepSpare = () => { if (filled(body.rows[body.rows.length - 1])) add(); };

  let waiting = null;
  const give = () => {
    clearTimeout(waiting);
    waiting = null;
    setStateValue('rows', [...body.rows].map((row) => fields(row).map((field) => field.value)));
  };
  const write = (row, column, texts) => {
    const targets = fields(rowAt(row)).slice(column);
    texts.forEach((text, along) => { targets[along].value = text; });
  };
  // Lines by their names, in the order of the columns here.
  const arrange = (row, named) => {
    const above = [...body.rows].slice(0, row).flatMap(fields);
    // Names that were typed further up hold for what is below them, until others do.
    const typed = above.some((field) => fieldNamed(field.value));
    if (typed) write(row, 0, data.columns);
    named.forEach((texts, down) => {
      const targets = fields(rowAt(row + down + typed));
      Object.entries(texts).forEach(([name, text]) => { targets[data.fields.indexOf(name)].value = text; });
    });
  };
  const placeOf = (field) => {
    const row = field.closest('tr');
    return [row.sectionRowIndex, fields(row).indexOf(field)];
  };

  table.createCaption().textContent = data.label;
  const head = table.createTHead().insertRow();
  for (const name of ['', ...data.columns]) {
    const cell = document.createElement(name ? 'th' : 'td');
    if (name) cell.scope = 'col';
    cell.textContent = name;
    head.append(cell);
  }
  data.rows.forEach(add);
  keepSpare();

  body.addEventListener('input', () => {
    keepSpare();
    clearTimeout(waiting);
    waiting = setTimeout(give, REST);
  });
  body.addEventListener('focusout', (event) => {
    if (waiting !== null && !body.contains(event.relatedTarget)) give();
  });
  body.addEventListener('keydown', (event) => {
    const step = {Enter: 1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || event.isComposing) return;
    const [row, column] = placeOf(event.target);
    const next = body.rows[row + step];
    if (!next) return;
    event.preventDefault();
    fields(next)[column].focus();
  });
  body.addEventListener('paste', (event) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n').replace(/\n$/, '');
    if (!/[\t\n]/.test(text)) return;
    event.preventDefault();
    const [row, column] = placeOf(event.target);
    const lines = linesOf(text);
    const named = byNames(lines, data.fields);
    if (named) arrange(row, named);
    else lines.forEach((cells, down) => write(row + down, column, fitted(cells, data.fields.length - column)));
    keepSpare();
    give();
  });
}

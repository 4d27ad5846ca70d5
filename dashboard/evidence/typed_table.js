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
      field.inputMode = at === 0 ? 'text' : 'numeric';
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
    text.split('\n').forEach((line, down) => {
      const targets = fields(rowAt(row + down)).slice(column);
      line.split('\t').slice(0, targets.length).forEach((cell, along) => { targets[along].value = cell.trim(); });
    });
    keepSpare();
    give();
  });
}

// Several cells pasted into one field of a row of fields fill them all, in their order or that of the names above them.
if (!window.tarstopPasting) {
  window.tarstopPasting = true;
  const ROW = '[class*="st-key-report_counts_"], [class*="st-key-report_rates_"]';
  const FIELD = /st-key-report_([A-Za-z_-]+?)_\d/;
  // Without the form of an effect, which stands before its column.
  const fieldOf = (input) => FIELD.exec(input.closest('[class*="st-key-report_"]').className)[1].replace(/^[A-Z]+-/, '');

  const write = (input, text) => {
    if (!input) return;
    // As a person types: the page's script looks for changes in what the browser itself keeps.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
    input.dispatchEvent(new Event('input', {bubbles: true}));
  };

  document.addEventListener('paste', (event) => {
    const row = event.target.matches?.('input') && event.target.closest(ROW);
    const given = row ? linesOf(event.clipboardData.getData('text/plain')) : [];
    if (given.flat().length < 2) return;
    event.preventDefault();
    const inputs = new Map([...row.querySelectorAll('input')].map((input) => [fieldOf(input), input]));
    const fields = [...inputs.keys()];
    inputs.set('study', row.closest('form, [data-testid="stForm"]').querySelector('[class*="st-key-report_study_"] input'));
    const across = given.filter((cells) => cells.some(Boolean));
    // A column of cells, perhaps with names beside it, is a row that was turned.
    const turned = across.length > 1 && across.every((cells) => cells.length === 1 || fieldNamed(cells[0]));
    const lines = turned ? across[0].map((_, at) => across.map((cells) => cells[at] ?? '')) : across;
    const named = byNames(lines, ['study', ...fields]);
    const [cells = []] = lines;
    const at = fields.indexOf(fieldOf(event.target));
    let texts = null;
    if (named?.length === 1) [texts] = named;
    else if (lines.length === 1 && cells.length === fields.length + 1) texts = pairs(['study', ...fields], cells);
    else if (lines.length === 1 && cells.length === fields.length) texts = pairs(fields, cells);
    else if (lines.length === 1 && at + cells.length <= fields.length) texts = pairs(fields.slice(at), cells);
    texts ??= {[fields[at]]: lines.flat().join(JOINT)};
    for (const [field, text] of Object.entries(texts)) write(inputs.get(field), text);
  }, true);

  function pairs(fields, cells) {
    return Object.fromEntries(cells.map((cell, place) => [fields[place], cell]));
  }
}

// Shortcut keys, and the focus that keys need, on the pages where a hand stays on the keyboard.
if (!window.tarstopKeys) {
  window.tarstopKeys = true;
  const VERDICTS = '[class*="st-key-label"], [class*="st-key-confirm_"], [class*="st-key-reasons_row"]';
  const SIGNS = {ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc', ' ': 'Space'};
  const BOXES = '[class*="st-key-note_text"], [class*="st-key-jump_to"]';
  const LISTS = {study: 'tar-studies', reason: 'tar-reasons'};
  const field = (event) => event.composedPath()[0].closest?.('input, textarea, select, [contenteditable="true"]');

  const button = (sign) =>
    [...document.querySelectorAll('button:enabled kbd')].find((each) => each.textContent === sign)?.closest('button');
  const inSight = (each) => {
    const {top, bottom} = each.getBoundingClientRect();
    return bottom > 80 && top < innerHeight - 80;
  };

  let menu = false;
  // A held key would label documents that nobody saw; in a text it repeats its letter as ever.
  document.addEventListener('keydown', (event) => {
    const typing = field(event)?.matches(':not([type=range])');
    if (event.repeat && event.key.length === 1 && !typing) event.stopImmediatePropagation();
    menu = event.key === 'Escape' && event.target.matches?.('[role=combobox][aria-expanded="true"]');
    if (event.key === 'Escape' && event.target.type === 'range') event.target.blur();
    // What a key opened Esc closes, from within its box too; what was typed is stored when the box loses the focus.
    if (event.key === 'Escape' && event.target.closest?.(BOXES)) {
      event.target.blur();
      setTimeout(() => button('Esc')?.click(), 0);
    }
  }, true);

  // A key presses the button that shows its sign. Streamlit binds its own shortcuts only some time after a button
  // is drawn: until then a key would be lost, or given to the button drawn there before.
  document.body.addEventListener('keydown', (event) => {
    if (menu) event.stopPropagation();  // It closes the menu alone
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (field(event)) return;
    const sign = SIGNS[event.key] ?? event.key.toUpperCase();
    let shown = button(sign);
    // What is graded X has the key of every other list's relevant documents too.
    if (!shown && sign === 'I') shown = document.querySelector('[class*="st-key-label_relevant"] button:enabled');
    if (!shown) return;
    event.stopPropagation();
    // The space bar belongs to what has the focus.
    const focused = event.target.closest?.('button, a, summary');
    if (event.key === ' ' && focused && focused !== shown) return;
    event.preventDefault();
    // No verdict on a document that is out of sight: it comes into sight first.
    const text = document.querySelector('.st-key-document');
    if (text && shown.closest(VERDICTS) && !inSight(text)) text.scrollIntoView({block: 'start'});
    else shown.click();
  });

  // What a hand moved or clicked beside the keys gives them back.
  const LENT = '[type=range], [type=checkbox], [data-copy], [data-testid=stButtonGroup] *, .st-key-walk-transport button';
  document.addEventListener('pointerup', () => setTimeout(() => {
    if (document.activeElement?.matches(LENT)) document.activeElement.blur();
  }, 0), true);

  // The number of a document leads to it: the page looks at what is written into a field that nobody sees.
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('[data-look]');
    if (!link) return;
    event.preventDefault();
    const box = document.querySelector('.st-key-look_at input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, link.dataset.look);
    box.dispatchEvent(new Event('input', {bubbles: true}));
    box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true}));
  });

  // On a phone the line with the verdict leads to its reasons, and from there back to the document.
  document.addEventListener('click', (event) => {
    if (!event.target.closest?.('.tar-line')) return;
    const reasons = document.querySelector('.st-key-advised');
    const there = reasons.getBoundingClientRect().top < innerHeight / 2;
    (there ? document.querySelector('.st-key-document') : reasons).scrollIntoView({block: 'start'});
  });

  // Which features of the claim a document shows is kept in this browser.
  const ticks = (features) => [...features.querySelectorAll('input')];
  document.addEventListener('change', (event) => {
    const features = event.target.closest?.('[data-ticks]');
    if (features) localStorage.setItem(`ticks ${features.dataset.ticks}`, JSON.stringify(ticks(features).map((each) => each.checked)));
  });

  let asked = false;
  const meet = () => {
    asked = false;
    for (const features of document.querySelectorAll('[data-ticks]')) {
      if (features.met === features.dataset.ticks) continue;
      features.met = features.dataset.ticks;
      const kept = JSON.parse(localStorage.getItem(`ticks ${features.met}`) ?? '[]');
      ticks(features).forEach((each, at) => { each.checked = Boolean(kept[at]); });
    }
    for (const box of document.querySelectorAll('[class*="st-key-note_text"] textarea, [class*="st-key-jump_to"] input')) {
      if (!box.dataset.met) box.focus();
      box.dataset.met = 1;
    }
    for (const [name, list] of Object.entries(LISTS)) {
      for (const box of document.querySelectorAll(`[class*="st-key-report_${name}"] input:not([list])`)) {
        box.setAttribute('list', list);
      }
    }
    const count = document.querySelector('[class*="st-key-report_TP"] input');
    if (count && !count.dataset.met) {
      count.dataset.met = 1;
      // Where readers differ, what they say comes before what is typed.
      const compared = document.querySelector('.st-key-report_as');
      if (!compared && matchMedia('(pointer: fine)').matches) count.focus();
    }
    // On a phone the next document begins at its title, and the end of a session at the decision, which whoever has read
    // down to the reasons would not see in a wide window either.
    const rank = document.querySelector('.tar-rank')?.textContent;
    const end = document.querySelector('.tar-end');
    const turned = Boolean(end) !== Boolean(window.tarstopEnd);
    // A redraw may take the document away before the end of its session is there.
    const between = !rank && !end && location.pathname.endsWith('/screen');
    if (!between && (rank !== window.tarstopRank || turned)) {
      const first = !window.tarstopRank;
      Object.assign(window, {tarstopRank: rank, tarstopEnd: end});
      const shown = turned && end || document.querySelector('.st-key-document');
      const ended = turned && end && !inSight(end);
      if (!first && (innerWidth <= 640 || ended)) shown?.scrollIntoView({block: 'start'});
      // A dialog that closes, or a piece that comes late, may move it away again: it comes back unless somebody acts by then.
      if (!first && turned && end) {
        const again = [200, 500, 1000].map((later) => setTimeout(() => {
          const now = document.querySelector('.tar-end');
          if (now && !inSight(now)) now.scrollIntoView({block: 'start'});
        }, later));
        for (const act of ['pointerdown', 'keydown', 'wheel']) {
          addEventListener(act, () => again.forEach(clearTimeout), {once: true, capture: true});
        }
      }
    }
  };
  // Once a frame, however many pieces a redraw comes in.
  new MutationObserver(() => {
    if (!asked) requestAnimationFrame(meet);
    asked = true;
  }).observe(document.body, {subtree: true, childList: true});
  meet();
}

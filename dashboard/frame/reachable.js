// A menu that covers a phone's page closes when a page is chosen. Streamlit closes it too when what is left of the page is touched:
// that presses nothing, or a verdict would be given by who only wants to see the document.
if (!window.tarstopMenu) {
  window.tarstopMenu = true;
  let covers = false;
  document.addEventListener('pointerdown', () => {
    covers = innerWidth <= 768 && Boolean(document.querySelector('[data-testid="stSidebar"][data-collapsed="false"]'));
  }, true);
  document.addEventListener('click', (event) => {
    // What a key presses has no detail.
    if (covers && event.detail && event.target.closest?.('[data-testid="stMain"]')) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (innerWidth > 768 || !event.target.closest?.('[data-testid="stSidebarNavLink"], [data-testid="stLogoLink"]')) return;
    setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click(), 0);
  }, true);
}
// What scrolls sideways by itself (a wide formula, table or listing, a figure on a phone) can be reached by the Tab key.
if (!window.tarstopReachable) {
  window.tarstopReachable = true;
  const SCROLLING = '.katex-display, [class*="tar-wide-"], .tar-table .scroll, .st-key-guide pre, .st-key-guide table, ' +
    '.st-key-guide [data-testid="stImageContainer"], ' +
    '.st-key-walk-told, .st-key-walk-shown';
  let asked = false;

  const look = () => {
    asked = false;
    for (const each of document.querySelectorAll(SCROLLING)) {
      const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
      if (scrolls && !each.hasAttribute('tabindex')) each.setAttribute('tabindex', '0');
      else if (!scrolls && each.getAttribute('tabindex') === '0') each.removeAttribute('tabindex');
    }
    // A tab that is chosen by the address, or drawn anew, may lie beyond the end of its row.
    for (const tab of document.querySelectorAll('[role="tab"][aria-selected="true"]')) {
      const row = tab.closest('[role="tablist"]');
      if (row.tarstopTab === tab.textContent) continue;
      row.tarstopTab = tab.textContent;
      const [at, room] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
      if (at.left < room.left || at.right > room.right) row.scrollLeft += (at.left + at.right - room.left - room.right) / 2;
    }
    // Streamlit puts the groups of its menu between a list and its items: each group is the list.
    for (const group of document.querySelectorAll('ul[data-testid="stSidebarNavItems"] > div:not([role])')) {
      group.parentElement.setAttribute('role', 'presentation');
      group.setAttribute('role', 'list');
      group.setAttribute('aria-label', group.querySelector('header').textContent.replace(/expand_\w+/, ''));
    }
  };
  const later = () => {
    if (!asked) requestAnimationFrame(look);
    asked = true;
  };

  new MutationObserver(later).observe(document.body, {subtree: true, childList: true});
  window.addEventListener('resize', later);
  later();
}
// What a button opens stands at the end of the page: the Tab key goes from the button into it, and from its end back.
if (!window.tarstopOpened) {
  window.tarstopOpened = true;
  const FOCUSED = 'a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, summary, [tabindex="0"]';
  document.addEventListener('keydown', (event) => {
    const opened = document.querySelector('[data-testid="stPopoverBody"]');
    const button = document.querySelector('[data-testid="stPopoverButton"][aria-expanded="true"]');
    if (event.key !== 'Tab' || !opened || !button) return;
    if (event.target === button && !event.shiftKey) {
      // What was left is kept from the Tab key, and its own index beside it.
      const within = (each) => (each.dataset.tabindex ?? each.tabIndex) >= 0 && each.checkVisibility();
      const first = [...opened.querySelectorAll(FOCUSED)].find(within);
      if (first) event.preventDefault();
      first?.focus();
    } else if (opened.contains(event.target)) {
      setTimeout(() => {
        if (opened.contains(document.activeElement)) return;
        if (!event.shiftKey) button.click();
        button.focus();
      }, 0);
    }
  }, true);
}
// When the server does not answer, Streamlit names itself and asks about the internet.
if (!window.tarstopAway) {
  window.tarstopAway = true;
  const WORDS = 'Every verdict that this page counted is stored. Leave the window open: it goes on by itself as soon as the server ' +
    'is back. If TARstop runs on this computer, start it again.';
  new MutationObserver(() => {
    if (!document.querySelector('[data-testid="stConnectionStatus"]')) return;
    const asked = document.querySelector('section[role="dialog"]:not(:has([data-testid]))');
    const [title, words] = [asked?.querySelector('h2'), asked?.querySelector('h2 + div > div')];
    if (!words || words.textContent === WORDS) return;
    title.textContent = 'TARstop does not answer';
    words.textContent = WORDS;
  }).observe(document.body, {subtree: true, childList: true});
}

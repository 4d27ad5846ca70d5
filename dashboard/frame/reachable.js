// A menu that covers a phone's page closes when a page is chosen.
if (!window.tarstopMenu) {
  window.tarstopMenu = true;
  document.addEventListener('click', (event) => {
    if (innerWidth > 768 || !event.target.closest?.('[data-testid="stSidebarNavLink"], [data-testid="stLogoLink"]')) return;
    setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click(), 0);
  });
}
// What scrolls sideways by itself (a wide formula, table or listing, a figure on a phone) can be reached by the Tab key.
if (!window.tarstopReachable) {
  window.tarstopReachable = true;
  const SCROLLING = '.katex-display, [class*="tar-wide-"], .tar-table .scroll, .st-key-guide pre, .st-key-guide table, ' +
    '.st-key-walk-told, .st-key-walk-shown';
  let asked = false;

  const look = () => {
    asked = false;
    // Streamlit's menu in groups is no list as HTML knows it: its items lie in boxes. They are links in a menu.
    document.querySelectorAll('[data-testid="stSidebarNavItems"], [data-testid="stSidebarNavItems"] li')
      .forEach((each) => each.setAttribute('role', 'none'));
    for (const each of document.querySelectorAll(SCROLLING)) {
      const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
      if (scrolls && !each.hasAttribute('tabindex')) each.setAttribute('tabindex', '0');
      else if (!scrolls && each.getAttribute('tabindex') === '0') each.removeAttribute('tabindex');
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

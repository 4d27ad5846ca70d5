// The place that the address names stays in view while pictures and tables above it arrive, until a hand scrolls.
{
  const wanted = decodeURIComponent(location.hash.slice(1));
  const text = document.querySelector('.st-key-guide');
  if (wanted && text) {
    const arriving = new ResizeObserver(() => document.getElementById(wanted)?.scrollIntoView());
    arriving.observe(text);
    for (const by of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
      addEventListener(by, () => arriving.disconnect(), {once: true, capture: true});
    }
  }
}

// Copies the address of what is shown; where the page says data-here, of exactly that; where it says data-lacks, it says
// what the address does not carry. Others open it as they like it.
if (!window.tarstopCopy) {
  window.tarstopCopy = true;
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('button[data-copy]');
    if (!button) return;
    const to = new URL(location.href);
    const here = new URLSearchParams(document.querySelector('[data-here]')?.dataset.here ?? '');
    for (const [name, value] of here) to.searchParams.set(name, value);
    to.searchParams.delete('present');
    // The browser's clipboard proper is only there over https, which a server in a lecture hall may not have.
    const box = Object.assign(document.createElement('textarea'), {value: to.href});
    document.body.append(box);
    box.select();
    const done = document.execCommand('copy');
    box.remove();
    button.focus();
    const said = button.querySelector('span');
    const lacks = document.querySelector('[data-lacks]')?.dataset.lacks;
    said.textContent = !done ? to.href : lacks ? `Copied, without ${lacks}` : 'Copied';
    if (done) setTimeout(() => { said.textContent = 'Copy link'; }, lacks ? 6000 : 2000);
  });
}

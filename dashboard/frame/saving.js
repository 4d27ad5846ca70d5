// Saves the figure that a pressed button[data-save] names as SVG or PNG, in the browser alone. What plotly has
// drawn is SVG already: its layers are put together on white, with the colours that texts have on paper.
if (!window.tarstopSave) {
  window.tarstopSave = true;
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const ENLARGED = 3;

  const compose = (chart) => {
    const [first, ...others] = chart.querySelectorAll('svg.main-svg');
    const svg = first.cloneNode(true);
    const width = Number(svg.getAttribute('width'));
    const height = Number(svg.getAttribute('height'));
    for (const other of others) svg.append(...other.cloneNode(true).childNodes);
    svg.querySelectorAll('.hoverlayer, .draglayer, .zoomlayer').forEach((layer) => layer.remove());
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const white = document.createElementNS(NAMESPACE, 'rect');
    Object.entries({width, height, fill: '#ffffff'}).forEach(([name, value]) => white.setAttribute(name, value));
    svg.prepend(white);
    let text = new XMLSerializer().serializeToString(svg);
    // Clip paths are named by the page's address, which a file does not have.
    text = text.replace(/url\((?:&quot;|["'])?[^)#]*#([^)"'&]+)(?:&quot;|["'])?\)/g, 'url(#$1)');
    // Lines grow with the picture.
    text = text.replace(/vector-effect:\s*non-scaling-stroke;?/g, '').replace(/vector-effect="[^"]*"/g, '');
    Object.entries(window.tarstopPaper).forEach(([screen, paper]) => { text = text.replaceAll(screen, paper); });
    return {text, width, height};
  };

  // A drawing that the button brings along.
  const brought = (coded) => {
    const text = new TextDecoder().decode(Uint8Array.from(atob(coded), (each) => each.charCodeAt(0)));
    const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    return {text, width: Number(svg.getAttribute('width')), height: Number(svg.getAttribute('height'))};
  };

  const give = (blob, name) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();  // not on the page: a press beside the menu would close it
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('button[data-save]');
    const chart = document.getElementsByClassName(button?.dataset.of ?? '')[0]?.querySelector('.js-plotly-plot');
    if (!chart && !button?.dataset.svg) return;
    const {text, width, height} = chart ? compose(chart) : brought(button.dataset.svg);
    const name = `${button.dataset.file}.${button.dataset.save}`;
    if (button.dataset.save === 'svg') {
      give(new Blob([text], {type: 'image/svg+xml;charset=utf-8'}), name);
      return;
    }
    const image = new Image();
    image.onload = () => {
      const canvas = Object.assign(document.createElement('canvas'), {width: ENLARGED * width, height: ENLARGED * height});
      const on = canvas.getContext('2d');
      on.fillStyle = '#ffffff';
      on.fillRect(0, 0, canvas.width, canvas.height);
      on.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => give(blob, name), 'image/png');
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

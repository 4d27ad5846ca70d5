// Saves the figure that a pressed button[data-save] names as SVG or PNG, in the browser alone. What plotly has
// drawn is SVG already: its layers are put together on white, with the colours that texts have on paper.
// All figures of a page are asked of the server, which draws the page once more and then names them in a [data-all].
// The menu of the page lists what is offered on it, whose buttons stand out of sight beside what they save.
if (!window.tarstopSave) {
  window.tarstopSave = true;
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const ENLARGED = 3;
  const LONGEST = 30000;  // milliseconds that figures are waited for

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
    text = text.replace(/url\((?:&quot;|["'])?[^()#]*#([^()"'&]+)(?:&quot;|["'])?\)/g, 'url(#$1)');
    // Lines grow with the picture.
    text = text.replace(/vector-effect:\s*non-scaling-stroke;?/g, '').replace(/vector-effect="[^"]*"/g, '');
    Object.entries(window.tarstopPaper).forEach(([screen, paper]) => { text = text.replaceAll(screen, paper); });
    return {text, width, height};
  };

  const decoded = (coded) => new TextDecoder().decode(Uint8Array.from(atob(coded), (each) => each.charCodeAt(0)));

  // A drawing that the page brings along.
  const brought = (text) => {
    const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    return {text, width: Number(svg.getAttribute('width')), height: Number(svg.getAttribute('height'))};
  };

  const png = ({text, width, height}) => new Promise((done) => {
    const image = new Image();
    image.onload = () => {
      const canvas = Object.assign(document.createElement('canvas'), {width: ENLARGED * width, height: ENLARGED * height});
      const on = canvas.getContext('2d');
      on.fillStyle = '#ffffff';
      on.fillRect(0, 0, canvas.width, canvas.height);
      on.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, 'image/png');
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  const CRC_TABLE = Uint32Array.from({length: 256}, (_, at) => {
    let value = at;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });

  // Files by name as one ZIP, as they are: pictures are packed already.
  const zip = async (files) => {
    const parts = [], index = [], now = new Date();
    const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
    const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
    const numbers = (...pairs) => {
      const view = new DataView(new ArrayBuffer(pairs.reduce((bytes, [size]) => bytes + size, 0)));
      let at = 0;
      for (const [size, value] of pairs) {
        view[size === 4 ? 'setUint32' : 'setUint16'](at, value, true);
        at += size;
      }
      return view.buffer;
    };
    let place = 0;
    for (const [file, content] of files) {
      const name = new TextEncoder().encode(file), bytes = new Uint8Array(await content.arrayBuffer());
      const crc = (bytes.reduce((sum, byte) => CRC_TABLE[(sum ^ byte) & 255] ^ (sum >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;
      // Version, names in UTF-8, stored; time, date, CRC-32, both sizes, length of the name, nothing more.
      const about = [[2, 20], [2, 0x800], [2, 0], [2, time], [2, date], [4, crc], [4, bytes.length], [4, bytes.length],
        [2, name.length], [2, 0]];
      const head = numbers([4, 0x04034b50], ...about);
      parts.push(head, name, bytes);
      index.push(numbers([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, place]), name);
      place += head.byteLength + name.length + bytes.length;
    }
    const size = index.reduce((bytes, each) => bytes + each.byteLength, 0);
    const count = index.length / 2;
    const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, place], [2, 0]);
    return new Blob([...parts, ...index, end], {type: 'application/zip'});
  };

  const chartOf = (name) => document.getElementsByClassName(name)[0]?.querySelector('.js-plotly-plot:has(svg.main-svg)');

  // What was brought along, or else what plotly drew, where it has.
  const pictureOf = (svg, of) => {
    if (svg) return brought(svg);
    const chart = chartOf(of);
    return chart && compose(chart);
  };

  // Once every figure is drawn and none changes any more, or after a while those that are.
  const drawn = async (names) => {
    let before;
    for (const end = Date.now() + LONGEST; Date.now() < end;) {
      const charts = names.map(chartOf);
      const now = charts.map((chart) => chart?.innerHTML.length).join();
      if (now === before && charts.every(Boolean)) return;
      before = now;
      await new Promise((done) => setTimeout(done, 200));
    }
  };

  window.tarstopPack = async ({dataset}) => {
    const figures = Object.entries(JSON.parse(decoded(dataset.figures))), files = [];
    await drawn(figures.map(([, {of}]) => of).filter(Boolean));
    for (const [name, {of, csv, svg}] of figures) {
      const picture = pictureOf(svg, of);
      if (picture) {
        files.push([`${name}.svg`, new Blob([picture.text])], [`${name}.png`, await png(picture)]);
      }
      if (csv.trim()) files.push([`${name}.csv`, new Blob([csv])]);
    }
    give(await zip(files), `${dataset.all}-figures.zip`);
    document.querySelectorAll('[data-save][aria-busy]').forEach((button) => { button.ariaBusy = null; });
  };

  const give = (blob, name) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();  // not on the page: a press beside the menu would close it
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // Found again by where it stands: the page may have drawn it anew since the menu was opened.
  const listed = (place, label) => {
    const original = () => [...document.querySelectorAll(`.${place} button`)].find((each) => each.textContent.trim() === label);
    const button = Object.assign(document.createElement('button'), {type: 'button', className: 'tar-save', textContent: label});
    button.disabled = original().disabled;
    button.addEventListener('click', () => original()?.click());
    return button;
  };

  const group = (name, buttons) => {
    const section = Object.assign(document.createElement('section'), {role: 'group', ariaLabel: name});
    section.append(Object.assign(document.createElement('p'), {className: 'tar-meta', textContent: name}), ...buttons);
    return section;
  };

  const list = (menu) => {
    const groups = [...document.querySelectorAll('[data-offer]')].map((mark) => {
      const place = mark.closest('[class*="st-key-offered-"]');
      const name = [...place.classList].find((each) => each.startsWith('st-key-offered-'));
      const labels = [...place.querySelectorAll('button')].map((each) => each.textContent.trim());
      return group(mark.dataset.offer, labels.map((label) => listed(CSS.escape(name), label)));
    });
    if (document.querySelector('.st-key-all-figures')) {
      const all = Object.assign(document.createElement('button'), {type: 'button', className: 'tar-save', textContent: 'All figures (ZIP)'});
      all.title = 'SVG, PNG and CSV of every figure on this page';
      all.dataset.save = 'all';
      groups.push(group('This page', [all]));
    }
    menu.replaceChildren(...groups);
  };

  document.addEventListener('click', (event) => {
    if (event.target.closest?.('.st-key-save-menu button')) {
      const look = (left) => {
        const menu = document.querySelector('[data-offered]');
        if (menu) list(menu);
        else if (left) setTimeout(look, 20, left - 1);
      };
      look(50);
      return;
    }
    const button = event.target.closest?.('button[data-save]');
    if (button?.dataset.save === 'all') {
      if (button.ariaBusy === 'true') return;
      button.ariaBusy = 'true';
      setTimeout(() => { button.ariaBusy = null; }, LONGEST);  // whatever became of it
      document.querySelector('.st-key-all-figures button')?.click();
      return;
    }
    const {svg, of} = button?.closest('[data-svg], [data-of]')?.dataset ?? {};
    const picture = pictureOf(svg && decoded(svg), of);
    if (!picture) return;
    const name = `${button.dataset.file}.${button.dataset.save}`;
    if (button.dataset.save === 'svg') give(new Blob([picture.text], {type: 'image/svg+xml;charset=utf-8'}), name);
    else png(picture).then((blob) => give(blob, name));
  });
}
document.querySelectorAll('[data-all]:not([data-given])').forEach((asked) => {
  asked.dataset.given = '';
  window.tarstopPack(asked);
});

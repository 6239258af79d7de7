import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { presets } from '../../lib/routes/key-presets.ts';
import { virtualClock } from '../../local/grid/world/clock.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import { createWorld } from '../../local/grid/world/world.ts';

/** Draws what merchants and customers see, from the texts of the shipped scripts in a made-up world. */

const imagesDir = join(import.meta.dirname, '../../docs/images/inworld');
const [owner, ada] = ['99999999-2222-3333-4444-555555555555', '11111111-2222-3333-4444-555555555555'];
const service = 'https://service.example';
const product = '22222222-2222-4333-8444-555555555555';

interface Piece {
  width: number;
  height: number;
  svg: string;
}

const [letterWidth, lineHeight, panelWidth] = [7.2, 18, 340];
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The text in lines that fit, by their number of letters. */
const linesOf = (text: string, width: number): string[] => {
  const most = Math.floor(width / letterWidth);
  const line = new RegExp(`.{1,${most}}(?:\\s|$)|.{${most}}`, 'g');
  return text.split('\n').flatMap((part) => part.match(line)?.map((one) => one.trim()) ?? ['']);
};

const write = (lines: string[], x: number, y: number, more = ''): string =>
  lines.map((line, i) => `<text x="${x}" y="${y + 13 + i * lineHeight}"${more}>${escaped(line)}</text>`).join('');

const rect = (x: number, y: number, width: number, height: number, fill: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="5" fill="${fill}"/>`;

const moved = (x: number, y: number, svg: string): string => `<g transform="translate(${x} ${y})">${svg}</g>`;

/** A dark panel with a title, a text, and what follows below it. */
const panel = (title: string, text: string, below: Omit<Piece, 'width'> = { height: 0, svg: '' }): Piece => {
  const lines = linesOf(text, panelWidth - 32);
  const end = 52 + lines.length * lineHeight;
  const height = end + below.height;
  const head = write([title], 16, 10, ' font-weight="bold"') + write(lines, 16, 42);
  return {
    width: panelWidth,
    height,
    svg: rect(0, 0, panelWidth, height, '#1d1f21') + head + moved(0, end, below.svg),
  };
};

/** Buttons in rows of three. The first one is at the bottom left, as viewers draw them. */
const buttonsOf = (names: string[]) => {
  const rows = Math.ceil(names.length / 3);
  const width = (panelWidth - 48) / 3;
  const svg = names.map((name, i) => {
    const [x, y] = [16 + (i % 3) * (width + 8), (rows - 1 - Math.floor(i / 3)) * 34];
    return rect(x, y, width, 28, '#4a4f55') + write([name], x + width / 2, y + 5, ' text-anchor="middle"');
  });
  return { height: rows * 34 + 10, svg: svg.join('') };
};

/** A field for text. */
const field = {
  height: 100,
  svg: rect(16, 0, panelWidth - 32, 52, '#f2f2f2') + moved(0, 60, buttonsOf(['Submit']).svg),
};

type World = ReturnType<typeof createWorld>;

/** The object's box, with the text above it. */
const box = ({ body }: Placement): Piece => {
  const width = 250;
  const lines = linesOf(body.seen.text, width);
  const y = lines.length * lineHeight + 10;
  const sides = ['0,20 45,0 90,20 45,40', '0,20 45,40 45,100 0,80', '90,20 45,40 45,100 90,80'];
  const faces = sides.map(
    (points, i) => `<polygon points="${points}" fill="${['#c9a26b', '#9b7a4c', '#7c6039'][i]}"/>`,
  );
  const svg = write(lines, width / 2, 0, ' text-anchor="middle"') + moved(80, y, faces.join(''));
  return { width, height: y + 100, svg };
};

/** The newest dialog: buttons, or a field for text. */
const dialog = ({ log }: World, { body }: Placement): Piece => {
  const { text = '', buttons = [] } = log.dialogs.at(-1) ?? {};
  return panel(body.name, text, buttons.length > 0 ? buttonsOf(buttons) : field);
};

/** A button for each price that is not hidden. */
const payWindow = ({ body: { name, payPrice } }: Placement): Piece =>
  panel('Pay object', name, buttonsOf(payPrice.filter((price) => price >= 0).map((price) => `L$ ${price}`)));

/** The newest thing that the object said to the avatar. */
const chat = ({ log }: World, avatar: string): Piece => {
  const { from, text } = log.said.findLast(({ to }) => to === avatar) ?? {};
  return panel('Nearby chat', `${from}: ${text}`);
};

const message = ({ log }: World, { body }: Placement): Piece =>
  panel(`Instant message from ${body.name}`, log.messages.at(-1)?.text ?? '');

/** The pieces side by side on a dark background, which is readable on light and dark pages. */
const picture = (title: string, ...pieces: Piece[]): string => {
  const height = Math.max(...pieces.map((piece) => piece.height)) + 40;
  let width = 20;
  const placed = pieces.map((piece) => {
    const svg = moved(width, 20, piece.svg);
    width += piece.width + 20;
    return svg;
  });
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const font = 'font-family="Arial, Helvetica, sans-serif" font-size="13" fill="#ffffff"';
  const head = `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size} ${font}>\n<title>${escaped(title)}</title>`;
  return [head, rect(0, 0, width, height, '#41586b'), ...placed, '</svg>', ''].join('\n');
};

/** The fields of an answer, and its status if that is not 200. */
type Answer = { [field: string]: unknown; status?: number };

/** A world whose service gives these answers. */
const start = (answers: Record<string, Answer | ((body: string) => Answer)>) => {
  const clock = virtualClock(Date.UTC(2027, 0, 1));
  const world = createWorld({
    clock,
    nameOf: () => 'ada.lovelace',
    uuidOf: () => undefined,
    send: ({ url, method, body }, answer) => {
      const path = url.slice(service.length).replace(ada, 'ada');
      const request = `${method} ${path.replace(/(vendors\/).*/, '$1vendor').replace(/(sales\/)[^/]+/, '$1sale')}`;
      const found = answers[request] ?? (request === 'GET /v1/store' ? store(presets.all.scopes) : undefined);
      if (!found) throw new Error(`The script asked for ${request}, which has no answer here.`);
      const { status = 200, ...fields } = typeof found === 'function' ? found(body) : found;
      answer({ status, type: 'application/json', body: JSON.stringify(fields) });
    },
  });
  world.balances.set(ada, 1000);
  /** Lets somebody act, and the script do what follows. */
  const act = <T>(run: () => T): T => {
    const result = run();
    clock.advance(15);
    return result;
  };
  const rez = (script: 'dispenser' | 'terminal' | 'vendor', name: string, more: string[] = []): Placement => {
    const text = readFileSync(join(import.meta.dirname, `${script}.lsl`), 'utf8');
    const notecards = { [script]: [`service = ${service}`, 'key = sis_live_x', ...more] };
    return act(() => world.rez({ owner, name, script: text, notecards, items: [] }));
  };
  /** Presses a button of the newest dialog. */
  const press = (button: string) => act(() => world.log.dialogs.at(-1)?.answer(button));
  return { world, rez, act, press };
};

const store = (scopes: readonly string[]): Answer => ({ name: 'Lamps and more', key: { name: 'web shop', scopes } });

const drawVendor = () => {
  const { world, rez, act, press } = start({
    'PUT /v1/vendors/vendor': {
      uuid: product,
      product: { id: product, name: 'Desk lamp', activePrice: 100, demoId: product },
    },
    'POST /v1/quotes': { refusal: null, quote: 'signed', toPay: 70, total: 100 },
    'POST /v1/sales/sale/actions/change-paid': {},
    'POST /v1/sales': (body) => ({ status: 201, state: 'completed', change: JSON.parse(body).paid - 70 }),
  });
  const vendor = rez('vendor', 'Lamp vendor');
  const permission = chat(world, owner);
  press('Allow');
  act(() => vendor.touch(ada));
  const menu = [box(vendor), dialog(world, vendor)];
  press('Gift');
  const gift = dialog(world, vendor);
  act(() => vendor.touch(ada));
  press('Use credit');
  const pay = [chat(world, ada), payWindow(vendor)];
  act(() => vendor.pay(ada, 100));
  return {
    'vendor-permission': picture('The vendor tells its owner what it asks the permission for', permission),
    'vendor-menu': picture('A vendor, and its menu after a touch', ...menu),
    'vendor-gift': picture('The vendor asks for whom a gift is', gift),
    'vendor-pay': picture('The vendor says what is to be paid, and the pay window has a button of that price', ...pay),
    'vendor-sale': picture('After the sale: the change is given back', chat(world, ada)),
  };
};

const drawTerminal = () => {
  const lot = { remaining: 20, expiresAt: '2027-02-01T00:00:00.000Z' };
  const { world, rez, act, press } = start({
    'GET /v1/customers/ada/credit': { credit: 150, restrictedCredit: 0 },
    'GET /v1/customers/ada/credit/lots?state=open&limit=1&type=regular': { data: [lot] },
  });
  const terminal = rez('terminal', 'Terminal');
  act(() => terminal.touch(ada));
  const menu = [box(terminal), dialog(world, terminal)];
  press('Balance');
  return {
    'terminal-menu': picture('A terminal, and its menu after a touch', ...menu),
    'terminal-balance': picture('The terminal answers a customer’s balance', chat(world, ada)),
  };
};

const drawDispenser = () => {
  const good = start({ 'PUT /v1/dispenser': { secret: 'first' } });
  const boxes = [good.rez('dispenser', 'Box'), good.rez('dispenser', 'Second box')];
  const bad = start({ 'PUT /v1/dispenser': { status: 415 }, 'GET /v1/store': store(['products:read']) });
  const troubled = bad.rez('dispenser', 'Box');
  const trouble = [box(troubled), message(bad.world, troubled)];
  return {
    'dispenser-ready': picture('A box that is ready, and a second one that stands by', ...boxes.map(box)),
    'dispenser-trouble': picture('A box with a key that is not for it says so, and tells its owner', ...trouble),
  };
};

/** The pictures by their file's name without its ending. */
export const draw = (): Record<string, string> => ({ ...drawVendor(), ...drawTerminal(), ...drawDispenser() });

if (import.meta.main) {
  if (process.argv.length > 2)
    console.log('node apps/inworld/pictures.ts draws docs/images/inworld/*.svg. It has no options.');
  else for (const [name, svg] of Object.entries(draw())) writeFileSync(join(imagesDir, `${name}.svg`), svg);
}

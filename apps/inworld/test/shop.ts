import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PresetName, presets } from '../../../lib/routes/key-presets.ts';
import type { Scope } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { startForTests } from '../../../test/support/local-service.ts';

export const owner = '99999999-2222-3333-4444-555555555555';

export type ScriptName = 'cashier' | 'dispenser' | 'shelf' | 'terminal' | 'updater' | 'vendor';

/** The preset of its key, which its notecard is called by too. */
export const presetOf = (name: ScriptName) => (name === 'shelf' ? 'shop' : name === 'updater' ? 'vendor' : name);

/** The text of a shipped script. */
export const scriptOf = (name: ScriptName): string => readFileSync(new URL(`../${name}.lsl`, import.meta.url), 'utf8');

type World = ReturnType<typeof createWorld>;

/** Passes calls to the addresses of scripts to their worlds. */
const startAddresses = async () => {
  const worlds: World[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('utf8');
    const [, place = ''] = (request.url ?? '').split('/');
    const { method = '', url } = request;
    worlds[Number(place)]?.receive(origin + url, method, body, (status, text) => response.writeHead(status).end(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { worlds, origin, stop: () => server.closeAllConnections() ?? server.close() };
};

/** The local service over HTTP, and objects with shipped scripts that call it from a made-up world with its own L$. */
export const openShop = async () => {
  const local = await startForTests({ demo: false });
  const { worlds, origin, stop } = await startAddresses();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(local.baseUrl + path, {
      method,
      headers: { 'X-API-Key': local.keys.all },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.status === 204 ? undefined : response.json();
  };
  const { id: store } = await call('GET', '/v1/store');
  const issue = async (scopes: readonly Scope[]) =>
    (await issueKey({ store, name: 'shop', scopes: [...scopes], stage: 'test' })).text;
  const keys = new Map<ScriptName, string>();

  /**
   * An object with the script in a region of its own. `more` are lines of its notecard, which begins with these two.
   */
  const place = async (name: ScriptName, more: string[] = [], notecard?: string[], items: string[] = []) => {
    if (!keys.has(name)) keys.set(name, await issue(presets[presetOf(name)].scopes));
    const lines = ['service = https://service.example', `key = ${keys.get(name)}`];
    const clock = virtualClock(Date.now());
    const absent = new Set<string>();
    const net = { isAway: false, loses: false, status: 0, pending: 0, sent: 0, longest: 0, requests: [] as string[] };
    const place = worlds.length;
    const world = createWorld({
      clock,
      address: (id) => `${origin}/${place}/${id}`,
      nameOf: (uuid) => local.residents.find((one) => one.uuid === uuid)?.username,
      uuidOf: (username) => local.residents.find((one) => one.username === username)?.uuid,
      isPresent: (uuid) => !absent.has(uuid),
      send: async ({ url, method, headers, body }, answer) => {
        if (net.isAway) return answer(undefined);
        if (net.status) return answer({ status: net.status, type: 'application/json', body: '{"detail":"Oh."}' });
        const request = { method, headers, ...(method !== 'GET' && { body }) };
        net.pending += 1;
        const response = await fetch(url.replace(/^https:\/\/service\.example(\/long-*)?/, local.baseUrl), request);
        const text = await response.text().finally(() => {
          net.pending -= 1;
        });
        net.sent += 1;
        net.requests.push(`${method} ${new URL(url).pathname}`);
        net.longest = Math.max(net.longest, Buffer.byteLength(text));
        if (net.loses) return answer(undefined);
        answer({ status: response.status, type: response.headers.get('Content-Type') ?? '', body: text });
      },
    });
    worlds.push(world);
    const object = world.rez({
      owner,
      name,
      script: scriptOf(name),
      notecards: { [name]: notecard ?? [...lines, ...more] },
      items: items.map((item) => ({ name: item })),
    });
    /** Writes what the script itself would have stored. */
    const keep = (entry: string, value: string): void => {
      const pass = createHmac('sha256', String(keys.get(name)))
        .update(owner)
        .digest('base64');
      object.body.functions['integer llLinksetDataWriteProtected(string, string, string)']?.(
        ...([entry, value, pass] as never[]),
      );
    };
    /**
     * Lets time pass in steps of this many seconds until the condition is true. While the service works on a request no
     * time passes: a busy machine needs long.
     */
    const until = async (isSo: () => boolean, step = 0.5): Promise<void> => {
      for (let turn = 0; !isSo(); ) {
        if (turn > 2000) throw new Error(`It never came to be: ${isSo}. ${JSON.stringify(world.log)}`);
        if (net.pending === 0) {
          clock.advance(step);
          turn += 1;
        }
        await sleep(5);
      }
    };
    /** Presses a button of the newest unanswered dialog with this text, or writes into its box. */
    const choose = async (text: string, button: string): Promise<void> => {
      const find = () => world.log.dialogs.findLast((one) => one.text.includes(text));
      await until(() => find() !== undefined);
      find()?.answer(button);
      world.log.dialogs.length = 0;
    };
    /** Waits until the object has said this to an avatar, in chat. */
    const hears = (avatar: string, text: string) =>
      until(() => world.log.said.some((one) => one.to === avatar && one.text.includes(text)));
    const isTold = (text: string) => until(() => world.log.messages.some((one) => one.text.includes(text)));
    return { name, lines, clock, net, absent, world, object, keep, until, choose, hears, isTold };
  };

  const end = async (): Promise<void> => {
    stop();
    await local.stop();
  };
  /** A key with the scopes of a preset. */
  const keyOf = (preset: PresetName): Promise<string> => issue(presets[preset].scopes);
  return { local, store, call, issue, keyOf, place, end };
};
export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A terminal that is ready. `use` touches it and presses a button of its menu. */
export const placeTerminal = async (shop: Shop, notecard?: string[]) => {
  const terminal = await shop.place('terminal', [], notecard);
  const { object, until, choose } = terminal;
  await until(() => object.body.seen.text.includes('Touch for'));
  const use = async (who: string, button: string): Promise<void> => {
    object.touch(who);
    await choose('What can this store do', button);
  };
  return { ...terminal, use };
};

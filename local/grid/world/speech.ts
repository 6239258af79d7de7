import type { Functions } from '../lsl/library.ts';
import { asString, type List, ScriptError } from '../lsl/values.ts';
import { type Body, cut } from './object.ts';

const maxListens = 65;

/** The text cut to at most this many characters. */
const shortened = (text: string, most: number): string => [...text].slice(0, most).join('');

const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** LSL's functions for texts to avatars, and for listening to them. */
export const speech = (body: Body): Functions => ({
  'void llOwnerSay(string)': (text: string) => body.around.say(0, cut(text, 1024), body.prim.owner),
  'void llRegionSayTo(key, integer, string)': (to: string, channel: number, text: string) =>
    body.around.say(channel, cut(text, 1024), to),
  'void llRegionSay(integer, string)': (channel: number, text: string) =>
    channel === 0 ? body.refuse('llRegionSay: not on channel 0.') : body.around.regionSay(channel, cut(text, 1024)),
  'void llInstantMessage(key, string) waits': (to: string, text: string) => {
    body.around.message(to, cut(text, 1023));
    return body.wait(2, undefined);
  },
  'void llDialog(key, string, list, integer) waits': (to: string, text: string, { items }: List, channel: number) => {
    const buttons = items.length > 0 ? items.map(asString) : ['OK'];
    if (text === '' || utf8Bytes(text) > 512) body.refuse('llDialog: the text must have 1 to 512 bytes.');
    else if (buttons.length > 12) body.refuse('llDialog: at most 12 buttons.');
    else if (buttons.some((button) => button === '' || utf8Bytes(button) > 24))
      body.refuse('llDialog: a button must have 1 to 24 bytes.');
    else if (items.some((item) => typeof item !== 'string')) body.refuse('llDialog: a button must be a string.');
    else body.around.dialog(to, text, buttons, channel);
    return body.wait(1, undefined);
  },
  'void llTextBox(key, string, integer) waits': (to: string, text: string, channel: number) => {
    if (text === '' || utf8Bytes(text) > 512) body.refuse('llTextBox: the text must have 1 to 512 bytes.');
    else body.around.dialog(to, text, [], channel);
    return body.wait(1, undefined);
  },
  // Both texts are cut without a word. Nobody sees a window of an object that a group owns.
  'void llLoadURL(key, string, string) waits': (to: string, text: string, url: string) => {
    if (text === '' || !/^https?:\/\//.test(url)) body.refuse('llLoadURL: it needs a text, and http:// or https://.');
    else if (!body.prim.isDeeded && body.around.isPresent(to))
      body.around.offerPage(to, shortened(text, 254), shortened(url, 255));
    return body.wait(0.1, undefined);
  },
  'integer llListen(integer, string, key, string)': (channel: number, from: string, of: string, message: string) => {
    if (body.listens.length >= maxListens) throw new ScriptError('Too Many Listens');
    body.handles += 1;
    body.listens.push({ handle: body.handles, channel, name: from, id: of, message });
    return body.handles;
  },
  'void llListenRemove(integer)': (handle: number) => {
    body.listens = body.listens.filter((one) => one.handle !== handle);
  },
});

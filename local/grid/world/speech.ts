import { constants, type Functions } from '../lsl/library.ts';
import { asString, Float, List, ScriptError, Vector } from '../lsl/values.ts';
import { type Body, cut } from './object.ts';

const maxListens = 65;
const onlyText = 'This world knows the rule PRIM_TEXT alone.';

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
  'integer llListen(integer, string, key, string)': (channel: number, from: string, of: string, message: string) => {
    if (body.listens.length >= maxListens) throw new ScriptError('Too Many Listens');
    body.handles += 1;
    body.listens.push({ handle: body.handles, channel, name: from, id: of, message });
    return body.handles;
  },
  'void llListenRemove(integer)': (handle: number) => {
    body.listens = body.listens.filter((one) => one.handle !== handle);
  },
  'void llMessageLinked(integer, integer, string, key)': (link: number, number: number, text: string, id: string) =>
    body.around.messageLinked(body.linked(link), number, text, id),
  'void llSetRemoteScriptAccessPin(integer) waits': (pin: number) => {
    body.prim.pin = pin;
    return body.wait(0.2, undefined);
  },
  'void llRemoteLoadScriptPin(key, string, integer, integer, integer) waits': (
    to: string,
    name: string,
    pin: number,
  ) => {
    if (!body.around.loadScript(to, name, pin))
      body.refuse(`Task ${body.name} trying to illegally load script onto task!`);
    return body.wait(3, undefined);
  },
  'void llSetText(string, vector, float)': (text: string) => {
    body.seen.text = cut(text, 254);
  },
  'void llSetTexture(string, integer) waits': (texture: string, face: number) => {
    body.seen.textures.set(face, texture);
    return body.wait(0.2, undefined);
  },
  'void llSetLinkTexture(integer, string, integer) waits': (link: number, texture: string, face: number) => {
    for (const { seen } of body.linked(link)) seen.textures.set(face, texture);
    return body.wait(0.2, undefined);
  },
  'void llSetLinkPrimitiveParamsFast(integer, list)': (link: number, { items }: List) => {
    const [rule, text] = items;
    if (rule !== constants.PRIM_TEXT || items.length !== 4) throw new ScriptError(onlyText);
    for (const { seen } of body.linked(link)) seen.text = cut(asString(text ?? ''), 254);
  },
  'list llGetLinkPrimitiveParams(integer, list)': (link: number, { items }: List) => {
    if (items.length !== 1 || items[0] !== constants.PRIM_TEXT) throw new ScriptError(onlyText);
    // Colour and alpha are not kept.
    return new List(body.linked(link).flatMap(({ seen }) => [seen.text, new Vector(1, 1, 1), new Float(1)]));
  },
  'void llSetPayPrice(integer, list)': (price: number, { items }: List) => {
    const { linkset } = body.prim;
    if (linkset.prims[0] === body.prim) linkset.payPrice = [price, ...items.map(Number)];
  },
});

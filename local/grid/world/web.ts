import { newKey } from '../keys.ts';
import { constants, type Functions } from '../lsl/library.ts';
import { asString, List, nullKey, ScriptError } from '../lsl/values.ts';
import { type Body, cut } from './object.ts';

/** A script's request ends after this many seconds without an answer. */
const outgoingSeconds = 60;
const passedTypes =
  /^(?:text\/|application\/(?:json|xml|xhtml\+xml|atom\+xml|rss\+xml|llsd\+xml|x-javascript|javascript|x-www-form-urlencoded)(?:;|$))/;
const shardHeaders = { 'X-SecondLife-Shard': 'Production', Accept: 'text/*, application/json, application/xml' };
const noMetadata = new List([]);

const webOptions = ({ items }: List) => {
  const chosen = { method: 'GET', maxBytes: 2048, isVerbose: true, headers: {} as Record<string, string> };
  for (let at = 0; at < items.length; at += 2) {
    const value = items[at + 1];
    switch (items[at]) {
      case constants.HTTP_METHOD:
        chosen.method = String(value);
        break;
      case constants.HTTP_MIMETYPE:
        chosen.headers['Content-Type'] = String(value);
        break;
      case constants.HTTP_BODY_MAXLENGTH:
        chosen.maxBytes = Math.min(Number(value), 16_384);
        break;
      case constants.HTTP_VERBOSE_THROTTLE:
        chosen.isVerbose = value !== 0;
        break;
      case constants.HTTP_ACCEPT:
        chosen.headers.Accept = String(value);
        break;
      case constants.HTTP_CUSTOM_HEADER: {
        const text = asString(items[at + 2] ?? '');
        if (String(value).length + text.length > 253) throw new ScriptError('llHTTPRequest: a header is too long');
        chosen.headers[String(value)] = text;
        at += 1;
        break;
      }
      default:
        throw new ScriptError(`llHTTPRequest: unknown option ${items[at]}`);
    }
  }
  return chosen;
};

/** LSL's functions for addresses, which take requests from outside, and for requests to others. */
export const web = (body: Body): Functions => ({
  'key llRequestSecureURL()': () => {
    const request = newKey();
    body.later(() =>
      body.around.grantUrl((url) => {
        if (url) body.urls.add(url);
        if (url) body.script().send('http_request', request, constants.URL_REQUEST_GRANTED, url);
        else body.script().send('http_request', request, constants.URL_REQUEST_DENIED, 'No URLs available.');
      }),
    );
    return request;
  },
  'integer llGetFreeURLs()': () => body.around.freeUrls(),
  'void llReleaseURL(string)': (url: string) => {
    if (body.urls.delete(url)) body.around.releaseUrl(url);
  },
  'void llHTTPResponse(key, integer, string)': (request: string, status: number, text: string) => {
    const waiting = body.pending.get(request);
    body.pending.delete(request);
    waiting?.answer(status, text);
  },
  'key llHTTPRequest(string, list, string)': (url: string, options: List, sent: string) => {
    const { headers, ...chosen } = webOptions(options);
    if (!body.prim.linkset.mayRequest() || !body.around.mayRequest()) {
      if (chosen.isVerbose) body.around.shout('llHTTPRequest: too many HTTP requests too fast.');
      return nullKey;
    }
    const request = newKey();
    let answered = false;
    const answer = (status: number, text: string): void => {
      if (answered) return;
      answered = true;
      body.script().send('http_response', request, status, noMetadata, text);
    };
    const then = body.life;
    // An address must not have a space.
    if (/\s/.test(url) || !/^https?:\/\//i.test(url)) body.later(() => answer(499, ''));
    else
      body.around.send(
        { url, method: chosen.method, headers: { ...shardHeaders, ...headers }, body: sent },
        (result) => {
          if (then !== body.life) return;
          if (!result) answer(499, '');
          else if (!passedTypes.test(result.type.toLowerCase())) answer(415, 'Unsupported or unknown Content-Type.');
          else answer(result.status, cut(result.body, chosen.maxBytes));
        },
      );
    body.later(() => answer(499, ''), outgoingSeconds);
    return request;
  },
});
